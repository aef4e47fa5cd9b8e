/** Prepares a target to be run: one that is declared, the embedded server, or what an earlier run recorded. */

import type { Conformance } from '../contract/result';
import { Recorder } from '../recorder/recorder';
import { type Configuration, loadConfiguration } from '../target/configuration';
import type { Variables } from '../target/environment';
import type { Target } from '../target/target';
import { baselineFrom } from './baseline';
import { embeddedTarget } from './embedded';
import { finished } from './finished';
import { Recording } from './recording';
import { replayed } from './replayed';
import type { Prepared } from './run';
import type { Turns } from './turns';

/**
 * Loads the configuration and prepares what it asks for: a recorder, with the embedded server if no other is named,
 * or the evidence of an earlier run.
 * @throws UsageError with one message that says what to mend
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
  const waived = (under: Target): Target => (waivers === null ? under : { ...under, waivers });
  if (target !== null) return prepare(waived(target), configuration, baseline);
  const embedded = await embeddedTarget();
  return { ...prepare(waived(embedded.target), configuration, baseline), close: embedded.close };
}

/**
 * Prepares runs that send.
 * @param turns where the target is one of many
 * @throws UsageError for what keeps the target from being reached at all, such as a proxy that is no URL
 */
export function prepare(
  target: Target,
  configuration: Configuration,
  baseline: Conformance | null,
  turns: Turns | null = null,
): Prepared {
  const { notices, requireComplete, strict, history } = configuration;
  const surroundings = {
    insecureTls: configuration.insecureTls,
    riskyProbes: configuration.riskyProbes,
    environment: configuration.variables,
  };
  // The first run's recorder is made now, so that what is wrong with the surroundings is said before any test.
  let next: Recorder | null = new Recorder(target, surroundings);
  let last: Recording | null = null;
  return {
    notices,
    requireComplete,
    strict,
    baseline,
    history,
    begin(ids) {
      last?.stop();
      const recorder = next ?? new Recorder(withoutReceiver(target), surroundings);
      next = null;
      last = new Recording([...ids], recorder, configuration, turns, last);
      return last;
    },
    close: async () => undefined,
  };
}

/** A run closes the receiver it was given: later ones open their own at the same address. */
function withoutReceiver(target: Target): Target {
  if (target.notifications === null) return target;
  const { receiver: _, ...notifications } = target.notifications;
  return { ...target, notifications };
}
