/**
 * `npm run bench`: how long a core run takes against a server with the published rate, by the number of accounts.
 * The server runs in a process of its own; each figure is of a whole `playwright test`.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Conformance } from '../src/conformance';
import type { Account } from '../src/reference/account';
import { startReference } from '../src/reference/server';

const ROOT = join(__dirname, '..');
const ACCOUNTS = [1, 2, 3, 5];

/** Accounts that differ in everything that makes clauses testable. */
function accountsOf(count: number): Account[] {
  const kind = (i: number, name: string) => ({
    status: i % 2 === 0,
    url: `https://hooks.assessment.example/${i}/${name}`,
  });
  return Array.from({ length: count }, (_, i) => ({
    name: `account-${i + 1}`,
    apiKey: `benchKey${i}${'x7Qa'.repeat(6)}`,
    password: i % 2 === 0 ? `bench-password-${i}` : null,
    settings: {
      start: kind(i, 'start'),
      submission: kind(i, 'submission'),
      updates: kind(i, 'updates'),
      auth: { status: true, type: 'basic', basic: { username: `user-${i}` }, apikey: { header: null, apikey: null } },
    },
  }));
}

async function main(): Promise<void> {
  const rows: string[][] = [['accounts', 'whole run', 'of it waited', 'the rest', 'requests', 'verdict']];
  for (const count of ACCOUNTS) {
    const server = fork(__filename, ['--server', String(count)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const baseURL = await new Promise<string>((resolve) => server.once('message', (url) => resolve(String(url))));
    rows.push(await measured(count, baseURL));
    await ended(server);
  }
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  for (const row of rows) console.log(row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}

async function measured(count: number, baseURL: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const accounts = accountsOf(count).map(({ name, apiKey, password, settings }) => ({
    name,
    apiKey,
    hasPassword: password !== null,
    ...(password === null ? {} : { password }),
    settings,
  }));
  writeFileSync(join(directory, 'target.yaml'), stringify({ name: `bench ${count}`, baseURL, accounts }));
  const beganMs = Date.now();
  const run = spawn(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      ...process.env,
      TARGET: join(directory, 'target.yaml'),
      RESULTS_DIR: join(directory, 'results'),
      RISKY_PROBES: '1',
      BASE_URL: '',
      API_KEY: '',
    },
  });
  await ended(run, false);
  const wholeMs = Date.now() - beganMs;
  const result = JSON.parse(readFileSync(join(directory, 'results', 'conformance.json'), 'utf8')) as Conformance;
  rmSync(directory, { recursive: true });
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    String(count),
    seconds(wholeMs),
    seconds(result.waitedMs),
    seconds(wholeMs - result.waitedMs),
    String(result.requests),
    result.verdict,
  ];
}

async function ended(child: ChildProcess, stop = true): Promise<void> {
  if (stop) child.kill();
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
}

async function serve(count: number): Promise<void> {
  const reference = await startReference({ accounts: accountsOf(count) });
  process.send?.(reference.baseURL);
}

const at = process.argv.indexOf('--server');
(at > 0 ? serve(Number(process.argv[at + 1])) : main()).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
