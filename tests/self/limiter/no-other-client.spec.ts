/** Servers that break the limit in ways that another client of a key seems to explain, near and far, and nobody else is there. */
import { expect, test } from '@playwright/test';
import { idsOf, runInMemory } from '../../../scripts/matrix/in-process';
import type { Rate } from '../../../src/evidence/model';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Behaviour, Limiter } from '../../../src/reference/behaviour';

interface Broken {
  says: string;
  breaks: string[];
  accounts: number;
  latencyMs: number;
  rate?: Rate;
  bend: (behaviour: Behaviour) => Partial<Behaviour>;
}

const ONE_A_SECOND: Rate = { requests: 1, seconds: 1 };
const FIVE_IN_TWO_SECONDS: Rate = { requests: 5, seconds: 2 };
const FIVE_IN_TEN_SECONDS: Rate = { requests: 5, seconds: 10 };

const refused = (nowMs: number) => ({
  accepted: false,
  limit: 1,
  remaining: 0,
  resetAtMs: nowMs + 1000,
  retryAtMs: nowMs + 1000,
});

/** Refuses an account for ever once it was let in so often. */
function lockingOut(limiter: Limiter, isLost: (bucket: string) => boolean): Limiter {
  const letIn = new Map<string, number>();
  return {
    async take(bucket, nowMs) {
      if (isLost(bucket) && (letIn.get(bucket) ?? 0) >= 4) return refused(nowMs);
      const ruling = await limiter.take(bucket, nowMs);
      if (ruling.accepted) letIn.set(bucket, (letIn.get(bucket) ?? 0) + 1);
      return ruling;
    },
  };
}

/** One request each two seconds, told as five in ten. */
function spread(): Limiter {
  const last = new Map<string, number>();
  return {
    take(bucket, nowMs) {
      const accepted = nowMs >= (last.get(bucket) ?? Number.NEGATIVE_INFINITY) + 2000;
      if (accepted) last.set(bucket, nowMs);
      const freeAtMs = (last.get(bucket) ?? 0) + 2000;
      return { accepted, limit: 5, remaining: accepted ? 4 : 0, resetAtMs: freeAtMs, retryAtMs: freeAtMs };
    },
  };
}

const LOCKED_OUT = ['rate.not-stricter', 'rate.reset-honest', 'rate.retry-after-honest'];

const SERVERS: readonly Broken[] = [
  {
    says: 'one of three accounts is locked out after some windows',
    breaks: LOCKED_OUT,
    accounts: 3,
    latencyMs: 10,
    bend: ({ limiter, accounts }) => ({ limiter: lockingOut(limiter, (bucket) => bucket === accounts[1]?.name) }),
  },
  ...[10, 120].map((latencyMs) => ({
    says: `all accounts are locked out after some windows, ${latencyMs} ms away`,
    breaks: LOCKED_OUT,
    accounts: 3,
    latencyMs,
    bend: ({ limiter }: Behaviour) => ({ limiter: lockingOut(limiter, () => true) }),
  })),
  {
    says: 'Remaining falls to 0 and stays there, while five are granted in each window, to the only key',
    breaks: ['rate.remaining-honest'],
    accounts: 1,
    latencyMs: 10,
    rate: FIVE_IN_TWO_SECONDS,
    bend: () => {
      let left = 5;
      return {
        remaining: ({ accepted }) => {
          if (accepted) left -= 1;
          return String(Math.max(0, left));
        },
      };
    },
  },
  {
    says: 'five in ten seconds are told, and granted one by one',
    breaks: ['rate.limit-honest'],
    accounts: 1,
    latencyMs: 10,
    rate: FIVE_IN_TEN_SECONDS,
    bend: () => ({ limiter: spread() }),
  },
];

for (const { says, breaks, accounts, latencyMs, rate = ONE_A_SECOND, bend } of SERVERS)
  test(`nobody else is blamed where ${says}`, async () => {
    const run = await runInMemory(
      [{ name: says, bend }],
      { rate, accounts: embeddedAccounts().slice(0, accounts), target: { rate, notifications: null } },
      { upMs: latencyMs / 2, downMs: latencyMs / 2, seed: 1 },
    );
    expect(idsOf(run, 'fail')).toEqual(breaks);
  });
