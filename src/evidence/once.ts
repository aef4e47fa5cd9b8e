/** Facts that many rules ask for and that take a walk through all exchanges: worked out once for each state of the evidence. */
import type { Exchange } from './exchange';

/**
 * A function of the evidence that works its value out anew only after more exchanges have come.
 * @param compute pure: the same evidence gives the same value
 */
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
