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

/**
 * Whether a conformant limiter can have accepted all of these requests.
 *
 * Windows of fixed length at one unknown phase explain them if each decision fits into a window and no window holds
 * more than the limit. Sliding logs and windows that begin with a request accept less than those. A bucket explains
 * them if no stretch of time holds more than the limit and what the bucket gains meanwhile (GCRA).
 * @param accepted decisions about one user's accepted requests, in any order, also of several bursts
 * @param all the other decisions about the user's requests: a phase must explain the refusals too
 */
export function isExplained(accepted: readonly Decision[], rate: Rate, all?: Decisions): boolean {
  const windowMs = rate.seconds * 1000;
  const wide = accepted.map(widened);
  // A stretch shorter than a window meets two windows at most, so no phase need be tried.
  if (fullestStretch(wide, windowMs).length > 2 * rate.requests) return false;
  if (fitsBucket(wide, rate.requests, evenly(rate))) return true;
  const { accepted: granted, refused } = tellingOf(all, rate);
  const isInWindows = phasesOf([...wide, ...refused]).some(
    (phase) =>
      fitsWindows(wide, rate.requests, windowMs, phase) &&
      unexplainedRefusals(refused, granted, rate.requests, windowMs, phase) < UNEXPLAINED_REFUSALS,
  );
  const tickMs = windowMs / rate.requests;
  if (isInWindows || rate.requests === 1 || isRepeatedlyOver(accepted, rate.requests, tickMs)) return isInWindows;
  return phasesOf(wide).some((phase) => fitsTicks(wide, granted, refused, rate.requests, tickMs, phase));
}

/** Whether more than the limit came in less than a tick, twice. It is too unlikely that a tick fell into both. */
function isRepeatedlyOver(accepted: readonly Decision[], limit: number, tickMs: number): boolean {
  const first = fullestStretch(accepted, tickMs);
  const second = fullestStretch(
    accepted.filter((decision) => !first.includes(decision)),
    tickMs,
  );
  return second.length > limit;
}

/**
 * Whether a bucket that gains one request at each tick of a timer explains what was accepted and refused. It may accept
 * several requests just before a tick and one more right after it.
 */
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
  if (!fitsBucket(wide, limit, ticks)) return false;
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

/** This many unexplained refusals rule out a phase. A single one may be an accident. */
const UNEXPLAINED_REFUSALS = 3;
/** At most this many of the last decisions tell the phase of windows. The number bounds the work. */
const TELLING_DECISIONS = 150;

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
  const most = new Map<number, number>();
  for (const { fromMs, toMs } of accepted)
    for (let window = windowAt(fromMs); window <= windowAt(toMs); window += 1)
      most.set(window, (most.get(window) ?? 0) + 1);
  // At one request a window, rounding the share up would refuse all of the next window.
  const rounded = limit > 1 ? Math.ceil : Math.floor;
  return refused.filter(({ fromMs, toMs }) => {
    for (let window = windowAt(fromMs); window <= windowAt(toMs); window += 1) {
      const share = Math.min(1, window + 1 - (fromMs - phase) / windowMs);
      if ((most.get(window) ?? 0) + rounded((most.get(window - 1) ?? 0) * share) >= limit) return false;
    }
    return true;
  }).length;
}

/** By how many seconds windows may be longer than declared: values that people set. */
const LONGER_BY = [...Array.from({ length: 20 }, (_, i) => (i + 1) / 2), 14, 19, 29, 59];

/**
 * Whether windows of one length, longer than declared, explain every decision about each user: no window holds more
 * than the limit, and each refusal came into a full one. Another client's requests fit such windows only by chance.
 */
export function isExplainedByLonger(users: readonly Charged[], { requests, seconds }: Rate): boolean {
  const telling = (decisions: readonly Decision[]) => decisions.slice(-TELLING_DECISIONS).map(widened);
  const wide = users.map(({ accepted, refused, charged }) => ({
    accepted: telling(accepted),
    refused: telling(refused),
    charged: telling(charged),
  }));
  return LONGER_BY.some((more) => {
    const windowMs = (seconds + more) * 1000;
    return wide.every(({ accepted, refused, charged }) =>
      phasesOf(accepted).some(
        (phase) =>
          fitsWindows(accepted, requests, windowMs, phase) &&
          unexplainedRefusals(refused, charged, requests, windowMs, phase) === 0,
      ),
    );
  });
}

/**
 * Returns the share of all phases (0 to 1) at which windows explain what was accepted. It is the chance to see this on
 * a conformant limiter whose windows begin anywhere. 1 where a bucket explains it.
 */
export function shareOfPhases(accepted: readonly Decision[], rate: Rate): number {
  const windowMs = rate.seconds * 1000;
  if (fitsBucket(accepted, rate.requests, evenly(rate))) return 1;
  const steps = 200;
  const phases = Array.from({ length: steps }, (_, i) => (i * windowMs) / steps);
  return phases.filter((phase) => fitsWindows(accepted, rate.requests, windowMs, phase)).length / steps;
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

/** @param gained how many requests the bucket gains between two moments */
function fitsBucket(
  decisions: readonly Decision[],
  limit: number,
  gained: (fromMs: number, toMs: number) => number,
): boolean {
  const byEnd = [...decisions].sort((a, b) => a.toMs - b.toMs);
  return decisions.every(({ fromMs }) => {
    // Every decision from `fromMs` up to the end of `last` counts against the limit and what the bucket gains
    // meanwhile.
    let within = 0;
    return byEnd.every((last) => {
      if (last.fromMs < fromMs) return true;
      within += 1;
      return within <= limit + gained(fromMs, last.toMs);
    });
  });
}
