/**
 * `npm run bench`: how long a core run takes against a server with the published rate, by the number of accounts, or
 * with `--targets 1,8,24` by the number of targets. The servers run in a process of their own; each figure is of a
 * whole `playwright test`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conformance } from '../../src/contract/result';
import { benchTargets } from './targets';
import { ended, printTable, seconds, serversApart, suiteRun, targetFile } from './tools';

const ACCOUNTS = [1, 2, 3, 5];

async function benchAccounts(): Promise<void> {
  const rows: string[][] = [['accounts', 'whole run', 'of it waited', 'the rest', 'requests', 'verdict']];
  for (const count of ACCOUNTS) {
    const { process, urls } = await serversApart(1, count);
    rows.push(await measured(count, urls[0] ?? ''));
    await ended(process);
  }
  printTable(rows);
}

async function measured(count: number, baseURL: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  writeFileSync(join(directory, 'target.yaml'), targetFile(`bench ${count}`, baseURL, count));
  const beganMs = Date.now();
  await ended(suiteRun({ TARGET: join(directory, 'target.yaml'), RESULTS_DIR: join(directory, 'results') }), false);
  const wholeMs = Date.now() - beganMs;
  const result = JSON.parse(readFileSync(join(directory, 'results', 'conformance.json'), 'utf8')) as Conformance;
  rmSync(directory, { recursive: true });
  return [
    String(count),
    seconds(wholeMs),
    seconds(result.waitedMs),
    seconds(wholeMs - result.waitedMs),
    String(result.requests),
    result.verdict,
  ];
}

const at = process.argv.indexOf('--targets');
const counts = (process.argv[at + 1] ?? '').split(',').map(Number);
if (at > 0 && !counts.every((count) => Number.isInteger(count) && count > 0)) {
  console.error('--targets wants numbers, such as 1,8,24');
  process.exitCode = 1;
} else {
  (at > 0 ? benchTargets(counts) : benchAccounts()).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
