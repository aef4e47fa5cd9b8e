/** Runs before any test: loads the configuration and starts the service that answers the tests. */
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test';
import { failureOf } from '../common/failure';
import { UsageError } from '../common/usage-error';
import { isWritable } from '../common/writable';
import { fleetIn } from '../config/directory';
import { resultsDirectory, SERVICE_VARIABLE, variablesIn } from '../config/environment';
import { clauseTexts } from '../contract/clauses';
import { reportInputOf } from '../report/assemble';
import { clearResults, writeResults } from '../report/files';
import { lockResults } from '../run/locks';
import { prepareFleet, prepareRun } from '../run/prepare';
import { LEVELS_VARIABLE, SPARING_VARIABLE } from './annotations';
import { endWith, UNDONE } from './exit-status';
import { current, Runs } from './runs';
import { startService } from './service';

/** Node's default. Playwright asks for 200 frames, and looks each up in source maps for every connection that ends. */
const STACK_FRAMES = 10;

/** Prepares the runs for the reporter and the workers. Returns what ends them. @throws only UsageError */
export default async function globalSetup(config: FullConfig): Promise<() => Promise<void>> {
  return told(async () => {
    const end = await begun(config);
    return () => told(end);
  });
}

/** Playwright prints every error. If the error was not foreseen, only its kind and place are told. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((problem: unknown) => {
    throw new UsageError(failureOf(problem));
  });
}

async function begun(config: FullConfig): Promise<() => Promise<void>> {
  Error.stackTraceLimit = STACK_FRAMES;
  const variables = variablesIn(process.cwd());
  const results = resultsDirectory(variables);
  if (!isWritable(results)) throw new UsageError(`The results cannot be written: ${results}.`);
  const release = await lockResults(results, config.shard === null ? '' : `${config.shard.current}`);
  const fleet = fleetIn(variables);
  const prepared = fleet ? prepareFleet(fleet, variables) : new Map([['', await prepareRun(variables)]]);
  const runs = new Runs(prepared, fleet !== null, isUnwatched(config));
  // A blob report is merged elsewhere, where nothing of this process is known.
  const isPart = config.shard !== null || config.reporter.some(([name]) => name === 'blob');
  if (runs.isSparing) process.env[SPARING_VARIABLE] = '1';
  const service = await startService(runs, isPart ? prepared.keys() : []);
  process.env[SERVICE_VARIABLE] = service.address;
  process.env[LEVELS_VARIABLE] = JSON.stringify(Object.fromEntries(clauseTexts.map(({ id, level }) => [id, level])));
  current.runs = runs;
  return async () => {
    await service.close();
    const problems = writeUnreported(runs, results);
    await runs.close();
    await release();
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
  };
}

/**
 * Writes the results of runs that this project's reporter did not begin, so that none is lost and none passes by
 * mistake.
 * @returns what fails the runs besides their tests, or why they could not be done, one sentence each
 */
function writeUnreported(runs: Runs, directory: string): string[] {
  return [...runs.unreported].flatMap(([name, { run, prepared }]) => {
    run.stop();
    const place = join(directory, name);
    clearResults(place);
    const recorded = run.sofar();
    const input = reportInputOf(recorded, run.judgements(), () => 'The run ended before this clause was decided.', {
      error: null,
      startedAtEpochMs: recorded.evidence.startedAtEpochMs,
      baseline: prepared.baseline,
      asked: prepared,
    });
    writeResults(place, input);
    const { error } = input.conformance;
    if (error === null) return input.failures;
    endWith(UNDONE);
    return error;
  });
}

/** Whether nobody asked for a trace, and no UI mode, editor or debugger watches. */
function isUnwatched({ projects }: FullConfig): boolean {
  const traces = projects.some(({ use }) => use.trace !== undefined && use.trace !== 'off');
  return !traces && !process.argv.some((argument) => /^(?:test-server$|--ui|--debug)/.test(argument));
}
