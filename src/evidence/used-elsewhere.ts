/** Budget that was used though this run did not use it: another client has the same key. */
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import { booksOf } from './books';
import type { Evidence, Exchange } from './exchange';
import { once } from './once';
import { isAccepted, isRefused, isWhole, letThrough } from './outcome';
import { isQuiet } from './quiet';
import { chargedOf, refusedAlone, refusedThoughSilent, sinceLastMs, spacedOf, TELLING_REQUESTS } from './spaced';
import { fitsLongerWindows, showsDeclaredRate } from './stricter';
import { beginningsOf, isSpaced, ownOf, type Turn } from './turns';
import { underWay } from './under-way';

/** The accounts whose keys another client uses, and the responses that show it. */
export const usedElsewhere = once((evidence: Evidence): ReadonlyMap<string, Exchange[]> => {
  const found = new Map<string, Exchange[]>();
  for (const { name } of evidence.target.accounts) {
    // What is never accepted again need not be somebody else's doing.
    const lastAcceptedMs = letThrough(ownOf(evidence, name), evidence).at(-1)?.sentAtMs ?? 0;
    const refused = refusedOddly(evidence, name).filter((exchange) => exchange.receivedAtMs <= lastAcceptedMs);
    const shown = new Set([...refused, ...(booksOf(evidence).foreign.get(name) ?? [])]);
    if (shown.size > 0) found.set(name, [...shown]);
  }
  return found;
});

/** Refusals of an account that no limiter explains by what this run sent. */
function refusedOddly(evidence: Evidence, account: string): Exchange[] {
  const isAsDeclared = showsDeclaredRate(evidence, account);
  if (!isAsDeclared && fitsLongerWindows(evidence)) return [];
  return [
    ...(isAsDeclared ? refusedThoughSilent(evidence, account) : []),
    ...refusedAfterSilence(evidence, account),
    ...refusedNowAndThen(evidence, account),
    ...refusedAfterMore(evidence, account),
  ];
}

/** Whether an account was refused as only somebody else's requests explain, if it is accepted again later. */
export function mayBeUsedElsewhere(evidence: Evidence, account: string): boolean {
  if (fitsLongerWindows(evidence)) return false;
  return refusedAfterSilence(evidence, account).length > 0 || isRefusedUnlikeOthers(evidence, account);
}

/**
 * Refusals of an account that had been silent for longer than any limiter of this rate remembers, where it was
 * accepted before: a limit that is stricter than declared would have refused those as well.
 */
function refusedAfterSilence(evidence: Evidence, account: string): Exchange[] {
  const silenceMs = longestHonestSeconds(evidence.target.rate) * 1000 + LITTLE_MS;
  const charged = chargedOf(evidence, account);
  const accepted = letThrough(charged, evidence);
  const shortestMs = Math.min(...accepted.map((exchange) => sinceLastMs(exchange, charged)));
  const own = ownOf(evidence, account);
  return refusedAlone(evidence, account).filter(
    (exchange) => sinceLastMs(exchange, own) >= Math.max(silenceMs, shortestMs),
  );
}

/**
 * Refusals of an account that kept its distance, where it was accepted at other times after no longer a wait; and where
 * the server's other accounts were not refused so. A limiter is the same program for all accounts: what only some of
 * them meet, and only now and then, somebody else's requests explain.
 */
function refusedNowAndThen(evidence: Evidence, account: string): Exchange[] {
  if (!isRefusedUnlikeOthers(evidence, account)) return [];
  const charged = chargedOf(evidence, account);
  const spaced = spacedOf(evidence, account).filter(isAccepted);
  // Of few that were accepted, it is not known whether a longer wait was what they had in common.
  const known = spaced.length < TELLING_REQUESTS ? [] : spaced.map((exchange) => sinceLastMs(exchange, charged));
  const shortestMs = known.length === 0 ? 0 : Math.min(...known);
  return refusedThoughSpaced(evidence, account).filter(
    (exchange) => sinceLastMs(exchange, charged) + LITTLE_MS >= shortestMs,
  );
}

/**
 * Refusals of an account that had kept no less distance from what was charged last, and from what was refused last,
 * than another one of its requests that was accepted: no limiter alone does that.
 */
function refusedAfterMore(evidence: Evidence, account: string): Exchange[] {
  const charged = chargedOf(evidence, account);
  const refused = ownOf(evidence, account).filter((exchange) => isRefused(exchange, evidence));
  const keptBy = (exchange: Exchange) => [sinceLastMs(exchange, charged), sinceLastMs(exchange, refused)] as const;
  const accepted = spacedOf(evidence, account).filter(isAccepted).map(keptBy);
  return refusedAlone(evidence, account).filter((exchange) => {
    const [sinceChargedMs, sinceRefusedMs] = keptBy(exchange);
    return accepted.some((kept) => kept[0] <= sinceChargedMs && kept[1] <= sinceRefusedMs);
  });
}

/**
 * Whether an account was refused more than once though it kept its distance, where another one is known to be accepted
 * and none was refused so more than once.
 */
function isRefusedUnlikeOthers(evidence: Evidence, account: string): boolean {
  const others = evidence.target.accounts.map(({ name }) => name).filter((name) => name !== account);
  const refusedOthers = others.map((name) => refusedThoughSpaced(evidence, name));
  // One refusal may be chance, and all accounts may have met it at one moment.
  const windowMs = evidence.target.rate.seconds * 1000;
  const refused = refusedThoughSpaced(evidence, account).filter((exchange) =>
    refusedOthers.flat().every((other) => Math.abs(other.sentAtMs - exchange.sentAtMs) > windowMs),
  );
  return (
    refused.length > 1 &&
    refusedOthers.every(({ length }) => length <= 1) &&
    others.some((name) => spacedOf(evidence, name).filter(isAccepted).length >= TELLING_REQUESTS)
  );
}

/** What an account began after a whole window, and of which nothing was accepted, whoever else was busy. */
export function refusedAtFirst(evidence: Evidence, account: string): Exchange[] {
  return beginningsOf(evidence, account)
    .filter((turn) => isWhollyRefused(turn, evidence))
    .map(({ next }) => next);
}

/** What an account began after a whole window, with nobody else busy, and of which nothing was accepted: its first requests. */
function refusedThoughSpaced(evidence: Evidence, account: string): Exchange[] {
  return refusedAtFirst(evidence, account).filter((exchange) => isQuiet(exchange, evidence));
}

/** Whether all that began with a turn was refused though it kept its distance. */
function isWhollyRefused(turn: Turn, evidence: Evidence): boolean {
  const { next } = turn;
  const together = underWay(evidence, next.sentAtMs, next.receivedAtMs).filter(
    (exchange) => exchange.account === next.account,
  );
  return (
    together.every((exchange) => isWhole(exchange) && !exchange.resent && isRefused(exchange, evidence)) &&
    isSpaced(turn, evidence, LITTLE_MS)
  );
}
