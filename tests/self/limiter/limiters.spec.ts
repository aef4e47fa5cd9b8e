/** The rate clauses hold for every limiter that keeps to its rate, and for none that grants one request more. */
import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { gcra, slidingCounter, slidingLog, steadyWindow } from '../../../fixtures/dialects/limiters';
import { allRules } from '../../../scripts/matrix/in-process';
import type { Evidence, Rate } from '../../../src/evidence/model';
import { judgementOf } from '../../../src/judge/verdict';
import { fixedWindow, type Limiter } from '../../../src/reference/behaviour';
import { casesOf, isAll } from '../level';
import { queue } from '../support/limiters';
import { type Simulation, simulated } from '../support/simulation';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface Algorithm {
  name: string;
  start: (rate: Rate) => Limiter;
}

/** Any rate, and the published one most of all. */
const rates: fc.Arbitrary<Rate> = fc.record({
  requests: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: isAll ? 20 : 6 })),
  seconds: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
});

/** All grant a whole limit at once, and are as good as new a window after the last request. */
const algorithms: fc.Arbitrary<Algorithm> = fc.oneof(
  fc.constant({ name: 'windows in step with the clock', start: (rate: Rate) => steadyWindow(rate, 0) }),
  fc
    .integer({ min: 0, max: MINUTE_MS - 1 })
    .map((phaseMs) => ({ name: `windows from ${phaseMs} ms on`, start: (rate: Rate) => steadyWindow(rate, phaseMs) })),
  fc.constant({ name: 'windows from the first request on', start: fixedWindow }),
  fc.constant({ name: 'sliding log', start: slidingLog }),
  fc.constant({ name: 'bucket', start: gcra }),
  // One that holds back for longer than a window names Resets that no client of this API could expect.
  fc.double({ min: 0, max: 1, noNaN: true }).map((windows) => ({
    name: `queue of ${windows} windows`,
    start: (rate: Rate) => queue(rate, windows * rate.seconds * 1000),
  })),
);

const names = fc.record({
  reset: fc.constantFrom('floor' as const, 'ceil' as const, 'round' as const),
  retryAfter: fc.constantFrom('seconds' as const, 'date rounded up' as const, 'date cut' as const),
  carriage: fc.constantFrom('all' as const, 'accepted' as const, 'refused' as const),
  refusalStatus: fc.constantFrom(429, 403, 503),
});

/** Without `Date` our own clock is all there is to judge by, and the server's is not far from it. */
const clocks = fc.oneof(
  fc.record({
    dateMadeAtMs: fc.integer({ min: 0, max: 999 }),
    clockAheadMs: fc.integer({ min: -DAY_MS / 2, max: DAY_MS / 2 }),
  }),
  fc.record({
    dateMadeAtMs: fc.constant(null),
    clockAheadMs: fc.oneof(
      fc.integer({ min: -100, max: 100 }),
      fc.integer({ min: -MINUTE_MS / 2, max: MINUTE_MS / 2 }),
    ),
  }),
);

const networks = fc.record({
  upMs: fc.integer({ min: 0, max: 300 }),
  downMs: fc.integer({ min: 0, max: 300 }),
  seed: fc.integer(),
});

const surroundings = fc.record({
  accounts: fc.integer({ min: 1, max: 3 }),
  startedAtEpochMs: fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
});

interface Case extends Omit<Simulation, 'server'> {
  algorithm: Algorithm;
  server: Omit<Simulation['server'], 'limiter'>;
}

const conformant: fc.Arbitrary<Case> = fc
  .record({ rate: rates, algorithm: algorithms, names, clock: clocks, network: networks, surroundings })
  .map(({ names, clock, surroundings, ...rest }) => ({ ...rest, ...surroundings, server: { ...names, ...clock } }))
  // What never refuses and tells its limit on refusals alone never tells it.
  .filter(({ algorithm, server }) => !(algorithm.name.startsWith('queue') && server.carriage === 'refused'));

/** At one request a window the window before never counts for a whole one. */
const weighted = conformant.map((row) => ({
  ...row,
  rate: { ...row.rate, requests: 1 },
  algorithm: { name: 'weighted counter', start: slidingCounter },
}));

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
    const network = {
      ...one.network,
      upMs: Math.max(0, up * roundTripMs),
      downMs: Math.max(0, (1 - up) * roundTripMs),
    };
    const start = (rate: Rate) => one.algorithm.start({ ...rate, requests: rate.requests + 1 });
    return { ...one, network, accounts: 1, algorithm: { name: `${one.algorithm.name}, one more`, start } };
  });

let rateClauses: typeof allRules = [];

test.beforeAll(async () => {
  rateClauses = allRules.filter(({ id }) => id.startsWith('rate.'));
});

function evidenceOf({ algorithm, server, ...rest }: Case): Promise<Evidence> {
  const simulation = { ...rest, server: { ...server, limiter: algorithm.start(rest.rate) } };
  return simulated(
    simulation,
    rateClauses.map(({ id }) => id),
  );
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
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: conformant }, weighted), async (row) => {
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
    { numRuns: casesOf(80) },
  );
});
