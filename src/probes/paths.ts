/** Requests that a limiter may overlook when the budget is used up: base path and other spellings (API description, section 8). */
import { formsOf, type Need, probe } from '../catalogue/catalogue';
import { LITTLE_MS } from '../contract/bounds';
import { type Exchange, exchangesOf, isAtTheBase } from '../evidence/model';
import { isAccepted, isBroken } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { isQueue, usualLatencyMs } from '../evidence/responder/queueing';
import { ownOf } from '../evidence/time/in-flight';
import { MOST_TRIALS, needsAnotherTrial } from '../limiter/another-trial';
import { isRoundTheLimit, mayBeRoundTheLimit, trialsOf } from '../limiter/enforced';
import { SLACK_MS } from '../limiter/level';
import { reportedLimit } from '../limiter/reported';
import { hasFailedOverLimit, timelineOf } from '../limiter/timeline';
import { LEAD_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { afterUsedUp, answerable, areShort, freshMs, mostHeld } from './moments';
import type { PendingRequests } from './pending';
import { keysOf, read } from './requests';

/** Of a window: three trials a third of a window apart, which take half of this, never meet the same half of one. */
const SURE_SHARE = 1 / 3;

/** Sends requests to both paths, the second when the first is answered, or together if answers take long. */
export async function askBothPaths(recorder: Recorder, account: string): Promise<void> {
  const wasLookedAt = trialsOf(recorder.evidence(), 'paths', account).length > 0;
  // Only requests of one moment show what the base path reports as left.
  const isUnseen = wasLookedAt && areShort(recorder) && areAskedAtOnce(recorder, account);
  for (let trial = wasLookedAt ? 2 : 1; trial <= MOST_TRIALS && !recorder.givenUp; trial += 1) {
    const isDue = trial === 1 || (trial === 2 && isUnseen);
    if (!isDue && !needsAnotherTrial(recorder.evidence(), 'paths', account)) return;
    await recorder.pace.turn(account, async () => {
      const atMs = freshMs(recorder, account, 'paths', trial);
      if (areAskedAtOnce(recorder, account)) await askAtOnce(recorder, account, trial, atMs);
      else await askInTurn(recorder, account, trial, atMs);
    });
  }
}

/**
 * Whether both paths are asked at one moment. The base path must be served. Where answers take long, a bucket may gain a
 * request before the second path can be asked after the first.
 */
function areAskedAtOnce(recorder: Recorder, account: string): boolean {
  const evidence = recorder.evidence();
  const { requests, seconds } = recorder.target.rate;
  const isSlower = 3 * usualLatencyMs(evidence) > seconds * 1000;
  // A failure over the limit may be no accident there, so it is asked again over the limit.
  const hasFailed = ownOf(evidence, account).some((exchange) => hasFailedOverLimit(exchange, evidence));
  const isServed = timelineOf(evidence, account).some(
    ({ exchange, outcome }) => isAtTheBase(exchange) && outcome === 'accepted',
  );
  return isServed && !isQueue(evidence) && !hasFailed && (requests > 1 || isSlower);
}

/** Sends as many requests to each path as the rate allows, alternating, at one moment. */
async function askAtOnce(recorder: Recorder, account: string, trial: number, atMs: number): Promise<void> {
  const sentFor = probe('paths', { account, trial });
  const both = [read(account, sentFor), { ...read(account, sentFor), path: '/' }];
  const requests = Array.from({ length: recorder.target.rate.requests }, () => both).flat();
  await recorder.burst(requests, { atMs: Math.max(atMs, recorder.now() + LEAD_MS / 4) });
}

/**
 * Sends as many reads as the rate allows at one moment, and one to the base path when all are accepted.
 * @param first the requests in place of the reads
 * @returns their answers
 */
export async function askInTurn(
  recorder: Recorder,
  account: string,
  trial: number,
  atMs: number,
  first = read(account, probe('paths', { account, trial })),
): Promise<Exchange[]> {
  const evidence = recorder.evidence();
  const { requests } = recorder.target.rate;
  // A queue is asked while it is full, unless it holds back fewer requests than it reports.
  const isMoreReported = (reportedLimit(account, evidence) ?? 0) > requests;
  const isFilled = first.probe.group === 'paths' && !isMoreReported && isQueue(evidence);
  const size = answerable(recorder, account, isFilled ? 2 * requests : requests);
  await recorder.pace.until(atMs);
  const sending = recorder.burst(Array(size).fill(first), { atMs });
  if (isFilled) await afterUsedUp(recorder, sending, () => askBase(recorder, account, trial), true);
  const answered = await sending;
  if (!isFilled && answered.length > 0 && answered.every(isAccepted)) await askBase(recorder, account, trial);
  return answered;
}

export async function askBase(recorder: Recorder, account: string, trial: number): Promise<void> {
  await recorder.send({ ...read(account, probe('paths', { account, trial })), path: '/' });
}

/**
 * Uses up the budget with plain reads and sends each spelling. Does so again in fresh windows at other phases if only the
 * end of a window explains what was accepted.
 */
export async function askRespelled(recorder: Recorder, account: string, planned: ReadonlySet<Need>): Promise<void> {
  const keys = keysOf(recorder);
  const others = formsOf('other-answers', keys, account).filter(({ method }) => method === 'OPTIONS');
  for (let trial = 1; trial <= MOST_TRIALS && !recorder.givenUp; trial += 1) {
    const evidence = whileServing(recorder.evidence());
    const isOpen = mayBeRoundTheLimit(evidence, account) && !isRoundTheLimit(evidence, account);
    // What broke may have been an accident.
    const isCut = trial === 2 && exchangesOf(evidence, 'respelled').some((each) => isBroken(each, evidence));
    if (trial > 1 && !isOpen && !isCut) return;
    // A queue answers one after another, but at once what it does not count.
    const isHeld = isQueue(evidence);
    const numbered = (count: number, isPlain: boolean) =>
      Array.from({ length: count }, () => formsOf('respelled', keys, account))
        .flat()
        .filter(({ probe: { form } }) => (form === 'plain') === isPlain)
        .map((request) => ({ ...request, probe: { ...request.probe, trial } }));
    const spelled = [
      ...(trial === 1 && planned.has('other-answers') ? others : []),
      ...numbered(isHeld ? 1 : mostGained(recorder) + 1, false),
    ];
    await recorder.pace.turn(account, async () => {
      const atMs = trial > 1 ? freshMs(recorder, account, 'respelled', trial) : recorder.now();
      await recorder.pace.until(atMs);
      const plain = recorder.burst(numbered(mostHeld(recorder) + (isHeld ? 1 : 0), true), { atMs });
      const count = isHeld ? answerable(recorder, account, spelled.length) : spelled.length;
      const sendAll = () => recorder.burst(spelled.slice(0, count), { atMs: recorder.now() });
      await afterUsedUp(recorder, plain, sendAll, isHeld);
    });
  }
}

/**
 * Returns how many requests a bucket can have gained since it was used up, two round trips before. Half a window may be
 * refilled at once, and if answers take long, no phase excludes that.
 */
function mostGained(recorder: Recorder): number {
  const share = (4 * (usualLatencyMs(recorder.evidence()) + SLACK_MS)) / recorder.pace.windowMs;
  return Math.ceil(recorder.target.rate.requests * (share > SURE_SHARE ? Math.max(share, 1 / 2) : share));
}

/** Asks, while there is budget, for the other answers that were refused when it was used up. */
export async function askUndecided(recorder: Recorder, account: string, pending: PendingRequests): Promise<void> {
  const { pace } = recorder;
  const keys = keysOf(recorder);
  const spelled = formsOf('respelled', keys, account);
  let atMs = pace.freshAtMs(account) + LITTLE_MS;
  for (const request of formsOf('other-answers', keys, account)) {
    const alike = [request, ...spelled].filter(({ probe: { form } }) => form === request.probe.form);
    if (alike.some((each) => pending.isDecided(each))) continue;
    await pace.turn(account, () => recorder.send(request, { atMs }));
    atMs = pace.spacedAtMs(account) + LITTLE_MS;
  }
}
