/** Bounds the time of judging: one clause on a stranger's evidence must not block the others. */
import { createContext, Script } from 'node:vm';

/** Honest evidence takes a thousandth of it. */
const MOST_MS = 10_000;
/** Of all clauses of a run together. Once it is used up, each clause gets `LEAST_MS`. */
export const MOST_IN_ALL_MS = 30_000;
const LEAST_MS = 500;
/** Factors of the timeout, tried in turn while the process gets no processor time: a busy machine changes no verdict. */
const PATIENCE = [1, 4, 16];

/** Node ends a script after its time whatever it calls, and nothing that it calls can catch that. */
const script = new Script('work()');
/** One context for all work: each takes as much memory as the evidence of a small run. */
const inside: { work: () => unknown } = { work: () => null };
const context = createContext(inside);

/** What came of some work: its value, or why it has none. */
export type Worked<T> = { value: T } | { problem: unknown } | { lateAfterSeconds: number };

/** Does pure work in a bounded time. Never throws. @param allowance what is left for all clauses of a run */
export function within<T>(work: () => T, allowance = { leftMs: MOST_IN_ALL_MS }, mostMs = MOST_MS): Worked<T> {
  const timeout = Math.max(LEAST_MS, Math.min(mostMs, allowance.leftMs));
  for (const times of PATIENCE) {
    const before = process.cpuUsage();
    inside.work = work;
    try {
      return { value: script.runInContext(context, { timeout: times * timeout }) as T };
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { problem };
    }
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > timeout / 2) break;
  }
  allowance.leftMs -= timeout;
  return { lateAfterSeconds: timeout / 1000 };
}
