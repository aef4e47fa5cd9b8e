/**
 * Limits that refuse for longer than declared: whether windows, blocks after refusals or a quota explain every decision
 * about every account. A limiter is the same program for all of them.
 */
import { LITTLE_MS } from '../contract/bounds';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange, Rate } from '../evidence/model';
import { isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { beginningsOf, ownOf } from '../evidence/time/gaps';
import { besides, ownBeside } from '../evidence/time/in-flight';
import type { Range } from '../evidence/time/server-clock';
import {
  type Charged,
  type Decision,
  decisionOf,
  fitsWindows,
  fullestStretch,
  phasesOf,
  TELLING_DECISIONS,
  unexplainedRefusals,
  widened,
} from './decisions';
import { chargedOf, refusedWithRoom } from './room';

/**
 * The length in seconds of windows longer than declared that explain all decisions, where requests that had room were
 * refused; `null` where none explains all.
 */
export const explainingWindowSeconds = once((evidence: Evidence): number | null => {
  const isRefused = evidence.target.accounts.some(({ name }) => refusedWithRoom(evidence, name).length > 0);
  return isRefused ? secondsThatExplain(usersOf(evidence), evidence.target.rate) : null;
});

/** The length in seconds of windows longer than declared that explain all decisions, if declared ones do not, else `null`. */
export const seemingWindowSeconds = once((evidence: Evidence): number | null => {
  const [users, { rate }] = [usersOf(evidence), evidence.target];
  // Of more requests than are looked at, the first may be missing from their window.
  const areAll = users.every(({ charged }) => charged.length <= TELLING_DECISIONS);
  return areAll && !doWindowsExplain(users, rate) ? secondsThatExplain(users, rate) : null;
});

/** Whether windows longer than declared explain all decisions and declared ones do not. That may be chance. */
export function seemsLonger(evidence: Evidence): boolean {
  return seemingWindowSeconds(evidence) !== null;
}

function usersOf(evidence: Evidence): Charged[] {
  return evidence.target.accounts.map(({ name }) => {
    const own = ownOf(evidence, name).filter((exchange) => isWhole(exchange) && !exchange.resent);
    const decided = (exchanges: readonly Exchange[]) => exchanges.map(decisionOf);
    const refused = own.filter((exchange) => isRefused(exchange, evidence));
    const charged = chargedOf(evidence, name);
    return { accepted: decided(letThrough(own, evidence)), refused: decided(refused), charged: decided(charged) };
  });
}

const ONE_TO_TEN = Array.from({ length: 10 }, (_, i) => i + 1);
/** By how many seconds windows may be longer than declared: values that people set, whole ones first. */
const LONGER_BY = [...ONE_TO_TEN, ...ONE_TO_TEN.map((seconds) => seconds - 0.5), 14, 19, 29, 59];

/**
 * Returns the length of windows, longer than declared, that explain every decision about each user.
 * @returns seconds, the first of `LONGER_BY`; `null` where none explains all
 */
function secondsThatExplain(users: readonly Charged[], rate: Rate): number | null {
  const more = LONGER_BY.find((each) => {
    const longer = { ...rate, seconds: rate.seconds + each };
    return areSoon(users, longer) && doWindowsExplain(users, longer);
  });
  return more === undefined ? null : rate.seconds + more;
}

/**
 * Whether each refused request was sent no more than a window after another one: a server takes about as long to decide
 * about the one as about the other.
 */
function areSoon(users: readonly Charged[], { seconds }: Rate): boolean {
  return users.every(({ charged, refused }) => {
    const all = [...charged, ...refused];
    const isAfter = (refusal: Decision) => (other: Decision) =>
      other !== refusal && other.fromMs < refusal.toMs && other.fromMs >= refusal.fromMs - seconds * 1000 - LITTLE_MS;
    return refused.every((refusal) => all.some(isAfter(refusal)));
  });
}

/** Kinds of longer windows, each with whether it explains all decisions about a user, widened. */
const KINDS: ReadonlyArray<(user: Charged, rate: Rate) => boolean> = [
  ({ charged, refused }, { requests, seconds }) => doBegunWindowsExplain(charged, refused, requests, seconds * 1000),
  ({ accepted, refused }, { requests, seconds }) => doesLogOfAllExplain(accepted, refused, requests, seconds * 1000),
  // At a phase of the user's own.
  ({ accepted, refused, charged }, { requests, seconds }) =>
    phasesOf([...accepted, ...refused]).some(
      (phase) =>
        fitsWindows(accepted, requests, seconds * 1000, phase) &&
        unexplainedRefusals(refused, charged, requests, seconds * 1000, phase) === 0,
    ),
];

/**
 * Whether windows of one kind explain every decision about each user: none holds more than the limit, and each refusal
 * came into a full one. Another client's requests fit such windows only by chance.
 */
export function doWindowsExplain(users: readonly Charged[], rate: Rate): boolean {
  const telling = (decisions: readonly Decision[]) => decisions.slice(-TELLING_DECISIONS).map(widened);
  const wide = users.map(({ accepted, refused, charged }) => ({
    accepted: telling(accepted),
    refused: telling(refused),
    charged: telling(charged),
  }));
  return KINDS.some((doExplain) => wide.every((user) => doExplain(user, rate)));
}

/** Whether a sliding log that counts refused requests as well explains all this. */
function doesLogOfAllExplain(
  accepted: readonly Decision[],
  refused: readonly Decision[],
  limit: number,
  windowMs: number,
): boolean {
  const all = [...accepted, ...refused];
  const isFree = (decision: Decision) =>
    all.filter((other) => other.toMs < decision.fromMs && other.fromMs > decision.toMs - windowMs).length < limit;
  const isFull = (decision: Decision) =>
    all.filter((other) => other !== decision && other.fromMs < decision.toMs && other.toMs > decision.fromMs - windowMs)
      .length >= limit;
  return fullestStretch(accepted, windowMs).length <= limit && accepted.every(isFree) && refused.every(isFull);
}

/** Whether windows explain all this of which each begins with the first charged request after the one before has ended. */
function doBegunWindowsExplain(
  charged: readonly Decision[],
  refused: readonly Decision[],
  limit: number,
  windowMs: number,
): boolean {
  const windows: Decision[][] = [];
  for (const decision of charged.toSorted((a, b) => a.toMs - b.toMs)) {
    const window = windows.at(-1);
    if (window?.[0] && decision.toMs < window[0].fromMs + windowMs) window.push(decision);
    else windows.push([decision]);
  }
  const isOfFull = (refusal: Decision) => (window: readonly Decision[]) =>
    window.filter(({ fromMs }) => fromMs < refusal.toMs).length >= limit &&
    refusal.fromMs < (window[0]?.toMs ?? 0) + windowMs;
  return windows.every(({ length }) => length <= limit) && refused.every((refusal) => windows.some(isOfFull(refusal)));
}

/** This many requests of an account that had room show how the server's limiter works. */
export const TELLING_REQUESTS = 3;

/** A request, and what of its account was answered before it: all of that, and the refusals of it in a row right before. */
interface Met {
  next: Exchange;
  before: readonly Exchange[];
  row: readonly Exchange[];
}

/** What a limiter may hold against a request, as a number that is less for what it refuses. */
type HeldAgainst = (met: Met, evidence: Evidence) => Range;

/** The time since the request, refused or not, that takes up the last place of a window however long. */
const sinceLastPlace: HeldAgainst = ({ next, before }, evidence) =>
  sinceBoth(next, before.at(-evidence.target.rate.requests));

/** The time since a block began: with the first of the refusals in a row before, or anew with the last of them. */
const BLOCKS: readonly HeldAgainst[] = [
  ({ next, row }) => sinceBoth(next, row[0]),
  ({ next, row }) => sinceBoth(next, row.at(-1)),
];

/** How far a request is from a quota of a minute that all requests of its account use up, or all that have a valid key. */
const QUOTAS: readonly HeldAgainst[] = [
  ({ next }, evidence) => fromQuota(next, ownBeside(next, evidence, QUOTA_MS)),
  ({ next }, evidence) =>
    fromQuota(
      next,
      besides(next, evidence, QUOTA_MS).filter(({ account }) => account !== null),
    ),
];

/** @param others what came in the minute before it, or was under way meanwhile and may have been counted later */
function fromQuota(next: Exchange, others: readonly Exchange[]): Range {
  return { least: -others.length, most: -others.filter(({ receivedAtMs }) => receivedAtMs <= next.sentAtMs).length };
}

const QUOTA_MS = 60_000;

/** The milliseconds between two requests, at least and at most; infinite where there is no first one. */
function sinceBoth(next: Exchange, first: Exchange | undefined): Range {
  if (!first) return { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  return { least: next.sentAtMs - first.receivedAtMs, most: next.receivedAtMs - first.sentAtMs };
}

/** Whether a limit that is longer than declared explains each refusal of a request that had room. */
export const doLongerLimitsExplain = once(
  (evidence: Evidence): boolean =>
    explainingWindowSeconds(evidence) !== null || isHeldAgainst([sinceLastPlace, ...QUOTAS, ...BLOCKS], evidence),
);

/** Whether a block after a refusal explains them, that lasts longer than it tells. Another client is met after none as well. */
export const doBlocksExplain = once((evidence: Evidence): boolean => isHeldAgainst(BLOCKS, evidence));

/** By account, the requests that had room and were refused, and those let through. Empty where none was refused. */
const usersMet = once((evidence: Evidence) => {
  const byAccount = evidence.target.accounts.map(({ name }) => ({
    name,
    hadRoom: new Set(refusedWithRoom(evidence, name, { bursts: true, besideOthers: true, evenIfAsked: true })),
  }));
  if (byAccount.every(({ hadRoom }) => hadRoom.size === 0)) return [];
  return byAccount.map(({ name, hadRoom }) => {
    const turns = [...ownOf(evidence, name).slice(0, 1), ...beginningsOf(evidence, name).map(({ next }) => next)];
    const met = turns.map((next) => metBy(next, evidence));
    return {
      refused: met.filter(({ next }) => hadRoom.has(next)),
      through: met.filter(({ next }) => letThrough([next, ...ownBeside(next, evidence)], evidence).length > 0),
    };
  });
});

/** Whether more of one kind is held against any refused request that had room than against any that was let through. */
function isHeldAgainst(kinds: readonly HeldAgainst[], evidence: Evidence): boolean {
  const users = usersMet(evidence);
  const blocked = users.filter((user) => user.refused.length > 0);
  const refused = blocked.flatMap((user) => user.refused);
  const all = users.flatMap((user) => user.through);
  // What one account shows may be another client of its key; of several, each shows what the limiter does.
  const telling = blocked.length > 1 ? all : blocked.flatMap(({ through }) => through);
  const afterNone = telling.filter(({ row }) => row.length === 0);
  // A block that outlasts the run may be somebody else's doing, unless this run was refused for its own requests.
  const isByThisRun = blocked.length > 1 || !refused.some(({ next }) => isOutOfTheBlue(next, evidence));
  if (afterNone.length < TELLING_REQUESTS || (afterNone.length === telling.length && !isByThisRun)) return false;
  // Another client that came in the middle explains as much as a single account's quota.
  const considered = kinds.filter((kind) => !QUOTAS.includes(kind) || blocked.length > 1);
  return considered.some((heldAgainst) => {
    const most = Math.max(...refused.map((met) => heldAgainst(met, evidence).least));
    return Number.isFinite(most) && all.every((met) => heldAgainst(met, evidence).most > most);
  });
}

function metBy(next: Exchange, evidence: Evidence): Met {
  const before = ownOf(evidence, next.account ?? '').filter(({ receivedAtMs }) => receivedAtMs <= next.sentAtMs);
  const lastMs = letThrough(before, evidence).at(-1)?.sentAtMs ?? 0;
  const row = before.filter((exchange) => exchange.receivedAtMs > lastMs && isRefused(exchange, evidence));
  return { next, before, row };
}

/** Whether the row of refusals before a request, if any, began with one before which this run had not used a whole budget. */
export function isOutOfTheBlue(exchange: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const first = metBy(exchange, evidence).row[0] ?? exchange;
  const charged = ownBeside(first, evidence, seconds * 1000).filter((own) => !isRefused(own, evidence));
  return charged.length < requests;
}
