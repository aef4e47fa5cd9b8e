/**
 * What X-RateLimit-Remaining says that somebody else used: one row for each edge. Five requests are allowed in a second,
 * so that 200 ms after the first request of a window a bucket may have gained one.
 */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { Evidence, HeaderLines, TargetFacts } from '../../../src/evidence/model';
import { miscounted, talliesOf } from '../../../src/rate-limit/remaining';
import { miscountsAtOnce } from '../../../src/rate-limit/remaining-at-once';
import { trialsOf } from '../../../src/rate-limit/trials';
import { isCharged } from '../../../src/rate-limit/wrong-key-trials';
import { accountsNamed, at, evidenceOf, type Sketch } from '../support/evidence-of';

const LIMIT = 5;
const alone: Partial<TargetFacts> = { rate: { requests: LIMIT, seconds: 1 } };
const withBob: Partial<TargetFacts> = { ...alone, accounts: accountsNamed('alice', 'bob') };

const counts = (remaining: number, limit = LIMIT): HeaderLines => [
  ['X-RateLimit-Limit', String(limit)],
  ['X-RateLimit-Remaining', String(remaining)],
];
/** An accepted read that takes a millisecond and says how many requests are left, and perhaps more. */
const left = (atMs: number, remaining: number, { headers = [], ...more }: Sketch = {}): Sketch =>
  at(atMs, 'alice', { headers: [...counts(remaining), ...headers], ...more });
/** Reads 10 ms apart, each of which says how many are left. */
const run = (atMs: number, ...remaining: number[]) => remaining.map((count, i) => left(atMs + 10 * i, count));
const of = (account: string, sketches: readonly Sketch[]) =>
  sketches.map(
    (sketch): Sketch => ({ ...sketch, ...at(sketch.sentAtMs ?? 0, account, { headers: sketch.headers ?? [] }) }),
  );
const resets = (epochSeconds: number): Sketch => ({ headers: [['X-RateLimit-Reset', String(epochSeconds)]] });
const aged = (seconds: number): Sketch => ({ headers: [['Age', String(seconds)]] });
const REFUSED = { status: 429 };

/** Entries of the evidence, and accounts. */
interface Told {
  explained: number[];
  foreign?: Record<string, number[]>;
  begun?: string[];
}

function told(evidence: Evidence): Required<Told> {
  const { explained, foreign, begun } = talliesOf(evidence);
  return {
    explained: [...explained].map(({ index }) => index).sort((a, b) => a - b),
    foreign: Object.fromEntries([...foreign].map(([name, all]) => [name, all.map(({ index }) => index)])),
    begun: [...begun],
  };
}

type Rows = ReadonlyArray<[string, Sketch[], Told]>;

function rows(about: string, target: Partial<TargetFacts>, all: Rows): void {
  for (const [what, sketches, expected] of all)
    test(`${about}: ${what}`, () =>
      expect(told(evidenceOf(sketches, target))).toEqual({ foreign: {}, begun: [], ...expected }));
}

/** A refusal at 500 ms. */
const asked = left(500, 0, { ...REFUSED, headers: [['Retry-After', '3']] });
// A window that counts right shows that this server can: the places at which it did are trusted later.
const right = run(0, 4, 3, 2);
const FIRST = [0, 1, 2];

rows('what is counted is what this run used', alone, [
  ['from the first request on', right, { explained: FIRST }],
  ['again in a fresh window', [...right, ...run(5000, 4, 3)], { explained: [...FIRST, 3, 4] }],
  ['before a wait that was asked for has passed', [...run(0, 4), asked, ...run(3600, 4)], { explained: [0] }],
  ['once a wait that was asked for has passed', [...run(0, 4), asked, ...run(3601, 4)], { explained: [0, 2] }],
  ['in a window that is not known to be fresh', [...right, ...run(1120, 4)], { explained: FIRST }],
  ['in a window that is just fresh', [...right, ...run(1121, 4)], { explained: [...FIRST, 3] }],
]);

rows('a budget that somebody else has begun', alone, [
  [
    'before this run began to use it',
    [...right, ...run(5000, 2, 1)],
    { explained: [...FIRST, 3, 4], foreign: { alice: [3] }, begun: ['alice'] },
  ],
  [
    'while this run used it',
    [...right, ...run(5000, 4, 2, 1)],
    { explained: [...FIRST, 3, 4, 5], foreign: { alice: [4] }, begun: ['alice'] },
  ],
  [
    'in two windows: each shows it once',
    [...right, ...run(5000, 3, 2), ...run(9000, 4, 2)],
    { explained: [...FIRST, 3, 4, 5, 6], foreign: { alice: [3, 6] }, begun: ['alice'] },
  ],
  [
    'at a place that was exact only after somebody else',
    [...run(0, 4, 2, 1), ...run(5000, 4, 3), ...run(9000, 4, 3, 1)],
    { explained: [0, 1, 2, 3, 4, 5, 6, 7], foreign: { alice: [1, 7] }, begun: ['alice'] },
  ],
  [
    'by one, in the first window of all',
    [...run(0, 3), ...run(5000, 4)],
    { explained: [0, 1], foreign: { alice: [0] }, begun: ['alice'] },
  ],
]);

// Ten requests, of which five were refused: so many may be carried over, a tenth of them forgotten in 100 ms.
const ten = [...run(0, 4, 3, 2, 1, 0), ...run(50, 0, 0, 0, 0, 0).map((sketch) => ({ ...sketch, ...REFUSED }))];
const forgetting = (atMs: number) => [left(1500, 0), left(1510, 0), left(atMs, 0)];
const TWICE = [0, 1, 2, 3, 4, 10, 11, 12];

rows('what a sliding counter carries over is nobody’s', alone, [
  ['as much as this run used', [...right, ...run(1500, 1)], { explained: [...FIRST, 3], begun: ['alice'] }],
  [
    'one more than this run used',
    [...right, ...run(1500, 0)],
    { explained: [...FIRST, 3], foreign: { alice: [3] }, begun: ['alice'] },
  ],
  [
    'what was answered less than two windows before',
    [...right, ...run(2020, 3)],
    { explained: [...FIRST, 3], begun: ['alice'] },
  ],
  [
    'nothing of what was answered two windows before',
    [...right, ...run(2021, 3)],
    { explained: [...FIRST, 3], foreign: { alice: [3] }, begun: ['alice'] },
  ],
  ['one is forgotten meanwhile', [...right, ...run(1500, 1, 1)], { explained: [...FIRST, 3, 4], begun: ['alice'] }],
  ['two are forgotten at once', [...right, ...run(1500, 1, 1, 1)], { explained: FIRST }],
  [
    'two are forgotten with the time that passes',
    [...ten, ...forgetting(1599)],
    { explained: TWICE, begun: ['alice'] },
  ],
  ['two are forgotten too soon', [...ten, ...forgetting(1598)], { explained: TWICE.slice(0, 5) }],
]);

rows('a server that counts wrongly is not explained', alone, [
  ['each request twice', [...run(0, 3, 1), ...run(5000, 3, 1)], { explained: [] }],
  ['the first of a window twice, each time', [...run(0, 3, 2), ...run(5000, 3, 2)], { explained: [] }],
  ['the second of a window twice, each time', [...run(0, 4, 2), ...run(5000, 4, 2)], { explained: [] }],
  ['more than there are', [...right, ...run(5000, 5, 4)], { explained: FIRST }],
  ['what it has said is taken back', [...right, ...run(5000, 2, 2)], { explained: FIRST }],
  [
    'more is left than before, in one and the same window',
    [...right, left(5000, 2, resets(9)), left(5010, 3, resets(9))],
    { explained: FIRST },
  ],
]);

rows('where a window turns in the middle, the one before is told alone', alone, [
  [
    'by what is left',
    [...right, left(5000, 1), left(5010, 4)],
    { explained: [...FIRST, 3], foreign: { alice: [3] }, begun: ['alice'] },
  ],
  [
    'by another Reset',
    [...right, left(5000, 1, resets(9)), left(5010, 4, resets(10))],
    { explained: [...FIRST, 3], foreign: { alice: [3] }, begun: ['alice'] },
  ],
  // Less is left than before: it counts as one window, whatever Reset says.
  [
    'not where less is left',
    [...right, left(5000, 4, resets(9)), left(5010, 3, resets(10))],
    { explained: [...FIRST, 3, 4] },
  ],
]);

rows('a promise that is broken explains nothing', alone, [
  ['refused though some are left', [...right, ...run(5000, 2, 1), left(5020, 0, REFUSED)], { explained: FIRST }],
  [
    'refused where none is left',
    [...right, ...run(5000, 1, 0), left(5020, 0, REFUSED)],
    { explained: [...FIRST, 3, 4], foreign: { alice: [3] }, begun: ['alice'] },
  ],
  ['refused just in time', [...right, ...run(5000, 4), left(5199, 0, REFUSED)], { explained: FIRST }],
  [
    'refused when the window may have changed',
    [...right, ...run(5000, 4), left(5200, 0, REFUSED)],
    { explained: [...FIRST, 3] },
  ],
  [
    'an answer that is no refusal',
    [...right, ...run(5000, 4), left(5010, 3, { status: 500 })],
    { explained: [...FIRST, 3] },
  ],
]);

rows('what ends a trace', alone, [
  ['a bucket that may have gained a request', [left(0, 4), left(199, 3)], { explained: [0] }],
  ['not just before it may have', [left(0, 4), left(198, 3)], { explained: [0, 1] }],
  ['not the first answer, however late', [left(0, 4, { receivedAtMs: 900 })], { explained: [0] }],
  ['what was sent twice', [left(0, 4), left(10, 2, { resent: true }), left(20, 1)], { explained: [0] }],
  ['a stored answer', [left(0, 4), left(10, 4, aged(3)), left(20, 3)], { explained: [0] }],
  [
    'an answer that may be a stored one',
    [left(0, 4, aged(0)), left(5000, 4), left(9000, 4, aged(3))],
    { explained: [1] },
  ],
  ['what says nothing of what is left', [left(0, 4), at(10, 'alice'), left(20, 2)], { explained: [0] }],
  ['what says the limit alone', [left(0, 4), at(10, 'alice', { headers: counts(3).slice(0, 1) })], { explained: [0] }],
  ['not what is sent just as the one before is answered', [left(0, 4), left(1, 3)], { explained: [0, 1] }],
  ['what was not accepted', [left(0, 4), left(10, 3, { status: 500 }), left(20, 2)], { explained: [0] }],
]);

rows('requests that were under way together', alone, [
  [
    'are not traced, though the first of them began after a silence',
    [...right, left(5000, 2, { receivedAtMs: 5030 }), left(5001, 4, { receivedAtMs: 5030 })],
    { explained: FIRST },
  ],
  [
    'end the trace before them',
    [left(0, 4), left(10, 3, { receivedAtMs: 40 }), left(11, 2, { receivedAtMs: 40 })],
    { explained: [0] },
  ],
  [
    'are nobody else’s, in whichever order the server decided on them',
    [...right, left(5000, 4), left(5010, 2, { receivedAtMs: 5040 }), left(5011, 3, { receivedAtMs: 5040 })],
    { explained: [...FIRST, 3] },
  ],
  [
    'are nobody else’s where the run begins with them, either',
    [left(0, 3, { receivedAtMs: 30 }), left(1, 4, { receivedAtMs: 30 }), ...run(5000, 4, 3, 2)],
    { explained: [2, 3, 4] },
  ],
]);

rows('a limit that is not always the same leaves no books', alone, [
  ['of one account', [...right, at(5000, 'alice', { headers: counts(9, 10) })], { explained: [] }],
  [
    'but another server may have its own',
    [
      ...right,
      {
        ...at(5000, 'alice', { headers: counts(9, 10) }),
        account: null,
        request: { method: 'GET', url: 'https://other.example/', headers: [] },
      },
    ],
    { explained: FIRST },
  ],
]);

rows('of two accounts', withBob, [
  [
    'one shows how the server counts for the other',
    [...right, ...of('bob', run(5000, 3, 2))],
    { explained: [...FIRST, 3, 4], foreign: { bob: [3] }, begun: ['bob'] },
  ],
  [
    'one that was busy may have used the other’s budget',
    [...right, ...of('bob', run(4990, 4)), ...run(5000, 3)],
    { explained: [...FIRST, 3, 4], begun: ['alice'] },
  ],
  [
    'one that was busy a window before may have, as a sliding counter remembers that',
    [...right, ...of('bob', run(3890, 4)), ...run(5000, 3)],
    { explained: [...FIRST, 3, 4], begun: ['alice'] },
  ],
  [
    'one that was busy longer ago has not',
    [...right, ...of('bob', run(2870, 4)), ...run(5000, 3)],
    { explained: [...FIRST, 3, 4], foreign: { alice: [4] }, begun: ['alice'] },
  ],
]);

test('what a queue says of waits is no count, however long the answers of its network take', () => {
  const sent = (group: 'read' | 'sequence' | 'concurrent', atMs: number, tookMs: number): Sketch => ({
    ...at(atMs, 'alice', { group, headers: counts(0) }),
    probe: probe(group, { account: 'alice', trial: 1 }),
    receivedAtMs: atMs + tookMs,
  });
  const slow = [sent('read', 0, 300), ...[0, 300, 600].map((atMs) => sent('sequence', 5000 + atMs, 300))];
  const wrongIn = (sketches: Sketch[]) => {
    const evidence = evidenceOf(sketches, alone);
    return trialsOf(evidence, 'sequence', 'alice').flatMap((trial) => miscounted(trial, evidence, null)).length;
  };
  const held = [300, 500, 700, 900, 1100].map((tookMs) => sent('concurrent', 10_000, tookMs));
  expect(wrongIn([...slow, ...held])).toBe(0);
  expect(wrongIn(slow)).toBeGreaterThan(0);
});

test('what is left tells of a charge only where a request that was alone was told to be the only one', () => {
  const isLastCharged = (sketches: Sketch[]) => {
    const evidence = evidenceOf(sketches, alone);
    return evidence.exchanges.slice(-1).map((exchange) => isCharged(exchange, evidence));
  };
  expect(isLastCharged([...run(0, 4, 3), left(9000, 1)])).toEqual([true]);
  expect(isLastCharged([...run(0, 4, 3), left(9000, 4)])).toEqual([false]);
  // A server that tells what was used in place of what is left.
  expect(isLastCharged([...run(0, 1, 2, 3, 4), left(9000, 1)])).toEqual([false]);
});

test('what came before a wait that was asked for had passed tells nothing of a whole budget', () => {
  const trial = (atMs: number) =>
    [1, 1].map((count, i) => ({
      ...left(atMs + 10 * i, count),
      probe: probe('sequence', { account: 'alice', trial: 1 }),
    }));
  const notFound: Sketch = at(5000, 'alice', { status: 404, headers: [['Retry-After', '2']] });
  const wrongIn = (sketches: Sketch[]) => {
    const evidence = evidenceOf(sketches, alone);
    return trialsOf(evidence, 'sequence', 'alice').flatMap((each) => miscounted(each, evidence, null)).length;
  };
  expect(wrongIn([...right, notFound, ...trial(6500)])).toBe(0);
  expect(wrongIn([...right, notFound, ...trial(7500)])).toBeGreaterThan(0);
});

test('what another client had used of one window is missing there alone', () => {
  const burst = (atMs: number, ...remaining: number[]) =>
    remaining.map((count) => ({ ...left(atMs, count), probe: probe('concurrent', { account: 'alice', trial: atMs }) }));
  const wrongIn = (...bursts: Sketch[][]) => {
    const evidence = evidenceOf(bursts.flat(), alone);
    return miscountsAtOnce(trialsOf(evidence, 'concurrent', 'alice'), evidence).length;
  };
  expect(wrongIn(burst(0, 4, 3, 2), burst(9000, 3, 2, 1), burst(18_000, 3, 2, 1))).toBe(0);
  expect(wrongIn(burst(0, 3, 2, 1), burst(9000, 3, 2, 1))).toBe(2);
  // Nobody else adds to a budget.
  expect(wrongIn(burst(0, 4, 3, 2), burst(9000, 6, 5, 4))).toBe(1);
});
