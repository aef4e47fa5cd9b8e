/**
 * Judges a rate limit from outside. The server decided about a request at some moment between its sending and its
 * answer, and nobody outside knows where its windows begin. So requests are intervals, and a limit is broken only where
 * no phase of the windows, and no bucket that refills, explains what was accepted.
 */
import { LITTLE_MS } from '../contract/bounds';
import type { Exchange, Rate } from '../evidence/model';

/** The server decided about a request at some moment from `fromMs` to `toMs`. */
export interface Decision {
  fromMs: number;
  toMs: number;
}

/** What a limiter certainly decided about the requests of one user. */
export interface Decisions {
  accepted: readonly Decision[];
  refused: readonly Decision[];
}

/** With `charged`: everything that may have used up budget, whatever its status. */
export interface Charged extends Decisions {
  charged: readonly Decision[];
}

/** The clocks of two machines drift apart by this much within a run, and timers of a busy server are late. */
const SLACK_MS = 15;

export function decisionOf(exchange: Exchange): Decision {
  return { fromMs: exchange.sentAtMs, toMs: exchange.receivedAtMs };
}

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

  /** A bucket that gains one request at each tick of a timer. It may accept several just before a tick. */
  'a bucket refilled at ticks': (wide, rate, known) => {
    const tickMs = (rate.seconds * 1000) / rate.requests;
    const { accepted, refused } = tellingOf(known, rate);
    const isFit =
      rate.requests > 1 &&
      !isRepeatedlyOver(wide.map(narrowed), rate.requests, tickMs) &&
      phasesOf(wide).some((phase) => fitsTicks(wide, accepted, refused, rate.requests, tickMs, phase));
    return isFit ? null : overflowOf(wide, rate.requests, evenly(rate));
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

function fitsTicks(
  wide: readonly Decision[],
  granted: readonly Decision[],
  refused: readonly Decision[],
  limit: number,
  tickMs: number,
  phase: number,
): boolean {
  const ticks = (fromMs: number, toMs: number) =>
    Math.floor((toMs - phase) / tickMs) - Math.floor((fromMs - phase) / tickMs);
  if (overflowOf(wide, limit, ticks)) return false;
  const empty = refused.filter(({ fromMs, toMs }) =>
    granted.some((first) => {
      const since = granted.filter((decision) => decision.fromMs >= first.fromMs && decision.fromMs <= toMs).length;
      return first.fromMs <= toMs && limit + ticks(first.toMs, fromMs) - since < 1;
    }),
  );
  return refused.length - empty.length < UNEXPLAINED_REFUSALS;
}

function evenly({ requests, seconds }: Rate): (fromMs: number, toMs: number) => number {
  return (fromMs, toMs) => ((toMs - fromMs) * requests) / (seconds * 1000);
}

function widened({ fromMs, toMs }: Decision): Decision {
  return { fromMs: fromMs - SLACK_MS, toMs: toMs + SLACK_MS };
}

function narrowed({ fromMs, toMs }: Decision): Decision {
  return { fromMs: fromMs + SLACK_MS, toMs: toMs - SLACK_MS };
}

/** This many unexplained refusals rule out a phase. A single one may be an accident. */
const UNEXPLAINED_REFUSALS = 3;
/** At most this many of the last decisions tell the phase of windows. The number bounds the work. */
export const TELLING_DECISIONS = 150;

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

/**
 * How many refusals fell into windows that had room. A fixed window refuses only after its whole limit was used. A
 * sliding counter adds a share of the window before: the part that is less than a window ago.
 */
function unexplainedRefusals(
  refused: readonly Decision[],
  accepted: readonly Decision[],
  limit: number,
  windowMs: number,
  phase: number,
): number {
  const windowAt = (ms: number) => Math.floor((ms - phase) / windowMs);
  const sentAtMs = new Map<number, number[]>();
  for (const { fromMs, toMs } of accepted)
    for (let window = windowAt(fromMs); window <= windowAt(toMs); window += 1)
      sentAtMs.set(window, [...(sentAtMs.get(window) ?? []), fromMs]);
  // What was sent after a refusal was answered cannot have used up its window.
  const usedIn = (window: number, beforeMs: number) =>
    (sentAtMs.get(window) ?? []).filter((atMs) => atMs < beforeMs).length;
  // At one request a window, rounding the share up would refuse all of the next window.
  const rounded = limit > 1 ? Math.ceil : Math.floor;
  return refused.filter(({ fromMs, toMs }) => {
    for (let window = windowAt(fromMs); window <= windowAt(toMs); window += 1) {
      const share = Math.min(1, window + 1 - (fromMs - phase) / windowMs);
      if (usedIn(window, toMs) + rounded(usedIn(window - 1, toMs) * share) >= limit) return false;
    }
    return true;
  }).length;
}

const ONE_TO_TEN = Array.from({ length: 10 }, (_, i) => i + 1);
/** By how many seconds windows may be longer than declared: values that people set, whole ones first. */
const LONGER_BY = [...ONE_TO_TEN, ...ONE_TO_TEN.map((seconds) => seconds - 0.5), 14, 19, 29, 59];

/**
 * Returns the length of windows, longer than declared, that explain every decision about each user.
 * @returns seconds, the first of `LONGER_BY`; `null` where none explains all
 */
export function secondsThatExplain(users: readonly Charged[], rate: Rate): number | null {
  const more = LONGER_BY.find((each) => doWindowsExplain(users, { ...rate, seconds: rate.seconds + each }));
  return more === undefined ? null : rate.seconds + more;
}

/**
 * Whether windows explain every decision about each user: none holds more than the limit, and each refusal came into a
 * full one. They begin with a request, or at a phase of the user's own. Another client's requests fit such windows only
 * by chance.
 */
export function doWindowsExplain(users: readonly Charged[], { requests, seconds }: Rate): boolean {
  const telling = (decisions: readonly Decision[]) => decisions.slice(-TELLING_DECISIONS).map(widened);
  return users.every((user) => {
    const [accepted, refused, charged] = [telling(user.accepted), telling(user.refused), telling(user.charged)];
    if (doBegunWindowsExplain(charged, refused, requests, seconds * 1000)) return true;
    if (doesLogOfAllExplain(accepted, refused, requests, seconds * 1000)) return true;
    return phasesOf([...accepted, ...refused]).some(
      (phase) =>
        fitsWindows(accepted, requests, seconds * 1000, phase) &&
        unexplainedRefusals(refused, charged, requests, seconds * 1000, phase) === 0,
    );
  });
}

/** Whether a sliding log that counts refused requests as well explains all this. */
function doesLogOfAllExplain(
  accepted: readonly Decision[],
  refused: readonly Decision[],
  limit: number,
  windowMs: number,
): boolean {
  const all = [...accepted, ...refused];
  const isFree = (decision: Decision) =>
    all.filter((other) => other.toMs < decision.fromMs && other.fromMs > decision.toMs - windowMs).length < limit;
  const isFull = (decision: Decision) =>
    all.filter((other) => other !== decision && other.fromMs < decision.toMs && other.toMs > decision.fromMs - windowMs)
      .length >= limit;
  return fullestStretch(accepted, windowMs).length <= limit && accepted.every(isFree) && refused.every(isFull);
}

/** Whether windows explain all this of which each begins with the first charged request after the one before has ended. */
function doBegunWindowsExplain(
  charged: readonly Decision[],
  refused: readonly Decision[],
  limit: number,
  windowMs: number,
): boolean {
  const windows: Decision[][] = [];
  for (const decision of charged.toSorted((a, b) => a.toMs - b.toMs)) {
    const window = windows.at(-1);
    if (window?.[0] && decision.toMs < window[0].fromMs + windowMs) window.push(decision);
    else windows.push([decision]);
  }
  const isOfFull = (refusal: Decision) => (window: readonly Decision[]) =>
    window.filter(({ fromMs }) => fromMs < refusal.toMs).length >= limit &&
    refusal.fromMs < (window[0]?.toMs ?? 0) + windowMs;
  return windows.every(({ length }) => length <= limit) && refused.every((refusal) => windows.some(isOfFull(refusal)));
}

/**
 * Returns the share of all phases (0 to 1) at which windows explain what was accepted. It is the chance to see this on
 * a conformant limiter whose windows begin anywhere. 1 where a bucket explains it.
 */
export function shareOfPhases(accepted: readonly Decision[], rate: Rate): number {
  const windowMs = rate.seconds * 1000;
  if (!overflowOf(accepted, rate.requests, evenly(rate))) return 1;
  const steps = 200;
  const phases = Array.from({ length: steps }, (_, i) => (i * windowMs) / steps);
  return phases.filter((phase) => fitsWindows(accepted, rate.requests, windowMs, phase)).length / steps;
}

/** Returns how many requests a bucket that refills at a rate must have held at least to accept all of these. */
export function depthOf(accepted: readonly Decision[], rate: Rate): number {
  const byEnd = accepted.toSorted((a, b) => a.toMs - b.toMs);
  const depths = accepted.flatMap(({ fromMs }) =>
    byEnd.filter((last) => last.fromMs >= fromMs).map(({ toMs }, i) => i + 1 - evenly(rate)(fromMs, toMs)),
  );
  return Math.max(0, ...depths);
}

/** Whether one phase puts a boundary between windows into each span: only a boundary explains what was seen there. */
export function isExplainedByBoundaries(spans: readonly Decision[], windowMs: number): boolean {
  const wide = spans.map(widened);
  return phasesOf(wide).some((phase) =>
    wide.every(({ fromMs, toMs }) => Math.floor((toMs - phase) / windowMs) > Math.floor((fromMs - phase) / windowMs)),
  );
}

/** Returns the most requests that were accepted together in less than a window, whatever its phase. */
export function fullestStretch<T extends Decision>(accepted: readonly T[], windowMs: number): T[] {
  const ordered = [...accepted].sort((a, b) => a.fromMs - b.fromMs);
  let fullest: T[] = [];
  for (const [i, first] of ordered.entries()) {
    const stretch = ordered.slice(i).filter((item) => item.toMs - first.fromMs < windowMs);
    if (stretch.length > fullest.length) fullest = stretch;
  }
  return fullest;
}

/** Phases that stand for all: the answer changes only just after an end of an interval, so one before each will do. */
function phasesOf(decisions: readonly Decision[]): number[] {
  return [0, ...decisions.flatMap(({ fromMs, toMs }) => [fromMs - 0.01, toMs - 0.01])];
}

function fitsWindows(decisions: readonly Decision[], limit: number, windowMs: number, phase: number): boolean {
  const spans = decisions
    .map(({ fromMs, toMs }) => ({
      first: Math.floor((fromMs - phase) / windowMs),
      last: Math.floor((toMs - phase) / windowMs),
    }))
    .sort((a, b) => a.last - b.last);
  // The decision that must end earliest chooses first, and takes the earliest window that has room.
  const used = new Map<number, number>();
  return spans.every(({ first, last }) => {
    for (let window = first; window <= last; window += 1) {
      const count = used.get(window) ?? 0;
      if (count < limit) {
        used.set(window, count + 1);
        return true;
      }
    }
    return false;
  });
}

/** Into how many segments windows that slide may be divided. Fewer than four let through what a shorter window does. */
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

/**
 * The decisions of one stretch of time that are more than the limit and what the bucket gains meanwhile, else `null`.
 * @param gained how many requests the bucket gains between two moments
 */
function overflowOf<T extends Decision>(
  decisions: readonly T[],
  limit: number,
  gained: (fromMs: number, toMs: number) => number,
): readonly T[] | null {
  const byEnd = [...decisions].sort((a, b) => a.toMs - b.toMs);
  for (const { fromMs } of decisions) {
    const within: T[] = [];
    for (const last of byEnd) {
      if (last.fromMs < fromMs) continue;
      within.push(last);
      if (within.length > limit + gained(fromMs, last.toMs)) return within;
    }
  }
  return null;
}
