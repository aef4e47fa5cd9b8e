/** The results of runs that no reporter of ours began, so that they are not lost and no such run ends well by mistake. */
import { join } from 'node:path';
import { reportInputOf } from '../report/assemble';
import { clearResults, writeResults } from '../report/files';
import { endWith, UNDONE } from './exit-status';
import type { Runs } from './runs';

/**
 * Writes them where the reporter would have.
 * @returns what shall fail the run besides its tests: one sentence, or `null`
 */
export function writeUnreported(runs: Runs, directory: string): string | null {
  const problems: string[] = [];
  for (const [name, { run, prepared }] of runs.unreported) {
    run.stop();
    const place = join(directory, name);
    clearResults(place);
    const input = reportInputOf(run.sofar(), run.judgements(), () => 'The run ended before this clause was decided.', {
      error: null,
      startedAtEpochMs: run.sofar().evidence.startedAtEpochMs,
      baseline: prepared.baseline,
      asked: prepared,
    });
    writeResults(place, input);
    const { error } = input.conformance;
    if (error !== null) endWith(UNDONE);
    problems.push(...(error === null ? input.failures : [error]));
  }
  return problems.length > 0 ? problems.join('\n') : null;
}
