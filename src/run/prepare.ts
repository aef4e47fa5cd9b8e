/** Prepares a target to be run: one that is declared, the embedded server, or what an earlier run recorded. */

import { UsageError } from '../common/usage-error';
import type { Conformance } from '../contract/result';
import { isObject, parsed } from '../evidence/json';
import { loadConfiguration } from '../target/configuration';
import type { Variables } from '../target/environment';
import { readText } from '../target/readable';
import { Finished } from './finished';
import { replayed } from './replayed';
import type { Prepared } from './run';

/**
 * Loads the configuration and prepares what it asks for: a recorder, with the embedded server if no other is named,
 * or the evidence of an earlier run.
 * @throws UsageError with one message that says what to fix
 */
export async function prepareRun(variables: Variables): Promise<Prepared> {
  const configuration = loadConfiguration(variables);
  const { notices, requireComplete, strict, target: declared, replay, waivers, history } = configuration;
  const baseline = configuration.baseline === null ? null : baselineFrom(configuration.baseline);
  const asked = { notices, requireComplete, strict, baseline, history };
  if (replay !== null) {
    const recorded = replayed(replay, declared?.waivers ?? waivers);
    return { ...asked, begin: (ids) => new Finished(ids, recorded) };
  }
  // A replay needs nothing of what sends, and to load that takes longer than to judge.
  const { recordingsOf } = require('./recording') as typeof import('./recording');
  const { embeddedTarget } = require('./embedded') as typeof import('./embedded');
  const { target, ...ends } = declared ? { target: declared } : await embeddedTarget();
  return { ...asked, ...ends, begin: recordingsOf(waivers ? { ...target, waivers } : target, configuration) };
}

/** The earlier result that `BASELINE` names. @throws UsageError where the file is no result of this suite */
function baselineFrom(file: string): Conformance {
  const result = parsed(readText('BASELINE', file)) as Partial<Conformance> | null | undefined;
  const hasClauses = Array.isArray(result?.clauses) && result.clauses.every((clause) => typeof clause?.id === 'string');
  if (!hasClauses || !isObject(result.observations))
    throw new UsageError(
      `BASELINE: ${file} is not a conformance.json of this suite: take the one an earlier run left.`,
    );
  return result as Conformance;
}
