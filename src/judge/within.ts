/** What a clause costs at most: evidence that a stranger wrote must not keep the others from being judged. */
import { createContext, Script } from 'node:vm';

/** Honest evidence takes a thousandth of it. */
const MOST_MS = 10_000;
/** Of all clauses together; after that, each gets so little. */
const MOST_IN_ALL_MS = 30_000;
const LEAST_MS = 500;
/** So many times as long is waited where the machine was busy with something else: that costs time, and no verdict. */
const PATIENCE = [1, 4, 16];

/** What is left of the time for all clauses of one run. */
export interface Allowance {
  leftMs: number;
}

export function newAllowance(): Allowance {
  return { leftMs: MOST_IN_ALL_MS };
}

/** Node ends a script after its time whatever it calls, and nothing that it calls can catch that. */
const script = new Script('work()');
/** One for all: a context takes as much memory as the evidence of a small run. */
const inside: { work: () => unknown } = { work: () => null };
const context = createContext(inside);

/** What came of some work: its value, or why it has none. */
export type Worked<T> = { value: T } | { problem: unknown } | { lateAfterSeconds: number };

/** Does pure work that may not take long. Never throws. @param allowance is lessened by what is spent in vain */
export function within<T>(work: () => T, allowance = newAllowance(), mostMs = MOST_MS): Worked<T> {
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
