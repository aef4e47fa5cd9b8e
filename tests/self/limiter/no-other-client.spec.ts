/** Servers that break the limit in ways that another client of a key seems to explain, near and far, and nobody else is there. */
import { expect, test } from '@playwright/test';
import { randomFrom } from '../../../fixtures/random';
import { idsOf, runInMemory } from '../../../scripts/matrix/in-process';
import type { Rate } from '../../../src/evidence/model';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Behaviour, Limiter, Ruling } from '../../../src/reference/behaviour';

type Bending = (behaviour: Behaviour) => Partial<Behaviour>;

const ONE_A_SECOND: Rate = { requests: 1, seconds: 1 };
const FIVE_IN_TWO_SECONDS: Rate = { requests: 5, seconds: 2 };
const FIVE_IN_TEN_SECONDS: Rate = { requests: 5, seconds: 10 };

/** Refuses accounts for ever once they were let in so often, and tells of a second. */
const lockingOut =
  (isLost: (account: string, behaviour: Behaviour) => boolean): Bending =>
  (behaviour) => {
    const letIn = new Map<string, number>();
    const take = async (bucket: string, nowMs: number): Promise<Ruling> => {
      const untilMs = { resetAtMs: nowMs + 1000, retryAtMs: nowMs + 1000 };
      const isOut = isLost(bucket, behaviour) && (letIn.get(bucket) ?? 0) >= 4;
      if (isOut) return { accepted: false, limit: 1, remaining: 0, ...untilMs };
      const ruling = await behaviour.limiter.take(bucket, nowMs);
      if (ruling.accepted) letIn.set(bucket, (letIn.get(bucket) ?? 0) + 1);
      return ruling;
    };
    return { limiter: { take } };
  };

/** Counts each window's requests from the first one on, and never starts anew. */
const countingDown: Bending = () => {
  let left = 5;
  return {
    remaining({ accepted }) {
      if (accepted) left -= 1;
      return String(Math.max(0, left));
    },
  };
};

/** One request each two seconds, told as five in ten. */
const spread: Bending = () => {
  const last = new Map<string, number>();
  const limiter: Limiter = {
    take(bucket, nowMs) {
      const accepted = nowMs >= (last.get(bucket) ?? Number.NEGATIVE_INFINITY) + 2000;
      if (accepted) last.set(bucket, nowMs);
      const freeAtMs = (last.get(bucket) ?? 0) + 2000;
      return { accepted, limit: 5, remaining: accepted ? 4 : 0, resetAtMs: freeAtMs, retryAtMs: freeAtMs };
    },
  };
  return { limiter };
};

/** A counter that never expires: each key is good for one request. */
const neverExpiring: Bending = () => {
  const used = new Set<string>();
  const limiter: Limiter = {
    take(bucket, nowMs) {
      const accepted = !used.has(bucket);
      used.add(bucket);
      return { accepted, limit: 1, remaining: 0, resetAtMs: nowMs + 1000, retryAtMs: nowMs + 1000 };
    },
  };
  return { limiter };
};

const LOCKED_OUT = ['rate.not-stricter', 'rate.reset-honest', 'rate.retry-after-honest'];
const all = lockingOut(() => true);
const second = lockingOut((account, { accounts }) => account === accounts[1]?.name);

for (const [says, breaks, accounts, latencyMs, rate, bend] of [
  ['one of three accounts is locked out after some windows', LOCKED_OUT, 3, 10, ONE_A_SECOND, second],
  ['all accounts are locked out after some windows, 10 ms away', LOCKED_OUT, 3, 10, ONE_A_SECOND, all],
  ['all accounts are locked out after some windows, 120 ms away', LOCKED_OUT, 3, 120, ONE_A_SECOND, all],
  ['all accounts are locked out from the first request on', LOCKED_OUT, 3, 10, ONE_A_SECOND, neverExpiring],
  ['Remaining stays at 0 for the only key', ['rate.remaining-honest'], 1, 10, FIVE_IN_TWO_SECONDS, countingDown],
  ['five in ten seconds are granted one by one', ['rate.limit-honest'], 1, 10, FIVE_IN_TEN_SECONDS, spread],
] as ReadonlyArray<[string, string[], number, number, Rate, Bending]>)
  test(`nobody else is blamed where ${says}`, async () => {
    const run = await runInMemory(
      [{ name: says, bend }],
      { rate, accounts: embeddedAccounts().slice(0, accounts), target: { rate, notifications: null } },
      { upMs: latencyMs / 2, downMs: latencyMs / 2, seed: 1 },
    );
    expect(idsOf(run, 'fail')).toEqual(breaks);
  });

/** Refuses a third of all requests before it counts them. */
const refusingAtRandom =
  (seed: number): Bending =>
  ({ limiter }) => {
    const next = randomFrom(seed);
    return {
      limiter: {
        take(bucket, nowMs) {
          if (next() >= 1 / 3) return limiter.take(bucket, nowMs);
          return { accepted: false, limit: 1, remaining: 0, resetAtMs: nowMs + 1000, retryAtMs: nowMs + 1000 };
        },
      },
    };
  };

test('a limiter that refuses a third at random is nearly always told from clients of three keys', async () => {
  const found: string[][] = [];
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const options = { accounts: embeddedAccounts().slice(0, 3), target: { notifications: null } };
    const network = { upMs: 5, downMs: 5, seed };
    const run = await runInMemory([{ name: 'random', bend: refusingAtRandom(seed) }], options, network);
    found.push(idsOf(run, 'fail'));
  }
  expect(found.flat().filter((id) => !LOCKED_OUT.includes(id))).toEqual([]);
  expect(found.filter((ids) => ids.includes('rate.not-stricter')).length).toBeGreaterThanOrEqual(5);
});
