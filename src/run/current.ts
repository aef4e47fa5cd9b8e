/** The run of this process: prepared by the global setup, begun and reported by the reporter. */
import type { Run } from './run';

let current: Run | null = null;

export function setCurrentRun(run: Run): void {
  current = run;
}

/** `null` where nothing was prepared: when tests are only listed, or the configuration is unusable. */
export function currentRun(): Run | null {
  return current;
}
