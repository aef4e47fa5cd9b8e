/** Many rules ask for the same facts about all exchanges. Each is worked out once for each state of the evidence. */
import type { Exchange } from './model';

/** Returns a function that computes `compute` (which must be pure) again only after more exchanges have come. */
export function once<E extends { exchanges: readonly Exchange[] }, T>(compute: (evidence: E) => T): (evidence: E) => T {
  const known = new WeakMap<readonly Exchange[], { count: number; value: T }>();
  return (evidence) => {
    const { exchanges } = evidence;
    const before = known.get(exchanges);
    if (before?.count === exchanges.length) return before.value;
    const value = compute(evidence);
    known.set(exchanges, { count: exchanges.length, value });
    return value;
  };
}
