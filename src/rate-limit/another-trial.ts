/** Whether another trial at the rate limit is needed before a verdict. */
import type { Group } from '../catalogue/catalogue';
import { saidBy } from '../evidence/http/headers';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, letThrough } from '../evidence/responder/classify';
import { accidentsIn } from '../evidence/responder/outages';
import { ownOf } from '../evidence/time/gaps';
import { hasFailedOverLimit, isOfBothPaths, isOneMoment } from './both-paths';
import { decisionOf, shareOfPhases } from './decisions';
import { isUndisturbed } from './own-budgets';
import { leastGranted, miscounted, shareGranted } from './remaining';
import { isAfterSilence, miscountsAtOnce } from './remaining-at-once';
import { isOverRate, mayBeARestart, otherPathBefore, trialsOf } from './trials';

/** The most trials of a group with an account. */
export const MOST_TRIALS = 3;

/**
 * A trial that less than this share of all phases explain is repeated. Three trials begin a third of a window apart, so
 * no phase explains all three if each leaves less than two thirds.
 */
const RARE = 0.65;

/** Whether more were let through than the limit, unless windows at many phases explain it. */
export function isOver(trial: readonly Exchange[], requests: number, evidence: Evidence): boolean {
  const { seconds } = evidence.target.rate;
  return shareOfPhases(letThrough(trial, evidence).map(decisionOf), { requests, seconds }) < RARE;
}

/**
 * Whether another trial is due: a trial was suspicious, no certain breach was seen, and fewer than `MOST_TRIALS` were
 * taken. A limiter is the same program for all accounts, so what one account has shown is not sought on another.
 */
export function needsAnotherTrial(evidence: Evidence, group: Group, account: string): boolean {
  const trials = trialsOf(evidence, group, account);
  if (trials.length === 0) return false;
  const names = evidence.target.accounts.map(({ name }) => name);
  // A server that lets too many through on one path does so on two.
  const shown = group === 'paths' ? 'sequence' : group;
  const isCertain = (name: string, shownBy = trialsOf(evidence, shown, name)) =>
    isOverRate(shownBy, evidence, name) && (group === 'paths' || !mayBeARestart(shownBy, evidence, name));
  if (names.some((name) => isCertain(name))) return false;
  if (names.some((name) => trialsOf(evidence, group, name).length >= MOST_TRIALS)) return false;
  // A second trial shows whether it was an accident: an accident does not come again.
  if (trials.at(-1)?.some((exchange) => accidentsIn(evidence).has(exchange))) return true;
  if (group === 'paths') return areTwoBudgets(trials, evidence) || isFailureOfOneMoment(trials, evidence);
  if (group !== 'concurrent') return trials.every((trial) => isSuspicious(group, trial, evidence));
  const empty = names
    .flatMap((name) => trialsOf(evidence, group, name))
    .filter((trial) => isEmpty(trial, evidence) && !isEmptyBesideOthers(trial, evidence));
  return trials.some(
    (trial) => isSuspicious(group, trial, evidence) || (isEmpty(trial, evidence) && !areTelling(empty, evidence)),
  );
}

/** Whether a way to ask both paths, one after the other or at one moment, only ever showed two budgets. */
function areTwoBudgets(trials: readonly Exchange[][], evidence: Evidence): boolean {
  const atOnce = trials.filter(isOneMoment);
  const inTurn = trials.filter((trial) => !isOneMoment(trial));
  return [atOnce, inTurn].some((some) => some.length > 0 && some.every((trial) => isOfBothPaths(trial, evidence)));
}

/** Whether the base path failed over the limit in the last trial, and in no other. */
function isFailureOfOneMoment(trials: readonly Exchange[][], evidence: Evidence): boolean {
  const failed = trials.filter((trial) => trial.some((exchange) => hasFailedOverLimit(exchange, evidence)));
  return failed.length === 1 && failed[0] === trials.at(-1);
}

/**
 * Whether these empty bursts come from the limiter. Bursts at one moment may have met one accident, and another client
 * that comes as regularly as the trials explains all bursts of a single account.
 */
export function areTelling(empty: readonly Exchange[][], evidence: Evidence): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  const sentAtMs = empty.map(([first]) => first?.sentAtMs ?? 0).sort((a, b) => a - b);
  const moments = sentAtMs.filter((atMs, i) => i === 0 || atMs - (sentAtMs[i - 1] ?? 0) >= windowMs);
  return moments.length > 1 && new Set(empty.map(([first]) => first?.account)).size > 1;
}

/** Whether nothing of a burst was let through, although it began with a whole budget. */
function isEmpty(trial: readonly Exchange[], evidence: Evidence): boolean {
  return trial.length > 1 && letThrough(trial, evidence).length === 0;
}

/** Whether nothing of a burst was let through, unlike what its account asked next, and another account was busy: that may be why. */
export function isEmptyBesideOthers(trial: readonly Exchange[], evidence: Evidence): boolean {
  const isAlone = trial.every((exchange) => isUndisturbed(exchange, evidence));
  return !isAlone && isEmpty(trial, evidence) && isAcceptedNext(trial, evidence);
}

/** Whether the next request of a trial's account was let through. */
export function isAcceptedNext(trial: readonly Exchange[], evidence: Evidence): boolean {
  const own = ownOf(evidence, trial[0]?.account ?? '');
  const next = own[own.findLastIndex((exchange) => trial.includes(exchange)) + 1];
  return next !== undefined && letThrough([next], evidence).length > 0;
}

function isSuspicious(group: Group, trial: Exchange[], evidence: Evidence): boolean {
  const named = trial.map((exchange) => saidBy(exchange).limit).find((limit) => limit !== null) ?? null;
  if (isOver(trial, evidence.target.rate.requests, evidence) || (named !== null && isOver(trial, named, evidence)))
    return true;
  const share = shareGranted(trial, evidence);
  const isShort = share !== null && share.granted > 0 && share.granted < share.named;
  if (group === 'concurrent')
    return isAfterSilence(trial, evidence) && (isShort || miscountsAtOnce([trial], evidence).length > 0);
  if (group !== 'sequence') return false;
  if (trial[0] && otherPathBefore(trial[0], evidence)) return true;
  const first = trial[0];
  return (
    isShort ||
    share?.granted === 0 ||
    (first !== undefined && isRefused(first, evidence)) ||
    miscounted(trial, evidence, leastGranted([trial], evidence)).length > 0
  );
}
