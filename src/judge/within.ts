/** What a clause costs at most: evidence that a stranger wrote must not keep the others from being judged. */
import { createContext, Script } from 'node:vm';

/** Honest evidence takes a thousandth of it. */
const MOST_MS = 10_000;
/** Of all clauses together; after that, each gets so little. */
const MOST_IN_ALL_MS = 30_000;
const LEAST_MS = 500;

/** Node ends a script after its time whatever it calls, and nothing that it calls can catch that. */
const script = new Script('work()');
let leftMs = MOST_IN_ALL_MS;

/** What came of some work: its value, or why it has none. */
export type Worked<T> = { value: T } | { problem: unknown } | { lateAfterSeconds: number };

/** Does pure work that may not take long. Never throws. */
export function within<T>(work: () => T, mostMs = MOST_MS): Worked<T> {
  const timeout = Math.max(LEAST_MS, Math.min(mostMs, leftMs));
  try {
    return { value: script.runInContext(createContext({ work }), { timeout }) as T };
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { problem };
    leftMs -= timeout;
    return { lateAfterSeconds: timeout / 1000 };
  }
}
