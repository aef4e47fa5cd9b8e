/** Reads at moments for which an accepted answer or a refusal promised budget (API description, section 8). */
import { probe } from '../catalogue/catalogue';
import { LITTLE_MS, ROUNDING_SECONDS } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, isAtTheBase } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { usualLatencyMs } from '../evidence/responder/queueing';
import { ownOf } from '../evidence/time/in-flight';
import { passesAtMs, waitAskedSeconds } from '../evidence/time/server-clock';
import { MOST_TRIALS } from '../limiter/another-trial';
import { unsettledOf } from '../limiter/reported';
import { isSpaced, timelineOf } from '../limiter/timeline';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { lateInASecondMs, nextOfPhase, SHORT_WINDOW_MS } from './moments';
import { read } from './requests';

/** How long after a promised moment a request is sent, so that its refusal counts. */
const AFTER_MS = LITTLE_MS + MARGIN_MS / 2;
/** A rest of a window that is shorter than this is rounded to 0 seconds. */
const ROUNDED_DOWN_MS = 500;
/** How often a promise that was broken once is asked for again. */
const MOST_REPEATED = 3;

/** Returns when a refusal's Retry-After and, if it counts, Reset have passed, in milliseconds of the run, the sooner first. */
export function promisedAtMs(refusal: Exchange, evidence: Evidence, doesResetCount = true): number[] {
  const { reset } = parsedHeaders(refusal);
  const asked = waitAskedSeconds(refusal, evidence);
  return [
    asked === null ? null : refusal.receivedAtMs + asked.most * 1000,
    reset === null || !doesResetCount ? null : passesAtMs(reset, refusal, evidence),
  ]
    .filter((atMs) => atMs !== null)
    .map((atMs) => Math.max(refusal.receivedAtMs, atMs) + AFTER_MS)
    .sort((a, b) => a - b);
}

/** How one promise is tested. */
interface Trial {
  /** When reads go at one moment, and how many. */
  atMs: number;
  reads: number;
  /** The request after them whose refusal promises, and how much later it goes; by default their last answer promises. */
  refused?: { path: string; laterMs: number };
  /** When a promise has passed; `null` if there is none to test. */
  passesMs: (promise: Exchange) => number | null;
}

/** Gets a promise and reads when it has passed, with nothing sent between. @returns whether that was refused */
async function isBroken(
  recorder: Recorder,
  account: string,
  { atMs, reads, refused, passesMs }: Trial,
): Promise<boolean> {
  const request = read(account, probe('promise', { account }));
  const last = (await recorder.burst(Array(reads).fill(request), { atMs })).at(-1);
  if (!last) return false;
  // If the budget is not back yet, that refusal promises.
  const promise =
    refused && isAccepted(last)
      ? await recorder.send({ ...request, path: refused.path }, { atMs: last.sentAtMs + refused.laterMs })
      : last;
  const passedMs = promise && passesMs(promise);
  const answer = passedMs === null ? null : await recorder.send(request, { atMs: passedMs });
  return answer !== null && isRefused(answer, recorder.evidence());
}

/** Tests promises until so many were kept or two were broken: a window may have ended between promise and read. */
async function askUntilClear(
  recorder: Recorder,
  account: string,
  most: number,
  trialOf: (kept: number) => Trial,
): Promise<void> {
  for (let [kept, broken] = [0, 0]; kept < most && broken < 2; ) {
    if (await recorder.pace.turn(account, () => isBroken(recorder, account, trialOf(kept)))) broken += 1;
    else kept += 1;
  }
}

/**
 * If an accepted read promises budget sooner than a window, reads at that moment. A kept promise is tried again: in another
 * second if windows last several, else later in a second.
 */
export async function askEarlyPromises(recorder: Recorder, account: string): Promise<void> {
  const { windowMs } = recorder.pace;
  const own = timelineOf(recorder.evidence(), account);
  const fresh = own.filter((each, i) => i > 0 && each.isAlone && isSpaced(each, own, windowMs));
  if (!fresh.some(({ exchange }) => earlyMs(recorder, exchange) !== null || isPromisedAtOnce(exchange))) return;
  const phases = Math.min(MOST_TRIALS, Math.max(2, Math.ceil(windowMs / 1000)));
  await askUntilClear(recorder, account, windowMs <= SHORT_WINDOW_MS ? phases : 1, (kept) => ({
    atMs: lateInASecondMs(recorder, account, kept),
    reads: 1,
    passesMs: (accepted) => earlyMs(recorder, accepted),
  }));
}

/**
 * If a refusal of a path promises budget sooner than a window after the accepted request before it, gets refused there and
 * reads at the promised moment.
 * @param tried the paths that any account has tried
 */
export async function askPromisesOfRefusals(recorder: Recorder, account: string, tried: Set<string>): Promise<void> {
  const { pace, target } = recorder;
  for (const path of ['/webhooks', '/']) {
    if (tried.has(path) || !isPromisedByRefusals(recorder, path)) continue;
    tried.add(path);
    const isOnBase = path === '/';
    // Late enough for the wait to be rounded down, and early enough for it to pass before the window ends.
    const leftMs = (ROUNDED_DOWN_MS + usualLatencyMs(recorder.evidence()) + LITTLE_MS) / 2;
    await askUntilClear(recorder, account, 2, (kept) => {
      // Not the whole budget of a sliding counter is needed, and of any other limiter a window is enough.
      const freshMs = pace.freshAtMs(account) + LITTLE_MS;
      const isLate = isOnBase && kept === 0;
      return {
        atMs: isLate ? lateInASecondMs(recorder, account, 0, freshMs) : freshMs + (kept * pace.windowMs) / 3,
        reads: target.rate.requests,
        refused: { path, laterMs: isOnBase ? 0 : pace.windowMs - leftMs },
        passesMs: (last) =>
          (isRefused(last, recorder.evidence()) && promisedAtMs(last, recorder.evidence())[0]) || null,
      };
    });
  }
}

/**
 * If a promise to an account was broken at one moment only, repeats what led to it, at the same intervals and the same time
 * of a window, until it is broken or kept twice.
 */
export async function askBrokenPromisesAgain(recorder: Recorder, account: string): Promise<void> {
  const { pace, target } = recorder;
  for (const kind of ['wait', 'reset'] as const)
    for (let trial = 1; trial <= MOST_REPEATED && !recorder.givenUp; trial += 1) {
      const evidence = recorder.evidence();
      const broken = unsettledOf(evidence, account, kind);
      if (broken === null) break;
      const { promise, fromMs } = broken;
      const isOfRefusal = isRefused(promise, evidence);
      const usedUp = timelineOf(evidence, account).findLast(
        (each) => isOfRefusal && each.outcome === 'accepted' && each.fromMs <= promise.sentAtMs,
      );
      const beganMs = usedUp?.fromMs ?? promise.sentAtMs;
      const refused = { path: isAtTheBase(promise) ? '/' : '/webhooks', laterMs: promise.sentAtMs - beganMs };
      await pace.turn(account, () =>
        isBroken(recorder, account, {
          atMs: nextOfPhase(Math.max(pace.wholeAtMs(account), recorder.now()), beganMs, pace.windowMs),
          reads: target.rate.requests,
          ...(isOfRefusal && { refused }),
          passesMs: ({ receivedAtMs }) => receivedAtMs + fromMs - promise.receivedAtMs,
        }),
      );
    }
}

/**
 * Whether a refusal on a path promised budget sooner than a window after the accepted request before it: by Retry-After, or
 * on the base path by a Reset that differs from that of /webhooks, which bursts test.
 */
function isPromisedByRefusals(recorder: Recorder, path: string): boolean {
  const evidence = recorder.evidence();
  return recorder.target.accounts.some(({ name }) => {
    let acceptedMs = Number.NEGATIVE_INFINITY;
    const resets = new Set<number | null>();
    return ownOf(evidence, name).some((exchange) => {
      const { reset } = parsedHeaders(exchange);
      if (isAccepted(exchange)) {
        acceptedMs = exchange.sentAtMs;
        resets.clear();
      }
      if (!isAtTheBase(exchange)) resets.add(reset);
      if (isAtTheBase(exchange) !== (path === '/') || !isRefused(exchange, evidence)) return false;
      const [askedMs = Number.POSITIVE_INFINITY] = promisedAtMs(exchange, evidence, false);
      const isOther = reset !== null && !resets.has(reset);
      const resetMs = isOther ? passesAtMs(reset, exchange, evidence) : null;
      // A Reset that is rounded down passes too soon at some phases.
      const soonMs = (resetMs ?? Number.POSITIVE_INFINITY) + AFTER_MS - ROUNDING_SECONDS * 1000;
      return Math.min(askedMs, soonMs) < acceptedMs + recorder.pace.windowMs;
    });
  });
}

/** Returns when an accepted response's Reset has passed, if that is certainly sooner than a window after it. */
function earlyMs(recorder: Recorder, accepted: Exchange): number | null {
  const reset = isAccepted(accepted) ? parsedHeaders(accepted).reset : null;
  const passedMs = reset === null ? null : passesAtMs(reset, accepted, recorder.evidence());
  if (passedMs === null) return null;
  return passedMs + AFTER_MS < accepted.sentAtMs + recorder.pace.windowMs - LITTLE_MS ? passedMs + AFTER_MS : null;
}

/** Whether Reset is no later than the response's own second, so that late in a second it promises budget soon. */
function isPromisedAtOnce(exchange: Exchange): boolean {
  const { reset, dateSeconds } = parsedHeaders(exchange);
  return isAccepted(exchange) && reset !== null && dateSeconds !== null && reset <= dateSeconds;
}
