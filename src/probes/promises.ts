/** Reads when budget was promised, by an accepted answer or by a refusal (API description, section 8). */
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

/** So long after a promised moment a request is sent: a refusal of it counts. */
const AFTER_MS = LITTLE_MS + MARGIN_MS / 2;
/** Of what is left of a window, rounding to whole seconds makes 0 when it is less than this. */
const ROUNDED_DOWN_MS = 500;
/** So often a promise that was broken once is asked for again. */
const MOST_REPEATED = 3;
/** The paths whose refusals are tried, and the trials of the reads after them, which no other promise has. */
const TRIALS_AFTER_REFUSALS = new Map([
  ['/webhooks', 10],
  ['/', 20],
]);
/** The promises that are asked for again, and the trials of that. */
const TRIALS_OF_BROKEN = [
  ['wait', 30],
  ['reset', 40],
] as const;

/**
 * Returns when what a refusal promised has passed, in milliseconds of the run: its Retry-After and its Reset, the sooner first.
 * @param resetSeconds what is added to Reset; `null` leaves it out
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
 * Where an accepted read promises budget sooner than a window: reads when that has passed, with nothing sent between. A
 * promise that was kept is tried again: in another second of windows that last several, else later in a second.
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
 * Where a refusal of a path promises budget sooner than a window after what was accepted before it: is refused there, and reads
 * when that has passed, with nothing sent between. Twice in fresh windows, as the end of one may have come between.
 * @param tried the paths that were tried, by any account
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
 * Where a promise to an account was broken at one moment alone: does again what led to it, at the same time of a window, until it
 * is broken or kept twice.
 */
export async function askBrokenPromisesAgain(recorder: Recorder, account: string): Promise<void> {
  for (const [kind, before] of TRIALS_OF_BROKEN)
    for (let trial = 1; trial <= MOST_REPEATED && !recorder.givenUp; trial += 1) {
      const broken = unsettledOf(recorder.evidence(), account, kind);
      if (broken === null) break;
      await recorder.pace.turn(account, () => repeat(recorder, account, broken, before + trial));
    }
}

/** Uses up the budget, is promised, and reads, all as long after one another as when the promise was broken. */
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
  const wholeMs = pace.wholeAtMs(account);
  const atMs =
    isOnBase && kept === 0 ? lateInASecondMs(recorder, account, 0, wholeMs) : wholeMs + (kept * pace.windowMs) / 3;
  const first = await recorder.burst(Array(target.rate.requests).fill(request), { atMs });
  // So late in the window that the wait is rounded down, and so soon that it has passed before the window ends.
  const leftMs = (ROUNDED_DOWN_MS + usualLatencyMs(recorder.evidence()) + LITTLE_MS) / 2;
  const lateMs = Math.max(...first.map(({ sentAtMs }) => sentAtMs)) + pace.windowMs - leftMs;
  const refused = await recorder.send({ ...request, path }, { atMs: isOnBase ? 0 : lateMs });
  const evidence = recorder.evidence();
  const [promisedMs] = refused && isRefused(refused, evidence) ? promisedAtMs(refused, evidence) : [];
  const second = promisedMs === undefined ? null : await recorder.send(request, { atMs: promisedMs });
  return second !== null && isRefused(second, recorder.evidence());
}

/**
 * Whether a refusal on a path promised budget before a window begun by what was accepted before it would end: by Retry-After, or
 * on the base path by a Reset of its own. Bursts ask for the Reset of refusals of /webhooks, as does whoever names the same on
 * both paths.
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
      // Rounded down, a Reset passes too soon at some phases.
      const [soonMs = Number.POSITIVE_INFINITY] = promisedAtMs(
        exchange,
        evidence,
        path === '/' && !resets.has(reset) ? -ROUNDING_SECONDS : null,
      );
      return soonMs < acceptedMs + recorder.pace.windowMs;
    });
  });
}

/** When an accepted response's Reset has passed, if that is certainly sooner than a window after it. */
function earlyMs(recorder: Recorder, accepted: Exchange): number | null {
  const reset = isAccepted(accepted) ? parsedHeaders(accepted).reset : null;
  const passedMs = reset === null ? null : passesAtMs(reset, accepted, recorder.evidence());
  if (passedMs === null) return null;
  return passedMs + AFTER_MS < accepted.sentAtMs + recorder.pace.windowMs - LITTLE_MS ? passedMs + AFTER_MS : null;
}

/** Whether Reset is no later than the response's own second: asked late in a second, it promises budget soon. */
function isPromisedAtOnce(exchange: Exchange): boolean {
  const { reset, dateSeconds } = parsedHeaders(exchange);
  return isAccepted(exchange) && reset !== null && dateSeconds !== null && reset <= dateSeconds;
}
