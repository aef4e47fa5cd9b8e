/** Runs before any test: loads the configuration and starts the service that answers the tests. */
import type { FullConfig } from '@playwright/test';
import { failureOf, UsageError } from '../../common/errors';
import { isWritable } from '../../common/files';
import { SERVICE_VARIABLE } from '../../common/suite';
import { fleetIn, resultsDirectory, variablesIn } from '../../config/configuration';
import type { Variables } from '../../config/target';
import { lockResults, Taken } from '../../run/locks';
import { prepareFleet, prepareRun, unusable } from '../../run/prepare';
import type { Prepared } from '../../run/run';
import { SPARING_VARIABLE } from '../client';
import { current, isWatched, Runs, startService } from '../service';
import { embedding, withTargetOfConfiguration } from './suite-config';

const TARGETS_ARE_ALONE =
  'TARGETS makes a project of each target, for which your configuration has no place: set TARGET, or run `npx assessment-conformance`.';

const NEVER_DIVIDED =
  'A run is never divided: with --shard, several machines would use one key at the same time. Give each machine targets of its own instead.';

/** Prepares the runs for the reporter and the workers. Returns what ends them. @throws only UsageError */
export default async function globalSetup(config: FullConfig): Promise<() => Promise<void>> {
  return withoutInsides(async () => {
    const end = await begun(config);
    return () => withoutInsides(end);
  });
}

/** Playwright prints every error. Of one that was not foreseen, only kind and place are shown. */
async function withoutInsides<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((problem: unknown) => {
    throw new UsageError(failureOf(problem));
  });
}

async function begun(config: FullConfig): Promise<() => Promise<void>> {
  const variables = withTargetOfConfiguration(variablesIn(process.cwd()), config.configFile);
  const results = resultsDirectory(variables);
  if (!isWritable(results)) throw new UsageError(`The results cannot be written: ${results}.`);
  Object.assign(current, { runs: null, isTaken: false });
  const release = await lockResults(results).catch((error) => {
    current.isTaken = error instanceof Taken;
    throw error;
  });
  const prepared = await preparedFor(config, variables).catch(async (error) => {
    // In UI mode or an editor, the process lives on, and prepares again once the settings are mended.
    await release();
    throw error;
  });
  const isTraced = config.projects.some(({ use }) => use.trace !== undefined && use.trace !== 'off');
  if (!isTraced && !isWatched()) process.env[SPARING_VARIABLE] = '1';
  const runs = new Runs(prepared, release);
  const service = await startService(runs);
  process.env[SERVICE_VARIABLE] = service.address;
  current.runs = runs;
  const interrupt = () => {
    runs.stop();
    // A worker that is asked to stop while it starts may never learn of it, and Playwright would wait five minutes.
    process.env.PWTEST_CHILD_PROCESS_TIMEOUT ??= '5000';
  };
  process.once('SIGINT', interrupt);
  return async () => {
    process.off('SIGINT', interrupt);
    current.runs = null;
    await service.close();
    await runs.close();
    await runs.unlock();
  };
}

/** Prepares the runs, by project; a single target has an empty name. Other tests of a shared configuration go on anyway. */
async function preparedFor(config: FullConfig, variables: Variables): Promise<Map<string, Prepared>> {
  const isAmongOthers = embedding.options !== null;
  try {
    if (config.shard !== null) throw new UsageError(NEVER_DIVIDED);
    if (isAmongOthers && variables.TARGETS) throw new UsageError(TARGETS_ARE_ALONE);
    const fleet = fleetIn(variables);
    return fleet ? await prepareFleet(fleet, variables) : new Map([['', await prepareRun(variables)]]);
  } catch (error) {
    if (!isAmongOthers) throw error;
    return new Map([['', unusable('none', error)]]);
  }
}
