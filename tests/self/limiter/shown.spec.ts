/** Of a broken clause of the rate limit it is told which limiters were considered, and what each cannot have decided. */
import { expect, test } from '@playwright/test';
import { faults } from '../../../fixtures/catalogue';
import { accountsOf } from '../../../scripts/bench/servers';
import { runInMemory } from '../../../scripts/matrix/in-process';
import type { Rate } from '../../../src/contract/bounds';
import { isAccepted } from '../../../src/evidence/responder/classify';

import { type Considered, consideredFor, remainingFor } from '../../../src/limiter/shown';
import { LOOPBACK } from '../../../src/reference/in-memory';

import { fixedWindow, type Limiter } from '../../../src/reference/limiter';

const LIMITS = { timeoutSeconds: 10, bodyBytes: 100_000, burst: null, runSeconds: 600 };

async function consideredOn(fault: string, clause: string): Promise<Considered[]> {
  const bends = faults.filter(({ name }) => name === fault);
  const target = { limits: LIMITS, notifications: null };
  const run = await runInMemory(bends, { accounts: accountsOf(2), target }, LOOPBACK);
  expect(run.judgements.find(({ id }) => id === clause)?.verdict).toBe('fail');
  return consideredFor(clause, run.recorder.evidence());
}

const inWords = ({ family, rate: { requests, seconds }, scope, refutedBy }: Considered) =>
  `${family} ${requests}/${seconds} ${scope}: ${refutedBy === null ? 'explains' : refutedBy.as}`;

const REFUTED = [
  'fixed windows 1/1 account: accepted',
  'a bucket 1/1 account: accepted',
  'a sliding log 1/1 account: accepted',
  'windows that slide by segments 1/1 account: accepted',
  'windows that begin with a request 1/1 account: accepted',
];

for (const [fault, clause, expected] of [
  ['limit-doubled', 'rate.enforced', [...REFUTED, 'any 2/1 account: explains']],
  ['no-limit', 'rate.enforced', [...REFUTED, 'none 1/1 account: explains']],
  ['limit-of-the-contract', 'rate.limit-honest', ['any 60/1 account: refused', 'any 1/1 account: explains']],
  ['window-doubled', 'rate.not-stricter', ['any 1/1 account: refused', 'fixed windows 1/2 account: explains']],
  ['one-budget-for-all', 'rate.per-user', ['any 1/1 account: refused', 'any 1/1 everybody: explains']],
  ['limit-by-path', 'rate.across-paths', [...REFUTED, 'any 1/1 path: explains']],
] as const) {
  test(`${clause} on ${fault}`, async () => {
    const considered = await consideredOn(fault, clause);
    expect(considered.map(inWords)).toEqual(expected);
    for (const { refutedBy } of considered) {
      if (refutedBy?.as === 'accepted') expect(refutedBy.exchanges.filter(isAccepted).length).toBeGreaterThan(1);
      if (refutedBy?.as === 'refused') expect(isAccepted(refutedBy.exchanges.at(-1) as never)).toBe(false);
    }
  });
}

test('nothing is considered for other clauses', async () => {
  const { recorder } = await runInMemory([], {
    accounts: accountsOf(2),
    target: { limits: LIMITS, notifications: null },
  });
  expect(consideredFor('rate.limit-format', recorder.evidence())).toEqual([]);
});

test('what another client of a key leaves open is told with what remains', async () => {
  const everyMs = 350;
  const [polledAccount] = accountsOf(2);
  const polled = (limiter: Limiter): Limiter => {
    let nextMs: number | null = null;
    return {
      async take(account, nowMs) {
        for (nextMs ??= nowMs + everyMs; nextMs <= nowMs; nextMs += everyMs)
          await limiter.take(polledAccount?.name ?? '', nextMs);
        return limiter.take(account, nowMs);
      },
    };
  };
  const bend = ({ rate }: { rate: Rate }) => ({ limiter: polled(fixedWindow(rate)) });
  const run = await runInMemory([{ name: 'polled', bend }], {
    accounts: accountsOf(2),
    target: { limits: LIMITS, notifications: null },
  });
  const clause = 'rate.not-stricter';
  expect(run.judgements.find(({ id }) => id === clause)?.verdict).toBe('not-tested');
  const remaining = remainingFor(clause, run.recorder.evidence());
  expect(remaining.map(inWords)).toEqual(['any 1/1 account: refused', 'any 1/1 another-client: explains']);
});
