/** How steadily clauses pass or fail over many nights. Pure: results in, trends out. */
import type { Conformance, Verdict } from '../contract/result';
import type { Past } from './store';

/** Nights in a strip, this run included. */
const SHOWN = 30;
/** A clause that goes from failing to passing, or back, so often within a strip is not broken but flapping. */
const FLAPS = 3;

/** One clause over many nights. */
export interface Trend {
  id: string;
  /** Its verdict on each night, the oldest first; `null` on a night without a result. */
  strip: Array<Verdict | null>;
  /** When it failed first of those times that it failed without a pass in between; `null` where it does not fail now. */
  failsSince: string | null;
  /** Whether it failed on every night that is known, so that it may have failed before. */
  failsThroughout: boolean;
  isFlapping: boolean;
}

/** What the past says of a run. */
export interface History {
  /** Start of each night of the strips, the oldest first; the last is this run. */
  nights: string[];
  /** Clauses whose verdict ever changed within the strips, and those that fail now, in the order of the contract. */
  trends: Trend[];
}

interface Night {
  startedAt: string;
  verdicts: ReadonlyMap<string, Verdict> | null;
}

/** What the past says of a result. A result that is an error is itself a gap. */
export function historyOf({ runs, gaps }: Past, result: Conformance): History {
  const now = result.error === null ? nightOf(result) : { startedAt: result.startedAt, verdicts: null };
  const before = [...runs.map(nightOf), ...gaps.map(({ startedAt }): Night => ({ startedAt, verdicts: null }))]
    .filter(({ startedAt }) => startedAt < result.startedAt)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  const nights = [...before, now];
  const trends = result.clauses.map(({ id }) => trendOf(id, nights));
  return {
    nights: nights.slice(-SHOWN).map(({ startedAt }) => startedAt),
    trends: trends.filter(({ strip, failsSince }) => failsSince !== null || new Set(judgedIn(strip)).size > 1),
  };
}

function nightOf({ startedAt, clauses }: Conformance): Night {
  return { startedAt, verdicts: new Map(clauses.map(({ id, verdict }) => [id, verdict])) };
}

function trendOf(id: string, nights: readonly Night[]): Trend {
  const all = nights.map(({ verdicts }) => verdicts?.get(id) ?? null);
  const judged = nights.flatMap(({ startedAt }, i) => {
    const verdict = all[i] ?? null;
    return verdict === null || verdict === 'not-tested' ? [] : [{ startedAt, fails: isFailure(verdict) }];
  });
  const lastPass = judged.findLastIndex(({ fails }) => !fails);
  const current = all.at(-1) ?? null;
  const failing = current !== null && isFailure(current) ? judged.slice(lastPass + 1) : [];
  const strip = all.slice(-SHOWN);
  const recent = judgedIn(strip).map(isFailure);
  const turns = recent.filter((fails, i) => i > 0 && fails !== recent[i - 1]).length;
  return {
    id,
    strip,
    failsSince: failing[0]?.startedAt ?? null,
    failsThroughout: failing.length > 1 && lastPass < 0,
    isFlapping: turns >= FLAPS,
  };
}

function judgedIn(strip: Trend['strip']): Verdict[] {
  return strip.filter((verdict) => verdict !== null && verdict !== 'not-tested');
}

/** A waiver hides a failure from the run and not from its history. */
function isFailure(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'waived';
}
