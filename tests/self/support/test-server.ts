/** Playwright's test server, which UI mode and the VS Code extension speak to: many runs in one process. */
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { freshDirectory, ROOT, startProcess } from './whole-runs';

export interface TestServer {
  /** Where the results of the last run lie. */
  results: string;
  /** Runs the tests that match, as the run button does; gives Playwright's own status. */
  run(grep: string, more?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

/** Starts a test server with this project's configuration, its global setup done. */
export async function startTestServer(environment: Record<string, string>): Promise<TestServer> {
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
    // Whoever runs chosen tests in one process runs parts.
    results: join(results, 'part'),
    run: async (grep, more = {}) =>
      (await call<{ status: string }>('runTests', { grep, locations: [], ...more })).status,
    close: async () => {
      await call('runGlobalTeardown');
      socket.close();
      child.kill('SIGKILL');
      await ended;
    },
  };
}
