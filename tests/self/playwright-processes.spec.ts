/** Many runs in one process, as UI mode and VS Code have them: each judges what the server does now. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../src/contract/result';
import type { Har } from '../../src/evidence/har/shape';
import { Runs } from '../../src/playwright/runs';
import type { Bend } from '../../src/reference/behaviour';
import type { Prepared, Run } from '../../src/run/run';
import { counting, masking } from './bends';
import { startTestServer, type TestServer } from './test-server';
import { removeDirectories, served } from './whole-runs';

test.describe.configure({ mode: 'parallel' });
test.afterAll(removeDirectories);

const ONE = 'settings\\.password-null';
/** Tools that show results themselves leave out the reporters of the configuration. */
const WITHOUT_REPORTERS = { disableConfigReporters: true };

/** A bend that breaks the server whenever its switch is on. */
function switched(): Bend & { isBroken: boolean } {
  const fault: Bend & { isBroken: boolean } = {
    name: 'switched',
    isBroken: true,
    bend: (behaviour) => {
      const broken = { ...behaviour, ...masking.bend?.(behaviour) };
      return {
        document: (account, call) => (fault.isBroken ? broken : behaviour).document(account, call),
        serialise: (document, call) => (fault.isBroken ? broken : behaviour).serialise(document, call),
      };
    },
  };
  return fault;
}

const resultOf = ({ results }: TestServer) =>
  JSON.parse(readFileSync(join(results, 'conformance.json'), 'utf8')) as Conformance;
const verdictIn = (server: TestServer) =>
  resultOf(server).clauses.find(({ id }) => id === 'settings.password-null')?.verdict;

test('each run begins afresh: a mended server passes, a broken one fails, and no second run trips the limit', async () => {
  const fault = switched();
  const { file, close } = await served({ bends: [fault] });
  const server = await startTestServer({ TARGET: file });
  const statuses: Array<[string, string | undefined]> = [];
  for (const isBroken of [true, false, true]) {
    fault.isBroken = isBroken;
    statuses.push([await server.run(ONE), verdictIn(server)]);
    const { log } = JSON.parse(readFileSync(join(server.results, 'evidence.har'), 'utf8')) as Har;
    expect(log.entries.map((entry) => entry.response.status)).toEqual([200, 200, 200, 200]);
  }
  await server.close();
  await close();
  expect(statuses).toEqual([
    ['failed', 'fail'],
    ['passed', 'pass'],
    ['failed', 'fail'],
  ]);
});

test('also where a tool leaves out our reporter', async () => {
  const fault = switched();
  const { file, close } = await served({ bends: [fault] });
  const server = await startTestServer({ TARGET: file });
  const statuses: string[] = [];
  for (const isBroken of [true, false]) {
    fault.isBroken = isBroken;
    statuses.push(await server.run(ONE, WITHOUT_REPORTERS));
  }
  await server.close();
  await close();
  expect(statuses).toEqual(['failed', 'passed']);
});

test('stop ends the sending', async () => {
  const counter = counting();
  const { file, close } = await served({ bends: [counter] });
  const server = await startTestServer({ TARGET: file });
  const running = server.run('@rate');
  await expect.poll(() => counter.count, { timeout: 60_000 }).toBeGreaterThan(3);
  await server.stop();
  expect(await running).toBe('interrupted');
  // What was under way at that moment may still arrive.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const before = counter.count;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(counter.count).toBe(before);
  // On a busy machine all may have been recorded before it was stopped; nothing may be accused either way.
  expect(resultOf(server).clauses.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  await server.close();
  await close();
});

test('the embedded server can be judged again, notifications included', async () => {
  const server = await startTestServer({});
  for (const _ of [1, 2]) {
    expect(await server.run('event\\.enabled-sent')).toBe('passed');
    expect(resultOf(server).clauses.find(({ id }) => id === 'event.enabled-sent')?.verdict).toBe('pass');
  }
  await server.close();
});

test('without a reporter a run lasts until somebody asks who cannot belong to it', () => {
  const stopped: number[] = [];
  let begun = 0;
  const begin: Prepared['begin'] = (ids) => {
    begun += 1;
    const number = begun;
    return { ids: [...ids], stop: () => stopped.push(number) } as unknown as Run;
  };
  const prepared = {
    begin,
    notices: [],
    requireComplete: false,
    strict: false,
    baseline: null,
    history: null,
    close: async () => {},
  };
  const runs = new Runs(new Map([['', prepared]]), false);
  const ask = (id: string, worker: number, isAgain = false) => runs.runFor({ project: 'any', id, worker, isAgain });

  ask('settings.json', 0);
  ask('settings.json', 0);
  ask('auth.accepted', 1);
  expect(begun).toBe(1);
  runs.given('any', true);
  ask('auth.missing-key', 2);
  ask('settings.json', 3, true);
  expect(begun).toBe(1);
  ask('settings.json', 4);
  expect(begun).toBe(2);

  const isOver = [runs.waits('any'), runs.waits('any')];
  isOver[0]?.(true);
  expect(stopped).toEqual([]);
  isOver[1]?.(true);
  expect(stopped).toEqual([2]);
  ask('settings.json', 4);
  expect(begun).toBe(3);

  runs.begin('', ['settings.json']);
  expect(ask('auth.accepted', 9)?.isReported).toBe(true);
  runs.end();
  expect(ask('auth.accepted', 9)?.isReported).toBe(false);
});
