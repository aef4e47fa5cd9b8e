/**
 * Judges a rate limit from outside. The server decided about a request at some moment between its sending and its
 * answer, and nobody outside knows where its windows begin. So requests are intervals: this file says what intervals fit
 * into windows of a phase, and into a bucket that refills.
 */
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
export const SLACK_MS = 15;

/** At most this many of the last decisions tell the phase of windows. The number bounds the work. */
export const TELLING_DECISIONS = 150;

export function decisionOf(exchange: Exchange): Decision {
  return { fromMs: exchange.sentAtMs, toMs: exchange.receivedAtMs };
}

export function widened({ fromMs, toMs }: Decision): Decision {
  return { fromMs: fromMs - SLACK_MS, toMs: toMs + SLACK_MS };
}

export function narrowed({ fromMs, toMs }: Decision): Decision {
  return { fromMs: fromMs + SLACK_MS, toMs: toMs - SLACK_MS };
}

/** Phases that stand for all: the answer changes only just after an end of an interval, so one before each will do. */
export function phasesOf(decisions: readonly Decision[]): number[] {
  return [0, ...decisions.flatMap(({ fromMs, toMs }) => [fromMs - 0.01, toMs - 0.01])];
}

export function fitsWindows(decisions: readonly Decision[], limit: number, windowMs: number, phase: number): boolean {
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

/**
 * How many refusals fell into windows that had room. A fixed window refuses only after its whole limit was used. A
 * sliding counter adds a share of the window before: the part that is less than a window ago.
 */
export function unexplainedRefusals(
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

export function evenly({ requests, seconds }: Rate): (fromMs: number, toMs: number) => number {
  return (fromMs, toMs) => ((toMs - fromMs) * requests) / (seconds * 1000);
}

/**
 * The decisions of one stretch of time that are more than the limit and what the bucket gains meanwhile, else `null`.
 * @param gained how many requests the bucket gains between two moments
 */
export function overflowOf<T extends Decision>(
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
  return phasesOf(wide).some((phase) => isBoundaryInEach(wide, phase, windowMs));
}

/** Returns a moment of none of the phases that do so, right after some that do; `null` where no phase does. */
export function afterExplainingPhasesMs(spans: readonly Decision[], windowMs: number): number | null {
  const wide = spans.map(widened);
  const last = wide.map(({ toMs }) => toMs - 0.01).find((phase) => isBoundaryInEach(wide, phase, windowMs));
  return last === undefined ? null : last + 2 * SLACK_MS;
}

function isBoundaryInEach(spans: readonly Decision[], phase: number, windowMs: number): boolean {
  return spans.every(
    ({ fromMs, toMs }) => Math.floor((toMs - phase) / windowMs) > Math.floor((fromMs - phase) / windowMs),
  );
}
