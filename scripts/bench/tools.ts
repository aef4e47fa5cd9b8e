/** What the benches share: servers in a process of their own, target files for them, and tables. */
import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Account } from '../../src/reference/account';
import { startReference } from '../../src/reference/server';

const ROOT = join(__dirname, '..', '..');

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

/** A target file for a server with so many accounts. */
export function targetFile(name: string, baseURL: string, count: number): string {
  const accounts = accountsOf(count).map(({ name, apiKey, password, settings }) => ({
    name,
    apiKey,
    hasPassword: password !== null,
    ...(password === null ? {} : { password }),
    settings,
  }));
  return stringify({ name, baseURL, accounts });
}

/** Starts servers in one process of their own, and tells where they are. */
export async function serversApart(
  servers: number,
  accounts: number,
): Promise<{ process: ChildProcess; urls: string[] }> {
  const arguments_ = ['--serve', String(servers), String(accounts)];
  const process = fork(__filename, arguments_, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const urls = await new Promise<string[]>((resolve) => process.once('message', (told) => resolve(told as string[])));
  return { process, urls };
}

/** Starts a whole `playwright test`. */
export function suiteRun(variables: Record<string, string>): ChildProcess {
  const unset = { TARGET: '', TARGETS: '', BASE_URL: '', API_KEY: '', REPLAY: '', BASELINE: '' };
  const options: SpawnOptions = {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, ...unset, RISKY_PROBES: '1', ...variables },
  };
  return spawn(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test'], options);
}

export async function ended(child: ChildProcess, stop = true): Promise<void> {
  if (stop) child.kill();
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
}

export function printTable(rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  for (const row of rows) console.log(row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function serve(servers: number, accounts: number): Promise<void> {
  const started = Array.from({ length: servers }, () => startReference({ accounts: accountsOf(accounts) }));
  const references = await Promise.all(started);
  process.send?.(references.map(({ baseURL }) => baseURL));
}

const at = process.argv.indexOf('--serve');
if (at > 0) void serve(Number(process.argv[at + 1]), Number(process.argv[at + 2]));
