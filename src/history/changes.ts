/** Finds out how steadily clauses pass or fail over many nights. Pure: results in, trends out. */
import type { Change, Conformance, Verdict } from '../contract/result';
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

/** Nights in a strip, this run included. */
const SHOWN = 30;
/** A clause is flapping if it changes between failing and not failing at least this often within a strip. */
const FLAPS = 3;

export type Trend = ReturnType<typeof trendOf>;
/** What earlier runs say about a result. */
export type History = ReturnType<typeof historyOf>;

/** A night without a result has no clauses. */
type Night = Pick<Conformance, 'startedAt' | 'clauses'>;

/** Returns the trends up to a result. A result with an error counts as a gap. */
export function historyOf({ runs, gaps }: Past, result: Conformance) {
  const before = [...runs, ...gaps.map((startedAt): Night => ({ startedAt, clauses: [] }))]
    .filter(({ startedAt }) => startedAt < result.startedAt)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  const nights = [...before, result.error === null ? result : { ...result, clauses: [] }];
  return {
    /** Start of each night of the strips, the oldest first; the last is this run. */
    nights: nights.slice(-SHOWN).map(({ startedAt }) => startedAt),
    /** Clauses whose verdict changed within the strip, and those that fail now, in the order of the contract. */
    trends: result.clauses
      .map(({ id }) => trendOf(id, nights))
      .filter(({ strip, failsSince }) => failsSince !== null || new Set(judgedIn(strip)).size > 1),
  };
}

function trendOf(id: string, nights: readonly Night[]) {
  const all = nights.map(({ startedAt, clauses }) => {
    return { startedAt, verdict: clauses.find((clause) => clause.id === id)?.verdict ?? null };
  });
  const judged = all.filter(({ verdict }) => judgedIn([verdict]).length > 0);
  const lastPass = judged.findLastIndex(({ verdict }) => !isFailure(verdict));
  // Of a night that could not be done, the night before says how it stands.
  const latest = all.at(-1)?.verdict ?? judged.at(-1)?.verdict;
  const failing = isFailure(latest) ? judged.slice(lastPass + 1) : [];
  const strip = all.slice(-SHOWN).map(({ verdict }) => verdict);
  const recent = judgedIn(strip).map(isFailure);
  return {
    id,
    /** Its verdict on each night, the oldest first; `null` on a night without a result. */
    strip,
    /** Start of the first night on which it failed since it last passed; `null` if it did not fail when it was last run. */
    failsSince: failing[0]?.startedAt ?? null,
    /** Whether it failed on every night that is known, and on more than one. It may have failed even earlier. */
    failsThroughout: failing.length > 1 && lastPass < 0,
    isFlapping: recent.filter((fails, i) => i > 0 && fails !== recent[i - 1]).length >= FLAPS,
  };
}

/** Returns the verdicts of nights on which the clause was tested. */
export function judgedIn(strip: ReadonlyArray<Verdict | null>): Verdict[] {
  return strip.filter((verdict) => verdict !== null && verdict !== 'not-tested');
}

/** Whether a verdict counts as a failure. A waiver hides a failure from the run, but not from its history. */
export function isFailure(verdict: Verdict | null | undefined): boolean {
  return verdict === 'fail' || verdict === 'waived';
}
