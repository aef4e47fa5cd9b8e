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
import { type Promised, unsettledOf } from '../limiter/reported';
import { isSpaced, timelineOf } from '../limiter/timeline';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { areOfSeveralSeconds, areShort, lateInASecondMs, nextOfPhase } from './moments';
import { read } from './requests';

/** How long after a promised moment a request is sent, so that its refusal counts. */
const AFTER_MS = LITTLE_MS + MARGIN_MS / 2;
/** A rest of a window that is shorter than this is rounded to 0 seconds. */
const ROUNDED_DOWN_MS = 500;
/** How often a promise that was broken once is asked for again. */
const MOST_REPEATED = 3;
/** The paths whose refusals are tried, each with the trials of the reads after them. */
const TRIALS_AFTER_REFUSALS = new Map([
  ['/webhooks', 10],
  ['/', 20],
]);
/** The kinds of promises that are asked for again, each with its trials. */
const TRIALS_OF_BROKEN = [
  ['wait', 30],
  ['reset', 40],
] as const;

/**
 * Returns when a refusal's Retry-After and Reset have passed, in milliseconds of the run, the sooner first.
 * @param resetSeconds how much is added to Reset; `null` leaves it out
 */
export function promisedAtMs(refusal: Exchange, evidence: Evidence, resetSeconds: number | null = 0): number[] {
  const { reset } = parsedHeaders(refusal);
  const asked = waitAskedSeconds(refusal, evidence);
  return [
    asked === null ? null : refusal.receivedAtMs + asked.most * 1000,
    reset === null || resetSeconds === null ? null : passesAtMs(reset + resetSeconds, refusal, evidence),
  ]
    .filter((atMs) => atMs !== null)
    .map((atMs) => Math.max(refusal.receivedAtMs, atMs) + AFTER_MS)
    .sort((a, b) => a - b);
}

/**
 * If an accepted read promises budget sooner than a window, reads at that moment, with nothing sent between. A kept promise
 * is tried again: in another second if windows last several, else later in a second.
 */
export async function askEarlyPromises(recorder: Recorder, account: string): Promise<void> {
  const { windowMs } = recorder.pace;
  const own = timelineOf(recorder.evidence(), account);
  const fresh = own.filter((each, i) => i > 0 && each.isAlone && isSpaced(each, own, windowMs));
  let isPromised = fresh.some(({ exchange }) => earlyMs(recorder, exchange) !== null || isPromisedAtOnce(exchange));
  const phases = Math.min(MOST_TRIALS, Math.max(2, Math.ceil(windowMs / 1000)));
  const most = areShort(recorder) || areOfSeveralSeconds(recorder) ? phases : 1;
  for (let [kept, broken] = [0, 0]; isPromised && kept < most && broken < 2 && !recorder.givenUp; ) {
    const wasRefused = await recorder.pace.turn(account, async () => {
      const request = read(account, probe('promise', { account, trial: 1 + kept + broken }));
      const first = await recorder.send(request, { atMs: lateInASecondMs(recorder, account, kept) });
      const atMs = first && earlyMs(recorder, first);
      const second = atMs === null ? null : await recorder.send(request, { atMs });
      isPromised = second !== null || areOfSeveralSeconds(recorder);
      return second !== null && isRefused(second, recorder.evidence());
    });
    if (wasRefused) broken += 1;
    else kept += 1;
  }
}

/**
 * If a refusal of a path promises budget sooner than a window after the accepted request before it, gets refused there and
 * reads at the promised moment, with nothing sent between. Twice in fresh windows, as one may have ended in between.
 * @param tried the paths that any account has tried
 */
export async function askPromisesOfRefusals(recorder: Recorder, account: string, tried: Set<string>): Promise<void> {
  for (const [path, before] of TRIALS_AFTER_REFUSALS) {
    if (tried.has(path) || !isPromisedByRefusals(recorder, path)) continue;
    tried.add(path);
    for (let [kept, broken] = [0, 0]; kept < 2 && broken < 2 && !recorder.givenUp; ) {
      const isBroken = await recorder.pace.turn(account, () =>
        isBrokenAfterRefusal(recorder, account, path, before + 1 + kept + broken, kept),
      );
      if (isBroken) broken += 1;
      else kept += 1;
    }
  }
}

/**
 * If a promise to an account was broken at one moment only, repeats what led to it, at the same time of a window, until it is
 * broken or kept twice.
 */
export async function askBrokenPromisesAgain(recorder: Recorder, account: string): Promise<void> {
  for (const [kind, before] of TRIALS_OF_BROKEN)
    for (let trial = 1; trial <= MOST_REPEATED && !recorder.givenUp; trial += 1) {
      const broken = unsettledOf(recorder.evidence(), account, kind);
      if (broken === null) break;
      await recorder.pace.turn(account, () => repeat(recorder, account, broken, before + trial));
    }
}

/** Uses up the budget, gets the promise and reads, at the same intervals as when the promise was broken. */
async function repeat(recorder: Recorder, account: string, broken: Promised, trial: number): Promise<void> {
  const { pace, target } = recorder;
  const { promise, fromMs } = broken;
  const request = read(account, probe('promise', { account, trial }));
  const evidence = recorder.evidence();
  const isOfRefusal = isRefused(promise, evidence);
  const usedUp = isOfRefusal
    ? timelineOf(evidence, account).findLast((each) => each.outcome === 'accepted' && each.fromMs <= promise.sentAtMs)
    : undefined;
  const beganMs = usedUp?.fromMs ?? promise.sentAtMs;
  const atMs = nextOfPhase(Math.max(pace.wholeAtMs(account), recorder.now()), beganMs, pace.windowMs);
  const [burst, refused] = await Promise.all([
    recorder.burst(Array(target.rate.requests).fill(request), { atMs }),
    isOfRefusal
      ? recorder.send(
          { ...request, path: isAtTheBase(promise) ? '/' : '/webhooks' },
          { atMs: atMs + promise.sentAtMs - beganMs },
        )
      : null,
  ]);
  const asked = refused ?? burst.at(-1);
  if (asked) await recorder.send(request, { atMs: asked.receivedAtMs + fromMs - promise.receivedAtMs });
}

async function isBrokenAfterRefusal(
  recorder: Recorder,
  account: string,
  path: string,
  trial: number,
  kept: number,
): Promise<boolean> {
  const { pace, target } = recorder;
  const request = read(account, probe('promise', { account, trial }));
  const isOnBase = path === '/';
  // Not the whole budget of a sliding counter is needed, and of any other limiter a window is enough.
  const freshMs = pace.freshAtMs(account) + LITTLE_MS;
  const atMs =
    isOnBase && kept === 0 ? lateInASecondMs(recorder, account, 0, freshMs) : freshMs + (kept * pace.windowMs) / 3;
  const first = await recorder.burst(Array(target.rate.requests).fill(request), { atMs });
  // Late enough for the wait to be rounded down, and early enough for it to pass before the window ends.
  const leftMs = (ROUNDED_DOWN_MS + usualLatencyMs(recorder.evidence()) + LITTLE_MS) / 2;
  const lateMs = Math.max(...first.map(({ sentAtMs }) => sentAtMs)) + pace.windowMs - leftMs;
  const refused = await recorder.send({ ...request, path }, { atMs: isOnBase ? 0 : lateMs });
  const evidence = recorder.evidence();
  const [promisedMs] = refused && isRefused(refused, evidence) ? promisedAtMs(refused, evidence) : [];
  const second = promisedMs === undefined ? null : await recorder.send(request, { atMs: promisedMs });
  return second !== null && isRefused(second, recorder.evidence());
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
      // A Reset that is rounded down passes too soon at some phases.
      const [soonMs = Number.POSITIVE_INFINITY] = promisedAtMs(
        exchange,
        evidence,
        path === '/' && !resets.has(reset) ? -ROUNDING_SECONDS : null,
      );
      return soonMs < acceptedMs + recorder.pace.windowMs;
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
