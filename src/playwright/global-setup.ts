/** Before any test: loads the configuration and starts the service that the tests ask. */

import type { FullConfig } from '@playwright/test';
import { clauseTexts } from '../contract/clauses';
import { prepareFleet } from '../run/fleet';
import { lockResults } from '../run/locks';
import { prepareRun } from '../run/prepare';
import { fleetIn } from '../target/directory';
import { resultsDirectory, SERVICE_VARIABLE, variablesIn } from '../target/environment';
import { UsageError } from '../usage-error';
import { isWritable } from '../writable';
import { LEVELS_VARIABLE } from './annotations';
import { reportersOf } from './reporters';
import { Runs, setCurrentRuns } from './runs';
import { startService } from './service';
import { writeUnreported } from './unreported';

/** Prepares the runs for the reporter and the workers; returns what ends them. */
export default async function globalSetup(config: FullConfig): Promise<() => Promise<void>> {
  const variables = variablesIn(process.cwd());
  const results = resultsDirectory(variables);
  if (!isWritable(results)) throw new UsageError(`The results cannot be written: ${results}.`);
  const release = await lockResults(results, config.shard === null ? '' : `${config.shard.current}`);
  const fleet = fleetIn(variables);
  const prepared = fleet ? prepareFleet(fleet, variables) : new Map([['', await prepareRun(variables)]]);
  const runs = new Runs(prepared, fleet !== null);
  // A blob report is merged with others elsewhere, where nothing of this process is known.
  const isPart = config.shard !== null || reportersOf(config).some(({ name }) => name === 'blob');
  const service = await startService(runs, fleet && isPart ? prepared.keys() : []);
  process.env[SERVICE_VARIABLE] = service.address;
  process.env[LEVELS_VARIABLE] = JSON.stringify(Object.fromEntries(clauseTexts.map(({ id, level }) => [id, level])));
  setCurrentRuns(runs);
  return async () => {
    await service.close();
    const problem = writeUnreported(runs, results);
    await runs.close();
    await release();
    if (problem !== null) throw new UsageError(problem);
  };
}
