/** Prepares a target to be sent to. */
import type { Conformance } from '../contract/result';
import { Recorder } from '../recorder/recorder';
import type { Configuration } from '../target/configuration';
import type { Target } from '../target/target';
import { Recording } from './recording';
import type { Prepared } from './run';
import type { Turns } from './turns';

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
