/** The rate clauses hold for every limiter that keeps to its rate, and for none that grants one request more. */
import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { gcra, queue, slidingCounter, slidingLog, steadyWindow } from '../../../fixtures/dialects/limiters';
import type { SimulatedNetwork } from '../../../fixtures/in-memory';
import { allRules, runInMemory } from '../../../scripts/matrix/in-process';
import type { Evidence, Rate } from '../../../src/evidence/model';
import { judgementOf } from '../../../src/judge/verdict';
import { embeddedAccounts } from '../../../src/reference/account';
import { type Behaviour, fixedWindow, type Limiter, type Ruling } from '../../../src/reference/behaviour';
import { casesOf, isAll } from '../level';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Any rate, and the published one most of all. */
const rates: fc.Arbitrary<Rate> = fc.record({
  requests: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: isAll ? 20 : 6 })),
  seconds: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
});

interface Algorithm {
  name: string;
  start: (rate: Rate) => Limiter;
}

/** All grant a whole limit at once, and are as good as new a window after the last request. */
const algorithms: fc.Arbitrary<Algorithm> = fc.oneof(
  fc.constant({ name: 'windows in step with the clock', start: (rate: Rate) => steadyWindow(rate, 0) }),
  fc
    .integer({ min: 0, max: MINUTE_MS - 1 })
    .map((phaseMs) => ({ name: `windows from ${phaseMs} ms on`, start: (rate: Rate) => steadyWindow(rate, phaseMs) })),
  fc.constant({ name: 'windows from the first request on', start: fixedWindow }),
  fc.constant({ name: 'sliding log', start: slidingLog }),
  fc.constant({ name: 'bucket', start: gcra }),
);
/** One that holds back for longer than a window names Resets that no client of this API could expect. */
const queues: fc.Arbitrary<Algorithm> = fc.double({ min: 0, max: 1, noNaN: true }).map((windows) => ({
  name: `queue of ${windows} windows`,
  start: (rate: Rate) => queue(rate, windows * rate.seconds * 1000),
}));

const WAITS: Record<string, Behaviour['retryAfter']> = {
  seconds: ({ retryAtMs }, nowMs) => String(Math.ceil((retryAtMs - nowMs) / 1000)),
  'date rounded up': ({ retryAtMs }) => new Date(Math.ceil(retryAtMs / 1000) * 1000).toUTCString(),
  'date cut': ({ retryAtMs }) => new Date(retryAtMs).toUTCString(),
};

/** What the API description leaves open. Without `Date` our own clock is all there is to judge by, and the server's is near it. */
const surroundings = fc.record({
  reset: fc.constantFrom('floor' as const, 'ceil' as const, 'round' as const),
  retryAfter: fc.constantFrom(...Object.keys(WAITS)),
  carriage: fc.constantFrom('all', 'accepted', 'refused'),
  refusalStatus: fc.constantFrom(429, 403, 503),
  clock: fc.oneof(
    fc.record({
      /** When within each second `Date` is made anew; `null`: there is no `Date`. */
      dateMadeAtMs: fc.integer({ min: 0, max: 999 }),
      aheadMs: fc.integer({ min: -DAY_MS / 2, max: DAY_MS / 2 }),
    }),
    fc.record({
      dateMadeAtMs: fc.constant(null),
      aheadMs: fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -MINUTE_MS / 2, max: MINUTE_MS / 2 })),
    }),
  ),
  network: fc.record({
    upMs: fc.integer({ min: 0, max: 300 }),
    downMs: fc.integer({ min: 0, max: 300 }),
    seed: fc.integer(),
    startedAtEpochMs: fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
  }),
  accounts: fc.integer({ min: 1, max: 3 }),
});

interface Case {
  rate: Rate;
  algorithm: Algorithm;
  server: Omit<typeof surroundings extends fc.Arbitrary<infer T> ? T : never, 'network'> & {
    network: SimulatedNetwork;
  };
}

const conformantWith = (some: fc.Arbitrary<Algorithm>): fc.Arbitrary<Case> =>
  fc.record({ rate: rates, algorithm: some, server: surroundings });
const conformant = conformantWith(algorithms);

const oneAWindow = (row: Case): Case => ({ ...row, rate: { ...row.rate, requests: 1 } });
/** A queue says that nothing is left. One that never refuses, and tells its limit on refusals alone, never tells it. */
const queued = conformantWith(queues)
  .filter(({ server }) => server.carriage !== 'refused')
  .map(oneAWindow);
/** At one request a window the window before never counts for a whole one. */
const weighted = conformantWith(fc.constant({ name: 'weighted counter', start: slidingCounter })).map(oneAWindow);

/** How far the probes' judge widens what it sees of a request, at both ends together. */
const SLACK_MS = 2 * 15;

/**
 * Limiters that grant one request more a window, where that can be told from outside. A conformant limiter explains
 * one request more by a window that ends just then, or by what flowed into a bucket meanwhile. Three looks begin a
 * third of a window apart, so no window ends in more than one of them if each has its limit and one more granted in
 * less than that third; and no bucket gains a request in less than the time in which one flows in.
 */
const overByOne: fc.Arbitrary<Case> = fc
  .record({
    one: conformant,
    used: fc.double({ min: 0, max: 0.98, noNaN: true }),
    up: fc.double({ max: 1, min: 0, noNaN: true }),
  })
  .map(({ one, used, up }) => {
    const { requests, seconds } = one.rate;
    const decidableMs = (seconds * 1000) / Math.max(3, requests) - SLACK_MS;
    const roundTripMs = Math.min(600, (used * decidableMs) / (requests + 1) - 0.1);
    const [upMs, downMs] = [up, 1 - up].map((share) => Math.max(0, share * roundTripMs)) as [number, number];
    const server = { ...one.server, accounts: 1, network: { ...one.server.network, upMs, downMs } };
    const start = (rate: Rate) => one.algorithm.start({ ...rate, requests: rate.requests + 1 });
    return { ...one, server, algorithm: { name: `${one.algorithm.name}, one more`, start } };
  });

const rateClauses = allRules.filter(({ id }) => id.startsWith('rate.'));

async function evidenceOf({ rate, algorithm, server }: Case): Promise<Evidence> {
  const { reset, retryAfter, carriage, refusalStatus, network } = server;
  const { dateMadeAtMs, aheadMs } = server.clock;
  const bend = ({ clock }: Behaviour): Partial<Behaviour> => ({
    clock: () => clock() + aheadMs,
    limiter: algorithm.start(rate),
    refusal: () => ({ status: refusalStatus, headers: [], body: '' }),
    reset: ({ resetAtMs }: Ruling) => String(Math[reset](resetAtMs / 1000)),
    retryAfter: WAITS[retryAfter] as Behaviour['retryAfter'],
    carry: (lines, { accepted }) =>
      carriage === 'all' || (carriage === 'accepted') === accepted
        ? lines
        : lines.filter(([name]) => name === 'Retry-After'),
    date: (nowMs) =>
      dateMadeAtMs === null
        ? null
        : new Date(Math.floor((nowMs - dateMadeAtMs) / 1000) * 1000 + dateMadeAtMs).toUTCString(),
  });
  const declared = embeddedAccounts().slice(0, server.accounts);
  const limits = { timeoutSeconds: 3600, bodyBytes: 10_000, runSeconds: 600 };
  const target = {
    accounts: declared.map(({ name, apiKey }) => ({ name, apiKey })),
    rate,
    limits,
    notifications: null,
  };
  const ids = rateClauses.map(({ id }) => id);
  const options = { rate, accounts: declared, target };
  const { recorder } = await runInMemory([{ name: 'simulated', bend }], options, network, ids);
  return recorder.evidence();
}

/** The MUST clauses' verdicts by their ids, where they are none of those expected. */
function verdictsBut(expected: string[], evidence: Evidence): string[] {
  return rateClauses
    .map(({ id, judge }) => judgementOf(id, judge(evidence), evidence, '2026-01-01'))
    .filter(({ level, verdict }) => level === 'must' && !expected.includes(verdict))
    .map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`);
}

test('no conformant limiter breaks a clause, and all of them are judged', async () => {
  const judged = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 8, arbitrary: conformant }, weighted, queued), async (row) => {
      const evidence = await evidenceOf(row);
      assert.deepEqual(verdictsBut(['pass', 'inapplicable', 'not-tested'], evidence), []);
      for (const { id, judge } of rateClauses) if (judge(evidence).notTested === null) judged.add(id);
    }),
    { numRuns: casesOf(150) },
  );
  expect([...judged].sort()).toEqual(rateClauses.map(({ id }) => id).sort());
});

test('every limiter that grants one request more a window is found out within a few looks', async () => {
  await fc.assert(
    fc.asyncProperty(overByOne, async (row) => {
      const evidence = await evidenceOf(row);
      const failed = rateClauses.filter(({ judge }) => judge(evidence).breaches.length > 0).map(({ id }) => id);
      // A network that spreads a burst over much of a tick leaves it to the other kind of burst to show the breach.
      assert.ok(failed.some((id) => id.startsWith('rate.enforced')));
      const trials = evidence.exchanges
        .filter(({ probe }) => ['sequence', 'concurrent'].includes(probe.group))
        .map(({ probe }) => probe.trial);
      // A fourth burst only confirms what a recovery showed.
      assert.ok(Math.max(...trials) <= 4);
    }),
    { numRuns: casesOf(50) },
  );
});
