/** What is different from earlier results. */

import { type Change, type Conformance, NOT_SELECTED } from '../contract/result';

/** An observation is compared with all of the last so many runs, since some vary by chance. */
const OBSERVED_RUNS = 7;

/** What was compared, and what a reader must know of it. */
export interface Comparison {
  /** `null` where nothing could be compared. */
  changes: Change[] | null;
  /** One sentence each. */
  notes: string[];
}

/**
 * What changed since an earlier result that the user named. An outage is compared with nothing, and what only one of
 * two runs was asked to test is no change.
 */
export function comparedWithBaseline(baseline: Conformance, result: Conformance): Comparison {
  if (result.error !== null) return { changes: null, notes: [] };
  if (baseline.verdict === 'error') {
    const note = `The baseline of ${dayOf(baseline)} is of a run that could not be done: nothing was compared with it.`;
    return { changes: null, notes: [note] };
  }
  const [then, now] = [baseline.target, result.target];
  const isOther = then?.name !== now.name && then?.baseURL !== now.baseURL;
  const isPart = [baseline, result].some(({ clauses }) => clauses.some(({ reason }) => reason === NOT_SELECTED));
  return {
    changes: changesSince([baseline], result),
    notes: [
      isOther && `The baseline is of another target: ${then?.name} (${then?.baseURL}).`,
      isPart && 'Only a part of the clauses was selected, then or now: the others and observations were not compared.',
    ].filter((note) => note !== false),
  };
}

/**
 * What changed since the last of the earlier runs, the oldest first. An observation changed if none of the last seven
 * runs saw one of its values, or all of them saw some and this one saw none.
 */
export function comparedWithHistory(runs: readonly Conformance[], result: Conformance): Comparison {
  if (result.error !== null || runs.length === 0) return { changes: null, notes: [] };
  return { changes: changesSince(runs.slice(-OBSERVED_RUNS), result), notes: [] };
}

function dayOf({ startedAt }: Conformance): string {
  return String(startedAt).slice(0, 10);
}

/**
 * All differences from earlier results, in verdicts from the last of them, and in observations from all of them. A
 * clause, or an observation, that only one side holds changes from, or to, `null`.
 */
function changesSince(earlier: readonly Conformance[], result: Conformance): Change[] {
  const last = earlier.at(-1) ?? result;
  const isPart = [last, result].some(({ clauses }) => clauses.some(({ reason }) => reason === NOT_SELECTED));
  const skipped = new Set([last, result].flatMap(({ clauses }) => clauses.filter(isUnselected).map(({ id }) => id)));
  const verdicts = ({ clauses }: Conformance) =>
    new Map<string, unknown>(clauses.filter(({ id }) => !skipped.has(id)).map(({ id, verdict }) => [id, verdict]));
  return [
    ...differing(verdicts(last), verdicts(result)),
    ...(isPart ? [] : differing(observedIn(earlier), observedIn([result])).filter((change) => isNews(change, earlier))),
  ];
}

const isUnselected = ({ reason }: { reason: string | null }) => reason === NOT_SELECTED;

/** Every value that was seen in some results, by observation. */
function observedIn(results: readonly Conformance[]): Map<string, unknown> {
  const seen = new Map<string, Map<string, unknown>>();
  for (const { observations } of results) {
    for (const [id, values] of Object.entries(observations)) {
      const known = seen.get(`observations.${id}`) ?? new Map<string, unknown>();
      for (const value of values) known.set(JSON.stringify(value), value);
      seen.set(`observations.${id}`, known);
    }
  }
  const sorted = (values: Map<string, unknown>) =>
    [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return new Map([...seen].map(([id, values]) => [id, sorted(values)]));
}

/** Whether a difference from several runs is more than a value that does not come every time. */
function isNews({ id, from, to }: Change, earlier: readonly Conformance[]): boolean {
  if (earlier.length === 1 || !Array.isArray(from)) return true;
  if (!Array.isArray(to)) {
    const name = id.replace(/^observations\./, '');
    return earlier.every(({ observations }) => Object.hasOwn(observations, name));
  }
  const known = new Set(from.map((value) => JSON.stringify(value)));
  return to.some((value) => !known.has(JSON.stringify(value)));
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
