/** How long whole runs of `playwright test` take, and what they take of the machine: with some accounts, or many targets. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conformance } from '../../src/contract/result';
import { serversApart, targetFile } from './servers';
import { printTable, seconds } from './table';
import { watchLargest } from './usage';

const ROOT = join(__dirname, '..', '..');
const ACCOUNTS = [1, 2, 3, 5];
/** How many accounts each of many targets has. */
const ACCOUNTS_OF_MANY = 2;

/** Conformant servers, by the number of accounts. */
export async function benchAccounts(): Promise<void> {
  const columns = ['accounts', 'whole run', 'waited', 'the rest', 'requests', 'processor time', 'largest', 'verdict'];
  const rows = [columns];
  for (const count of ACCOUNTS)
    await measured(1, count, (run, results) => {
      const file = join(results, 'target-1', 'conformance.json');
      const { waitedMs, requests, verdict } = JSON.parse(readFileSync(file, 'utf8')) as Conformance;
      const { wholeMs, processorMs, largest } = run;
      const times = [wholeMs, waitedMs, wholeMs - waitedMs].map(seconds);
      rows.push([`${count}`, ...times, `${requests}`, seconds(processorMs), mebibytes(largest), verdict]);
    });
  printTable('A conformant server', rows);
}

/** Runs over so many targets each; the first one is what the others are compared with. */
export async function benchTargets(counts: readonly number[]): Promise<void> {
  const rows = [['targets', 'whole run', 'ratio', 'processor time', 'per target', 'largest', 'conformant']];
  let firstMs: number | null = null;
  for (const count of counts)
    await measured(count, ACCOUNTS_OF_MANY, ({ wholeMs, processorMs, largest }, results) => {
      const { targets } = JSON.parse(readFileSync(join(results, 'fleet.json'), 'utf8')) as {
        targets: Array<{ verdict: string }>;
      };
      firstMs ??= wholeMs;
      const conformant = targets.filter(({ verdict }) => verdict === 'conformant').length;
      const times = [seconds(processorMs), `${(processorMs / count / 1000).toFixed(2)} s`];
      const ratio = (wholeMs / firstMs).toFixed(2);
      rows.push([`${count}`, seconds(wholeMs), ratio, ...times, mebibytes(largest), `${conformant}`]);
    });
  printTable('Many targets', rows);
}

interface Measured {
  wholeMs: number;
  /** User and system time of Playwright and of all its workers. */
  processorMs: number;
  /** The most memory of one process, in bytes. */
  largest: number;
}

/** Runs the suite against servers in a process of their own. @param look gets the figures and the directory of results */
async function measured(
  servers: number,
  accounts: number,
  look: (run: Measured, results: string) => void,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const [targets, results] = [join(directory, 'targets'), join(directory, 'results')];
  mkdirSync(targets);
  const { urls, stop } = await serversApart(servers, accounts);
  for (const [i, baseURL] of urls.entries())
    writeFileSync(join(targets, `target-${i + 1}.yaml`), targetFile(`bench ${i + 1}`, baseURL, accounts));
  const times = openSync(join(directory, 'times'), 'w');
  const unset = { TARGET: '', BASE_URL: '', API_KEY: '', REPLAY: '', BASELINE: '' };
  // The shell reports what its ended children have used, down to the last worker.
  const command = [process.execPath, join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test'];
  const beganAtMs = performance.now();
  const shell = spawn('bash', ['-c', '"$@"; times >&3', 'bench', ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore', times],
    env: { ...process.env, ...unset, RISKY_PROBES: '1', TARGETS: targets, RESULTS_DIR: results },
  });
  const memory = watchLargest(shell.pid ?? 0);
  await new Promise((resolve) => shell.once('exit', resolve));
  const wholeMs = performance.now() - beganAtMs;
  closeSync(times);
  await stop();
  const processorMs = processorMsIn(readFileSync(join(directory, 'times'), 'utf8'));
  look({ wholeMs, processorMs, largest: memory.stop() }, results);
  rmSync(directory, { recursive: true });
}

/** Bash writes `0m1.234s` four times: user and system time of the shell, then of its children. */
function processorMsIn(text: string): number {
  const times = [...text.matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((total, [, minutes, seconds]) => total + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
