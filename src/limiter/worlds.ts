/**
 * Why refusals came that no limiter of the declared rate decides. Two worlds are left: one stricter limiter, the same
 * program for all accounts (see stricter.ts), or somebody else's requests with one key.
 */
import { groupedBy } from '../common/text';
import { longestMemoryMs } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf, once } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { isHeldBack, isQueue, isTurnedAway } from '../evidence/responder/queueing';
import { besides } from '../evidence/time/in-flight';
import { lockedOut } from './locked-out';
import { mayShowOthers } from './reported';
import { isReportedLonger, isStricter, lateSingles, mayBeStricter, oddSingles, TELLING } from './stricter';
import {
  type Answered,
  accountsOf,
  isAfterSilence,
  isOfEmptyBurst,
  isUndisturbed,
  oddRefusals,
  timelineOf,
  windowMsOf,
  withRoom,
} from './timeline';

/** Returns the requests that had room and were refused: single ones, and whole bursts where the limiter splits others. */
export function oddTurns(evidence: Evidence, account: string): Answered[] {
  const bursts = oddRefusals(evidence, account).filter(
    (each) =>
      areBurstsSplit(evidence) &&
      isOfEmptyBurst(each, evidence) &&
      timelineOf(evidence, account).every((other) => other.toMs <= each.fromMs || other.fromMs >= each.fromMs) &&
      isUndisturbed(each.exchange, evidence),
  );
  return [...oddSingles(evidence, account), ...bursts];
}

/** Whether something of a burst was let through: a limiter is the same program each time, so it refuses none for being one. */
export function areBurstsSplit(evidence: Evidence): boolean {
  return exchangesOf(evidence, 'concurrent').some((each) => isAccepted(each) && !isRefused(each, evidence));
}

/** The accounts whose keys somebody else uses, each with what shows it. */
export const otherClients = once((evidence: Evidence): ReadonlyMap<string, readonly Answered[]> => {
  const counted = countedBesides(evidence);
  const odd = accountsOf(evidence).map((name) => [name, oddTurns(evidence, name)] as const);
  if (counted.size > 0 || odd.every(([, some]) => some.length === 0) || mayBeStricter(evidence)) return counted;
  const found = odd.map(([name, some]) => {
    const lastMs = timelineOf(evidence, name).findLast(({ outcome }) => outcome === 'accepted')?.fromMs ?? 0;
    // Of a key that was never accepted again, the server itself may have locked it out.
    return [name, some.filter(({ toMs }) => toMs <= lastMs)] as const;
  });
  return new Map(found.filter(([, some]) => some.length > 0));
});

/**
 * The accounts whose answers after a silence name less than a whole budget, where others name a whole one: a server that
 * counts wrongly does so each time.
 */
function countedBesides(evidence: Evidence): ReadonlyMap<string, readonly Answered[]> {
  const memoryMs = longestMemoryMs(evidence.target.rate);
  const limitOf = ({ exchange }: Answered) => parsedHeaders(exchange).limit;
  const fresh = accountsOf(evidence).flatMap((name) => {
    const own = timelineOf(evidence, name);
    return own.filter(
      (each) =>
        each.outcome === 'accepted' &&
        typeof each.left === 'number' &&
        limitOf(each) !== null &&
        own.every((other) => other === each || other.fromMs > each.toMs || other.toMs <= each.fromMs - memoryMs) &&
        isUndisturbed(each.exchange, evidence, memoryMs),
    );
  });
  const missing = (each: Answered) => (limitOf(each) ?? 0) - 1 - (each.left ?? 0);
  if (new Set(fresh.map(limitOf)).size !== 1 || !fresh.some((each) => missing(each) === 0)) return new Map();
  const short = groupedBy(
    fresh.filter((each) => missing(each) > 0),
    ({ exchange }) => exchange.account ?? '',
  );
  return [...short.keys()].every((name) => mayShowOthers(evidence, name)) ? short : new Map();
}

/** The accounts that nobody else is known to use. */
export function idleAccounts(evidence: Evidence): string[] {
  return accountsOf(evidence).filter((name) => !otherClients(evidence).has(name));
}

export type World = 'a longer limit' | 'another client' | 'chance';

/** Returns why an account was refused although its requests had room, as far as nothing contradicts it. */
export function worldsLeft(evidence: Evidence, account: string): ReadonlySet<World> {
  if (lockedOut(evidence).size > 0) return new Set(['a longer limit']);
  if (otherClients(evidence).has(account)) return new Set(['another client']);
  const odd = accountsOf(evidence).map((name) => lateSingles(evidence, name));
  // What one account alone shows, and no answer reports, another client of its key shows as well, but for silences.
  const isOfOne =
    odd.filter(({ length }) => length > 0).length < 2 && !odd.flat().some((each) => isReportedLonger(each, evidence));
  const letIn = accountsOf(evidence)
    .flatMap((name) => withRoom(evidence, name))
    .filter((each) => each.outcome === 'accepted' && (!isOfOne || isAfterSilence(each, evidence)));
  // Another client of one key refuses no other account that a stricter limiter does, and seldom fits one again and again.
  const areOthersOdd =
    mayBeStricter(evidence) &&
    accountsOf(evidence).some((name) => name !== account && oddSingles(evidence, name).length > 0);
  const isRegular = isStricter(evidence) && Math.min(odd.flat().length, letIn.length) >= TELLING;
  return new Set<World>([
    'a longer limit',
    ...(areOthersOdd || isRegular ? [] : (['another client'] as const)),
    ...(odd.some(({ length }) => length > 1) || (isStricter(evidence) && odd.flat().length > 1)
      ? []
      : (['chance'] as const)),
  ]);
}

/** Whether a longer limit alone explains the refusals of an account. */
export function isPlainlyStricter(evidence: Evidence): boolean {
  return accountsOf(evidence).some((name) => {
    const left = worldsLeft(evidence, name);
    return left.size === 1 && left.has('a longer limit');
  });
}

/** Whether only another client's requests would explain the refusals of an account, if it is accepted again later. */
export function mayBeAnotherClient(evidence: Evidence, account: string): boolean {
  return oddTurns(evidence, account).length > 0 && !mayBeStricter(evidence);
}

/** A request that its account's own budget had room for, and what others asked right before it. */
export interface Encounter {
  asked: Answered;
  others: Exchange[];
}

/** Returns the requests of an account that were let in while another was refused, or turned away while their budget was whole. */
export function encountersOf(evidence: Evidence, account: string): Encounter[] {
  const own = timelineOf(evidence, account);
  const odd = new Set(oddRefusals(evidence, account));
  const { requests } = evidence.target.rate;
  return own.flatMap((asked): Encounter[] => {
    const { exchange, fromMs, toMs } = asked;
    const near = besides(exchange, evidence, windowMsOf(evidence));
    const others = near.filter(
      (other) =>
        other.account !== null && other.account !== account && (isAccepted(other) || isRefused(other, evidence)),
    );
    // Where nothing queues, a late answer is the network's.
    const isLate = isHeldBack(exchange, evidence);
    const isServed = asked.outcome === 'accepted' && !(isLate && isQueue(evidence));
    const isFirst = near.every((other) => other.account !== account || other.receivedAtMs > fromMs);
    const isIn =
      isServed && isFirst && others.some((other) => other.receivedAtMs <= fromMs && isRefused(other, evidence));
    const isOut =
      (odd.has(asked) || (asked.outcome === 'accepted' && isTurnedAway(exchange, evidence))) &&
      near.every((other) => other.account !== null) &&
      others.length >= requests &&
      own.some((other) => other.toMs <= fromMs);
    // They stand in two queues.
    const isBesideQueue =
      isServed &&
      !isLate &&
      others.some((other) => isHeldBack(other, evidence) && other.sentAtMs < fromMs && other.receivedAtMs > toMs);
    return isIn || isOut || isBesideQueue ? [{ asked, others }] : [];
  });
}

/** Returns the refusals below the limit while nobody else was busy; of whole bursts only where others are split. */
export function refusedAlone(evidence: Evidence, account: string): Answered[] {
  return oddRefusals(evidence, account).filter(
    (each) => isUndisturbed(each.exchange, evidence) && !isForBeingABurst(each, evidence),
  );
}

/** Whether a request was refused with its whole burst, as every burst was: then not for what came before it. */
export function isForBeingABurst(each: Answered, evidence: Evidence): boolean {
  return !areBurstsSplit(evidence) && isOfEmptyBurst(each, evidence);
}
