/** What a clause costs at most: evidence that a stranger wrote must not keep the others from being judged. */
import { createContext, Script } from 'node:vm';

/** Honest evidence takes a thousandth of it. */
const MOST_MS = 10_000;
/** Of all clauses together; after that, each gets so little. */
const MOST_IN_ALL_MS = 30_000;
const LEAST_MS = 500;
/** So many times as long is waited where the machine was busy with something else: that costs time, and no verdict. */
const PATIENCE = [1, 4, 16];
/** Of all clauses together that share one bound: ten times what honest evidence takes. */
const MOST_TOGETHER_MS = 1_000;

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
    const worked = bounded(work, times * timeout);
    if (worked !== null) return worked;
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > timeout / 2) break;
  }
  allowance.leftMs -= timeout;
  return { lateAfterSeconds: timeout / 1000 };
}

/**
 * Does each of several works as `within` does. To set a bound takes longer than most clauses, so that all share one; where
 * they do not end within it, each of the rest gets its own.
 */
export function eachWithin<T>(works: ReadonlyArray<() => T>, allowance: Allowance): Worked<T>[] {
  const done: Worked<T>[] = [];
  bounded(() => {
    for (const work of works) done.push(settled(work));
  }, MOST_TOGETHER_MS);
  return works.map((work, i) => done[i] ?? within(work, allowance));
}

/** What came of some work, or `null` where it did not end in time. */
function bounded<T>(work: () => T, timeout: number): Worked<T> | null {
  inside.work = work;
  const worked = settled(() => script.runInContext(context, { timeout }) as T);
  const code = 'problem' in worked && (worked.problem as NodeJS.ErrnoException | null)?.code;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? null : worked;
}

function settled<T>(work: () => T): Worked<T> {
  try {
    return { value: work() };
  } catch (problem) {
    return { problem };
  }
}
