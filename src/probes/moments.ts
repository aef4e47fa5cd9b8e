/** When trials at the limit begin, with a whole budget and each at another phase, and how much they send. */
import type { Group } from '../catalogue/catalogue';
import { LITTLE_MS, longestMemoryMs } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { isRefused } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { isHeldBack, queuesAndRefuses, usualLatencyMs } from '../evidence/responder/queueing';
import { ownOf } from '../evidence/time/in-flight';
import { passesAtMs } from '../evidence/time/server-clock';
import { depthOf } from '../limiter/level';
import { timelineOf, userOf } from '../limiter/timeline';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';

/** Longer windows are waited for once more only if something seems wrong with them. */
export const SHORT_WINDOW_MS = 5000;
/** A promise is asked for this late in a second of the server's clock, and once more even later if it was kept. */
const LATE_IN_A_SECOND_MS = 800;
const LAST_IN_A_SECOND_MS = 950;
/** In budgets. Windows of the declared rate look nearly as deep if one ends between requests. */
export const DEEP = 1.6;
/** The longest wait for a bucket to fill, besides `SHORT_WINDOW_MS`: more than twice the rate at once needs no second trial. */
export const MOST_REFILLED_WINDOWS = 3;
/** How many of the last requests show the depth of a bucket, which bounds the work. */
const DEPTH_REQUESTS = 150;
/** The last answer of a queue must come this long before the time limit. */
const SPARE_MS = 500;

/** Whether windows are short, so that a silence costs little. */
export function areShort({ pace }: Recorder): boolean {
  return 2 * pace.windowMs <= SHORT_WINDOW_MS;
}

export function areOfSeveralSeconds({ pace }: Recorder): boolean {
  return pace.windowMs > 1000 && pace.windowMs <= SHORT_WINDOW_MS;
}

/**
 * Returns the next moment with a whole budget, in milliseconds of the run's clock, at a phase a third of a window from those
 * of earlier trials.
 * @param isQuiet whether the account is silent before it for as long as any limiter remembers, if windows are short: this
 * shows what a limiter stores
 */
export function freshMs(recorder: Recorder, account: string, group: Group, trial: number, isQuiet = false): number {
  const { pace, exchanges, target } = recorder;
  const evidence = recorder.evidence();
  const { requests } = target.rate;
  const own = ownOf(evidence, account);
  const silentAtMs =
    Math.max(...own.map(({ receivedAtMs }) => receivedAtMs)) + longestMemoryMs(target.rate) + MARGIN_MS;
  // A store that forgets late must not look like a budget that was already begun, or like a wholly refused burst.
  const isCareful = group === 'concurrent' || requests > 1 || own.some((exchange) => isRefused(exchange, evidence));
  const freeAtMs = Math.max(
    pace.freshAtMs(account) + (isCareful ? LITTLE_MS : 0),
    recorder.now(),
    refilledAtMs(recorder, account),
    isQuiet && areShort(recorder) ? silentAtMs : 0,
  );
  const first = exchanges.find(({ probe }) => probe.group === group && probe.account === account && probe.trial === 1);
  if (!first || trial === 1) return freeAtMs;
  // If a third of a window is a number of whole ticks, trials are also shifted by a third of a tick.
  const shiftMs = pace.windowMs / 3 + (requests % 3 === 0 ? pace.windowMs / requests / 3 : 0);
  return nextOfPhase(freeAtMs, first.sentAtMs + (trial - 1) * shiftMs, pace.windowMs);
}

/** Returns when a bucket that accepted more than the rate would be full again. */
function refilledAtMs(recorder: Recorder, account: string): number {
  const { target, pace } = recorder;
  const { accepted } = userOf(timelineOf(recorder.evidence(), account).slice(-DEPTH_REQUESTS));
  const depth = depthOf(accepted, target.rate) / target.rate.requests;
  if (depth < DEEP) return 0;
  const refillMs = Math.min(Math.min(Math.ceil(depth), MOST_REFILLED_WINDOWS) * pace.windowMs, SHORT_WINDOW_MS);
  return Math.max(...accepted.map(({ toMs }) => toMs)) + refillMs + MARGIN_MS;
}

/**
 * Returns a moment with a whole budget, late in a second of the server's clock, so that its Reset soon passes.
 * @param kept how many such promises were kept: as many seconds later in windows of the clock, or later within windows of a
 * second. The end of a window between promise and request gives budget whatever was promised.
 */
export function lateInASecondMs(
  recorder: Recorder,
  account: string,
  kept: number,
  leastMs = recorder.pace.freshAtMs(account),
): number {
  const evidence = recorder.evidence();
  const freeAtMs = Math.max(leastMs, recorder.now());
  const last = ownOf(evidence, account).at(-1);
  const date = last ? parsedHeaders(last).dateSeconds : null;
  const secondMs = last && date !== null ? passesAtMs(date, last, evidence) : null;
  if (secondMs === null || date === null) return freeAtMs;
  const seconds = Math.max(1, Math.round(recorder.pace.windowMs / 1000));
  const laterSeconds = (kept - (date % seconds) + seconds) % seconds;
  const isLast = seconds === 1 && kept > 0;
  const lateMs = isLast ? LAST_IN_A_SECOND_MS - usualLatencyMs(evidence) : LATE_IN_A_SECOND_MS;
  return nextOfPhase(freeAtMs, secondMs + lateMs + laterSeconds * 1000, seconds * 1000);
}

/** Whether the server usually answers slower than its rate, as a queue does. */
export function isSlow(recorder: Recorder): boolean {
  const { requests, seconds } = recorder.target.rate;
  return usualLatencyMs(recorder.evidence()) * requests > (seconds * 1000) / 2;
}

/** Returns how many requests a queue of the declared rate can answer within the time limit. */
export function queuedInTime(recorder: Recorder): number {
  const { rate, limits } = recorder.target;
  const leftMs = limits.timeoutSeconds * 1000 - 3 * usualLatencyMs(recorder.evidence()) - SPARE_MS;
  return Math.max(0, Math.floor((leftMs / (rate.seconds * 1000)) * rate.requests));
}

/** Returns how many of `count` requests to send at one moment: to a queue, no more than it can answer within the time limit. */
export function answerable(recorder: Recorder, account: string, count: number): number {
  const evidence = whileServing(recorder.evidence());
  const sequence = ownOf(evidence, account).filter(({ probe }) => probe.group === 'sequence');
  const heldBack = sequence.findIndex((exchange) => isHeldBack(exchange, evidence));
  if (sequence.some((exchange) => isRefused(exchange, evidence))) return count;
  const queued = queuedInTime(recorder);
  if (heldBack >= 0) return Math.min(count, Math.max(heldBack, 1) + queued);
  const enough = 2 * recorder.target.rate.requests + 1;
  return isSlow(recorder) ? Math.min(count, Math.max(queued, enough)) : count;
}

/** Returns how many requests of one moment are not refused: those of a window, and with a known queue as many again. */
export function mostHeld(recorder: Recorder): number {
  const { requests } = recorder.target.rate;
  return queuesAndRefuses(recorder.evidence()) ? 2 * requests : requests;
}

/**
 * Does something right after requests that use up a budget: when they are answered, or while the server holds some of them
 * back.
 * @param isHeld whether it does; default: whether it is known to hold back and refuse
 */
export async function afterUsedUp<T>(
  recorder: Recorder,
  usedUp: Promise<unknown>,
  work: () => Promise<T>,
  isHeld: boolean,
): Promise<T> {
  const { pace, target } = recorder;
  const arrivedMs = pace.windowMs / target.rate.requests / 2;
  await (isHeld ? Promise.race([usedUp, pace.until(recorder.now() + arrivedMs)]) : usedUp);
  const done = await work();
  await usedUp;
  return done;
}

/** Returns the first moment from `fromMs` on that is a whole number of periods away from `phaseMs`. */
export function nextOfPhase(fromMs: number, phaseMs: number, periodMs: number): number {
  return fromMs + ((((phaseMs - fromMs) % periodMs) + periodMs) % periodMs);
}
