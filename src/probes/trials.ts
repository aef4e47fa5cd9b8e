/** Sends more requests than the rate allows: one after another, and at one moment (API description, section 8). */
import { type ProbeRequest, probe } from '../catalogue/catalogue';
import { burstSize } from '../config/target';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import { type Evidence, type Exchange, exchangesOf } from '../evidence/model';
import { isAccepted, isRefused, letThrough } from '../evidence/responder/classify';
import { ownOf } from '../evidence/time/in-flight';
import { MOST_TRIALS, needsAnotherTrial, seemsAtABoundary } from '../limiter/another-trial';
import { ACCIDENTS, isOverRate, refusedBelowLimit, trialsOf } from '../limiter/enforced';
import { depthOf } from '../limiter/level';
import { accountsOf, isUndisturbed, userOf } from '../limiter/timeline';
import { LEAD_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { answerable, areOfSeveralSeconds, areShort, DEEP, freshMs, MOST_REFILLED_WINDOWS } from './moments';
import { askBase, askInTurn } from './paths';
import { promisedAtMs } from './promises';
import { acceptedForms, read } from './requests';

/** When a sequence asks again, in windows from its start: a window shorter than declared ends at an unknown time. */
const LATER = { from: 0.55, every: 0.061, until: 1.65 };
/** The last trial asks until then, if it needs a boundary too: longer than any phase explains windows that are much shorter. */
const LATER_OF_LAST_UNTIL = 3.5;
/** A sequence has this many fewer fast requests than a burst. */
const KEPT_FOR_LATER = 3;
/** How many requests go at each later time, to use up much of the budget that came back. */
const LATER_EACH = 2;

/** What a sequence does besides its fast requests. */
interface Sequence {
  /** What is sent first, in place of a plain read. */
  opener: ProbeRequest | null;
  /** Whether to send more that span the next windows. */
  withLater: boolean;
  /** Called when the budget is certainly used up: a request beyond it was refused or has to queue. */
  onUsedUp: () => void;
}

/** Sends requests one after another as fast as they are answered, half over one connection and half over fresh ones. */
export async function askInSequence(recorder: Recorder, account: string, sequence: Sequence): Promise<void> {
  const { opener } = sequence;
  for (let trial = 1; trial <= MOST_TRIALS; trial += 1) {
    // If the opener went to the base path, a later one does as well.
    const first = trial === 1 || opener?.path === '/' ? opener : null;
    const isSent = await recorder.pace.turn(account, () =>
      oneSequence(recorder, account, trial, { ...sequence, opener: first }),
    );
    const evidence = recorder.evidence();
    const belowLimit = accountsOf(evidence).flatMap((name) => refusedBelowLimit(evidence, name));
    if (!isSent || belowLimit.length > ACCIDENTS || !needsAnotherTrial(evidence, 'sequence', account)) return;
  }
}

async function oneSequence(
  recorder: Recorder,
  account: string,
  trial: number,
  { opener, withLater, onUsedUp }: Sequence,
): Promise<boolean> {
  const { pace, target } = recorder;
  const { requests } = target.rate;
  const sentFor = probe('sequence', { account, trial });
  const fast = Math.max(1, burstSize(target) - KEPT_FOR_LATER);
  const reused = recorder.connection();
  const atMs = freshMs(recorder, account, 'sequence', trial);
  const endMs = atMs + LATER.until * pace.windowMs;
  let faults = 0;
  try {
    const opened = opener && (await recorder.send(opener, { atMs, via: reused }));
    // A second request is sent even if the first answer takes longer than that.
    for (let i = opened && isAccepted(opened) ? 1 : 0; i < fast && (i < 2 || recorder.now() < endMs); i += 1) {
      const via = i < Math.ceil(fast / 2) ? { via: reused } : {};
      const callOff = i < requests ? null : recorder.clock.after(pace.windowMs / 4, onUsedUp);
      const exchange = await recorder.send(read(account, sentFor), { atMs, ...via });
      callOff?.();
      if (!exchange) return false;
      if (isRefused(exchange, recorder.evidence())) onUsedUp();
      if (exchange.fault) faults += 1;
      // Each broken answer may cost the whole time limit, and the second one shows no more.
      if (faults > 1) return true;
    }
  } finally {
    await reused.close();
  }
  if (isOverRate(recorder.evidence(), 'sequence', account)) {
    onUsedUp();
    return true;
  }
  const isToGoOn = () => {
    const evidence = recorder.evidence();
    const own = trialsOf(evidence, 'sequence', account).at(-1) ?? [];
    return trial === MOST_TRIALS && seemsAtABoundary(own, evidence);
  };
  const isDue = (windows: number) => windows <= LATER.until || (windows <= LATER_OF_LAST_UNTIL && isToGoOn());
  for (let windows = LATER.from; withLater && isDue(windows); windows += LATER.every) {
    const laterMs = atMs + windows * pace.windowMs;
    if (laterMs < recorder.now()) continue;
    for (let i = 0; i < Math.min(LATER_EACH, requests); i += 1) {
      const exchange = await recorder.send(read(account, sentFor), { atMs: laterMs });
      if (!exchange) return false;
      if (!isAccepted(exchange)) break;
    }
  }
  return true;
}

/**
 * Sends as many requests one after another as bursts had accepted. A race accepts too many only at one moment, a stored
 * budget either way.
 */
export async function askAfterBursts(recorder: Recorder, account: string): Promise<void> {
  const { pace, target } = recorder;
  const evidence = recorder.evidence();
  const isShown = accountsOf(evidence).some((name) => isOverRate(evidence, 'sequence', name));
  if (isShown || !areShort(recorder) || !isOverRate(evidence, 'concurrent', account)) return;
  const before = trialsOf(evidence, 'sequence', account).length;
  for (const trial of [before + 1, before + 2]) {
    pace.hold(account, MOST_REFILLED_WINDOWS * pace.windowMs);
    await pace.turn(account, () =>
      oneSequence(recorder, account, trial, { opener: null, withLater: false, onUsedUp: () => undefined }),
    );
    const { accepted } = userOf(trialsOf(recorder.evidence(), 'sequence', account).at(-1) ?? []);
    if (depthOf(accepted, target.rate) < DEEP * target.rate.requests) return;
  }
}

/** What is tried besides a burst. */
interface Looks {
  withRecovery: boolean;
  withPaths: boolean;
  /** Whether the account is silent before its first bursts, which shows what a limiter stores. */
  isQuiet: boolean;
  /** What the first recovery sends in place of a read, if it is not yet shown. */
  recovery: ProbeRequest | null;
}

/**
 * Sends requests at one moment over open connections (API description, section 8). With `withRecovery`, or if nothing was
 * accepted, then waits as the last refusal asks and reads, again if that is refused.
 */
export async function askAtOneMoment(recorder: Recorder, account: string, looks: Looks): Promise<void> {
  const { pace } = recorder;
  const evidence = () => recorder.evidence();
  let hasShared = false;
  let needsRecovery = looks.withRecovery;
  for (let trial = 1; !recorder.givenUp; trial += 1) {
    // Another account may have shown the same meanwhile.
    const isSent = await pace.turn(account, async () => {
      if (trial > 1 && !needsRecovery && !needsAnotherTrial(evidence(), 'concurrent', account)) return false;
      await burstAndRecover(recorder, account, trial, { ...looks, withRecovery: needsRecovery });
      return true;
    });
    if (!isSent) break;
    // What one account shows, others need not show again. A promise that was broken is tried again alone.
    const broken = brokenRecoveries(evidence());
    const telling = broken.filter((each) => each.account === account && isUndisturbed(each, evidence()));
    const isBroken =
      broken[0]?.account === account && trial < broken[0].probe.trial + MOST_TRIALS - 1 && telling.length < 2;
    // In windows of several seconds, a wait that is rounded down shows only at some phases.
    const isAtOtherPhase = broken.length === 0 && trial < MOST_TRIALS && areOfSeveralSeconds(recorder);
    needsRecovery = isBroken || (needsRecovery && isAtOtherPhase);
    // The second trial is alone, so that no other account explains a refusal.
    if (isBroken) {
      hasShared ||= !pace.shared;
      pace.shared = true;
    }
  }
  // An account that was refused alone as well was not refused because of another one.
  if (hasShared) pace.shared = false;
}

/**
 * If recoveries of one account were refused, lets another account recover: either the limiter holds against both what it
 * refused, or another client uses the key of the one.
 */
export async function askAnotherToRecover(recorder: Recorder, open: readonly string[]): Promise<void> {
  const broken = brokenRecoveries(recorder.evidence());
  const other = open.find((name) => broken.every(({ account }) => account !== name));
  if (broken.length < 2 || other === undefined) return;
  const before = trialsOf(recorder.evidence(), 'concurrent', other).length;
  for (const trial of [before + 1, before + 2])
    await recorder.pace.turn(other, () =>
      burstAndRecover(recorder, other, trial, { withRecovery: true, withPaths: false, isQuiet: false, recovery: null }),
    );
}

/** Sends one burst, and a read at the moment for which its last refusal promises budget. */
async function burstAndRecover(recorder: Recorder, account: string, trial: number, looks: Looks): Promise<void> {
  const { pace } = recorder;
  const burst = await oneBurst(recorder, account, trial, looks.isQuiet);
  const evidence = recorder.evidence();
  const refusal = lastRefusal(recorder, burst);
  const areBoth = looks.withPaths && trial === 1;
  // Only a recovery distinguishes a limiter that refuses whole bursts from one that has not recovered.
  const isEmpty = refusal !== null && letThrough(burst, evidence).length === 0;
  const isAsked = looks.withRecovery || isEmpty || (refusal !== null && isPromisedSoon(recorder, refusal));
  // Without a limit, there is nothing to recover from.
  if (!isAsked || isOverRate(evidence, 'concurrent', account)) {
    // The burst has used up the budget. If the base path accepts now, it has a budget of its own.
    if (areBoth) await askBase(recorder, account, 1);
    return;
  }
  const sentFor = probe('recovery', { account, trial });
  if (!refusal) recorder.skip(sentFor, 'no request of the burst was refused, so there was nothing to recover from');
  const request = refusal ? (trial === 1 && looks.recovery) || read(account, sentFor) : undefined;
  const atMs = refusal ? promisedMs(recorder, refusal) : pace.freshAtMs(account);
  if (areBoth) await askInTurn(recorder, account, trial, atMs, request);
  else if (request) await recorder.send(request, { atMs });
}

/**
 * Returns when to ask after a refusal: when the sooner of its promises has passed, or the later one if the last recovery was
 * refused. A wait longer than is honest is replaced by a window. A request accepted later may have begun another window.
 */
function promisedMs(recorder: Recorder, refusal: Exchange): number {
  const { pace, target } = recorder;
  const evidence = recorder.evidence();
  const account = refusal.account ?? '';
  const longestMs = refusal.receivedAtMs + (longestHonestSeconds(target.rate) + 1) * 1000 + LITTLE_MS;
  const promised = promisedAtMs(refusal, evidence).filter((atMs) => atMs <= longestMs);
  const last = exchangesOf(evidence, 'recovery').findLast((each) => each.account === account);
  const isLater = last !== undefined && isRefused(last, evidence);
  const laterMs = letThrough(ownOf(evidence, account), evidence)
    .filter((each) => each.receivedAtMs > refusal.receivedAtMs)
    .map((each) => each.receivedAtMs + pace.windowMs + LITTLE_MS);
  return Math.max(promised.at(isLater ? -1 : 0) ?? pace.freshAtMs(account) + LITTLE_MS, ...laterMs);
}

function oneBurst(recorder: Recorder, account: string, trial: number, isQuiet: boolean): Promise<Exchange[]> {
  const size = answerable(recorder, account, burstSize(recorder.target));
  const atMs = freshMs(recorder, account, 'concurrent', trial, isQuiet);
  const sentFor = probe('concurrent', { account, trial });
  const ways = acceptedForms(sentFor, recorder);
  const requests = Array.from({ length: size }, (_, i) => ways[i % ways.length] ?? read(account, sentFor));
  return recorder.burst(requests, { atMs: Math.max(atMs, recorder.now() + LEAD_MS / 4) });
}

/**
 * Whether a refusal promises budget sooner than a window. Promises may differ between accounts, so where windows are short
 * every account is asked until one shows a broken promise.
 */
function isPromisedSoon(recorder: Recorder, refusal: Exchange): boolean {
  const isSoon = promisedMs(recorder, refusal) < recorder.pace.freshAtMs(refusal.account ?? '');
  return isSoon && areShort(recorder) && brokenRecoveries(recorder.evidence()).length === 0;
}

/** Returns the refused reads at moments for which a refusal had promised budget. */
function brokenRecoveries(evidence: Evidence): Exchange[] {
  return exchangesOf(evidence, 'recovery').filter((each) => isRefused(each, evidence));
}

function lastRefusal(recorder: Recorder, exchanges: readonly Exchange[]): Exchange | null {
  const evidence = recorder.evidence();
  const refused = exchanges.filter((exchange) => isRefused(exchange, evidence) && exchange.response !== null);
  return refused.sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1) ?? null;
}
