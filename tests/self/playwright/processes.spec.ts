/** Many runs in one process, as UI mode and VS Code have them: each judges what the server does now. */
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { WebSocket } from 'undici';
import type { Bend } from '../../../src/reference/behaviour';
import { masking } from '../support/bends';
import { freshDirectory, ROOT, resultsIn, served, startProcess } from '../support/whole-runs';

interface TestServer {
  /** Where the results of the last run lie. */
  results: string;
  /** Runs the tests that match, as the run button does; gives Playwright's own status. */
  run(grep: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a test server with this project's configuration, its global setup done. */
async function startTestServer(environment: Record<string, string>): Promise<TestServer> {
  const results = freshDirectory();
  const words = [
    join(ROOT, 'node_modules/@playwright/test/cli.js'),
    'test-server',
    '-c',
    join(ROOT, 'playwright.config.ts'),
  ];
  const { child, says, ended } = startProcess(process.execPath, words, {
    cwd: freshDirectory(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, RESULTS_DIR: results, ...environment },
  });
  let printed = '';
  child.stdout?.on('data', (text: string) => {
    printed += text;
  });
  await says('/ws');
  const socket = new WebSocket(/ws:\/\/\S+/.exec(printed)?.[0] ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  const waiting = new Map<number, (answer: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: unknown };
    if (id !== undefined) waiting.get(id)?.(result ?? { error });
  });
  let sent = 0;
  const call = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve) => {
      sent += 1;
      waiting.set(sent, (answer) => resolve(answer as T));
      socket.send(JSON.stringify({ id: sent, method, params }));
    });
  await call('initialize', {});
  await call('runGlobalSetup');
  return {
    results,
    run: async (grep) => (await call<{ status: string }>('runTests', { grep, locations: [] })).status,
    close: async () => {
      await call('runGlobalTeardown');
      socket.close();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test.describe.configure({ mode: 'parallel' });
const ONE = 'settings\\.password-null';
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

test('each run begins afresh: a mended server passes, and no second run trips the limit', async () => {
  const fault = switched();
  const { file, close } = await served({ bends: [fault] });
  const server = await startTestServer({ TARGET: file });
  const statuses: Array<[string, string | undefined]> = [];
  for (const isBroken of [true, false]) {
    fault.isBroken = isBroken;
    const status = await server.run(ONE);
    const run = resultsIn(server.results);
    statuses.push([status, run.clause('settings.password-null')?.verdict]);
    expect(run.har().log.entries.map((entry) => entry.response.status)).toEqual([200, 200, 200, 200]);
  }
  expect(statuses).toEqual([
    ['failed', 'fail'],
    ['passed', 'pass'],
  ]);
  await server.close();
  await close();
});
