/** The trials at the limit, sequences and bursts: whether they were let through no more than some limiter of a rate grants, and whether another one is needed. */
import { catalogue, type Group } from '../catalogue/catalogue';
import { groupedBy } from '../common/text';
import type { Rate } from '../contract/bounds';
import { type Evidence, type Exchange, isAtTheBase, isRespelled, once } from '../evidence/model';
import { disclosesSettings, habitsOf, hasShape, letThrough, shapeOf } from '../evidence/responder/classify';
import { accidentsIn } from '../evidence/responder/failures';
import { isHeldBack, isQueue, queuesAndRefuses } from '../evidence/responder/queueing';
import { type Decision, type FullStretch, fitsBucket, fullStretches, isExplained, shareOfPhases } from './level';
import { countsTruly, reportedLimit } from './reported';
import {
  type Answered,
  accountsOf,
  areApartInTime,
  areExplained,
  hasFailedOverLimit,
  isDescribed,
  oddRefusals,
  oncePer,
  timelineOf,
  userOf,
  windowMsOf,
} from './timeline';

/** Returns an account's requests of a group, trial by trial. What opened a sequence is part of it. */
export const trialsOf = oncePer((evidence, group: Group, account: string): Answered[][] => {
  const own = timelineOf(evidence, account).filter(({ exchange }) => exchange.probe.group === group);
  const trials = [...groupedBy(own, ({ exchange }) => exchange.probe.trial).values()];
  if (group !== 'sequence') return trials;
  return trials.map((trial) => {
    const opener = trial[0] && openerOf(trial[0], evidence);
    return opener && !drawsOnAnother(opener, trial[0] as Answered, evidence) ? [opener, ...trial] : trial;
  });
});

/** Returns the accepted request less than a window before the first of a sequence that may stand for a plain read, if any. */
function openerOf(first: Answered, evidence: Evidence): Answered | null {
  const own = timelineOf(evidence, first.exchange.account ?? '');
  const before = own[own.indexOf(first) - 1];
  const mayOpen = before?.outcome === 'accepted' && catalogue[before.exchange.probe.group].mayOpen;
  return before && mayOpen && before.toMs > first.fromMs - windowMsOf(evidence) ? before : null;
}

/** Whether a sequence was opened on the base path, perhaps with a budget of its own. */
export function opensOnAnother(first: Answered, evidence: Evidence): boolean {
  const opener = openerOf(first, evidence);
  return opener !== null && drawsOnAnother(opener, first, evidence);
}

/**
 * Whether the opener of a sequence may have drawn on a budget of its own: it went to the base path, and both were let in at
 * once. Where bursts on one path go over the rate as well, they may have drawn on one.
 */
function drawsOnAnother(opener: Answered, first: Answered, evidence: Evidence): boolean {
  const soonMs = windowMsOf(evidence) / evidence.target.rate.requests;
  const areBothIn = first.outcome === 'accepted' && first.toMs - opener.fromMs < soonMs;
  return (
    isAtTheBase(opener.exchange) &&
    areBothIn &&
    !accountsOf(evidence).some((name) => isOverRate(evidence, 'concurrent', name))
  );
}

/** As `howOver`. What one of several trials shows alone, and a restart in it explains, is not over. */
export function isOverRate(evidence: Evidence, group: Group, account: string, limit?: number): boolean {
  const over = howOver(evidence, group, account, limit);
  return over === 'yes' || (over === 'once' && trialsOf(evidence, group, account).length === 1);
}

/**
 * Whether a group's trials of an account let through more than any limiter of so many requests a window, by default those of
 * the rate; `once` where one trial alone did, as where the server was restarted in the middle of it.
 */
export const howOver = oncePer((evidence, group: Group, account: string, limit?: number): 'yes' | 'once' | 'no' => {
  const requests = limit ?? evidence.target.rate.requests;
  const rate = { ...evidence.target.rate, requests };
  const trials = trialsOf(evidence, group, account);
  const isWithin = (accepted: readonly Answered[]) => areExplained({ accepted }, evidence, rate);
  if (trials.length === 0 || isWithin(userOf(trials.flat()).accepted)) return 'no';
  const [first, ...more] = trials.filter((trial) => !isWithin(userOf(trial).accepted));
  if (!first || more.length > 0) return 'yes';
  const { accepted } = userOf(first);
  // Windows let through twice the limit around their end, before a restart and after it.
  const mayBeSplit =
    accepted.length <= 4 * requests &&
    accepted.some((_, i) => isWithin(accepted.slice(0, i)) && isWithin(accepted.slice(i)));
  const others = trials.filter((trial) => trial !== first);
  return mayBeSplit && isWithin(userOf(others.flat()).accepted) ? 'once' : 'yes';
});

/** The accounts whose sequences and bursts let through no more than the rate. Of any other, no refusal shows whose budget was used up. */
export const limitedAccounts = once((evidence: Evidence): readonly string[] =>
  accountsOf(evidence).filter(
    (name) => !isOverRate(evidence, 'sequence', name) && !isOverRate(evidence, 'concurrent', name),
  ),
);

/** Whether no account was let through more than the rate. */
export function isLimitKept(evidence: Evidence): boolean {
  return limitedAccounts(evidence).length === evidence.target.accounts.length;
}

/** Whether no limiter with one budget for both paths accepted all this, though each group of trials keeps the rate. */
export function drawsOnTwo(evidence: Evidence, account: string): boolean {
  // On a server whose refusals look like success, what / answers may be one.
  if ([...habitsOf(evidence).statuses].some((status) => status < 300)) return false;
  const { accepted } = userOf(timelineOf(evidence, account).filter(({ exchange }) => isDescribed(exchange, evidence)));
  return isLimitKept(evidence) && !areExplained({ accepted }, evidence);
}

/** Returns what was served of these requests, with the settings or as HEAD: a page that answers any address says nothing of the API. */
export const servedRespelled = oncePer((evidence, account: string): readonly Answered[] => {
  const plain = timelineOf(evidence, account).find(
    ({ exchange, outcome }) => outcome === 'accepted' && !isAtTheBase(exchange),
  )?.exchange;
  // Where refusals look like success, HEAD does not show which it was.
  const isHeadTelling = ![...habitsOf(evidence).statuses].some((status) => status < 300);
  const isServed = (exchange: Exchange) => {
    const isRead = disclosesSettings(exchange) || (plain !== undefined && hasShape(exchange, shapeOf(plain)));
    const isSeen = exchange.request.method === 'HEAD' ? isHeadTelling : isRead;
    return letThrough([exchange], evidence).length > 0 && isSeen;
  };
  return timelineOf(evidence, account).filter(({ exchange }) => isRespelled(exchange) && isServed(exchange));
});

/**
 * Whether no limiter of the declared rate let in these requests beside everything plain.
 * @param some of those that were served; by default all
 */
export function isRoundTheLimit(
  evidence: Evidence,
  account: string,
  some: readonly Answered[] = servedRespelled(evidence, account),
): boolean {
  // The base path may have a budget of its own (rate.across-paths).
  const { accepted } = userOf(timelineOf(evidence, account).filter(({ exchange }) => !isAtTheBase(exchange)));
  return !areExplained({ accepted: [...accepted, ...some] }, evidence);
}

/** Whether in each trial only the end of a window would explain what was let in, so that it is looked at again at another phase. */
export function mayBeRoundTheLimit(evidence: Evidence, account: string): boolean {
  const own = timelineOf(evidence, account);
  const plain = own.filter(({ exchange, outcome }) => outcome === 'accepted' && !isAtTheBase(exchange));
  const sent = own.filter(({ exchange }) => exchange.probe.group === 'respelled');
  const trials = [...groupedBy(sent, ({ exchange }) => exchange.probe.trial).values()];
  const isSeldom = (trial: readonly Answered[]) => {
    const served = servedRespelled(evidence, account).filter((each) => trial.includes(each));
    const sinceMs = Math.min(...trial.map(({ fromMs }) => fromMs)) - windowMsOf(evidence);
    const untilMs = Math.max(...trial.map(({ toMs }) => toMs));
    const beside = plain.filter(({ fromMs, toMs }) => toMs > sinceMs && fromMs <= untilMs);
    return served.length > 0 && !fitsBucket([...beside, ...served], evidence.target.rate);
  };
  return trials.length > 0 && trials.every(isSeldom);
}

/** Returns the requests accepted within a stretch that are most beyond what a bucket gives back meanwhile. */
export function fullest<D extends Decision>(accepted: readonly D[], rate: Rate, memoryMs: number): readonly D[] {
  const beyond = ({ count, fromMs, toMs }: FullStretch) =>
    count - (rate.requests * (toMs - fromMs)) / (rate.seconds * 1000);
  const [most] = fullStretches(accepted, rate.requests, memoryMs).sort((a, b) => beyond(b) - beyond(a));
  return most?.decisions.slice(0, most.count) ?? [];
}

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
  const empty = names.flatMap((name) => trialsOf(evidence, group, name)).filter(isEmpty);
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
