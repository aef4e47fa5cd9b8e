/** Prepares runs: against a declared target, the embedded server or many targets, or of recorded evidence. */
import { join } from 'node:path';
import { failureOf, UsageError } from '../common/errors';
import { MOST_BYTES, textIn } from '../common/files';
import { type FleetMember, isOn, loadConfiguration } from '../config/configuration';
import type { Variables } from '../config/target';
import { resultIn } from '../contract/result';
import { Masking } from '../recorder/masking';
import { guard } from '../redaction/gate';
import { Turns } from './locks';
import { nothingRecorded, type Prepared, Run, replayed } from './run';

/**
 * Loads the configuration and prepares a run against its target, or against the embedded server if none is declared.
 * With `REPLAY`, the run judges the evidence of an earlier run.
 * @param turns given if the target is one of many
 * @throws UsageError with one message that says what to fix
 */
export async function prepareRun(variables: Variables, turns?: Turns): Promise<Prepared> {
  guard(new Masking([{ name: 'default', apiKey: variables.API_KEY ?? '' }], []));
  const configuration = loadConfiguration(variables);
  const { notices, requireComplete, strict, target: declared, replay, waivers, history } = configuration;
  const { baseline: file } = configuration;
  if (declared) guard(new Masking(declared.accounts, declared.headers, declared.identity));
  const baseline = file === null ? null : resultIn(textIn(file, MOST_BYTES.file, 'BASELINE: '), `BASELINE: ${file}`);
  const asked = { notices, requireComplete, strict, baseline, history };
  if (replay !== null) {
    const recorded = replayed(replay, declared?.waivers ?? waivers);
    return { ...asked, begin: (ids) => new Run(ids, recorded) };
  }
  // A replay sends nothing, and to load the code that sends takes longer than to judge.
  const { recordingsOf, embeddedTarget } = require('./recording') as typeof import('./recording');
  const { target, ...ends } = declared ? { target: declared } : await embeddedTarget();
  return { ...asked, ...ends, begin: recordingsOf(waivers ? { ...target, waivers } : target, configuration, turns) };
}

/** Prepares a run for each target; what is wrong with one is its error. @throws UsageError for what concerns all */
export async function prepareFleet(
  fleet: readonly FleetMember[],
  variables: Variables,
): Promise<Map<string, Prepared>> {
  for (const name of ['REPLAY', 'BASELINE'])
    if (variables[name]) throw new UsageError(`${name} is for one target: set TARGET instead of TARGETS.`);
  for (const name of ['RISKY_PROBES', 'STRICT', 'REQUIRE_COMPLETE', 'INSECURE_TLS']) isOn(variables, name);
  const turns = new Turns();
  const prepared = new Map<string, Prepared>();
  // A server may get what belongs to another, so all targets are loaded before anything is sent.
  for (const { name, file } of fleet) {
    const HISTORY = variables.HISTORY && join(variables.HISTORY, name);
    const own = { ...variables, TARGET: file, BASE_URL: undefined, HISTORY };
    prepared.set(name, await prepareRun(own, turns).catch((error: unknown) => unusable(name, error)));
  }
  return prepared;
}

/** A run that could not be done. @param error why */
export function unusable(name: string, error: unknown): Prepared {
  const recorded = nothingRecorded(name, failureOf(error));
  const begin = (ids: Iterable<string>) => new Run(ids, recorded);
  return { notices: [], requireComplete: false, strict: false, baseline: null, history: null, begin };
}
