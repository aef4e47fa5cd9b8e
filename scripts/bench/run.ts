/** A whole `playwright test`, measured. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conformance } from '../../src/contract/result';
import { type Peak, watchMemory } from './usage';

const ROOT = join(__dirname, '..', '..');

export interface Measured {
  wholeMs: number;
  /** User and system time of Playwright and of all its workers. */
  processorMs: number;
  peak: Peak;
}

/** Runs the suite. @param variables its environment, besides that of this process */
export async function measureRun(variables: Record<string, string>): Promise<Measured> {
  const directory = temporaryDirectory();
  const times = openSync(join(directory, 'times'), 'w');
  const unset = { TARGET: '', TARGETS: '', BASE_URL: '', API_KEY: '', REPLAY: '', BASELINE: '' };
  // The shell tells what its ended children have used, down to the last worker.
  const command = [process.execPath, join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test'];
  const beganAtMs = performance.now();
  const shell = spawn('bash', ['-c', '"$@"; times >&3', 'bench', ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore', times],
    env: { ...process.env, ...unset, RISKY_PROBES: '1', ...variables },
  });
  const memory = watchMemory(shell.pid ?? 0);
  await new Promise((resolve) => shell.once('exit', resolve));
  const wholeMs = performance.now() - beganAtMs;
  closeSync(times);
  const processorMs = processorMsIn(readFileSync(join(directory, 'times'), 'utf8'));
  rmSync(directory, { recursive: true });
  return { wholeMs, processorMs, peak: memory.stop() };
}

/** Bash writes `0m1.234s` four times: user and system time of the shell, then of its children. */
function processorMsIn(text: string): number {
  const times = [...text.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) => {
    return (Number(minutes) * 60 + Number(seconds)) * 1000;
  });
  return times.reduce((total, ms) => total + ms, 0);
}

/** A run against one target, and what it left. */
export interface MeasuredTarget extends Measured {
  result: Conformance;
  /** Where its results are, until `remove` is called. */
  results: string;
  remove: () => void;
}

/** @param variables besides those that name the target and the results */
export async function measureTarget(
  targetFile: string,
  variables: Record<string, string> = {},
): Promise<MeasuredTarget> {
  const directory = temporaryDirectory();
  const [target, results] = [join(directory, 'target.yaml'), join(directory, 'results')];
  writeFileSync(target, targetFile);
  const measured = await measureRun({ TARGET: target, RESULTS_DIR: results, ...variables });
  const result = JSON.parse(readFileSync(join(results, 'conformance.json'), 'utf8')) as Conformance;
  return { ...measured, result, results, remove: () => rmSync(directory, { recursive: true }) };
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'bench-'));
}
