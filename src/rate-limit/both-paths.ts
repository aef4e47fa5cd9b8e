/** Trials of both paths: whether /webhooks and / draw on one budget (API description, section 8). */
import { groupedBy } from '../common/grouped';
import type { Evidence, Exchange } from '../evidence/model';
import { habitsOf, isAccepted, isRefused, isWhole, letThrough, statusOf } from '../evidence/responder/classify';
import { isHeldBack, isQueue, queuesAndRefuses } from '../evidence/responder/queueing';
import { exchangesOf, isAtTheBase } from '../evidence/select';
import { ownOf } from '../evidence/time/gaps';
import { type Decision, isExplainedByBoundaries } from './decisions';
import { explainingWindowSeconds } from './longer-limits';
import { isHeldBackMeanwhile } from './shared-budgets';
import { baseBefore, otherPathBefore } from './trials';

/** Requests to both paths that used up a budget, and what was let through beyond it. */
export interface PathTrial extends Decision {
  exchanges: Exchange[];
  /** The last request to the second path; of a burst, the last one that was accepted there. */
  last: Exchange;
  /** `nothing` where budget may have come back meanwhile, or the base path is not served. */
  shows: 'one budget' | 'two budgets' | 'nothing';
  /** Whether a bucket that gained a request at some moment of the trial would explain what was let through. */
  isExplainedByATick: boolean;
}

/** Returns the trials of an account, in the order of sending. */
export function pathTrials(evidence: Evidence, account: string): PathTrial[] {
  const own = evidence.exchanges.filter((exchange) => exchange.account === account);
  const atThePaths = own.filter(({ probe }) => probe.group === 'paths');
  const bursts = [...groupedBy(atThePaths, ({ probe }) => probe.trial).values()].filter(isOneMoment);
  const inBursts = new Set(bursts.flat());
  const singles = own.flatMap((last): PathTrial[] => {
    const opener = last.probe.group === 'sequence' ? baseBefore(last, evidence) : null;
    if (opener) {
      const shown = trialOf([opener, last], last, 1, evidence);
      return shown.shows === 'one budget' || otherPathBefore(last, evidence) ? [shown] : [];
    }
    if (last.probe.group !== 'paths' || !isAtTheBase(last) || !isWhole(last) || inBursts.has(last)) return [];
    const waiting = own.find((exchange) => isHeldBackMeanwhile(exchange, last, evidence));
    if (waiting) return [{ ...trialOf([last], last, 1, evidence), exchanges: [waiting, last] }];
    const { requests } = evidence.target.rate;
    const before = own.filter((exchange) => exchange.receivedAtMs <= last.sentAtMs);
    const reads = letThrough(before, evidence).slice(-requests);
    return reads.length === requests ? [trialOf([...reads, last], last, 1, evidence)] : [];
  });
  return [...singles, ...bursts.flatMap((trial) => burstTrial(trial, evidence))].sort((a, b) => a.fromMs - b.fromMs);
}

/**
 * Whether a trial may have been let through on both paths, so that it has to be seen again. A queue that refuses as well
 * is asked again while it is full: how the base path refuses is judged too.
 */
export function isOfBothPaths(trial: readonly Exchange[], evidence: Evidence): boolean {
  const shown = pathTrials(evidence, trial[0]?.account ?? '').find(({ last }) => trial.includes(last));
  return shown !== undefined && isAccepted(shown.last) && (shown.shows !== 'one budget' || queuesAndRefuses(evidence));
}

/** Whether as many requests went to one path as to the other, before any was answered. */
export function isOneMoment(trial: readonly Exchange[]): boolean {
  const firstAnswerMs = Math.min(...trial.map(({ receivedAtMs }) => receivedAtMs));
  return trial.filter(isAtTheBase).length * 2 === trial.length && trial.every((each) => each.sentAtMs < firstAnswerMs);
}

/** As many requests to each path at one moment as the rate allows: one budget refuses half, but for what came back. */
function burstTrial(trial: Exchange[], evidence: Evidence): PathTrial[] {
  const through = letThrough(trial, evidence);
  const last = through.findLast(isAtTheBase) ?? trial.findLast(isAtTheBase);
  if (!last || !trial.every(isWhole)) return [];
  const shown = trialOf(through, last, through.length - evidence.target.rate.requests, evidence);
  const isOne = shown.shows === 'nothing' && trial.some((exchange) => isRefused(exchange, evidence));
  return [{ ...shown, exchanges: trial, ...(isOne ? { shows: 'one budget' } : {}) }];
}

/** @param beyond how many of these were let through beyond one budget, if `last` was accepted */
function trialOf(exchanges: Exchange[], last: Exchange, beyond: number, evidence: Evidence): PathTrial {
  const { requests, seconds } = evidence.target.rate;
  const fromMs = Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs));
  const toMs = Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs));
  // A bucket certainly gains so many in this time, and one more where a tick falls into the rest.
  const gained = Math.floor((toMs - fromMs) / ((seconds * 1000) / requests));
  const isOut = isRefused(last, evidence) || (isHeldBack(last, evidence) && isQueue(evidence));
  // On a server whose refusals look like success, the last answer may be a refusal.
  const isLetThrough = isAccepted(last) && !isOut && !habitsOf(evidence).statuses.has(statusOf(last));
  const shows = isLetThrough && beyond > gained ? 'two budgets' : isOut ? 'one budget' : 'nothing';
  return { exchanges, last, fromMs, toMs, shows, isExplainedByATick: beyond <= gained + 1 };
}

/**
 * Whether one budget was seen whichever path was asked last: one that is refused need not use up anything. Where several
 * requests fit into a window, only both paths at one moment show either order, and of long windows there is none to spare.
 * A base path that serves nobody is asked last alone.
 * In evidence recorded by earlier versions no sequence was to begin on the base path: there one order is enough.
 */
export function areOneInEitherOrder(trials: readonly PathTrial[], evidence: Evidence): boolean {
  const shown = trials.filter(({ shows }) => shows === 'one budget');
  const wasToBeAsked = exchangesOf(evidence, 'base-accepted').some(({ probe }) => probe.form !== '');
  const isAsked =
    exchangesOf(evidence, 'sequence').some((first) => baseBefore(first, evidence) !== null) ||
    (wasToBeAsked && evidence.target.accounts.some(({ name }) => isBaseServed(evidence, name)));
  const isOneEnough =
    !isAsked || evidence.target.rate.requests > 1 || shown.some(({ exchanges }) => isOneMoment(exchanges));
  return [true, false].every((atBase) => shown.some(({ last }) => isOneEnough || isAtTheBase(last) === atBase));
}

/** Whether windows of the declared rate, or longer ones, or a bucket would let all this through: some boundary explains it. */
export function areBoundaries(trials: readonly PathTrial[], evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const longer = explainingWindowSeconds(evidence);
  return (
    [seconds, ...(longer === null ? [] : [longer])].some((each) => isExplainedByBoundaries(trials, each * 1000)) ||
    (trials.every(({ isExplainedByATick }) => isExplainedByATick) &&
      isExplainedByBoundaries(trials, (seconds * 1000) / requests))
  );
}

/** Whether the base path accepted a request of an account. */
export function isBaseServed(evidence: Evidence, account: string): boolean {
  return ownOf(evidence, account).some((exchange) => isAtTheBase(exchange) && isAccepted(exchange));
}

/** Whether a request to the base path failed where the budget is used up: an accident, or how it refuses. */
export function hasFailedOverLimit(exchange: Exchange, evidence: Evidence): boolean {
  const hasFailed = isWhole(exchange) ? statusOf(exchange) >= 500 : exchange.fault?.kind !== 'unreachable';
  return exchange.probe.group === 'paths' && isAtTheBase(exchange) && hasFailed && !isRefused(exchange, evidence);
}
