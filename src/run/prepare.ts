/** Prepares runs: against a declared target, the embedded server or many targets, or of recorded evidence. */
import { join } from 'node:path';
import { failureOf, UsageError } from '../common/errors';
import { MOST_BYTES, textIn } from '../common/files';
import { type Configuration, type FleetMember, isOn, loadConfiguration } from '../config/configuration';
import type { Target, Variables } from '../config/target';
import { resultIn } from '../contract/result';
import { Masking } from '../recorder/masking';
import { guard } from '../redaction/gate';
import { Turns } from './locks';
import { Finished, nothingRecorded, type Prepared, replayed } from './run';

/**
 * Loads the configuration and prepares a run against its target, or against the embedded server if none is declared.
 * With `REPLAY`, the run judges the evidence of an earlier run.
 * @throws UsageError with one message that says what to fix
 */
export async function prepareRun(variables: Variables): Promise<Prepared> {
  guard(new Masking([{ name: 'default', apiKey: variables.API_KEY ?? '' }], []));
  try {
    const configuration = loadConfiguration(variables);
    const { target } = configuration;
    if (target) guard(new Masking(target.accounts, target.headers, target.identity));
    return await preparedFrom(configuration);
  } catch (error) {
    throw new UsageError(failureOf(error));
  }
}

async function preparedFrom(configuration: Configuration): Promise<Prepared> {
  const { notices, requireComplete, strict, target: declared, replay, waivers, history } = configuration;
  const { baseline: file } = configuration;
  const baseline = file === null ? null : resultIn(textIn(file, MOST_BYTES.file, 'BASELINE: '), `BASELINE: ${file}`);
  const asked = { notices, requireComplete, strict, baseline, history };
  if (replay !== null) {
    const recorded = replayed(replay, declared?.waivers ?? waivers);
    return { ...asked, begin: (ids) => new Finished(ids, recorded) };
  }
  const { recordingsOf, embeddedTarget } = whatSends();
  const { target, ...ends } = declared ? { target: declared } : await embeddedTarget();
  return { ...asked, ...ends, begin: recordingsOf(waivers ? { ...target, waivers } : target, configuration) };
}

/** Loads the code that sends only when it is needed: a replay sends nothing, and loading takes longer than judging. */
function whatSends() {
  return require('./recording') as typeof import('./recording');
}

/** Prepares a run for each target; what is wrong with one is its error. @throws UsageError for what concerns all */
export function prepareFleet(fleet: readonly FleetMember[], variables: Variables): Map<string, Prepared> {
  for (const name of ['REPLAY', 'BASELINE'])
    if (variables[name]) throw new UsageError(`${name} is for one target: set TARGET instead of TARGETS.`);
  for (const name of ['RISKY_PROBES', 'STRICT', 'REQUIRE_COMPLETE', 'INSECURE_TLS']) isOn(variables, name);
  const turns = new Turns();
  // A server may get what belongs to another, so all targets are loaded before anything is sent.
  return new Map(fleet.map((member) => [member.name, preparedMember(member, variables, turns)]));
}

function preparedMember({ name, file }: FleetMember, variables: Variables, turns: Turns): Prepared {
  try {
    const loaded = loadConfiguration({ ...variables, TARGET: file, BASE_URL: undefined });
    const { target, requireComplete, strict } = loaded;
    const history = loaded.history && join(loaded.history, name);
    const begin = whatSends().recordingsOf(target as Target, loaded, turns);
    return { notices: [], requireComplete, strict, baseline: null, history, begin };
  } catch (error) {
    return unusable(name, error);
  }
}

/** A run that could not be done. @param error why */
export function unusable(name: string, error: unknown): Prepared {
  const recorded = nothingRecorded(name, failureOf(error));
  const begin = (ids: Iterable<string>) => new Finished(ids, recorded);
  return { notices: [], requireComplete: false, strict: false, baseline: null, history: null, begin };
}
