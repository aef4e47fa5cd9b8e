/** Runs against one conformant server, against broken ones, and replays of both. */
import { join } from 'node:path';
import type { ClauseResult } from '../../src/contract/result';
import { type MeasuredTarget, measureTarget } from './run';
import { brokenServers, serversApart, targetFile } from './servers';
import { mebibytes, printTable, seconds } from './table';

const ACCOUNTS = [1, 2, 3, 5];
/** Broken servers are measured with so many accounts, and with one. */
const SOME_ACCOUNTS = 3;

const COLUMNS = ['whole run', 'waited', 'the rest', 'requests', 'processor time', 'largest process', 'verdict'];

/** Conformant servers, by the number of accounts. */
export async function benchAccounts(): Promise<void> {
  const rows: string[][] = [['accounts', ...COLUMNS]];
  for (const count of ACCOUNTS) {
    const run = await measured('', count);
    rows.push([String(count), ...cellsOf(run)]);
    run.remove();
  }
  printTable('A conformant server', rows);
}

/** Broken servers. @param words those whose names hold one of them; all, where there is none */
export async function benchBroken(words: readonly string[]): Promise<void> {
  const chosen = brokenServers.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  for (const count of [SOME_ACCOUNTS, 1]) {
    const rows: string[][] = [['server', ...COLUMNS, 'failed']];
    for (const { name } of chosen) {
      const run = await measured(name, count);
      rows.push([name, ...cellsOf(run), String(failed(run.result.clauses).length)]);
      run.remove();
    }
    printTable(count === 1 ? 'Broken servers, with one account' : `Broken servers, with ${count} accounts`, rows);
  }
}

/** Replays: they send nothing, so that what remains is the suite's own work and Playwright's. */
export async function benchReplay(): Promise<void> {
  const rows: string[][] = [
    ['replay of', 'failed', 'whole run', 'processor time', 'more than the first', 'for each failure'],
  ];
  let firstMs: number | null = null;
  for (const name of ['', 'many clauses at once']) {
    const run = await measured(name, SOME_ACCOUNTS);
    const REPLAY = join(run.results, 'evidence.har');
    const replay = await measureTarget(targetFile('replay', 'http://127.0.0.1:9/api/v2', SOME_ACCOUNTS), { REPLAY });
    const failures = failed(replay.result.clauses).length;
    firstMs ??= replay.processorMs;
    const moreMs = replay.processorMs - firstMs;
    rows.push([
      name || 'a conformant server',
      String(failures),
      seconds(replay.wholeMs),
      seconds(replay.processorMs),
      seconds(moreMs),
      failures > 0 ? seconds(moreMs / failures) : '',
    ]);
    replay.remove();
    run.remove();
  }
  printTable('Replays', rows);
}

async function measured(server: string, accounts: number): Promise<MeasuredTarget> {
  const { urls, stop } = await serversApart(1, accounts, server);
  const run = await measureTarget(targetFile(server || 'conformant', urls[0] ?? '', accounts));
  await stop();
  return run;
}

function cellsOf({ wholeMs, processorMs, peak, result }: MeasuredTarget): string[] {
  return [
    seconds(wholeMs),
    seconds(result.waitedMs),
    seconds(wholeMs - result.waitedMs),
    String(result.requests),
    seconds(processorMs),
    mebibytes(peak.largest),
    result.verdict,
  ];
}

function failed(clauses: readonly ClauseResult[]): ClauseResult[] {
  return clauses.filter(({ verdict }) => verdict === 'fail');
}
