/** Finds out how steadily clauses pass or fail over many nights. Pure: results in, trends out. */
import type { Conformance, Verdict } from '../contract/result';
import type { Past } from './store';

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
