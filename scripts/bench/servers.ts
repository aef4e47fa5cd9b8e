/** The servers that runs are measured on, in a process of their own. */
import { type ChildProcess, fork } from 'node:child_process';
import { stringify } from 'yaml';
import { faults } from '../../fixtures/catalogue';
import { answering } from '../../fixtures/dialects/tools';
import type { Rate } from '../../src/evidence/model';
import { type Account, declarationOf } from '../../src/reference/account';
import { type Bend, fixedWindow, problem } from '../../src/reference/behaviour';
import { startReference } from '../../src/reference/server';

/** A server that is broken in one way. */
export interface BrokenServer {
  name: string;
  bends: readonly Bend[];
}

export const brokenServers: readonly BrokenServer[] = [
  { name: 'no limiter at all', bends: catalogued('no-limit') },
  { name: 'one per three seconds', bends: limitedTo({ requests: 1, seconds: 3 }) },
  { name: 'sixty per minute', bends: limitedTo({ requests: 60, seconds: 60 }) },
  { name: 'one budget for all users', bends: catalogued('one-budget-for-all') },
  {
    name: 'a limit by address, before authentication',
    bends: catalogued('limit-by-address-before-authentication'),
  },
  { name: 'wrong keys use up budgets', bends: catalogued('keyless-charged-to-all') },
  { name: 'lets in requests without a key', bends: catalogued('no-key-first-account') },
  { name: 'never recovers', bends: catalogued('counter-never-expires') },
  { name: 'two per second', bends: limitedTo({ requests: 2, seconds: 1 }) },
  {
    name: 'rejects with 500',
    bends: [{ name: '500', bend: () => ({ rejection: () => problem(500, 'error', 'Error') }) }],
  },
  { name: '3,000 header lines on every answer', bends: [{ name: 'lines', bend: answering(withManyLines) }] },
  { name: '1 MiB in every body', bends: [{ name: 'bodies', bend: answering(withLargeBody) }] },
  {
    name: 'many clauses at once',
    bends: [
      ...catalogued('no-limit', 'no-key-first-account', 'rejection-without-challenge', 'cache-public'),
      inAnotherShape(),
    ],
  },
];

function catalogued(...names: string[]): Bend[] {
  return faults.filter(({ name }) => names.includes(name));
}

/** A server with another limit than it declares. */
export function limitedTo(rate: Rate): Bend[] {
  return [{ name: 'limit', bend: () => ({ limiter: fixedWindow(rate) }) }];
}

type Answering = Parameters<typeof answering>[0];

function withManyLines(answer: Parameters<Answering>[0]): ReturnType<Answering> {
  const lines = Array.from({ length: 3000 }, (_, i) => [`X-${i}`, 'some value'] as const);
  return { ...answer, headers: [...answer.headers, ...lines] };
}

/** As much white space as makes a JSON text so large, and a number that makes each of them another text. */
let answers = 0;
function withLargeBody(answer: Parameters<Answering>[0]): ReturnType<Answering> {
  answers += 1;
  const tail = `${' '.repeat(answers)}\n`;
  return { ...answer, body: `${answer.body}${' '.repeat(1024 * 1024 - answer.body.length - tail.length)}${tail}` };
}

/** Settings in which nothing has the described form. */
function inAnotherShape(): Bend {
  const kind = { status: 'on', url: '/hooks' };
  const auth = { status: 1, type: '', basic: { username: {}, password: '', hasPassword: 'no' }, apikey: {}, extra: 1 };
  return {
    name: 'shape',
    bend: () => ({ document: () => ({ webhook: { start: kind, submission: kind, updates: null, auth }, other: 1 }) }),
  };
}

/** Accounts that differ in everything that makes clauses testable. */
export function accountsOf(count: number): Account[] {
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
export function targetFile(name: string, baseURL: string, accounts: number): string {
  return stringify({ name, baseURL, accounts: accountsOf(accounts).map(declarationOf) });
}

/** Starts conformant servers in one process of their own. */
export async function serversApart(servers: number, accounts: number) {
  const child = fork(__filename, ['--serve', String(servers), String(accounts)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const urls = await new Promise<string[]>((resolve) => child.once('message', (sent) => resolve(sent as string[])));
  return { urls, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
}

async function serve(servers: number, accounts: number): Promise<void> {
  const started = Array.from({ length: servers }, () => startReference({ accounts: accountsOf(accounts) }));
  const references = await Promise.all(started);
  process.send?.(references.map(({ baseURL }) => baseURL));
}

const at = process.argv.indexOf('--serve');
if (at > 0) {
  const [servers, accounts] = process.argv.slice(at + 1);
  void serve(Number(servers), Number(accounts));
}
