/** Many runs in one process, side by side. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { failureOf } from '../common/failure';
import { UsageError } from '../common/usage-error';
import { loadConfiguration } from '../target/configuration';
import type { FleetMember } from '../target/directory';
import { isOn, type Variables } from '../target/environment';
import { Finished, nothingRecorded } from './finished';
import { Turns } from './locks';
import type { Prepared } from './run';

/**
 * By so much may memory that nobody uses any more grow beyond what is in use. V8's own choice is several times as much, which
 * many targets would fill.
 */
const HEAP_GROWTH_PERCENT = 40;

/**
 * Prepares a run for each target. What is wrong with one of them becomes the error of its own run.
 * @throws UsageError for what concerns all of them
 */
export function prepareFleet(fleet: readonly FleetMember[], variables: Variables): Map<string, Prepared> {
  for (const name of ['REPLAY', 'BASELINE'])
    if (variables[name]) throw new UsageError(`${name} is for one target: set TARGET instead of TARGETS.`);
  for (const name of ['RISKY_PROBES', 'STRICT', 'REQUIRE_COMPLETE', 'INSECURE_TLS']) isOn(variables, name);
  const ignored = ['TARGET', 'BASE_URL'].filter((name) => variables[name]);
  const notices = ignored.map(
    (name) => `${name} is set, but so is TARGETS: the target files alone say what is judged.`,
  );
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const turns = new Turns();
  return new Map(
    fleet.map((member, i) => [member.name, { ...prepared(member, variables, turns), notices: i === 0 ? notices : [] }]),
  );
}

function prepared({ name, file }: FleetMember, variables: Variables, turns: Turns): Omit<Prepared, 'notices'> {
  try {
    const configuration = loadConfiguration({ ...variables, TARGET: file, BASE_URL: undefined });
    if (!configuration.target) throw new Error('There is no target.');
    // A replay loads this file, too, and needs nothing of what sends.
    const { recordingsOf } = require('./recording') as typeof import('./recording');
    const { requireComplete, strict } = configuration;
    const history = configuration.history && join(configuration.history, name);
    const begin = recordingsOf(configuration.target, configuration, turns);
    return { requireComplete, strict, baseline: null, history, begin };
  } catch (error) {
    const recorded = nothingRecorded(name, failureOf(error));
    const begin = (ids: Iterable<string>) => new Finished(ids, recorded);
    return { requireComplete: false, strict: false, baseline: null, history: null, begin };
  }
}
