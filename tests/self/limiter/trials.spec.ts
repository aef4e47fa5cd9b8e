/** When the rate limit is looked at again, and what shows that somebody else uses a key: one row for each edge. */
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Group } from '../../../src/catalogue/catalogue';
import type { TargetFacts } from '../../../src/evidence/model';
import { whileServing } from '../../../src/evidence/responder/failures';
import { needsAnotherTrial } from '../../../src/limiter/another-trial';
import { isOverRate } from '../../../src/limiter/enforced';
import { type Decision, phaseAfter, shareOfPhases } from '../../../src/limiter/level';
import { oddSingles, seemingWindowSeconds } from '../../../src/limiter/stricter';
import { isPlainlyStricter, mayBeAnotherClient, otherClients } from '../../../src/limiter/worlds';
import { nextOfPhase } from '../../../src/probes/moments';
import { accountsNamed } from '../support/evidence-of';
import { evidenceIn, expectRows, rowsOf, tabled } from '../support/table';

const BOTH: Partial<TargetFacts> = { accounts: accountsNamed('alice', 'bob') };

/** Requests 5 ms apart with these statuses. */
const trial = (probe: string, atMs: number, statuses: readonly number[], more = '') =>
  statuses.map((status, i) => `@${atMs + 5 * i} ${probe} ${status} ${more}`).join('; ');
const limit = (named: number) => `X-RateLimit-Limit=${named}`;
const counting = (...left: number[]) =>
  left.map((remaining, i) => `@${5 * i} sequence ${limit(5)} X-RateLimit-Remaining=${remaining}`).join('; ');
/** A burst of which nothing is accepted, between two reads that are. */
const empty = (atMs: number, account: string, n = 1) =>
  `@${atMs - 2000} ${account}; ${trial(`concurrent#${n}`, atMs, [429, 429], account)}; @${atMs + 2000} ${account}`;
const OVER = [200, 200, 429];
const RIGHT = [200, 429, 429];
const THREE = [200, 200, 200];
const FIVE = [200, 200, 200, 200, 200];
const seq = (n: number, atMs: number, statuses: readonly number[], account = '') =>
  trial(`sequence#${n}`, atMs, statuses, account);

/** One test a table: `what it shows | group | exchanges | whether another look is taken`. */
const asked = (target: Partial<TargetFacts>) =>
  tabled((table) =>
    test(`whether another look is taken, at the rate ${JSON.stringify(target.rate ?? null)}`, () =>
      expectRows(table, ([, group, exchanges = '']) =>
        needsAnotherTrial(evidenceIn(exchanges, target), group as Group, 'alice') ? 'yes' : 'no',
      )),
  );

asked(BOTH)`
  no look was taken              | sequence |                                          | no
  one was accepted               | sequence | ${seq(1, 0, RIGHT)}                      | no
  two were accepted              | sequence | ${seq(1, 0, OVER)}                       | yes
  three were accepted, as after a restart | sequence | ${seq(1, 0, THREE)}             | yes
  three were accepted twice: that is certain | sequence | ${seq(1, 0, THREE)}; ${seq(2, 9000, THREE)} | no
  five were accepted, which no restart explains | sequence | ${seq(1, 0, FIVE)}        | no
  five of another account were accepted | sequence | ${seq(1, 0, OVER)}; ${seq(1, 9000, FIVE, 'bob')} | no
  two of another account were accepted | sequence | ${seq(1, 0, OVER)}; ${seq(1, 9000, OVER, 'bob')} | yes
  twice two, which windows that begin just so explain | sequence | ${seq(1, 0, OVER)}; ${seq(2, 5000, OVER)} | yes
  twice two, which no windows explain | sequence | ${seq(1, 0, OVER)}; ${seq(2, 5500, OVER)} | no
  one each 700 ms, which few windows explain | sequence | @0 sequence; @700 sequence; @1400 sequence | yes
  three looks were taken         | sequence | ${[0, 1, 2].map((i) => seq(i + 1, 5000 * i, OVER)).join('; ')} | no
  three looks were taken of another account | sequence | ${seq(1, 0, OVER)}; ${[0, 1, 2].map((i) => seq(i + 1, 9000 + 5000 * i, RIGHT, 'bob')).join('; ')} | no
  one of two looks was right     | sequence | ${seq(1, 0, OVER)}; ${seq(2, 5000, RIGHT)} | no
  one of two bursts was right    | concurrent | ${trial('concurrent#1', 0, OVER)}; ${trial('concurrent#2', 5000, RIGHT)} | yes
  the first was refused          | sequence | ${seq(1, 0, [429, 200, 429])}            | yes
  the first of another group was refused | recovery | ${trial('recovery', 0, [429, 200, 429])} | no
  nothing of a burst was accepted | concurrent | ${empty(0, 'alice')}                  | yes
  a burst of one was refused     | concurrent | @0 concurrent 429                      | no
  nothing of two bursts was accepted | concurrent | ${empty(0, 'alice')}; ${empty(5000, 'alice', 2)} | yes
  nothing of two accounts’ bursts was accepted | concurrent | ${empty(0, 'alice')}; ${empty(5000, 'bob')} | no
  both paths were accepted       | paths    | @0 paths; @10 paths GET:/                | yes
  one path was refused           | paths    | @0 paths; @10 paths GET:/ 429            | no
  both paths were accepted, and a sequence has shown why | paths | ${seq(1, 0, THREE)}; @9000 paths; @9010 paths GET:/ | no
  two accepted 630 ms apart, which fewer than two thirds of all phases explain | sequence | @630 sequence; @0 sequence | yes
  two accepted 670 ms apart      | sequence | @670 sequence; @0 sequence               | no
`;

const of = (count: number, refusals = 1) => [...Array(count).fill(200), ...Array(refusals).fill(429)];
asked({ ...BOTH, rate: { requests: 5, seconds: 1 } })`
  as many were granted as the limit says | sequence | ${trial('sequence', 0, of(5), limit(5))}  | no
  fewer were granted than the limit says | sequence | ${trial('sequence', 0, of(4), limit(5))}  | yes
  fewer were granted of a burst  | concurrent | ${trial('concurrent', 0, of(4), limit(5))}      | yes
  fewer were granted of a burst, while a counter may remember more | concurrent | ${trial('sequence', 0, of(5), limit(5))}; ${trial('concurrent', 1500, of(4), limit(5))} | no
  fewer were granted, of which one was sent twice | sequence | ${trial('sequence', 0, of(4), `${limit(5)} resent`)} | no
  more were granted than the limit says | concurrent | ${trial('concurrent', 0, of(3), limit(2))} | yes
  more were granted than is declared | concurrent | ${trial('concurrent', 0, of(6), limit(7))} | yes
  what is left counts down       | sequence | ${counting(4, 3, 2)}                              | no
  what is left does not count down | sequence | ${counting(4, 3, 3)}                            | yes
`;

/** Reads of an account at some moments; those that were refused are negative. */
const reads = (account: string, ...atMs: number[]) =>
  atMs.map((ms) => `@${Math.abs(ms)} ${account}${ms < 0 ? ' 429' : ''}`).join('; ');
/** Spaced reads of bob's, long after all of alice's. */
const bobs = (...after: number[]) => reads('bob', ...after.map((ms) => Math.sign(ms) * (50_000 + Math.abs(ms))));
const KNOWN = bobs(1, 1500, 3000, 4500);
const NOW_AND_THEN = reads('alice', 0, -1500, 3500, -5000, 8000);
/** Accepted at one moment, and more than windows of any length explain. */
const atOnce = (account: string) => [0, 1, 2].map((i) => `@${90_000 + i}+${10 - i} ${account}`).join('; ');

for (const [what, exchanges, shown] of rowsOf(`
  after no shorter a wait than one that was accepted, as longer windows do | ${reads('alice', 0, 1500, -3000, 9000)} |
  after a shorter wait than any that was accepted    | ${reads('alice', 0, 1500, -2984, 9000)} |
  a little too soon                                  | ${reads('alice', 0, 1001, -2101, 9000)} |
  and never accepted again                           | ${reads('alice', 0, 1500, -3000)}       |
  for good, unlike another account that was asked and refused as often | ${reads('alice', 0, 1500, -3000, -5000, -7000)}; ${bobs(1, 1500, 3000, -3100, -3200, -3300, -3400, 4500)} |
  for good, after more requests than of any other account | ${reads('alice', 0, 1500, 3000, 4500, 6000, -8000, -10_000, -12_000)}; ${bobs(1)} |
  after a silence longer than any limiter remembers  | ${reads('alice', 0, 1500, -2000, 2600, -8000, 13_000)} | 4
  beside another account                             | ${reads('alice', 0, 1500, -3000, 9000)}; @2500 bob |
  after another account                              | ${reads('alice', 0, 1500, -3000, 9000)}; @1800 bob |
  sent twice                                         | ${reads('alice', 0, 1500)}; @3000 429 resent; @9000 |
  now and then, unlike another account               | ${NOW_AND_THEN}; ${KNOWN}               | 1 3
  once, unlike another account                       | ${reads('alice', 0, -1500, 3500)}; ${KNOWN} |
  now and then, and another account is hardly known  | ${NOW_AND_THEN}; ${bobs(1500, 3000, 4500)} |
  now and then, as another account is                | ${NOW_AND_THEN}; ${KNOWN}; ${bobs(-6000, 9000, -10_500, 14_000)} |
  now and then, as another account was once          | ${NOW_AND_THEN}; ${KNOWN}; ${bobs(-5700, 9000)} |
  each time that it came too soon                    | ${NOW_AND_THEN}; @12000; ${KNOWN}       | 1 3
  each time that it came too soon, as it alone is told | ${reads('alice', 0, 5000, 10_000, 14_000)}; @1500 429 Retry-After=3; @6500 429 Retry-After=3; ${KNOWN} | 4 5
`))
  test(`refused ${what}: ${shown ? 'somebody else uses the key' : 'that tells nothing'}`, () => {
    const found = otherClients(evidenceIn(`${exchanges}; ${atOnce('bob')}`, BOTH)).get('alice') ?? [];
    expect(found.map(({ exchange }) => exchange.index).join(' ')).toBe(shown);
  });

test('whether somebody else may use a key is known before it is accepted again', () => {
  const may = (...atMs: number[]) =>
    mayBeAnotherClient(evidenceIn(`${reads('alice', ...atMs)}; ${KNOWN}; ${atOnce('bob')}`, BOTH), 'alice');
  expect(may(0, -1500, 3500, -5000)).toBe(true);
  expect(may(0, -1500, 3500)).toBe(false);
  // Longer windows refuse that as well.
  expect(may(0, 1500, -3000)).toBe(false);
  expect(may(0, 1500, -2900)).toBe(false);
});

const REFUSED_FIVE = '0 -1500 3000 -4500 6000 -7500 9000 -10500 12000 -13500 15000';
const REFUSED_SIX = `${REFUSED_FIVE} -16500 18000`;
const AFTER_SILENCE = '24000 29000 34000';
for (const [what, moments = '', isRegular] of rowsOf(`
  refused where it came soon, accepted where it came later | ${REFUSED_SIX} ${AFTER_SILENCE}         | yes
  by the only key, and never after a silence | ${REFUSED_SIX} 19500 21000                            | no
  seen too seldom                            | ${REFUSED_FIVE} ${AFTER_SILENCE}                      | no
  accepted too seldom                        | 0 -1500 -3000 5000 -6500 9000 -10500 14000 -15500 -17000 | no
  accepted once as soon, at another phase    | ${REFUSED_SIX} 19500 ${AFTER_SILENCE}                 | yes
  accepted once a little later than refused  | ${REFUSED_SIX} 19516 ${AFTER_SILENCE}                 | yes
`))
  test(`a stricter limit is seen: ${what}: ${isRegular}`, () => {
    const exchanges = `${reads('alice', ...moments.split(' ').map(Number))}; ${atOnce('alice')}`;
    expect(isPlainlyStricter(evidenceIn(exchanges)) ? 'yes' : 'no').toBe(isRegular);
  });

test('longer windows are seen: of one length for all accounts, each at a phase of its own', () => {
  const fits = (...exchanges: string[]) => seemingWindowSeconds(evidenceIn(exchanges.join('; '), BOTH)) !== null;
  // Windows of two seconds: from 0 on, and from 1 s on.
  const alice = reads('alice', 0, -1200, 2100, 4050, -5900, 6000);
  const bob = bobs(1100, -2900, 3100, -4900, 5050);
  expect(fits(alice, bob)).toBe(true);
  // A race accepts more at one moment, in windows of any length.
  expect(fits(alice, bob, atOnce('bob'))).toBe(true);
  expect(fits(alice, bob, bobs(-8900))).toBe(false);
  // What is answered otherwise may have used up the budget.
  expect(fits(alice, bob, '@57100 bob 404', bobs(-8900))).toBe(true);
  expect(fits(reads('alice', 0, 2100, 4050, 6000), bobs(1100, 3100, 5050))).toBe(false);
});

test('windows that a request was sent too late for do not explain its refusal, however long answers take', () => {
  const accepted = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `@${1500 * i}+450`).join('; ');
  const explains = (ms: number) => seemingWindowSeconds(evidenceIn(`${accepted}; @${ms}+450 429`));
  expect(explains(12_100)).toBe(1.5);
  expect(explains(12_101)).toBe(null);
});

test('what was accepted before and after a restart is not counted together', () => {
  const isOver = (between: string) => {
    const two = [seq(1, 0, [200, 200]), between, seq(2, 400, [200, 200])].join('; ');
    return isOverRate(whileServing(evidenceIn(`@-5000; ${two}`)), 'sequence', 'alice');
  };
  expect(isOver('@300 502')).toBe(false);
  expect(isOver('@300 404')).toBe(true);
});

test('a sliding counter that does not round down refuses a single request after a whole budget', () => {
  const refused = (afterMs: number) =>
    oddSingles(evidenceIn(`@0; @1; @${afterMs} 429`, { rate: { requests: 2, seconds: 1 } }), 'alice').length;
  // Two requests weigh more than one until half of a window later.
  expect(refused(1200)).toBe(0);
  expect(refused(1700)).toBe(1);
});

test('at the phases that are left, reads soon have no end of a window in common, however long each takes', () => {
  const rate = { requests: 1, seconds: 1 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 400, max: 800 }), { minLength: 7, maxLength: 7 }), (takes) => {
      const accepted: Decision[] = [];
      for (const tookMs of takes) {
        const fromMs = nextOfPhase((accepted.at(-1)?.toMs ?? 0) + 1000, phaseAfter(accepted, rate), 1000);
        accepted.push({ fromMs, toMs: fromMs }, { fromMs: fromMs + tookMs, toMs: fromMs + tookMs });
      }
      expect(shareOfPhases(accepted, rate)).toBe(0);
    }),
  );
});
