/** Before any test: loads the configuration and starts the recorder's service. */

import { prepareFleet } from '../run/fleet';
import { lockResults } from '../run/locks';
import { prepareRun } from '../run/run';
import { fleetIn } from '../target/directory';
import { resultsDirectory, SERVICE_VARIABLE, variablesIn } from '../target/environment';
import { UsageError } from '../usage-error';
import { isWritable } from '../writable';
import { setCurrentRuns } from './current';
import { startService } from './service';

/** Prepares the runs for the reporter and the workers; returns what ends them. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const variables = variablesIn(process.cwd());
  const results = resultsDirectory(variables);
  if (!isWritable(results)) throw new UsageError(`The results cannot be written: ${results}.`);
  const shard = /--shard[= ](\d+)/.exec(process.argv.join(' '))?.[1];
  const release = await lockResults(results, shard);
  const fleet = fleetIn(variables);
  const runs = fleet ? prepareFleet(fleet, variables) : new Map([['', await prepareRun()]]);
  // A blob report is merged with others elsewhere, where nothing of this process is known.
  const isPart = process.argv.some((argument) => argument.startsWith('--shard') || /\bblob\b/.test(argument));
  const service = await startService(runs, fleet && isPart ? runs.keys() : []);
  process.env[SERVICE_VARIABLE] = service.address;
  setCurrentRuns(runs);
  return async () => {
    await service.close();
    await Promise.all([...runs.values()].map((run) => run.close()));
    await release();
  };
}
