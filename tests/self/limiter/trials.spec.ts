/** When the rate limit is looked at again, and what shows that somebody else uses a key: one row for each edge. */
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Group } from '../../../src/catalogue/catalogue';
import { probe } from '../../../src/catalogue/probe';
import type { HeaderLines, TargetFacts } from '../../../src/evidence/model';
import { whileServing } from '../../../src/evidence/responder/serving';
import { needsAnotherTrial } from '../../../src/limiter/another-trial';
import { isOverRate } from '../../../src/limiter/kept';
import { afterBoundariesMs, areBoundaries, type Decision } from '../../../src/limiter/level';
import { oddSingles, seemingWindowSeconds } from '../../../src/limiter/stricter';
import { isPlainlyStricter, mayBeAnotherClient, otherClients } from '../../../src/limiter/worlds';
import { nextOfPhase } from '../../../src/probes/trials/moments';
import { accountsNamed, at, BASE, evidenceOf, type Sketch } from '../support/evidence-of';

const both: Partial<TargetFacts> = { accounts: accountsNamed('alice', 'bob') };
const five: Partial<TargetFacts> = { ...both, rate: { requests: 5, seconds: 1 } };
const REFUSED = { status: 429 };

/** Requests 5 ms apart with these statuses. */
const trial = (
  group: Group,
  number: number,
  atMs: number,
  statuses: readonly number[],
  more: Sketch = {},
  name = 'alice',
) =>
  statuses.map((status, i) => ({
    ...at(atMs + 5 * i, name, { status, ...more }),
    probe: probe(group, { account: name, trial: number }),
  }));
const limit = (named: number): Sketch => ({ headers: [['X-RateLimit-Limit', String(named)]] });
const base = (sketch: Sketch): Sketch => ({ ...sketch, request: { method: 'GET', url: `${BASE}/`, headers: [] } });
const counting = (...left: number[]): Sketch[] =>
  trial(
    'sequence',
    1,
    0,
    left.map(() => 200),
  ).map((sketch, i): Sketch => {
    const headers: HeaderLines = [...(limit(5).headers ?? []), ['X-RateLimit-Remaining', String(left[i])]];
    return { ...sketch, headers };
  });

/** A burst of which nothing is accepted, between two reads that are. */
const emptyBetween = (atMs: number, name: string, number = 1) => [
  at(atMs - 2000, name),
  ...trial('concurrent', number, atMs, [429, 429], {}, name),
  at(atMs + 2000, name),
];

const OVER = [200, 200, 429];
const RIGHT = [200, 429, 429];

function asked(target: Partial<TargetFacts>, rows: ReadonlyArray<[string, Group, Sketch[], boolean]>): void {
  for (const [what, group, sketches, isDue] of rows)
    test(`another look (${group}) is ${isDue ? '' : 'not '}due: ${what}`, () =>
      expect(needsAnotherTrial(evidenceOf(sketches, target), group, 'alice')).toBe(isDue));
}

asked(both, [
  ['no look was taken', 'sequence', [], false],
  ['one was accepted', 'sequence', trial('sequence', 1, 0, RIGHT), false],
  ['two were accepted', 'sequence', trial('sequence', 1, 0, OVER), true],
  ['three were accepted, as after a restart', 'sequence', trial('sequence', 1, 0, [200, 200, 200]), true],
  [
    'three were accepted twice: that is certain',
    'sequence',
    [...trial('sequence', 1, 0, [200, 200, 200]), ...trial('sequence', 2, 9000, [200, 200, 200])],
    false,
  ],
  [
    'five were accepted, which no restart explains',
    'sequence',
    trial('sequence', 1, 0, [200, 200, 200, 200, 200]),
    false,
  ],
  [
    'five of another account were accepted',
    'sequence',
    [...trial('sequence', 1, 0, OVER), ...trial('sequence', 1, 9000, [200, 200, 200, 200, 200], {}, 'bob')],
    false,
  ],
  [
    'two of another account were accepted',
    'sequence',
    [...trial('sequence', 1, 0, OVER), ...trial('sequence', 1, 9000, OVER, {}, 'bob')],
    true,
  ],
  [
    'twice two, which windows that begin just so explain',
    'sequence',
    [...trial('sequence', 1, 0, OVER), ...trial('sequence', 2, 5000, OVER)],
    true,
  ],
  [
    'twice two, which no windows explain',
    'sequence',
    [...trial('sequence', 1, 0, OVER), ...trial('sequence', 2, 5500, OVER)],
    false,
  ],
  ['three looks were taken', 'sequence', [0, 1, 2].flatMap((i) => trial('sequence', i + 1, 5000 * i, OVER)), false],
  [
    'three looks were taken of another account',
    'sequence',
    [
      ...trial('sequence', 1, 0, OVER),
      ...[0, 1, 2].flatMap((i) => trial('sequence', i + 1, 9000 + 5000 * i, RIGHT, {}, 'bob')),
    ],
    false,
  ],
  [
    'one of two looks was right',
    'sequence',
    [...trial('sequence', 1, 0, OVER), ...trial('sequence', 2, 5000, RIGHT)],
    false,
  ],
  [
    'one of two bursts was right',
    'concurrent',
    [...trial('concurrent', 1, 0, OVER), ...trial('concurrent', 2, 5000, RIGHT)],
    true,
  ],
  ['the first was refused', 'sequence', trial('sequence', 1, 0, [429, 200, 429]), true],
  ['the first of another group was refused', 'recovery', trial('recovery', 1, 0, [429, 200, 429]), false],
  ['nothing of a burst was accepted', 'concurrent', emptyBetween(0, 'alice'), true],
  ['a burst of one was refused', 'concurrent', trial('concurrent', 1, 0, [429]), false],
  [
    'nothing of two bursts was accepted',
    'concurrent',
    [...emptyBetween(0, 'alice'), ...emptyBetween(5000, 'alice', 2)],
    true,
  ],
  [
    'nothing of two accounts’ bursts was accepted',
    'concurrent',
    [...emptyBetween(0, 'alice'), ...emptyBetween(5000, 'bob')],
    false,
  ],
  [
    'nothing of two accounts’ bursts was accepted, while the other one was busy',
    'concurrent',
    [...emptyBetween(0, 'alice'), ...emptyBetween(1000, 'bob')],
    true,
  ],
  [
    'both paths were accepted',
    'paths',
    [...trial('paths', 1, 0, [200]), ...trial('paths', 1, 10, [200]).map(base)],
    true,
  ],
  ['one path was refused', 'paths', [...trial('paths', 1, 0, [200]), ...trial('paths', 1, 10, [429]).map(base)], false],
  [
    'both paths were accepted, and a sequence has shown why',
    'paths',
    [
      ...trial('sequence', 1, 0, [200, 200, 200]),
      ...trial('paths', 1, 9000, [200]),
      ...trial('paths', 1, 9010, [200]).map(base),
    ],
    false,
  ],
  // What fewer than two thirds of all phases explain is rare.
  ['two accepted 630 ms apart', 'sequence', [630, 0].flatMap((ms) => trial('sequence', 1, ms, [200])), true],
  ['two accepted 670 ms apart', 'sequence', [670, 0].flatMap((ms) => trial('sequence', 1, ms, [200])), false],
]);

const of = (count: number, refusals = 1) => [...Array(count).fill(200), ...Array(refusals).fill(429)];
asked(five, [
  ['as many were granted as the limit says', 'sequence', trial('sequence', 1, 0, of(5), limit(5)), false],
  ['fewer were granted than the limit says', 'sequence', trial('sequence', 1, 0, of(4), limit(5)), true],
  ['fewer were granted of a burst', 'concurrent', trial('concurrent', 1, 0, of(4), limit(5)), true],
  [
    'fewer were granted of a burst, while a counter may remember more',
    'concurrent',
    [...trial('sequence', 1, 0, of(5), limit(5)), ...trial('concurrent', 1, 1500, of(4), limit(5))],
    false,
  ],
  [
    'fewer were granted, of which one was sent twice',
    'sequence',
    trial('sequence', 1, 0, of(4), { ...limit(5), resent: true }),
    false,
  ],
  ['more were granted than the limit says', 'concurrent', trial('concurrent', 1, 0, of(3), limit(2)), true],
  ['more were granted than is declared', 'concurrent', trial('concurrent', 1, 0, of(6), limit(7)), true],
  ['what is left counts down', 'sequence', counting(4, 3, 2), false],
  ['what is left does not count down', 'sequence', counting(4, 3, 3), true],
]);

/** Reads of an account at some moments; those that were refused are negative. */
const reads = (name: string, ...atMs: number[]): Sketch[] =>
  atMs.map((ms) => at(Math.abs(ms), name, ms < 0 ? REFUSED : {}));
/** A refusal of alice's that asks to wait for three seconds. */
const toldThree = (atMs: number): Sketch => at(atMs, 'alice', { ...REFUSED, headers: [['Retry-After', '3']] });
/** Spaced reads of bob's, long after all of alice's. */
const bobs = (...after: number[]) => reads('bob', ...after.map((ms) => Math.sign(ms) * (50_000 + Math.abs(ms))));
const KNOWN = bobs(1, 1500, 3000, 4500);
/** Accepted at one moment, and more than windows of any length explain. */
const atOnce = (name: string): Sketch[] => [0, 1, 2].map((i) => at(90_000 + i, name, { receivedAtMs: 90_010 }));

for (const [what, sketches, shown] of [
  [
    'after no shorter a wait than one that was accepted, as longer windows do',
    reads('alice', 0, 1500, -3000, 9000),
    [],
  ],
  ['after a shorter wait than any that was accepted', reads('alice', 0, 1500, -2984, 9000), []],
  ['a little too soon', reads('alice', 0, 1001, -2101, 9000), []],
  ['and never accepted again', reads('alice', 0, 1500, -3000), []],
  [
    'for good, unlike another account that was asked and refused as often',
    [...reads('alice', 0, 1500, -3000, -5000, -7000), ...bobs(1, 1500, 3000, -3100, -3200, -3300, -3400, 4500)],
    [],
  ],
  [
    'for good, after more requests than of any other account',
    [...reads('alice', 0, 1500, 3000, 4500, 6000, -8000, -10_000, -12_000), ...bobs(1)],
    [],
  ],
  ['after a silence longer than any limiter remembers', reads('alice', 0, 1500, -2000, 2600, -8000, 13_000), [4]],
  ['beside another account', [...reads('alice', 0, 1500, -3000, 9000), ...reads('bob', 2500)], []],
  ['after another account', [...reads('alice', 0, 1500, -3000, 9000), ...reads('bob', 1800)], []],
  ['sent twice', [...reads('alice', 0, 1500), at(3000, 'alice', { ...REFUSED, resent: true }), at(9000, 'alice')], []],
  ['now and then, unlike another account', [...reads('alice', 0, -1500, 3500, -5000, 8000), ...KNOWN], [1, 3]],
  ['once, unlike another account', [...reads('alice', 0, -1500, 3500), ...KNOWN], []],
  [
    'now and then, and another account is hardly known',
    [...reads('alice', 0, -1500, 3500, -5000, 8000), ...KNOWN.slice(1)],
    [],
  ],
  [
    'now and then, as another account is',
    [...reads('alice', 0, -1500, 3500, -5000, 8000), ...KNOWN, ...bobs(-6000, 9000, -10_500, 14_000)],
    [],
  ],
  [
    'now and then, as another account was once',
    [...reads('alice', 0, -1500, 3500, -5000, 8000), ...KNOWN, ...bobs(-5700, 9000)],
    [],
  ],
  ['each time that it came too soon', [...reads('alice', 0, -1500, 3500, -5000, 8000, 12_000), ...KNOWN], [1, 3]],
  [
    'each time that it came too soon, as it alone is told',
    [...reads('alice', 0, 5000, 10_000, 14_000), toldThree(1500), toldThree(6500), ...KNOWN],
    [4, 5],
  ],
] as ReadonlyArray<[string, Sketch[], number[]]>)
  test(`refused ${what}: ${shown.length > 0 ? 'somebody else uses the key' : 'that tells nothing'}`, () => {
    const found = otherClients(evidenceOf([...sketches, ...atOnce('bob')], both)).get('alice') ?? [];
    expect(found.map(({ exchange }) => exchange.index)).toEqual(shown);
  });

test('whether somebody else may use a key is known before it is accepted again', () => {
  const may = (...atMs: number[]) =>
    mayBeAnotherClient(evidenceOf([...reads('alice', ...atMs), ...KNOWN, ...atOnce('bob')], both), 'alice');
  expect(may(0, -1500, 3500, -5000)).toBe(true);
  expect(may(0, -1500, 3500)).toBe(false);
  // Longer windows refuse that as well.
  expect(may(0, 1500, -3000)).toBe(false);
  expect(may(0, 1500, -2900)).toBe(false);
});

for (const [what, atMs, isRegular] of [
  ['refused where it came soon, accepted where it came later', [0, -1500, 3000, -4500, 6000, -7500, 9000], true],
  ['seen too seldom', [0, -1500, 3000, -4500, 6000, 9000], false],
  ['accepted too seldom', [0, -1500, -3000, 5000, -6500, 9000], false],
  [
    'accepted once as soon as it was refused, at another phase',
    [0, -1500, 3000, -4500, 6000, -7500, 9000, 10_500],
    true,
  ],
  ['accepted once a little later than it was refused', [0, -1500, 3000, -4500, 6000, -7500, 9000, 10_516], true],
] as ReadonlyArray<[string, number[], boolean]>)
  test(`a stricter limit is ${isRegular ? '' : 'not '}seen: ${what}`, () =>
    expect(isPlainlyStricter(evidenceOf([...reads('alice', ...atMs), ...atOnce('alice')]))).toBe(isRegular));

test('longer windows are seen: of one length for all accounts, each at a phase of its own', () => {
  const fits = (...sketches: Sketch[]) => seemingWindowSeconds(evidenceOf(sketches, both)) !== null;
  // Windows of two seconds: from 0 on, and from 1 s on.
  const alice = reads('alice', 0, -1200, 2100, 4050, -5900, 6000);
  const bob = bobs(1100, -2900, 3100, -4900, 5050);
  expect(fits(...alice, ...bob)).toBe(true);
  expect(fits(...alice, ...bob, ...atOnce('bob'))).toBe(false);
  expect(fits(...alice, ...bob, ...bobs(-8900))).toBe(false);
  // What is answered otherwise may have used up the budget.
  expect(fits(...alice, ...bob, { ...at(57_100, 'bob'), status: 404 }, ...bobs(-8900))).toBe(true);
  expect(fits(...alice.filter(({ status }) => status !== 429), ...bob.filter(({ status }) => status !== 429))).toBe(
    false,
  );
});

test('windows that a request was sent too late for do not explain its refusal, however long answers take', () => {
  const slow = (ms: number, more: Sketch = {}) => at(ms, 'alice', { receivedAtMs: Math.abs(ms) + 450, ...more });
  const accepted = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => slow(1500 * i));
  const explains = (refusedMs: number) => seemingWindowSeconds(evidenceOf([...accepted, slow(refusedMs, REFUSED)]));
  expect(explains(12_100)).toBe(1.5);
  expect(explains(12_101)).toBe(null);
});

test('what was accepted before and after a restart is not counted together', () => {
  const two = (number: number, atMs: number) => trial('sequence', number, atMs, [200, 200]);
  const isOver = (between: Sketch) => {
    const evidence = whileServing(evidenceOf([at(-5000, 'alice'), ...two(1, 0), between, ...two(2, 400)]));
    return isOverRate(evidence, 'sequence', 'alice');
  };
  expect(isOver(at(300, 'alice', { status: 502 }))).toBe(false);
  expect(isOver(at(300, 'alice', { status: 404 }))).toBe(true);
});

test('a sliding counter that does not round down refuses a single request after a whole budget', () => {
  const refused = (afterMs: number) => {
    const budget = [0, 1].map((ms) => at(ms, 'alice'));
    const evidence = evidenceOf([...budget, at(afterMs, 'alice', REFUSED)], { rate: { requests: 2, seconds: 1 } });
    return oddSingles(evidence, 'alice').length;
  };
  // Two requests weigh more than one until half of a window later.
  expect(refused(1200)).toBe(0);
  expect(refused(1700)).toBe(1);
});

test('spans at the phases that are left soon have no end of a window in common, however long each takes', () => {
  const windowMs = 1000;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 400, max: 800 }), { minLength: 7, maxLength: 7 }), (takes) => {
      const spans: Decision[] = [];
      for (const tookMs of takes) {
        const phaseMs = afterBoundariesMs(spans, windowMs) ?? 0;
        const fromMs = nextOfPhase((spans.at(-1)?.toMs ?? 0) + windowMs, phaseMs, windowMs);
        spans.push({ fromMs, toMs: fromMs + tookMs });
      }
      expect(areBoundaries(spans, windowMs)).toBe(false);
    }),
  );
});
