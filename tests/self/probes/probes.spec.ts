/** What probes send and when, also where an earlier run or the server is in the way. */
import { expect, test } from '@playwright/test';
import { answering, withBody } from '../../../fixtures/dialects/tools';
import { accountsOf } from '../../../scripts/bench/servers';
import { simulatedRun } from '../../../scripts/bench/waits';
import { idsOf, runInMemory } from '../../../scripts/matrix/in-process';
import { embeddedAccounts } from '../../../src/reference/account';
import { type Bend, problem } from '../../../src/reference/behaviour';
import { drawn } from '../level';
import { serverNamed } from '../support/simulation';

test('a budget that an earlier run has used up leaves no clause untested', async () => {
  const rate = { requests: 1, seconds: 2 };
  const usedUp: Bend = {
    name: 'used-up',
    bend: ({ limiter, accounts, clock }) => {
      for (const { name } of accounts) void limiter.take(name, clock());
      return {};
    },
  };
  const ids = ['auth.accepted', 'auth.no-session'];
  const run = await runInMemory([usedUp], { rate, target: { rate } }, undefined, ids);
  const { exchanges } = run.recorder;
  expect(exchanges[0]?.response?.status).toBe(429);
  expect(idsOf(run, 'pass')).toEqual(ids);
  expect(exchanges.filter(({ probe }) => probe.group === 'session')).toHaveLength(embeddedAccounts().length);
});

test('a gateway’s header of one character hides nothing that is judged', async () => {
  const { judgements, recorder } = await runInMemory([], { target: { headers: [['X-Gate', '1']] } });
  expect(judgements.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id)).toEqual([]);
  expect(recorder.exchanges[0]?.request.headers).toContainEqual(['X-Gate', '[secret:header:X-Gate]']);
});

test('OPTIONS that was refused over the limit is asked again while there is budget', async () => {
  const { recorder } = await runInMemory([], {}, undefined, ['settings.password-absent', 'rate.no-bypass']);
  const answers = recorder.exchanges.filter(({ account, request }) => account && request.method === 'OPTIONS');
  expect(answers.map(({ response }) => response?.status)).toEqual([429, 405]);
});

test('a server that rejects as it refuses is asked nothing over a connection that has ended', async () => {
  const run = await runInMemory(['refusal-403', 'rejection-403'].map(serverNamed));
  expect(idsOf(run, 'fail', 'warn')).toEqual(['rate.refusal-429']);
});

for (const path of ['/api/v0/webhooks', '/api/v999/webhooks', '/api/webhooks', '/api/v2/no-such-path-'])
  test(`what may show a stored password is asked of an account that has one: ${path}`, async () => {
    const leaking: Bend = {
      name: 'leaking',
      bend: answering((answer, call) =>
        call.path.startsWith(path) && call.account?.password
          ? withBody(answer, 'text/plain', `No route for ${call.account.password}`)
          : answer,
      ),
    };
    for (const accounts of drawn([1, 2, 3, 4], 2))
      expect(idsOf(await simulatedRun([leaking], accounts), 'fail')).toEqual(['settings.password-absent']);
  });

for (const [name, clause] of [
  ['base-path-costs-nothing', 'rate.across-paths'],
  ['refusal-crashes-on-the-base-path', 'rate.refusal'],
  ['wrong-key-spoils-the-connection', 'auth.accepted'],
] as const)
  test(`what shows on few requests shows, however few accounts there are: ${name}`, async () => {
    for (const accounts of [1, 2, 4])
      expect(idsOf(await simulatedRun([serverNamed(name)], accounts), 'fail')).toEqual([clause]);
  });

test('two accounts meet, however slowly requests travel', async () => {
  const untested: string[] = [];
  for (const seed of drawn([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 3)) {
    const network = { upMs: 1000, downMs: 1000, seed };
    const target = { notifications: null };
    const run = await runInMemory([], { accounts: accountsOf(2), target }, network);
    if (idsOf(run, 'not-tested', 'fail').includes('rate.per-user')) untested.push(`seed ${seed}`);
  }
  expect(untested).toEqual([]);
});

test('two accounts meet at a queue that refuses nothing, unless all stand in one', async () => {
  const inOneQueue: Bend = { name: 'one-queue', bend: () => ({ bucket: () => 'everybody' }) };
  const isUntested = async (bends: Bend[], accounts: number) =>
    idsOf(await simulatedRun(bends, accounts), 'not-tested', 'fail').includes('rate.per-user');
  for (const queue of ['queue', 'queue-with-a-timer'].map(serverNamed))
    for (const accounts of [2, 3]) {
      expect(await isUntested([queue], accounts)).toBe(false);
      expect(await isUntested([queue, inOneQueue], accounts)).toBe(true);
    }
});

test('what is left is judged on the base path as well, where several requests fit into a window', async () => {
  const wholeOnTheBase: Bend = {
    name: 'whole-on-the-base-path',
    bend: () => ({
      carry: (lines, { accepted, limit }, { path }) =>
        lines.map(([name, value]) =>
          name === 'X-RateLimit-Remaining' && accepted && !path.endsWith('/webhooks')
            ? [name, String(limit - 1)]
            : [name, value],
        ),
    }),
  };
  const rate = { requests: 5, seconds: 2 };
  for (const upMs of [1, 60]) {
    const options = { accounts: embeddedAccounts().slice(0, 3), rate, target: { rate } };
    const run = await runInMemory([wholeOnTheBase], options, { upMs, downMs: upMs, seed: 3 });
    expect(idsOf(run, 'fail'), `${upMs} ms`).toEqual(['rate.remaining-honest']);
  }
});

test('a wrong key that always fails is no accident, also where nothing else is asked', async () => {
  const crashing: Bend = {
    name: 'crashes-on-a-short-key',
    bend: ({ rejection }) => ({
      rejection: (call) =>
        String(call.request.headers.apikey).length === 31 ? problem(500, 'crash', 'Oops.') : rejection(call),
    }),
  };
  const [account] = embeddedAccounts();
  const options = { accounts: account ? [account] : [] };
  const run = await runInMemory([crashing], options, undefined, ['auth.altered-key']);
  expect(idsOf(run, 'fail')).toEqual(['auth.altered-key']);
});
