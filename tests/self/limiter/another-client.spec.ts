/** Another client that polls with one account's key makes clauses untestable, and accuses no conformant server. */
import { expect, test } from '@playwright/test';
import { gcra, slidingLog, steadyWindow } from '../../../fixtures/dialects/limiters';
import { LOOPBACK } from '../../../fixtures/in-memory';
import { allRules } from '../../../scripts/matrix/in-process';
import type { Evidence, Rate } from '../../../src/evidence/model';
import { judgementOf } from '../../../src/judge/verdict';
import { embeddedAccounts } from '../../../src/reference/account';
import { fixedWindow, type Limiter } from '../../../src/reference/behaviour';
import { drawn } from '../level';
import { logOfAll } from '../support/limiters';
import { simulated } from '../support/simulation';

const rateClauses = allRules.filter(({ id }) => id.startsWith('rate.'));
const polledAccount = embeddedAccounts()[0]?.name ?? '';

const LIMITERS: ReadonlyArray<readonly [name: string, start: (rate: Rate) => Limiter]> = [
  ['windows from the first request on', fixedWindow],
  ['windows in step with the clock', (rate) => steadyWindow(rate, 0)],
  ['a sliding log', slidingLog],
  ['a bucket', gcra],
];

/** Each rate, and how often the other client asks, in milliseconds. */
const POLLERS: ReadonlyArray<readonly [rate: Rate, everyMs: readonly number[]]> = [
  [{ requests: 1, seconds: 1 }, [350, 1050, 1300, 2300, 5000]],
  [{ requests: 10, seconds: 1 }, [350, 800, 1300, 2300]],
];

/** A limiter that somebody else asks as well, with the key of one account, by default of the first. */
function polled(limiter: Limiter, startedAtEpochMs: number, everyMs: number, whose = polledAccount): Limiter {
  let nextMs = startedAtEpochMs + everyMs;
  return {
    async take(account, nowMs) {
      for (; nextMs <= nowMs; nextMs += everyMs) await limiter.take(whose, nextMs);
      return limiter.take(account, nowMs);
    },
  };
}

/** A limiter that refuses for so long after each refusal, and tells of the window alone. */
function blockedAnew(limiter: Limiter, blockMs: number): Limiter {
  const endsAtMs = new Map<string, number>();
  return {
    async take(account, nowMs) {
      const ruling = await limiter.take(account, nowMs);
      const isBlocked = nowMs < (endsAtMs.get(account) ?? 0);
      if (isBlocked || !ruling.accepted) endsAtMs.set(account, nowMs + blockMs);
      return isBlocked ? { ...ruling, accepted: false } : ruling;
    },
  };
}

async function evidenceOf(limiter: Limiter, rate: Rate, accounts: number, startedAtEpochMs: number): Promise<Evidence> {
  const server = {
    limiter,
    clockAheadMs: 0,
    dateMadeAtMs: 0,
    reset: 'ceil' as const,
    retryAfter: 'seconds' as const,
    carriage: 'all' as const,
    refusalStatus: 429,
  };
  const simulation = { rate, server, network: LOOPBACK, accounts, startedAtEpochMs };
  return simulated(
    simulation,
    rateClauses.map(({ id }) => id),
  );
}

function verdictsOf(evidence: Evidence): Map<string, string> {
  return new Map(
    rateClauses.map(({ id, judge }) => [id, judgementOf(id, judge(evidence), evidence, '2026-01-01').verdict]),
  );
}

const STARTED_AT = Date.UTC(2026, 5, 15, 12, 0, 0, 250);

for (const [name, start] of LIMITERS) {
  test(`${name} and a poller`, async () => {
    const accused: string[] = [];
    const polls = POLLERS.flatMap(([rate, periods]) =>
      [1, 2, 3].flatMap((accounts) => periods.map((everyMs) => ({ rate, accounts, everyMs }))),
    );
    for (const { rate, accounts, everyMs } of drawn(polls, 3)) {
      const evidence = await evidenceOf(polled(start(rate), STARTED_AT, everyMs), rate, accounts, STARTED_AT);
      for (const [id, verdict] of verdictsOf(evidence))
        if (verdict === 'fail') accused.push(`${rate.requests}, ${accounts} accounts, every ${everyMs} ms: ${id}`);
    }
    expect(accused).toEqual([]);
  });

  test(`${name}: a poller that leaves the second account next to nothing accuses no server`, async () => {
    const rate = { requests: 1, seconds: 1 };
    const [, second] = embeddedAccounts();
    const limiter = polled(start(rate), STARTED_AT, 60, second?.name);
    const verdicts = verdictsOf(await evidenceOf(limiter, rate, 2, STARTED_AT));
    expect([...verdicts].filter(([, verdict]) => verdict === 'fail')).toEqual([]);
    expect(verdicts.get('rate.not-stricter')).toBe('not-tested');
  });
}

test('a log that counts refusals, and a poller of one key that begins in the middle, accuses no server', async () => {
  const rate = { requests: 1, seconds: 1 };
  const accused: string[] = [];
  for (const accounts of [2, 3, 4])
    for (const everyMs of drawn([400, 700, 900], 1)) {
      const limiter = polled(logOfAll(rate), STARTED_AT + 4000, everyMs);
      const evidence = await evidenceOf(limiter, rate, accounts, STARTED_AT);
      for (const [id, verdict] of verdictsOf(evidence))
        if (verdict === 'fail') accused.push(`${accounts} accounts, every ${everyMs} ms: ${id}`);
    }
  expect(accused).toEqual([]);
});

test('clients that hammer the keys of both accounts accuse no server', async () => {
  const accused: string[] = [];
  const [first, second] = embeddedAccounts();
  for (const rate of [
    { requests: 1, seconds: 1 },
    { requests: 1, seconds: 2 },
  ])
    for (const [, start] of drawn(LIMITERS, 2))
      for (const everyMs of drawn([300, 550], 1)) {
        const both = polled(polled(start(rate), STARTED_AT, everyMs, first?.name), STARTED_AT, 330, second?.name);
        for (const [id, verdict] of verdictsOf(await evidenceOf(both, rate, 2, STARTED_AT)))
          if (verdict === 'fail') accused.push(`${rate.seconds} s, every ${everyMs} ms: ${id}`);
      }
  expect(accused).toEqual([]);
});

test('a block that every refusal begins anew breaks its promises, and the rate where several accounts see it', async () => {
  const rate = { requests: 1, seconds: 1 };
  for (const accounts of [1, 2, 3]) {
    const evidence = await evidenceOf(blockedAnew(fixedWindow(rate), 4000), rate, accounts, STARTED_AT);
    const verdicts = verdictsOf(evidence);
    const failed = [...verdicts].flatMap(([id, verdict]) => (verdict === 'fail' ? [id] : []));
    const promises = ['rate.reset-honest', 'rate.retry-after-honest'];
    expect(failed).toEqual(accounts === 1 ? promises : ['rate.not-stricter', ...promises]);
    // Of a single account, another client would explain it.
    if (accounts === 1) expect(verdicts.get('rate.not-stricter')).toBe('not-tested');
  }
});

test('the only key, which another client uses so often that it is hardly ever let in, accuses no server', async () => {
  const rate = { requests: 1, seconds: 1 };
  for (const everyMs of [350, 480, 700]) {
    const limiter = polled(logOfAll(rate), STARTED_AT, everyMs);
    const verdicts = verdictsOf(await evidenceOf(limiter, rate, 1, STARTED_AT));
    expect([...verdicts].filter(([, verdict]) => verdict === 'fail')).toEqual([]);
    expect(verdicts.get('rate.not-stricter')).toBe('not-tested');
  }
});

test('a poller hides no server without a limit', async () => {
  const open: Limiter = {
    take: (_, nowMs) => ({ accepted: true, limit: 1, remaining: 0, resetAtMs: nowMs + 1000, retryAtMs: nowMs + 1000 }),
  };
  const rate = { requests: 1, seconds: 1 };
  const verdicts = verdictsOf(await evidenceOf(polled(open, STARTED_AT, 1300), rate, 1, STARTED_AT));
  expect([verdicts.get('rate.enforced'), verdicts.get('rate.enforced-concurrent')]).toEqual(['fail', 'fail']);
});

for (const seconds of [2, 3, 5])
  for (const accounts of [1, 2, 3])
    test(`windows of ${seconds} s in step with a clock are stricter, and nobody else's doing, with ${accounts} accounts`, async () => {
      const rate = { requests: 1, seconds: 1 };
      for (const phaseMs of drawn([0, 300, 700, 1100, 1900], 1)) {
        const limiter = steadyWindow({ requests: 1, seconds }, phaseMs);
        const verdicts = verdictsOf(await evidenceOf(limiter, rate, accounts, STARTED_AT));
        expect([phaseMs, verdicts.get('rate.not-stricter')]).toEqual([phaseMs, 'fail']);
      }
    });

test('a poller hides no stricter limit that another account shows', async () => {
  const rate = { requests: 1, seconds: 1 };
  const limiter = polled(fixedWindow({ requests: 1, seconds: 3 }), STARTED_AT, 5000);
  expect(verdictsOf(await evidenceOf(limiter, rate, 3, STARTED_AT)).get('rate.not-stricter')).toBe('fail');
});
