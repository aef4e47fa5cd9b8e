/** Another client that polls with one account's key makes clauses untestable, and accuses no conformant server. */
import { expect, test } from '@playwright/test';
import { blocking, gcra, slidingLog, steadyWindow } from '../../../fixtures/dialects/limiters';
import { polledBy, requestRate } from '../../../fixtures/dialects/staging';
import { LOOPBACK } from '../../../fixtures/in-memory';
import { runInMemory } from '../../../scripts/matrix/in-process';
import type { Rate } from '../../../src/evidence/model';
import { rules } from '../../../src/profiles/rules';
import { embeddedAccounts } from '../../../src/reference/account';
import { fixedWindow, type Limiter } from '../../../src/reference/behaviour';
import { drawn } from '../level';

const RATE_CLAUSES = Object.keys(rules).filter((id) => id.startsWith('rate.'));
const STARTED_AT = Date.UTC(2026, 5, 15, 12, 0, 0, 250);
const [first = '', second = ''] = embeddedAccounts().map(({ name }) => name);
const ONE_A_SECOND: Rate = { requests: 1, seconds: 1 };

const LIMITERS: ReadonlyArray<readonly [name: string, start: (rate: Rate) => Limiter]> = [
  ['windows from the first request on', fixedWindow],
  ['windows in step with the clock', (rate) => steadyWindow(rate, 0)],
  ['a sliding log', slidingLog],
  ['a bucket', gcra],
];

/** Each rate, and how often the other client asks, in milliseconds. */
const POLLERS: ReadonlyArray<readonly [rate: Rate, everyMs: readonly number[]]> = [
  [ONE_A_SECOND, [350, 1050, 1300, 2300, 5000]],
  [{ requests: 10, seconds: 1 }, [350, 800, 1300, 2300]],
];

/** A limiter that somebody else asks as well, with the key of one account, by default of the first. */
const polled = (limiter: Limiter, everyMs: number, whose = first, sinceMs = STARTED_AT) =>
  polledBy(limiter, whose, everyMs, sinceMs);

/** The verdicts of the rate clauses on a server with this limiter, by their ids. */
async function verdictsOf(limiter: Limiter, rate: Rate, accounts: number): Promise<Map<string, string>> {
  const target = { rate, notifications: null };
  const options = { rate, accounts: embeddedAccounts().slice(0, accounts), target };
  const network = { ...LOOPBACK, startedAtEpochMs: STARTED_AT };
  const run = await runInMemory([{ name: 'polled', bend: () => ({ limiter }) }], options, network, RATE_CLAUSES);
  return new Map(run.judgements.map(({ id, verdict }) => [id, verdict]));
}

const failedIn = (verdicts: Map<string, string>) =>
  [...verdicts].flatMap(([id, verdict]) => (verdict === 'fail' ? [id] : []));

for (const [name, start] of LIMITERS) {
  test(`${name} and a poller`, async () => {
    const polls = POLLERS.flatMap(([rate, periods]) =>
      [1, 2, 3].flatMap((accounts) => periods.map((everyMs) => ({ rate, accounts, everyMs }))),
    );
    for (const poll of drawn(polls, 1)) {
      const limiter = polled(start(poll.rate), poll.everyMs);
      expect(failedIn(await verdictsOf(limiter, poll.rate, poll.accounts)), JSON.stringify(poll)).toEqual([]);
    }
  });

  test(`${name}: a poller that leaves the second account next to nothing accuses no server`, async () => {
    const verdicts = await verdictsOf(polled(start(ONE_A_SECOND), 60, second), ONE_A_SECOND, 2);
    expect(failedIn(verdicts)).toEqual([]);
    expect(verdicts.get('rate.not-stricter')).toBe('not-tested');
  });
}

test('a log that counts refusals, and a poller of one key that begins in the middle, accuses no server', async () => {
  for (const accounts of [2, 3, 4])
    for (const everyMs of drawn([400, 700, 900], 1)) {
      const limiter = polled(requestRate(ONE_A_SECOND), everyMs, first, STARTED_AT + 4000);
      expect(failedIn(await verdictsOf(limiter, ONE_A_SECOND, accounts)), `${accounts}, ${everyMs} ms`).toEqual([]);
    }
});

test('clients that hammer the keys of both accounts accuse no server', async () => {
  for (const rate of [ONE_A_SECOND, { requests: 1, seconds: 2 }])
    for (const [name, start] of drawn(LIMITERS, 2))
      for (const everyMs of drawn([300, 550], 1)) {
        const both = polled(polled(start(rate), everyMs), 330, second);
        expect(failedIn(await verdictsOf(both, rate, 2)), `${name}, ${everyMs} ms`).toEqual([]);
      }
});

test('a block that every refusal begins anew breaks its promises, and the rate where several accounts see it', async () => {
  for (const accounts of [1, 2, 3]) {
    // The headers tell of the window alone.
    const blocked = blocking(fixedWindow(ONE_A_SECOND), 4000, () => ({}));
    const verdicts = await verdictsOf(blocked, ONE_A_SECOND, accounts);
    const promises = ['rate.reset-honest', 'rate.retry-after-honest'];
    expect(failedIn(verdicts)).toEqual(accounts === 1 ? promises : ['rate.not-stricter', ...promises]);
    // Of a single account, another client would explain it.
    if (accounts === 1) expect(verdicts.get('rate.not-stricter')).toBe('not-tested');
  }
});

test('the only key, which another client uses so often that it is hardly ever let in, accuses no server', async () => {
  for (const everyMs of [350, 480, 700]) {
    const verdicts = await verdictsOf(polled(requestRate(ONE_A_SECOND), everyMs), ONE_A_SECOND, 1);
    expect(failedIn(verdicts)).toEqual([]);
    expect(verdicts.get('rate.not-stricter')).toBe('not-tested');
  }
});

test('the only key, of whose two requests a second another client nearly always takes both, accuses no server', async () => {
  const rate = { requests: 2, seconds: 1 };
  for (const everyMs of [200, 250, 300])
    for (const [name, start] of LIMITERS) {
      const verdicts = await verdictsOf(polled(start(rate), everyMs), rate, 1);
      expect(failedIn(verdicts), `${name}, ${everyMs} ms`).toEqual([]);
    }
});

test('a poller hides no server without a limit', async () => {
  const open: Limiter = {
    take: (_, nowMs) => ({ accepted: true, limit: 1, remaining: 0, resetAtMs: nowMs + 1000, retryAtMs: nowMs + 1000 }),
  };
  const verdicts = await verdictsOf(polled(open, 1300), ONE_A_SECOND, 1);
  expect([verdicts.get('rate.enforced'), verdicts.get('rate.enforced-concurrent')]).toEqual(['fail', 'fail']);
});

for (const seconds of [2, 3, 5])
  test(`windows of ${seconds} s in step with a clock are stricter, and nobody else's doing`, async () => {
    for (const accounts of [1, 2, 3])
      for (const phaseMs of drawn([0, 300, 700, 1100, 1900], 1)) {
        const verdicts = await verdictsOf(steadyWindow({ requests: 1, seconds }, phaseMs), ONE_A_SECOND, accounts);
        expect(verdicts.get('rate.not-stricter'), `${accounts} accounts, ${phaseMs} ms`).toBe('fail');
      }
  });

test('a poller hides no stricter limit that another account shows', async () => {
  const limiter = polled(fixedWindow({ requests: 1, seconds: 3 }), 5000);
  expect((await verdictsOf(limiter, ONE_A_SECOND, 3)).get('rate.not-stricter')).toBe('fail');
});
