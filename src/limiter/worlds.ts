/**
 * The worlds that explain refusals which no limiter of the declared rate decides: one stricter limiter, the same for all
 * accounts (stricter.ts), or another client of one key.
 */
import { groupedBy } from '../common/text';
import { longestMemoryMs } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf, isAtTheBase, once } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { isHeldBack, isLate, isQueue, isTurnedAway } from '../evidence/responder/queueing';
import { besides } from '../evidence/time/in-flight';
import { lockedOut } from './locked-out';
import { mayShowOthers } from './reported';
import { isReportedLonger, isStricter, lateSingles, mayBeStricter, oddSingles, TELLING } from './stricter';
import {
  type Answered,
  accountsOf,
  isAfterSilence,
  isOfEmptyBurst,
  isSpaced,
  isUndisturbed,
  oddRefusals,
  timelineOf,
  windowMsOf,
  withRoom,
} from './timeline';

/** Returns the requests refused with budget left: single ones, and whole bursts if the limiter accepts a part of others. */
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

/** Whether a part of a burst was accepted: then the limiter refuses no burst for being one. */
export function areBurstsSplit(evidence: Evidence): boolean {
  return exchangesOf(evidence, 'concurrent').some((each) => isAccepted(each) && !isRefused(each, evidence));
}

/** The accounts whose keys another client uses, each with the requests that show it. */
export const otherClients = once((evidence: Evidence): ReadonlyMap<string, readonly Answered[]> => {
  const counted = countedBesides(evidence);
  const odd = accountsOf(evidence).map((name) => [name, oddTurns(evidence, name)] as const);
  if (counted.size > 0 || odd.every(([, some]) => some.length === 0) || mayBeStricter(evidence)) return counted;
  const found = odd.map(([name, some]) => {
    const lastMs = timelineOf(evidence, name).findLast(({ outcome }) => outcome === 'accepted')?.fromMs ?? 0;
    // The server itself may have locked out a key that was never accepted again.
    return [name, some.filter(({ toMs }) => toMs <= lastMs)] as const;
  });
  return new Map(found.filter(([, some]) => some.length > 0));
});

/**
 * The accounts whose answers after a silence report less than a whole budget, while others report a whole one. A server
 * that counts wrongly does so each time, or on the base path. Another Limit than the declared rate counts something else.
 */
function countedBesides(evidence: Evidence): ReadonlyMap<string, readonly Answered[]> {
  const { rate } = evidence.target;
  const memoryMs = longestMemoryMs(rate);
  const fresh = accountsOf(evidence).flatMap((name) => {
    const own = timelineOf(evidence, name);
    return own.filter(
      (each) =>
        each.outcome === 'accepted' &&
        typeof each.left === 'number' &&
        !isAtTheBase(each.exchange) &&
        isSpaced(each, own, memoryMs) &&
        each.isAlone &&
        isUndisturbed(each.exchange, evidence, memoryMs),
    );
  });
  const missing = ({ left }: Answered) => rate.requests - 1 - (left ?? 0);
  const areOfTheRate = fresh.every(({ exchange }) => parsedHeaders(exchange).limit === rate.requests);
  if (!areOfTheRate || !fresh.some((each) => missing(each) === 0)) return new Map();
  const short = groupedBy(
    fresh.filter((each) => missing(each) > 0),
    ({ account }) => account,
  );
  return [...short.keys()].every((name) => mayShowOthers(evidence, name)) ? short : new Map();
}

/** Returns the accounts that no other client is known to use. */
export function idleAccounts(evidence: Evidence): string[] {
  return accountsOf(evidence).filter((name) => !otherClients(evidence).has(name));
}

export type World = 'a longer limit' | 'another client' | 'chance';

/** Returns the worlds that may explain why an account was refused with budget left. */
export function worldsLeft(evidence: Evidence, account: string): ReadonlySet<World> {
  if (lockedOut(evidence).size > 0) return new Set(['a longer limit']);
  if (otherClients(evidence).has(account)) return new Set(['another client']);
  const odd = accountsOf(evidence).map((name) => lateSingles(evidence, name));
  // Refusals of one account that no answer announces may come from another client of its key, except after silences.
  const isOfOne =
    odd.filter(({ length }) => length > 0).length < 2 && !odd.flat().some((each) => isReportedLonger(each, evidence));
  const letIn = accountsOf(evidence)
    .flatMap((name) => withRoom(evidence, name))
    .filter((each) => each.outcome === 'accepted' && (!isOfOne || isAfterSilence(each, evidence)));
  // Another client of one key causes no refusals of other accounts, and seldom the same ones again and again.
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

/** Whether a longer window is the only explanation of the refusals. */
export function isPlainlyStricter(evidence: Evidence): boolean {
  return accountsOf(evidence).some((name) => {
    const left = worldsLeft(evidence, name);
    return left.size === 1 && left.has('a longer limit');
  });
}

/** Whether another client is the only explanation of an account's refusals, if it is accepted again later. */
export function mayBeAnotherClient(evidence: Evidence, account: string): boolean {
  return oddTurns(evidence, account).length > 0 && !mayBeStricter(evidence);
}

/** So many answers that were held back right after requests of other accounts are no slow ones. */
export const WAITS = 3;

/** A request with budget of its account left, and the requests of others right before it. */
export interface Encounter {
  asked: Answered;
  others: Exchange[];
}

/** Returns the requests of an account accepted while another was refused, or turned away with a whole budget. */
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
    // Without a queue, the network delays a late answer.
    const isHeld = isHeldBack(exchange, evidence);
    const isServed = asked.outcome === 'accepted' && !isTurnedAway(exchange, evidence);
    const isFirst = near.every((other) => other.account !== account || other.receivedAtMs > fromMs);
    const isIn =
      isServed && isFirst && others.some((other) => other.receivedAtMs <= fromMs && isRefused(other, evidence));
    const isAlone = near.every((other) => other.account !== account);
    const isOut =
      (odd.has(asked) || (asked.outcome === 'accepted' && isTurnedAway(exchange, evidence) && isAlone)) &&
      near.every((other) => other.account !== null) &&
      others.length >= requests &&
      own.some((other) => other.toMs <= fromMs);
    // The two wait in two queues.
    const isBesideQueue =
      isServed &&
      !isHeld &&
      others.some((other) => isHeldBack(other, evidence) && other.sentAtMs < fromMs && other.receivedAtMs > toMs);
    return isIn || isOut || isBesideQueue ? [{ asked, others }] : [];
  });
}

/** Returns the refusals with budget left while nobody else was busy; whole bursts only if a part of others was accepted. */
export function refusedAlone(evidence: Evidence, account: string): Answered[] {
  const { rate } = evidence.target;
  // A sliding counter for all accounts also counts the window before.
  const memoryMs = rate.requests === 1 ? undefined : longestMemoryMs(rate);
  return oddRefusals(evidence, account).filter(
    (each) => isUndisturbed(each.exchange, evidence, memoryMs) && !isForBeingABurst(each, evidence),
  );
}

/**
 * Returns the single requests that a queue answered late with budget left, while nobody else was busy. A timer that serves
 * it holds back most requests, whoever was asked before.
 */
export function lateAlone(evidence: Evidence, account: string): Answered[] {
  if (!isQueue(evidence)) return [];
  return withRoom(evidence, account).filter(
    ({ exchange }) => isLate(exchange, evidence) && isUndisturbed(exchange, evidence),
  );
}

/** Whether a request was refused with its whole burst, as every burst was. Then earlier requests are not the reason. */
export function isForBeingABurst(each: Answered, evidence: Evidence): boolean {
  return !areBurstsSplit(evidence) && isOfEmptyBurst(each, evidence);
}
