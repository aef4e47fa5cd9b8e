/** Environments that disturb a run at whatever moment accuse no conformant server: failures, short bans, pollers, and clocks that are set back. */

import { expect, test } from '@playwright/test';
import { banning, polled } from '../../../fixtures/dialects/staging';
import { answering } from '../../../fixtures/dialects/tools';
import { simulatedRun } from '../../../scripts/bench/waits';
import { idsOf } from '../../../scripts/matrix/in-process';
import { nameOf } from '../../../src/catalogue/catalogue';
import type { Account } from '../../../src/reference/account';
import { type Answer, type Bend, type Call, problem, rateLines } from '../../../src/reference/behaviour';
import { drawn } from '../level';
import { serverNamed } from '../support/simulation';

const UNAVAILABLE: Answer = { status: 503, headers: [['Content-Type', 'text/html']], body: '<h1>Unavailable</h1>' };

/** What is a way to conform, and warned of all the same. */
const WARNED = ['rate.refusal-429'];

const steps = (from: number, to: number, by: number) =>
  Array.from({ length: Math.ceil((to - from) / by) }, (_, i) => from + i * by);

async function accusedOn(bends: Bend[], accounts: number, seed = 1): Promise<string[]> {
  const run = await simulatedRun(bends, accounts, undefined, seed);
  return idsOf(run, 'fail', 'warn').filter((id) => !WARNED.includes(id));
}

for (const accounts of [1, 3])
  for (const pace of ['slow-to-decide', 'slow-to-answer'])
    test(`a gateway that bans for a moment, on a server that is ${pace}, with ${accounts} accounts`, async () => {
      const accused: string[] = [];
      const bans = [0.3, 0.7, 1, 1.3, 1.8, 2.5].flatMap((seconds) =>
        [[], [serverNamed('refusal-503')]].map((refusal) => ({ seconds, refusal })),
      );
      for (const { seconds, refusal } of drawn(bans, 1)) {
        const ban: Bend = { name: 'ban', bend: banning(15, seconds, () => UNAVAILABLE) };
        const ids = await accusedOn([serverNamed(pace), ...refusal, ban], accounts);
        if (ids.length > 0) accused.push(`for ${seconds} s: ${ids.join(', ')}`);
      }
      expect(accused).toEqual([]);
    });

for (const [seconds, mostWrongKeys] of [
  [2, 4],
  [4, 19],
] as const)
  test(`a lockout that rejects every key as a wrong one for ${seconds} s, after more than ${mostWrongKeys}`, async () => {
    const lockout: Bend = {
      name: 'lockout',
      bend: (behaviour) => banning(mostWrongKeys, seconds, (call) => behaviour.rejection(call))(behaviour),
    };
    expect(await accusedOn([lockout], 2)).toEqual([]);
  });

for (const [what, isSet] of [
  ['a refusal', (call: Call, status: number) => call.account !== undefined && status === 429],
  ['an answer to HEAD', (call: Call, status: number) => call.request.method === 'HEAD' && status === 200],
] as const)
  test(`a session that the cookie of ${what} opens is found`, async () => {
    let owner: Account | null = null;
    const session: Bend = {
      name: 'session',
      bend: ({ authenticate, around }) => ({
        authenticate: (call) =>
          authenticate(call) ?? (call.request.headers.cookie?.includes('sid=opens') ? owner : null),
        async around(call, inner) {
          const answer = await around(call, inner);
          if (!isSet(call, answer.status)) return answer;
          owner = call.account ?? null;
          return { ...answer, headers: [...answer.headers, ['Set-Cookie', 'sid=opens-everything; Path=/']] };
        },
      }),
    };
    expect(await accusedOn([session], 2)).toContain('auth.no-session');
  });

test('what is served slowly and refused at once is no queue, and its limit is not stricter', async () => {
  const slow: Bend = {
    name: 'slow',
    bend: answering(async (answer, call, { pause }) => {
      if (call.account && answer.status < 400) await pause(900);
      return answer;
    }),
  };
  for (const limiter of ['sliding-log', 'gcra']) {
    const run = await simulatedRun([serverNamed(limiter), slow], 2);
    const open = idsOf(run, 'not-tested').filter((id) => id.startsWith('rate.'));
    expect([...idsOf(run, 'fail'), ...open]).toEqual([]);
  }
});

const polling = (everyMs: number): Bend => ({
  name: 'polling',
  bend: (behaviour) => ({ limiter: polled(behaviour, everyMs) }),
});

for (const [queue, everyMs] of [
  ['queue', 300],
  ['queue-with-a-timer', 300],
  ['queue-with-a-timer', 514],
] as const)
  test(`somebody else who fills a queue, ${queue}, every ${everyMs} ms`, async () => {
    const run = await simulatedRun([serverNamed(queue), polling(everyMs)], 2);
    expect(idsOf(run, 'fail')).toEqual([]);
    expect(idsOf(run, 'not-tested')).toContain('transport.complete');
  });

for (const [everyMs, seed, server] of [
  [2000, 14, ['slow-to-answer']],
  [2900, 13, ['slow-to-answer']],
  [2600, 21, ['slow-to-answer']],
  [1500, 22, ['window-of-the-clock']],
  [1300, 21, ['counts-refused-requests-too']],
  // Exactly once a window: then the suite is never accepted again.
  [1000, 1, []],
] as const)
  test(`somebody else who uses the only key every ${everyMs} ms`, async () => {
    const run = await simulatedRun([...server.map(serverNamed), polling(everyMs)], 1, undefined, seed);
    expect(idsOf(run, 'fail')).toEqual([]);
  });

/** Answers nothing else for a while. */
const outage = (fromMs: number, forMs: number): Bend => ({
  name: 'outage',
  bend({ around, clock }) {
    const startMs = clock() + fromMs;
    const isOut = () => clock() >= startMs && clock() < startMs + forMs;
    return { around: async (call, inner) => (isOut() ? { ...UNAVAILABLE, status: 502 } : around(call, inner)) };
  },
});

for (const queue of ['queue', 'queue-with-a-timer'])
  test(`an outage of some seconds, when the limit is looked at, of a server that never refuses, ${queue}`, async () => {
    const accused: string[] = [];
    for (const accounts of [1, 3])
      for (const fromMs of drawn(steps(3500, 9000, 1500), 1)) {
        // The outage itself is the server's.
        const ids = (await accusedOn([serverNamed(queue), outage(fromMs, 4000)], accounts)).filter(
          (id) => id !== 'transport.complete',
        );
        if (ids.length > 0) accused.push(`with ${accounts} accounts, after ${fromMs} ms: ${ids.join(', ')}`);
      }
    expect(accused).toEqual([]);
  });

for (const accounts of [2, 3, 4])
  test(`a guard that lets few wrong keys through leaves no clause about them open, with ${accounts} accounts`, async () => {
    const run = await simulatedRun([serverNamed('guard-lets-eight-wrong-keys-through')], accounts);
    expect(idsOf(run, 'fail', 'not-tested').filter((id) => id.startsWith('auth.'))).toEqual([]);
  });

/** Room for so many requests of an address in a second, valid keys too, before authentication, and answers like those of the limiter. */
const roomOfTheAddress = (most: number): Bend => ({
  name: 'room-of-the-address',
  bend(behaviour) {
    const { around, refusal, clock } = behaviour;
    let answered: number[] = [];
    return {
      async around(call, inner) {
        answered = answered.filter((atMs) => atMs > clock() - 1000);
        const atMs = clock() + 1000;
        const ruling = { accepted: false, limit: 1, remaining: 0, resetAtMs: atMs, retryAtMs: atMs };
        if (answered.length < most) {
          answered.push(clock());
          return around(call, inner);
        }
        const answer = await refusal(call, ruling);
        return { ...answer, headers: [...answer.headers, ...rateLines(behaviour, ruling)] };
      },
    };
  },
});

for (const accounts of [1, 2])
  test(`a gateway with room for five requests of an address, with ${accounts} accounts`, async () => {
    const run = await simulatedRun([serverNamed('window-of-the-clock'), roomOfTheAddress(5)], accounts);
    expect(idsOf(run, 'fail')).toEqual([]);
    expect(idsOf(run, 'not-tested')).toContain('rate.keyless-free');
  });

test('a gateway with room for four times as many wrong keys hides no server that charges wrong keys', async () => {
  const run = await simulatedRun([serverNamed('keyless-charged-to-all'), roomOfTheAddress(20)], 1);
  expect(idsOf(run, 'fail')).toContain('rate.keyless-free');
});

/** One budget of one a second for all requests without a valid key, before authentication; refusals, of valid keys too, have this status. */
const keylessBudget = (status: number): Bend => ({
  name: 'keyless-budget',
  bend({ accounts, around, clock }) {
    const keys = accounts.map(({ apiKey }) => apiKey);
    let endsAtMs = 0;
    return {
      refusal: () => problem(status, 'slow_down', 'Too many requests.'),
      async around(call, inner) {
        if (keys.includes(String(call.request.headers.apikey))) return around(call, inner);
        if (clock() < endsAtMs) return problem(status, 'slow_down', 'Too many requests.', [['Retry-After', '1']]);
        endsAtMs = clock() + 1000;
        return around(call, inner);
      },
    };
  },
});

for (const status of [403, 420])
  test(`a limiter before authentication that refuses with ${status} hides no wrong key that is accepted`, async () => {
    expect(await accusedOn([keylessBudget(status)], 2)).toEqual([]);
    expect(await accusedOn([serverNamed('x-api-key-as-well'), keylessBudget(status)], 2)).toContain(
      'auth.other-carrier',
    );
  });

/** A clock that is set back once. */
const setBack = (atMs: number, byMs: number): Bend => ({
  name: 'set-back',
  bend({ clock }) {
    const stepAtMs = clock() + atMs;
    return { clock: () => (clock() > stepAtMs ? clock() - byMs : clock()) };
  },
});

for (const accounts of [1, 3])
  for (const windows of ['window-of-the-clock', 'window-of-the-process'])
    test(`a clock that is set back by a second, ${windows}, with ${accounts} accounts`, async () => {
      const accused: string[] = [];
      for (const atMs of drawn(steps(500, 9000, 230), 2)) {
        const ids = await accusedOn([serverNamed(windows), setBack(atMs, 1000)], accounts);
        if (ids.length > 0) accused.push(`after ${atMs} ms: ${ids.join(', ')}`);
      }
      expect(accused).toEqual([]);
    });

test('a clock that is set back hides no server that lets two through', async () => {
  const generous: Bend = {
    name: 'generous',
    bend: ({ limiter }) => ({
      limiter: { take: async (user, nowMs) => ({ ...(await limiter.take(user, nowMs)), accepted: true }) },
    }),
  };
  const run = await simulatedRun([generous, setBack(4000, 1000)], 3);
  expect(idsOf(run, 'fail')).toContain('rate.enforced');
});

const BAD_GATEWAY: Answer = { status: 502, headers: [['Content-Type', 'text/html']], body: '<h1>Bad Gateway</h1>' };

/** From a request on, counted from 0, every answer is a 502, for so many milliseconds. */
const failingFrom = (first: number, ms: number): Bend => ({
  name: 'fails-for-a-moment',
  bend({ around, clock }) {
    let [count, untilMs] = [0, 0];
    return {
      async around(call, answer) {
        if (count === first) untilMs = clock() + ms;
        count += 1;
        return clock() < untilMs ? BAD_GATEWAY : around(call, answer);
      },
    };
  },
});

for (const accounts of [1, 3])
  test(`a gateway that fails for a moment, with accounts: ${accounts}`, async () => {
    const plain = await simulatedRun([], accounts);
    const requests = [...plain.recorder.exchanges.keys()];
    const moments = requests.flatMap((first) => [1, 300].map((ms) => ({ first, ms })));
    for (const { first, ms } of drawn(moments, Math.ceil(requests.length / 28))) {
      const run = await simulatedRun([failingFrom(first, ms)], accounts);
      const moment = `for ${ms} ms from request ${first} on`;
      expect(idsOf(run, 'fail', 'warn'), moment).toEqual([]);
      // With one account, a failure in the one look at both paths may leave that clause open.
      const isOpen = (id: string) => accounts > 1 || id !== 'rate.across-paths';
      expect(idsOf(run, 'not-tested').filter(isOpen), moment).toEqual(idsOf(plain, 'not-tested').filter(isOpen));
    }
  });

test('of a guard that answers every other wrong key few are asked again: each waits for a window', async () => {
  let rejections = 0;
  const wavering: Bend = {
    name: 'wavers',
    bend: answering((plain) => {
      rejections += plain.status === 401 ? 1 : 0;
      if (plain.status !== 401 || rejections % 2 === 0) return plain;
      return { ...plain, headers: [['Content-Type', 'text/html']], body: '<h1>Denied</h1>' };
    }),
  };
  const { recorder } = await simulatedRun([wavering], 5);
  const asked = recorder.exchanges.filter(({ account }) => account === null).map(({ probe }) => nameOf(probe));
  expect(new Set(asked).size).toBeGreaterThan(100);
  expect(asked.length - new Set(asked).size).toBeLessThan(20);
});
