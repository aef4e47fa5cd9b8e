/** Whether another trial at the rate limit is needed before a verdict. */
import type { Group } from '../catalogue/catalogue';
import type { Rate } from '../contract/bounds';
import { type Evidence, type Exchange, isAtTheBase } from '../evidence/model';
import { accidentsIn } from '../evidence/responder/failures';
import { isQueue, isTurnedAway, queuesAndRefuses } from '../evidence/responder/queueing';
import { howOver, isOverRate, opensOnAnother, trialsOf } from './enforced';
import { type Decision, fitsBucket, isExplained, shareOfPhases } from './level';
import { countsTruly, refusesWithSomeLeft, reportedLimit } from './reported';
import { type Answered, accountsOf, areApartInTime, oddRefusals, timelineOf, userOf, windowMsOf } from './timeline';

/** The most trials of a group for each account. */
export const MOST_TRIALS = 3;

/** Three trials begin a third of a window apart, so no phase explains all of them if each allows less than two thirds. */
const TWO_THIRDS = 2 / 3;

/**
 * Whether another trial is needed: only the end of a window explains a trial, or something is odd, no breach is certain, and
 * fewer than `MOST_TRIALS` were made. A limiter is the same program for all accounts, so one account shows enough.
 */
export function needsAnotherTrial(evidence: Evidence, group: Group, account: string): boolean {
  const trials = trialsOf(evidence, group, account);
  const names = accountsOf(evidence);
  // A server that accepts too many on one path does so on both.
  const isCertain = names.some((name) =>
    group === 'paths' ? isOverRate(evidence, 'sequence', name) : howOver(evidence, group, name) === 'yes',
  );
  if (trials.length === 0 || isCertain) return false;
  // The account that exceeded the rate once is asked again, whatever others have shown.
  const asked = howOver(evidence, group, account) === 'no' ? names : [account];
  if (asked.some((name) => trialsOf(evidence, group, name).length >= MOST_TRIALS)) return false;
  // A second trial shows whether it was an accident.
  if (trials.at(-1)?.some(({ exchange }) => accidentsIn(evidence).has(exchange))) return true;
  if (group === 'paths')
    return areBothPathsLetIn(trials, evidence) || trials.slice(-1).some((trial) => isOdd(trial, evidence));
  if (group === 'sequence') return trials.every((trial) => isOddSequence(trial, evidence));
  if (group !== 'concurrent') return false;
  const empty = names.flatMap((name) => trialsOf(evidence, group, name)).filter(isEmpty);
  // Bursts of one moment may have met one accident. Another client explains those of a single account.
  const areSeveral = new Set(empty.map(([first]) => first?.account)).size > 1;
  const areTelling = areSeveral && areApartInTime(empty.flat(), evidence);
  return trials.some((trial) => (isEmpty(trial) ? !areTelling : isOdd(trial, evidence)));
}

/** Whether both paths were accepted each time, one after the other or at one moment, as one budget seldom allows. */
function areBothPathsLetIn(trials: readonly Answered[][], evidence: Evidence): boolean {
  const atOnce = trials.filter((trial) => isOneMoment(trial.map(({ exchange }) => exchange)));
  const inTurn = trials.filter((trial) => !atOnce.includes(trial));
  const isBeyond = (trial: readonly Answered[]) =>
    trial.every(({ outcome }) => outcome === 'accepted') || !fitsBucket(userOf(trial).accepted, evidence.target.rate);
  const isLetIn = (trial: readonly Answered[]) => {
    const last = trial.findLast(({ exchange }) => isAtTheBase(exchange));
    const isServed = last?.outcome === 'accepted' && !isTurnedAway(last.exchange, evidence);
    // A queue that refuses as well is asked again while it is full, since refusals of the base path are judged too.
    return isServed || (last?.outcome === 'accepted' && queuesAndRefuses(evidence));
  };
  return (atOnce.length > 0 && atOnce.every(isBeyond)) || (inTurn.length > 0 && inTurn.every(isLetIn));
}

/** Whether as many requests went to one path as to the other before any was answered. */
function isOneMoment(trial: readonly Exchange[]): boolean {
  const firstAnswerMs = Math.min(...trial.map(({ receivedAtMs }) => receivedAtMs));
  return trial.filter(isAtTheBase).length * 2 === trial.length && trial.every((each) => each.sentAtMs < firstAnswerMs);
}

/** Whether nothing of a burst was accepted although it began with a whole budget. */
function isEmpty(trial: readonly Answered[]): boolean {
  return trial.length > 1 && trial.every(({ outcome }) => outcome !== 'accepted');
}

function isOddSequence(trial: readonly Answered[], evidence: Evidence): boolean {
  const [first] = trial;
  return (
    first !== undefined && (first.outcome === 'refused' || opensOnAnother(first, evidence) || isOdd(trial, evidence))
  );
}

/** Whether fewer of a trial were accepted than the limit, but some. */
function isShort(trial: readonly Answered[], evidence: Evidence): boolean {
  const account = trial[0]?.account ?? '';
  const { requests } = evidence.target.rate;
  const odd = oddRefusals(evidence, account, Math.min(reportedLimit(account, evidence) ?? requests, requests));
  return trial.some((each) => odd.includes(each)) && trial.some(({ outcome }) => outcome === 'accepted');
}

/** Whether only the end of a window explains a trial. */
function isOdd(trial: readonly Answered[], evidence: Evidence): boolean {
  const account = trial[0]?.account ?? '';
  const { rate } = evidence.target;
  const limit = reportedLimit(account, evidence) ?? rate.requests;
  const isSeldom = [limit, rate.requests].some((requests) => seemsAtABoundary(trial, evidence, { ...rate, requests }));
  const soon = { requests: limit, seconds: rate.seconds * TWO_THIRDS };
  const hasLeft = trial.some(refusesWithSomeLeft);
  return isShort(trial, evidence) || isSeldom || hasLeft || !isReportedPlainly(trial, evidence, soon);
}

/** Returns the requests of a trial within half a window from its first. During later ones, a window nearly always ends. */
export function openingOf(trial: readonly Answered[], evidence: Evidence): Answered[] {
  return trial.filter(({ toMs }) => toMs - (trial[0]?.fromMs ?? 0) < windowMsOf(evidence) / 2);
}

/** Whether fixed windows explain accepted requests at less than two thirds of all phases. */
export function areAtABoundary(accepted: readonly Decision[], rate: Rate): boolean {
  return shareOfPhases(accepted, rate) < TWO_THIRDS;
}

/** Whether a trial's accepted requests seem to be so. Of what no queue held back, the middle stands, however slow the answer was. */
export function seemsAtABoundary(trial: readonly Answered[], evidence: Evidence, rate = evidence.target.rate): boolean {
  const { accepted } = userOf(trial);
  const middles = accepted.map(({ fromMs, toMs }) => (fromMs + toMs) / 2);
  return areAtABoundary(isQueue(evidence) ? accepted : middles.map((ms) => ({ fromMs: ms, toMs: ms })), rate);
}

/** Whether a bucket or a log would report what a trial's answers report. */
function isReportedPlainly(trial: readonly Answered[], evidence: Evidence, rate: Rate): boolean {
  const charged = timelineOf(evidence, trial[0]?.account ?? '');
  const also = countsTruly(rate.requests, rate);
  return (
    isQueue(evidence) ||
    isExplained({ accepted: userOf(trial).accepted, charged }, rate, { families: ['a bucket', 'a sliding log'], also })
  );
}
