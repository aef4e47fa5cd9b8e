/** Whether sequences and bursts had no more requests accepted than some limiter of a rate grants. */
import { catalogue, type Group } from '../catalogue/catalogue';
import { groupedBy } from '../common/text';
import type { Rate } from '../contract/bounds';
import { type Evidence, type Exchange, isAtTheBase, isRespelled, once } from '../evidence/model';
import { disclosesSettings, habitsOf, hasShape, letThrough, shapeOf } from '../evidence/responder/classify';
import { isHeldBack, isQueue, isTurnedAway, usualLatencyMs } from '../evidence/responder/queueing';
import { type Decision, type FullStretch, fitsBucket, fullStretches, mostHeld, SLACK_MS } from './level';
import { reportedLimit } from './reported';
import {
  type Answered,
  accountsOf,
  areApartInTime,
  areExplained,
  isDescribed,
  isUndisturbed,
  oddRefusals,
  oncePer,
  timelineOf,
  userOf,
  windowMsOf,
} from './timeline';
import { otherClients } from './worlds';

/** Returns an account's requests of a group, trial by trial. The opener of a sequence belongs to it. */
export const trialsOf = oncePer((evidence, group: Group, account: string): Answered[][] => {
  const own = timelineOf(evidence, account).filter(({ exchange }) => exchange.probe.group === group);
  const trials = [...groupedBy(own, ({ exchange }) => exchange.probe.trial).values()];
  if (group !== 'sequence') return trials;
  return trials.map((trial) => {
    const opener = trial[0] && openerOf(trial[0], evidence);
    return opener && !drawsOnAnother(opener, trial[0] as Answered, evidence) ? [opener, ...trial] : trial;
  });
});

/** Returns the accepted request that opened a sequence in place of a plain read, less than a window before; if any. */
function openerOf(first: Answered, evidence: Evidence): Answered | null {
  const own = timelineOf(evidence, first.account);
  const before = own[own.indexOf(first) - 1];
  const mayOpen = before?.outcome === 'accepted' && catalogue[before.exchange.probe.group].mayOpen;
  return before && mayOpen && before.toMs > first.fromMs - windowMsOf(evidence) ? before : null;
}

/** Whether a sequence was opened on the base path, which may have a budget of its own. */
export function opensOnAnother(first: Answered, evidence: Evidence): boolean {
  const opener = openerOf(first, evidence);
  return opener !== null && drawsOnAnother(opener, first, evidence);
}

/**
 * Whether the opener of a sequence may have drawn on a budget of its own: it went to the base path, and the next request
 * was accepted at once. Where bursts on one path exceed the rate as well, or requests were refused for those to the base path,
 * one budget explains that.
 */
function drawsOnAnother(opener: Answered, first: Answered, evidence: Evidence): boolean {
  const soonMs = windowMsOf(evidence) / evidence.target.rate.requests;
  const areBothIn = first.outcome === 'accepted' && first.toMs - opener.fromMs < soonMs;
  const forTheBase = refusedForTheOtherPath(evidence, first.account).filter(({ exchange }) => !isAtTheBase(exchange));
  return (
    isAtTheBase(opener.exchange) &&
    areBothIn &&
    forTheBase.length <= ACCIDENTS &&
    !accountsOf(evidence).some((name) => isOverRate(evidence, 'concurrent', name))
  );
}

/** Returns the requests turned away on one path although fewer than the limit were charged on it. */
export const refusedForTheOtherPath = oncePer((evidence, account: string): Answered[] => {
  const { rate } = evidence.target;
  const own = timelineOf(evidence, account).filter(
    ({ exchange }) => exchange.request.method === 'GET' && isDescribed(exchange, evidence),
  );
  const charged = own.filter(({ outcome }) => outcome !== 'refused');
  return own.filter((each) => {
    const onItsPath = charged.filter(({ exchange }) => isAtTheBase(exchange) === isAtTheBase(each.exchange));
    return (
      isTurnedAway(each.exchange, evidence) &&
      mostHeld(each, onItsPath, rate) <= rate.requests &&
      mostHeld(each, charged, rate) > rate.requests
    );
  });
});

/** As `howOver`, but one restart explains the excess in one of several trials, and of accounts at the same moment. */
export function isOverRate(evidence: Evidence, group: Group, account: string, limit?: number): boolean {
  const over = howOver(evidence, group, account, limit);
  if (over === 'yes' || over === 'no') return over === 'yes';
  const isElsewhere = accountsOf(evidence).some((name) => {
    const other = howOver(evidence, group, name, limit);
    const isOnce = other !== 'yes' && other !== 'no';
    return (
      isOnce &&
      areApartInTime(
        [over, other].flatMap((trial) => trial.slice(0, 1)),
        evidence,
      )
    );
  });
  return isElsewhere || trialsOf(evidence, group, account).length === 1;
}

/** How many refusals may be accidents. */
export const ACCIDENTS = 2;

/**
 * Whether an account's trials of a group exceeded any limiter of a limit, by default the declared one; or the only trial
 * that did, as if the server was restarted in the middle of it.
 */
export const howOver = oncePer((evidence, group: Group, account: string, limit?: number): 'yes' | 'no' | Answered[] => {
  const requests = limit ?? evidence.target.rate.requests;
  const rate = { ...evidence.target.rate, requests };
  const trials = trialsOf(evidence, group, account);
  const { refused, charged } = userOf(timelineOf(evidence, account));
  // A refusal with budget left has another cause, so then no refusal shows where windows begin.
  const doTell =
    !otherClients(evidence).has(account) && refused.every((each) => mostHeld(each, charged, rate) > requests);
  const isWithin = (some: readonly Answered[][]) => {
    const user = { accepted: userOf(some.flat()).accepted, refused: doTell ? refused : [], charged };
    return areExplained(user, evidence, rate, { unexplained: ACCIDENTS });
  };
  if (trials.length === 0 || isWithin(trials)) return 'no';
  const isAloneWithin = (accepted: readonly Answered[]) => areExplained({ accepted }, evidence, rate);
  const [first, ...more] = trials.filter((trial) => !isAloneWithin(userOf(trial).accepted));
  if (!first || more.length > 0) return 'yes';
  const { accepted } = userOf(first);
  // Around the end of a window, or a restart, twice the limit is accepted.
  const mayBeSplit =
    accepted.length <= 4 * requests &&
    accepted.some((_, i) => isAloneWithin(accepted.slice(0, i)) && isAloneWithin(accepted.slice(i)));
  return mayBeSplit && isWithin(trials.filter((trial) => trial !== first)) ? first : 'yes';
});

/** The accounts whose sequences and bursts kept to the rate. Refusals of others do not show whose budget was used up. */
export const limitedAccounts = once((evidence: Evidence): readonly string[] =>
  accountsOf(evidence).filter(
    (name) => !isOverRate(evidence, 'sequence', name) && !isOverRate(evidence, 'concurrent', name),
  ),
);

/** Whether no account exceeded the rate. */
export function isLimitKept(evidence: Evidence): boolean {
  return limitedAccounts(evidence).length === evidence.target.accounts.length;
}

/** Whether one budget for both paths does not explain all that was accepted, although each group of trials keeps the rate. */
export function drawsOnTwo(evidence: Evidence, account: string): boolean {
  // Where refusals look like success, an answer of / may be a refusal.
  if ([...habitsOf(evidence).statuses].some((status) => status < 300)) return false;
  const { accepted } = userOf(timelineOf(evidence, account).filter(({ exchange }) => isDescribed(exchange, evidence)));
  const overtook = overtakenQueues(evidence, account).flatMap((moment) => moment.slice(-1));
  return isLimitKept(evidence) && (!areExplained({ accepted }, evidence) || areApartInTime(overtook, evidence));
}

/**
 * Returns requests that were served at once, each behind requests of its account that waited on the other path. Nobody
 * overtakes in one queue. A single one that waits may be a slow answer.
 */
export function overtakenQueues(evidence: Evidence, account: string): Answered[][] {
  if (!isQueue(evidence)) return [];
  const { accepted } = userOf(timelineOf(evidence, account).filter(({ exchange }) => isDescribed(exchange, evidence)));
  const isLate = ({ exchange }: Answered) => isHeldBack(exchange, evidence);
  return accepted
    .filter((each) => !isLate(each))
    .map((each) => {
      const isBefore = (other: Answered) => other.fromMs < each.fromMs && other.toMs > each.toMs && isLate(other);
      const ofOtherPath = accepted.filter(({ exchange }) => isAtTheBase(exchange) !== isAtTheBase(each.exchange));
      return [...ofOtherPath.filter(isBefore), each];
    })
    .filter((moment) => moment.length > 2);
}

/** Returns a request, decided when it was served: what a queue holds back is turned away until right before its answer. */
export function whenServed(each: Answered, evidence: Evidence): Answered {
  if (!isHeldBack(each.exchange, evidence)) return each;
  return { ...each, fromMs: each.toMs - usualLatencyMs(evidence) - SLACK_MS };
}

/**
 * Returns the refusals and the held back answers that no limiter of the reported Limit explains. They are looked for if
 * the Limit is above the declared one: else another client of the key may have used a part of it.
 */
export const refusedBelowLimit = oncePer((evidence, account: string): Answered[] => {
  const requests = reportedLimit(account, evidence);
  const { rate } = evidence.target;
  // Where more is accepted than declared, windows may be longer than declared, too.
  if (requests === null || requests <= rate.requests || !isLimitKept(evidence)) return [];
  const own = timelineOf(evidence, account);
  const heldBack = own.filter((each) => {
    if (!isHeldBack(each.exchange, evidence)) return false;
    // Requests answered later waited behind it.
    const last = whenServed(each, evidence);
    const charged = own.filter((other) => other !== each && other.toMs <= each.toMs);
    return mostHeld(last, charged, { ...rate, requests }) <= requests;
  });
  return [...oddRefusals(evidence, account, requests), ...heldBack].filter(
    ({ exchange, outcome }) => outcome !== 'other' && isUndisturbed(exchange, evidence),
  );
});

/** Returns the requests of respelling trials that were served, with the settings or as HEAD. Pages for any address do not count. */
const servedIn = oncePer((evidence, account: string): readonly Answered[] => {
  const plain = timelineOf(evidence, account).find(
    ({ exchange, outcome }) => outcome === 'accepted' && !isAtTheBase(exchange),
  )?.exchange;
  // Where refusals look like success, an answer to HEAD may be a refusal.
  const isHeadTelling = ![...habitsOf(evidence).statuses].some((status) => status < 300);
  const isServed = (exchange: Exchange) => {
    const isRead = disclosesSettings(exchange) || (plain !== undefined && hasShape(exchange, shapeOf(plain)));
    const isSeen = exchange.request.method === 'HEAD' ? isHeadTelling : isRead;
    return letThrough([exchange], evidence).length > 0 && isSeen;
  };
  return timelineOf(evidence, account).filter(
    ({ exchange }) => isRespelled(exchange) && exchange.request.method !== 'OPTIONS' && isServed(exchange),
  );
});

const isPlain = ({ exchange }: Answered) => exchange.probe.form === 'plain';

/** Returns the respelled requests that were served. */
export function servedRespelled(evidence: Evidence, account: string): Answered[] {
  return servedIn(evidence, account).filter((each) => !isPlain(each));
}

/** Returns what was accepted of some plain requests of an account, and respelled ones that were served. */
function withServed(
  evidence: Evidence,
  account: string,
  own: readonly Answered[],
  respelled: readonly Answered[],
): Answered[] {
  // The base path may have a budget of its own (rate.across-paths).
  const areTwo = drawsOnTwo(evidence, account);
  const { accepted } = userOf(own.filter(({ exchange }) => !areTwo || !isAtTheBase(exchange)));
  const plain = servedIn(evidence, account).filter((each) => isPlain(each) && own.includes(each));
  return [...accepted, ...plain, ...respelled];
}

/**
 * Whether no limiter of the declared rate accepts the respelled requests beside all plain ones.
 * @param some of the served ones; by default all
 */
export function isRoundTheLimit(
  evidence: Evidence,
  account: string,
  some: readonly Answered[] = servedRespelled(evidence, account),
): boolean {
  const accepted = withServed(evidence, account, timelineOf(evidence, account), some);
  return !areExplained({ accepted }, evidence);
}

/** Whether only the end of a window explains each trial, so that another one is made at another phase. */
export function mayBeRoundTheLimit(evidence: Evidence, account: string): boolean {
  const trials = trialsOf(evidence, 'respelled', account);
  /** Whether a bucket explains a trial's accepted requests together with those of the window before it. */
  const fitsWithItsPast = (trial: readonly Answered[]) => {
    const served = servedRespelled(evidence, account).filter((each) => trial.includes(each));
    const sinceMs = Math.min(...trial.map(({ fromMs }) => fromMs)) - windowMsOf(evidence);
    const untilMs = Math.max(...trial.map(({ toMs }) => toMs));
    const near = timelineOf(evidence, account).filter(({ fromMs, toMs }) => toMs > sinceMs && fromMs <= untilMs);
    return served.length === 0 || fitsBucket(withServed(evidence, account, near, served), evidence.target.rate);
  };
  return trials.length > 0 && !trials.some(fitsWithItsPast);
}

/** Returns the requests of the stretch that exceeds most what a bucket gives back. */
export function fullest<D extends Decision>(accepted: readonly D[], rate: Rate, memoryMs: number): readonly D[] {
  const beyond = ({ count, fromMs, toMs }: FullStretch) =>
    count - (rate.requests * (toMs - fromMs)) / (rate.seconds * 1000);
  const [most] = fullStretches(accepted, rate.requests, memoryMs).sort((a, b) => beyond(b) - beyond(a));
  return most?.decisions.slice(0, most.count) ?? [];
}
