/** Facts that many rules ask for and that take a walk through all exchanges: worked out once for each state of the evidence. */
import type { Exchange } from './exchange';

type Known = { count: number; value: unknown };

const knownByEvidence = new WeakMap<readonly Exchange[], Map<unknown, Known>>();

/**
 * What `compute` makes of the evidence, worked out anew only after more exchanges have come.
 * @param compute a pure function that stands in one place: it is the key under which its value is kept
 */
export function onceFor<E extends { exchanges: readonly Exchange[] }, T>(evidence: E, compute: (evidence: E) => T): T {
  const { exchanges } = evidence;
  const values = knownByEvidence.get(exchanges) ?? new Map<unknown, Known>();
  knownByEvidence.set(exchanges, values);
  const known = values.get(compute);
  if (known && known.count === exchanges.length) return known.value as T;
  const value = compute(evidence);
  values.set(compute, { count: exchanges.length, value });
  return value;
}
