/** Whole runs against servers that mean harm: nothing is told, nothing is obeyed, and every run ends with its results. */

import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { watchLargest } from '../../../scripts/bench/usage';
import { listenOn } from '../../../src/common/listening';
import { ALL } from '../level';
import { framingAttacks, startHostile, tellingAttacks } from '../support/hostile-server';
import { leaksOf } from '../support/leaks';
import { runHere } from '../support/run-here';
import { ACCOUNTS, declaring, SECRETS } from '../support/secret-accounts';
import { freshDirectory, RESULT_FILES, stackLines, startRun, type WholeRun } from '../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
/** A run, and the most memory that one of its processes had. */
async function attacked(
  environment: Record<string, string>,
  ...words: string[]
): Promise<WholeRun & { largestMiB: number }> {
  const surroundings = { ...SECRETS, RISKY_PROBES: '1', GITHUB_ACTIONS: 'true', ...environment };
  const under = startRun({ environment: surroundings, arguments: words });
  const memory = watchLargest(under.child.pid ?? 0);
  const run = await under.ended;
  return { ...run, largestMiB: memory.stop() / 2 ** 20 };
}

function isDone(run: WholeRun, secrets: Record<string, string> = SECRETS, besides: string[] = []): void {
  expect(leaksOf(run, secrets, besides)).toEqual([]);
  expect(stackLines(run.output), run.output).toEqual([]);
  expect(run.output).not.toContain('The suite failed');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(run.output).not.toMatch(/^##|^::(?:set-output|stop-commands)|[\0-\x08\x0e-\x1a\x1c-\x1f\x9b]/m);
  for (const file of RESULT_FILES) expect(run.text(file).length, file).toBeGreaterThan(0);
}

test('no way of telling a secret that is promised to be seen through tells it', { tag: ALL }, async () => {
  const server = await startHostile(ACCOUNTS, tellingAttacks);
  const summary = join(freshDirectory(), 'step-summary.md');
  const TARGET = declaring(server.baseURL);
  const run = await attacked({ TARGET, STRICT: '1', GITHUB_STEP_SUMMARY: summary }, '--trace', 'on');
  const replayed = await runHere({ REPLAY: join(run.results, 'evidence.har') });
  await server.close();
  expect(Object.keys(server.counts).sort()).toEqual(Object.keys(tellingAttacks).sort());
  for (const each of [run, replayed]) {
    isDone(each, SECRETS, [summary]);
    expect(each.status).toBe(1);
    const verdicts = new Map(each.conformance().clauses.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts.get('settings.password-absent')).toBe('fail');
    expect(verdicts.get('auth.key-not-echoed')).toBe('warn');
  }
  // The leaks are still visible, as markers that name the secret.
  const evidence = run.text('evidence.har');
  for (const marker of ['apiKey:signs', 'apiKey:plain', 'password:signs', 'password:plain', 'header:X-Staging-Gate'])
    expect(evidence.split(`[secret:${marker}`).length, marker).toBeGreaterThan(10);
});

test('no framing of answers stops a run or takes its memory', async () => {
  const server = await startHostile(ACCOUNTS, framingAttacks, 2);
  const run = await attacked({ TARGET: declaring(server.baseURL, { limits: { timeoutSeconds: 1 } }) });
  await server.close();
  // After so many answers that took all their time, nothing more is sent.
  expect(Object.keys(server.counts).length).toBeGreaterThan(5);
  isDone(run);
  expect(run.status).toBe(1);
  expect(run.conformance().clauses.find(({ id }) => id === 'transport.complete')?.verdict).toBe('fail');
  expect(run.largestMiB).toBeLessThan(512);
});

test('a proxy that answers itself is told without its password, and strange values are told in one message', async () => {
  const proxy = createServer((request, response) => {
    response
      .writeHead(407, { 'Proxy-Authenticate': 'Basic', 'X-Echo': JSON.stringify(request.headers) })
      .end(request.url);
  });
  const port = await listenOn(proxy);
  const secrets = { ...SECRETS, PROXY: 'proxyPasswordSekret99' };
  const TARGET = declaring('http://staging.invalid/api/v2');
  const runs = await Promise.all(
    [
      { HTTP_PROXY: `http://user:${secrets.PROXY}@127.0.0.1:${port}` },
      { HTTP_PROXY: `socks5://user:${secrets.PROXY}@127.0.0.1:${port}` },
      { HTTP_PROXY: `${secrets.PROXY}\u001b[31m::error::x` },
      { NODE_EXTRA_CA_CERTS: '/nowhere/\u202e::stop-commands::x' },
      { REPLAY: `/nowhere/\u202e::stop-commands::x` },
    ].map((environment) => runHere({ ...SECRETS, TARGET, ...environment })),
  );
  proxy.close();
  for (const run of runs) {
    isDone(run, secrets);
    expect(run.status, run.output).toBe(2);
    expect(run.conformance().verdict).toBe('error');
  }
});
