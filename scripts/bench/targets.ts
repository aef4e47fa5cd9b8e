/** How long a run over many targets takes, and what it takes of the machine. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Measured, measureRun, temporaryDirectory } from './run';
import { serversApart, targetFile } from './servers';
import { mebibytes, printTable, seconds } from './table';

const ACCOUNTS = 2;

/** Runs over so many targets each; the first one is what the others are compared with. */
export async function benchTargets(counts: readonly number[]): Promise<void> {
  const rows = [
    ['targets', 'whole run', 'ratio', 'processor time', 'per target', 'all processes', 'largest', 'verdicts'],
  ];
  let firstMs: number | null = null;
  for (const count of counts) {
    const { wholeMs, processorMs, peak, verdicts } = await measured(count);
    firstMs ??= wholeMs;
    rows.push([
      String(count),
      seconds(wholeMs),
      (wholeMs / firstMs).toFixed(2),
      seconds(processorMs),
      `${(processorMs / count / 1000).toFixed(2)} s`,
      mebibytes(peak.all),
      mebibytes(peak.largest),
      verdicts,
    ]);
  }
  printTable('Many targets', rows);
}

async function measured(count: number): Promise<Measured & { verdicts: string }> {
  const directory = temporaryDirectory();
  const [targets, results] = [join(directory, 'targets'), join(directory, 'results')];
  mkdirSync(targets);
  const servers = await serversApart(count, ACCOUNTS);
  for (const [i, baseURL] of servers.urls.entries())
    writeFileSync(join(targets, `target-${i + 1}.yaml`), targetFile(`bench ${i + 1}`, baseURL, ACCOUNTS));
  const run = await measureRun({ TARGETS: targets, RESULTS_DIR: results });
  await servers.stop();
  const fleet = JSON.parse(readFileSync(join(results, 'fleet.json'), 'utf8')) as { targets: { verdict: string }[] };
  rmSync(directory, { recursive: true });
  const found = new Map<string, number>();
  for (const { verdict } of fleet.targets) found.set(verdict, (found.get(verdict) ?? 0) + 1);
  return { ...run, verdicts: [...found].map(([verdict, number]) => `${number} ${verdict}`).join(', ') };
}
