/** What is different from an earlier result. */

import type { Change, Conformance } from '../contract/result';

/**
 * All differences from an earlier result, in verdicts and in observations. A clause, or an observation, that only one
 * of the two results holds changes from, or to, `null`.
 */
export function changesSince(baseline: Conformance, result: Conformance): Change[] {
  const verdicts = (from: Conformance) =>
    new Map<string, unknown>(from.clauses.map((clause) => [clause.id, clause.verdict]));
  const observed = (from: Conformance) =>
    new Map<string, unknown>(Object.entries(from.observations).map(([id, values]) => [`observations.${id}`, values]));
  return [...differing(verdicts(baseline), verdicts(result)), ...differing(observed(baseline), observed(result))];
}

function differing(before: Map<string, unknown>, after: Map<string, unknown>): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [from, to] = [before.get(id) ?? null, after.get(id) ?? null];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ id, from, to }];
  });
}

/** Whether both results hold it, only the later, or only the earlier. */
export function changeKind({ from, to }: Change): 'changed' | 'new' | 'gone' {
  if (from === null) return 'new';
  return to === null ? 'gone' : 'changed';
}

/** Whether an observation changed, and not a clause. */
export function isOfObservation({ id }: Change): boolean {
  return id.startsWith('observations.');
}

/** New failures first, then other changes of verdicts, new clauses, clauses that are gone, and observations last. */
export function changesInOrder(changes: Change[]): Change[] {
  const rank = (change: Change) => {
    if (isOfObservation(change)) return 9;
    return { changed: 1, new: 3, gone: 5 }[changeKind(change)] - (change.to === 'fail' ? 1 : 0);
  };
  return [...changes].sort((a, b) => rank(a) - rank(b));
}
