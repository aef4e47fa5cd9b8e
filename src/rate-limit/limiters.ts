/**
 * The kinds of limiters that conform, each with the decisions that it cannot have taken. A limit is broken only where none
 * is left: no phase of windows, and no bucket that refills, explains what was accepted.
 */
import { LITTLE_MS } from '../contract/bounds';
import type { Rate } from '../evidence/model';
import {
  type Decision,
  type Decisions,
  evenly,
  fitsWindows,
  fullestStretch,
  narrowed,
  overflowOf,
  phasesOf,
  TELLING_DECISIONS,
  unexplainedRefusals,
  widened,
} from './decisions';

/** The kinds of limiters, each with the decisions that it cannot have taken. */
const FAMILIES = {
  /** One phase for all windows. A sliding log, a sliding counter and segments accept no more than these do. */
  'fixed windows': (wide, rate, known) => {
    const windowMs = rate.seconds * 1000;
    // A stretch shorter than a window meets two windows at most, so no phase need be tried.
    const isTooFull = fullestStretch(wide, windowMs).length > 2 * rate.requests;
    const { accepted, refused } = tellingOf(known, rate);
    const fits = (phase: number) =>
      fitsWindows(wide, rate.requests, windowMs, phase) &&
      unexplainedRefusals(refused, accepted, rate.requests, windowMs, phase) < UNEXPLAINED_REFUSALS;
    return !isTooFull && phasesOf([...wide, ...refused]).some(fits) ? null : fullestStretch(wide, windowMs);
  },

  /** A window begins with the first request after the window before has ended. */
  'windows that begin with a request': (wide, { requests, seconds }) => {
    let endsAtMs = Number.NEGATIVE_INFINITY;
    let used: typeof wide = [];
    for (const decision of wide.toSorted((a, b) => a.toMs - b.toMs)) {
      if (decision.fromMs < endsAtMs && used.length < requests) used = [...used, decision];
      else if (decision.toMs < endsAtMs) return [...used, decision];
      else {
        endsAtMs = Math.max(decision.fromMs, endsAtMs) + seconds * 1000;
        used = [decision];
      }
    }
    return null;
  },

  /** What was accepted in a segment counts until as many segments have begun since. Many segments: a sliding log. */
  'windows that slide by segments': (wide, rate, known) => {
    const { accepted, refused } = tellingOf(known, rate);
    const isFit = SEGMENTS.some((segments) => {
      const segmentMs = (rate.seconds * 1000) / segments;
      return phasesOf([...wide, ...refused]).some(
        (phase) =>
          !overflowOfSegments(wide, rate.requests, segments, segmentMs, phase) &&
          refused.filter((each) => !isInFullSegments(each, accepted, rate.requests, segments, segmentMs, phase))
            .length < UNEXPLAINED_REFUSALS,
      );
    });
    return isFit ? null : fullestStretch(wide, rate.seconds * 1000);
  },

  /** A bucket that refills all the time (GCRA), and a queue that empties so. */
  'a bucket': (wide, rate) => overflowOf(wide, rate.requests, evenly(rate)),

  /** A bucket that gains a part of the limit at each tick of a timer. It may accept several just before a tick. */
  'a bucket refilled at ticks': (wide, rate, known) => {
    const { requests } = rate;
    if (requests === 1) return overflowOf(wide, requests, evenly(rate));
    const spent = spentBefore(tellingOf(known, rate));
    const isFit = [...new Set([requests, 2, 20, ...SEGMENTS])].some((ticks) => {
      const tickMs = (rate.seconds * 1000) / ticks;
      return (
        // At no phase do ticks give more than one of them ahead of an even flow.
        !overflowOf(wide, requests + requests / ticks, evenly(rate)) &&
        !isRepeatedlyOver(wide.map(narrowed), requests, tickMs) &&
        phasesOf(wide).some((phase) => fitsTicks(wide, spent, requests, { ticks, tickMs, phase }))
      );
    });
    return isFit ? null : overflowOf(wide, requests, evenly(rate));
  },
} satisfies Record<string, Refuted>;

export type Family = keyof typeof FAMILIES;

/**
 * @param wide decisions about accepted requests, widened
 * @param known all decisions about the same user: a phase must explain the refusals too
 * @returns those of `wide` that such a limiter cannot all have accepted; `null` where it can
 */
type Refuted = <T extends Decision>(wide: readonly T[], rate: Rate, known?: Decisions) => readonly T[] | null;

/** A kind of limiter, and the decisions that it cannot have taken together; `null` where it explains all. */
export interface Refutation<T extends Decision = Decision> {
  family: Family;
  decisions: readonly T[] | null;
}

/**
 * Whether a conformant limiter can have accepted all of these requests.
 * @param accepted decisions about one user's accepted requests, in any order, also of several bursts
 */
export function isExplained(accepted: readonly Decision[], rate: Rate, known?: Decisions): boolean {
  const wide = accepted.map(widened);
  return families.some((family) => FAMILIES[family](wide, rate, known) === null);
}

/** Each kind of limiter with what refutes it, see `isExplained`. */
export function refutationsBy<T extends Decision>(
  accepted: readonly T[],
  rate: Rate,
  known?: Decisions,
): Refutation<T>[] {
  const wide = accepted.map((decision) => ({ ...widened(decision), decision }));
  return families.map((family) => {
    const refuting = FAMILIES[family](wide, rate, known);
    return { family, decisions: refuting === null ? null : refuting.map(({ decision }) => decision) };
  });
}

const families = Object.keys(FAMILIES) as Family[];

/** This many unexplained refusals rule out a phase. A single one may be an accident. */
const UNEXPLAINED_REFUSALS = 3;

/**
 * The decisions that tell a phase, widened, because a refusal may come a little after its window. A refusal when no
 * window was used up has another cause, such as another client of the key or a limiter that counts refused requests.
 * Then no refusal tells where windows begin.
 */
function tellingOf(all: Decisions | undefined, { requests, seconds }: Rate): Decisions {
  const accepted = (all?.accepted ?? []).map(widened);
  const refused = (all?.refused ?? []).slice(-TELLING_DECISIONS).map(widened);
  const late = refused.map(({ fromMs, toMs }) => ({ fromMs: fromMs - LITTLE_MS, toMs }));
  const isUsedUp = ({ fromMs, toMs }: Decision) =>
    accepted.filter((decision) => decision.toMs > fromMs - seconds * 1000 && decision.fromMs < toMs).length >= requests;
  return { accepted, refused: refused.every(isUsedUp) ? late : [] };
}

const SMALL_PART = 0.1;

/** Whether more than the limit came in a small part of a tick, twice: it is too unlikely that a tick fell into both. */
function isRepeatedlyOver(accepted: readonly Decision[], limit: number, tickMs: number): boolean {
  const first = fullestStretch(accepted, tickMs * SMALL_PART);
  const second = fullestStretch(
    accepted.filter((decision) => !first.includes(decision)),
    tickMs * SMALL_PART,
  );
  return second.length > limit;
}

/** For each refusal, since when so many requests had been accepted before it: what a bucket gives out again is missing. */
function spentBefore({ accepted, refused }: Decisions) {
  return refused.map(({ fromMs, toMs }) => {
    const before = accepted.filter((each) => each.fromMs <= toMs);
    const spent = before.map((first) => ({
      sinceMs: first.toMs,
      count: before.filter((each) => each.fromMs >= first.fromMs).length,
    }));
    return { fromMs, spent };
  });
}

function fitsTicks(
  wide: readonly Decision[],
  refused: ReturnType<typeof spentBefore>,
  limit: number,
  { ticks, tickMs, phase }: Record<'ticks' | 'tickMs' | 'phase', number>,
): boolean {
  const gained = (fromMs: number, toMs: number) =>
    ((Math.floor((toMs - phase) / tickMs) - Math.floor((fromMs - phase) / tickMs)) * limit) / ticks;
  if (overflowOf(wide, limit, gained)) return false;
  const isEmptyAt = (ms: number) => (each: { sinceMs: number; count: number }) =>
    limit + gained(each.sinceMs, ms) - each.count < 1;
  return refused.filter(({ fromMs, spent }) => !spent.some(isEmptyAt(fromMs))).length < UNEXPLAINED_REFUSALS;
}

/** Into how many parts windows may be divided. Fewer than four that slide let through what a shorter window does. */
const SEGMENTS = [4, 5, 6, 8, 10, 12, 60];

/** Whether more than the limit were accepted in fewer segments than make a window. */
function overflowOfSegments(
  decisions: readonly Decision[],
  limit: number,
  segments: number,
  segmentMs: number,
  phase: number,
): boolean {
  const byEnd = decisions.toSorted((a, b) => a.toMs - b.toMs);
  const segmentAt = (ms: number) => Math.floor((ms - phase) / segmentMs);
  return byEnd.some((last, i) => {
    const first = byEnd[i - limit];
    return first !== undefined && segmentAt(last.toMs) - segmentAt(first.fromMs) < segments;
  });
}

function isInFullSegments(
  { fromMs, toMs }: Decision,
  accepted: readonly Decision[],
  limit: number,
  segments: number,
  segmentMs: number,
  phase: number,
): boolean {
  const segmentAt = (ms: number) => Math.floor((ms - phase) / segmentMs);
  const counted = accepted.filter(
    (other) => other.fromMs < toMs && segmentAt(fromMs) - segmentAt(other.toMs) < segments,
  );
  return counted.length >= limit;
}
