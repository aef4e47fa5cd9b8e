/** How long a run over many targets takes, and what it takes of the machine. Reads `/proc`, so it needs Linux. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended, printTable, seconds, serversApart, suiteRun, targetFile } from './tools';

const ACCOUNTS = 2;
const SAMPLE_MS = 200;
/** Clock ticks of `/proc` in a second, on every Linux that Node runs on. */
const TICKS = 100;

export async function benchTargets(counts: readonly number[]): Promise<void> {
  const rows = [['targets', 'whole run', 'ratio', 'processor time', 'per target', 'peak memory', 'verdicts']];
  let firstMs: number | null = null;
  for (const count of counts) {
    const { wholeMs, processorMs, peakBytes, verdicts } = await measured(count);
    firstMs ??= wholeMs;
    rows.push([
      String(count),
      seconds(wholeMs),
      (wholeMs / firstMs).toFixed(2),
      seconds(processorMs),
      seconds(processorMs / count),
      `${Math.round(peakBytes / 1e6)} MB`,
      verdicts,
    ]);
  }
  printTable(rows);
}

async function measured(count: number) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const [targets, results] = [join(directory, 'targets'), join(directory, 'results')];
  mkdirSync(targets);
  const servers = await serversApart(count, ACCOUNTS);
  for (const [i, baseURL] of servers.urls.entries())
    writeFileSync(join(targets, `target-${i + 1}.yaml`), targetFile(`bench ${i + 1}`, baseURL, ACCOUNTS));
  const beganMs = Date.now();
  const run = suiteRun({ TARGETS: targets, RESULTS_DIR: results });
  let [processorMs, peakBytes] = [0, 0];
  const sampling = setInterval(() => {
    const usage = usageOf(run.pid ?? 0);
    processorMs = Math.max(processorMs, usage.processorMs);
    peakBytes = Math.max(peakBytes, usage.bytes);
  }, SAMPLE_MS);
  await ended(run, false);
  const wholeMs = Date.now() - beganMs;
  clearInterval(sampling);
  await ended(servers.process);
  const fleet = JSON.parse(readFileSync(join(results, 'fleet.json'), 'utf8')) as { targets: { verdict: string }[] };
  rmSync(directory, { recursive: true });
  const found = new Map<string, number>();
  for (const { verdict } of fleet.targets) found.set(verdict, (found.get(verdict) ?? 0) + 1);
  const verdicts = [...found].map(([verdict, number]) => `${number} ${verdict}`).join(', ');
  return { wholeMs, processorMs, peakBytes, verdicts };
}

/** What a process, its children that live and those that ended have used: time in all, memory at this moment. */
function usageOf(root: number): { processorMs: number; bytes: number } {
  const stats = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => ({
      pid: Number(pid),
      fields: text(`/proc/${pid}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number),
    }));
  const tree = [root];
  for (const parent of tree) for (const { pid, fields } of stats) if (fields[1] === parent) tree.push(pid);
  let [ticks, kilobytes] = [0, 0];
  for (const pid of tree) {
    const fields = stats.find((process) => process.pid === pid)?.fields ?? [];
    for (const field of [11, 12, 13, 14]) ticks += fields[field] ?? 0;
    // What processes share counts once.
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(text(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  }
  return { processorMs: (ticks * 1000) / TICKS, bytes: kilobytes * 1024 };
}

/** Empty where the process has ended. */
function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
