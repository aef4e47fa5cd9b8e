/** Prepares a target to be run: one that is declared, the embedded server, or what an earlier run recorded. */

import { loadConfiguration } from '../target/configuration';
import type { Variables } from '../target/environment';
import type { Target } from '../target/target';
import { baselineFrom } from './baseline';
import { finished } from './finished';
import { replayed } from './replayed';
import type { Prepared } from './run';

/**
 * Loads the configuration and prepares what it asks for: a recorder, with the embedded server if no other is named,
 * or the evidence of an earlier run.
 * @throws UsageError with one message that says what to fix
 */
export async function prepareRun(variables: Variables): Promise<Prepared> {
  const configuration = loadConfiguration(variables);
  const baseline = configuration.baseline === null ? null : baselineFrom(configuration.baseline);
  const { notices, requireComplete, strict, target, replay, waivers, history } = configuration;
  if (replay !== null)
    return finished(replayed(replay, target?.waivers ?? waivers), {
      notices,
      requireComplete,
      strict,
      baseline,
      history,
    });
  // A replay needs nothing of what sends, and to load that takes longer than to judge.
  const { prepare } = require('./sending') as typeof import('./sending');
  const { embeddedTarget } = require('./embedded') as typeof import('./embedded');
  const waived = (under: Target): Target => (waivers === null ? under : { ...under, waivers });
  if (target !== null) return prepare(waived(target), configuration, baseline);
  const embedded = await embeddedTarget();
  return { ...prepare(waived(embedded.target), configuration, baseline), close: embedded.close };
}
