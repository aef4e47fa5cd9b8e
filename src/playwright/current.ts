/** The runs of this process, by project: prepared by the global setup, begun and reported by the reporter. */
import type { Run } from '../run/run';

let current: ReadonlyMap<string, Run> | null = null;

/** Makes them known to the reporter. */
export function setCurrentRuns(runs: ReadonlyMap<string, Run>): void {
  current = runs;
}

/**
 * The runs, `null` where nothing was prepared: when tests are only listed, when reports are merged, or when the configuration
 * is unusable. A run against one target belongs to the project without a name.
 */
export function currentRuns(): ReadonlyMap<string, Run> | null {
  return current;
}
