import type { Change, Conformance } from '../contract/result';
import { neverAccepted } from '../judge/auth';
import type { Past } from './store';

/** An observation is compared with this many of the last runs, because some values vary by chance. */
const OBSERVED_RUNS = 7;

/**
 * Returns what changed since earlier results. Verdicts are compared with the last earlier result, observations with the
 * last seven. A run that could not be done is compared with nothing. A clause that either run did not select is left
 * out. An observation has changed if it has a value that no earlier run saw, or if every earlier run made it and this
 * run did not. If there is only one earlier run, a value that is gone is a change as well.
 * @param earlier.baseline the one result that the user named; it comes before the history
 * @param earlier.past the runs of the history, the oldest first
 * @returns `changes`: `null` if nothing could be compared; `notes`: what a reader must know, one sentence each
 */
export function comparedWith(
  { baseline, past }: { baseline: Conformance | null; past: Past | null },
  result: Conformance,
): { changes: Change[] | null; notes: string[] } {
  const earlier = baseline ? [baseline] : (past?.runs ?? []);
  const last = earlier.at(-1);
  if (last === undefined) return { changes: null, notes: [] };
  const when = `${last.startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const rotated = keysNoLongerAccepted(last, result).map(
    (account) => `The key of ${account} was accepted in the run of ${when}, and is not any more: was it rotated?`,
  );
  if (result.error !== null) return { changes: null, notes: rotated };
  if (last.verdict === 'error') {
    const note = `The baseline of ${when} is of a run that could not be done: nothing was compared with it.`;
    return { changes: null, notes: [note] };
  }
  const [then, now] = [last.target, result.target];
  const isOther = then.name !== now.name && then.baseURL !== now.baseURL;
  const clauses = [...last.clauses, ...result.clauses];
  const unselected = clauses.filter(({ untested }) => untested === 'not-selected').map(({ id }) => id);
  const isPart = unselected.length > 0;
  const compared = [...new Set(clauses.map(({ id }) => id))].filter((id) => !unselected.includes(id));
  const verdictIn = (run: Conformance, id: string) => run.clauses.find((clause) => clause.id === id)?.verdict ?? null;
  const verdicts = compared.map((id) => ({ id, from: verdictIn(last, id), to: verdictIn(result, id) }));
  return {
    changes: [
      ...verdicts.filter(({ from, to }) => from !== to),
      ...(isPart ? [] : newObservations(earlier.slice(-OBSERVED_RUNS), result)),
    ],
    notes: [
      baseline
        ? `Compared with the baseline, a run of ${when}.`
        : `Compared with the last run of the history, of ${when}.`,
      ...rotated,
      isOther && `The baseline is of another target: ${then.name} (${then.baseURL}).`,
      isPart && 'Only a part of the clauses was selected, then or now: the others and observations were not compared.',
    ].filter((note) => note !== false),
  };
}

/** Returns the accounts whose key was accepted in one run, and never in another. */
function keysNoLongerAccepted(then: Conformance, now: Conformance): string[] {
  const accepted = ({ clauses }: Conformance) => clauses.find(({ id }) => id === 'auth.accepted');
  const isRejected = (run: Conformance, account: string) =>
    accepted(run)?.finding?.some(({ subject }) => subject.name === neverAccepted(account)) ?? false;
  if (accepted(then)?.verdict === 'not-tested') return [];
  return then.target.accounts.filter((account) => isRejected(now, account) && !isRejected(then, account));
}

/** Returns the observations that changed. A value that does not come every time may be missing. */
function newObservations(earlier: readonly Conformance[], result: Conformance): Change[] {
  const ids = new Set([...earlier, result].flatMap(({ observations }) => Object.keys(observations)));
  return [...ids].flatMap((id) => {
    const [from, to] = [seenIn(earlier, id), seenIn([result], id)];
    const isNews =
      from === null ||
      (to === null
        ? earlier.every((run) => seenIn([run], id) !== null)
        : to.some((text) => !from.includes(text)) || (earlier.length === 1 && to.length < from.length));
    const valuesOf = (texts: string[] | null) => texts && JSON.parse(`[${texts}]`);
    return isNews ? [{ id: `observations.${id}`, from: valuesOf(from), to: valuesOf(to) }] : [];
  });
}

/** Returns each value that a run saw, once and as JSON; `null` if no run made the observation. */
function seenIn(runs: readonly Conformance[], id: string): string[] | null {
  const seen = runs.flatMap(({ observations }) => (Object.hasOwn(observations, id) ? [observations[id]] : []));
  return seen.length === 0 ? null : [...new Set(seen.flat().map((value) => JSON.stringify(value)))].sort();
}
