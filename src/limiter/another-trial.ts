/** Whether another trial at the rate limit is needed before a verdict. */
import type { Group } from '../catalogue/catalogue';
import type { Rate } from '../contract/bounds';
import { type Evidence, type Exchange, isAtTheBase } from '../evidence/model';
import { accidentsIn } from '../evidence/responder/failures';
import { isHeldBack, isQueue, queuesAndRefuses } from '../evidence/responder/queueing';
import { howOver, isOverRate, opensOnAnother, trialsOf } from './enforced';
import { fitsBucket, isExplained, shareOfPhases } from './level';
import { countsTruly, reportedLimit } from './reported';
import {
  type Answered,
  accountsOf,
  areApartInTime,
  hasFailedOverLimit,
  isUndisturbed,
  oddRefusals,
  timelineOf,
  userOf,
} from './timeline';

/** The most trials of a group with an account. */
export const MOST_TRIALS = 3;

/** Three trials begin a third of a window apart, so no phase explains all three if each leaves less than two thirds. */
const TWO_THIRDS = 2 / 3;

/**
 * Whether another trial is needed: a trial needs a boundary, or something odd, to be explained, no certain breach was seen, and
 * fewer than `MOST_TRIALS` were taken. A limiter is the same program for all accounts, so what one account has shown is not
 * sought on another.
 */
export function needsAnotherTrial(evidence: Evidence, group: Group, account: string): boolean {
  const trials = trialsOf(evidence, group, account);
  const names = accountsOf(evidence);
  // A server that lets too many through on one path does so on two.
  const isCertain = names.some((name) =>
    group === 'paths' ? isOverRate(evidence, 'sequence', name) : howOver(evidence, group, name) === 'yes',
  );
  if (trials.length === 0 || isCertain) return false;
  if (names.some((name) => trialsOf(evidence, group, name).length >= MOST_TRIALS)) return false;
  // A second trial shows whether it was an accident: an accident does not come again.
  if (trials.at(-1)?.some(({ exchange }) => accidentsIn(evidence).has(exchange))) return true;
  if (group === 'paths') return areBothPathsLetIn(trials, evidence) || isFailureOfOneMoment(trials, evidence);
  if (group === 'sequence') return trials.every((trial) => isOddSequence(trial, evidence));
  if (group !== 'concurrent') return false;
  const empty = names
    .flatMap((name) => trialsOf(evidence, group, name))
    .filter((trial) => isEmpty(trial) && !isEmptyBesideOthers(trial, evidence));
  // Bursts at one moment may have met one accident, and another client explains those of a single account.
  const areSeveral = new Set(empty.map(([first]) => first?.exchange.account)).size > 1;
  const areTelling = areSeveral && areApartInTime(empty.flat(), evidence);
  return trials.some((trial) => (isEmpty(trial) ? !areTelling : isOdd(trial, evidence)));
}

/** Whether a way to ask both paths, one after the other or at one moment, only ever let in what one budget seldom does. */
function areBothPathsLetIn(trials: readonly Answered[][], evidence: Evidence): boolean {
  const atOnce = trials.filter((trial) => isOneMoment(trial.map(({ exchange }) => exchange)));
  const inTurn = trials.filter((trial) => !atOnce.includes(trial));
  const isBeyond = (trial: readonly Answered[]) =>
    trial.every(({ outcome }) => outcome === 'accepted') || !isPlain(trial, evidence);
  const isLetIn = (trial: readonly Answered[]) => {
    const last = trial.findLast(({ exchange }) => isAtTheBase(exchange));
    const isServed = last?.outcome === 'accepted' && !(isHeldBack(last.exchange, evidence) && isQueue(evidence));
    // A queue that refuses as well is asked again while it is full: how the base path refuses is judged too.
    return isServed || (last?.outcome === 'accepted' && queuesAndRefuses(evidence));
  };
  return (atOnce.length > 0 && atOnce.every(isBeyond)) || (inTurn.length > 0 && inTurn.every(isLetIn));
}

/** Whether as many requests went to one path as to the other, before any was answered. */
export function isOneMoment(trial: readonly Exchange[]): boolean {
  const firstAnswerMs = Math.min(...trial.map(({ receivedAtMs }) => receivedAtMs));
  return trial.filter(isAtTheBase).length * 2 === trial.length && trial.every((each) => each.sentAtMs < firstAnswerMs);
}

/** Whether the base path failed over the limit in the last trial, and in no other. */
function isFailureOfOneMoment(trials: readonly Answered[][], evidence: Evidence): boolean {
  const failed = trials.filter((trial) => trial.some(({ exchange }) => hasFailedOverLimit(exchange, evidence)));
  return failed.length === 1 && failed[0] === trials.at(-1);
}

/** Whether nothing of a burst was let through, although it began with a whole budget. */
function isEmpty(trial: readonly Answered[]): boolean {
  return trial.length > 1 && trial.every(({ outcome }) => outcome !== 'accepted');
}

/** Whether nothing of a burst was let through, unlike what its account asked next, and another account was busy: that may be why. */
export function isEmptyBesideOthers(trial: readonly Answered[], evidence: Evidence): boolean {
  const own = timelineOf(evidence, trial[0]?.exchange.account ?? '');
  const next = own[own.findLastIndex((each) => trial.includes(each)) + 1];
  const isAlone = trial.every(({ exchange }) => isUndisturbed(exchange, evidence));
  return !isAlone && isEmpty(trial) && next?.outcome === 'accepted';
}

function isOddSequence(trial: readonly Answered[], evidence: Evidence): boolean {
  const [first] = trial;
  return (
    first !== undefined && (first.outcome === 'refused' || opensOnAnother(first, evidence) || isOdd(trial, evidence))
  );
}

/** Whether no limiter explains a trial but where the end of a window came into it. */
function isOdd(trial: readonly Answered[], evidence: Evidence): boolean {
  const account = trial[0]?.exchange.account ?? '';
  const { rate } = evidence.target;
  const limit = reportedLimit(account, evidence) ?? rate.requests;
  const odd = oddRefusals(evidence, account, Math.min(limit, Math.max(rate.requests, 1)));
  const isShort = trial.some((each) => odd.includes(each)) && trial.some(({ outcome }) => outcome === 'accepted');
  const { accepted } = userOf(trial);
  const isSeldom = [limit, rate.requests].some(
    (requests) => shareOfPhases(accepted, { ...rate, requests }) < TWO_THIRDS,
  );
  const soon = { requests: limit, seconds: rate.seconds * TWO_THIRDS };
  return isShort || isSeldom || !isReportedPlainly(trial, evidence, soon);
}

/** Whether a bucket explains what a trial was let through, so that no window need have ended in it. */
export function isPlain(trial: readonly Answered[], evidence: Evidence): boolean {
  return fitsBucket(userOf(trial).accepted, evidence.target.rate);
}

/** Whether a bucket or a log of a limit would report what a trial's answers did. */
function isReportedPlainly(trial: readonly Answered[], evidence: Evidence, rate: Rate): boolean {
  const charged = timelineOf(evidence, trial[0]?.exchange.account ?? '');
  const also = countsTruly(rate.requests, rate);
  return (
    isQueue(evidence) ||
    isExplained({ accepted: userOf(trial).accepted, charged }, rate, { families: ['a bucket', 'a sliding log'], also })
  );
}
