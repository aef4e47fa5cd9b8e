/** Budget that was used though this run did not use it: another client has the same key. */
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Evidence, Exchange } from './exchange';
import { rateHeaderOf } from './headers';
import { onceFor } from './once';
import { isAccepted, isRefused, isWhole, letThrough } from './outcome';
import { isQuiet } from './quiet';
import { sinceAcceptedMs, spacedOf, TELLING_REQUESTS } from './spaced';
import { beginningsOf, isSpaced, ownOf, type Turn, turnsOf, waitedMs } from './turns';
import { underWay } from './under-way';

/** The accounts whose keys another client uses, and the responses that show it. */
export function usedElsewhere(evidence: Evidence): ReadonlyMap<string, Exchange[]> {
  return onceFor(evidence, findUsedElsewhere);
}

function findUsedElsewhere(evidence: Evidence): Map<string, Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const { name } of evidence.target.accounts) {
    // What is never accepted again need not be somebody else's doing.
    const lastAcceptedMs = letThrough(ownOf(evidence, name), evidence).at(-1)?.sentAtMs ?? 0;
    const refused = [...refusedAfterSilence(evidence, name), ...refusedNowAndThen(evidence, name)].filter(
      (one) => one.receivedAtMs <= lastAcceptedMs,
    );
    const shown = new Set([...refused, ...begunBudgets(evidence, name)]);
    if (shown.size > 0) found.set(name, [...shown]);
  }
  return found;
}

/** Whether an account was refused as only somebody else's requests explain, if it is accepted again later. */
export function mayBeUsedElsewhere(evidence: Evidence, account: string): boolean {
  return refusedAfterSilence(evidence, account).length > 0 || isRefusedUnlikeOthers(evidence, account);
}

/**
 * Refusals of an account that had been silent for longer than any limiter of this rate remembers, where it was
 * accepted before: a limit that is stricter than declared would have refused those as well.
 */
function refusedAfterSilence(evidence: Evidence, account: string): Exchange[] {
  const silenceMs = longestHonestSeconds(evidence.target.rate) * 1000 + LITTLE_MS;
  const accepted = letThrough(ownOf(evidence, account), evidence);
  const shortestMs = Math.min(...accepted.map((one) => sinceAcceptedMs(one, accepted)));
  return refusedThoughSpaced(evidence, account).filter((one) => {
    const turn = turnsOf(evidence, account).find(({ next }) => next === one);
    return turn !== undefined && waitedMs(turn) >= Math.max(silenceMs, shortestMs);
  });
}

/**
 * Refusals of an account that kept its distance, where it was accepted at other times after no longer a wait; and where
 * the server's other accounts were not refused so. A limiter is the same program for all accounts: what only some of
 * them meet, and only now and then, somebody else's requests explain.
 */
function refusedNowAndThen(evidence: Evidence, account: string): Exchange[] {
  if (!isRefusedUnlikeOthers(evidence, account)) return [];
  const accepted = letThrough(ownOf(evidence, account), evidence);
  const spaced = spacedOf(evidence, account).filter(isAccepted);
  // Of few that were accepted, it is not known whether a longer wait was what they had in common.
  const known = spaced.length < TELLING_REQUESTS ? [] : spaced.map((one) => sinceAcceptedMs(one, accepted));
  const shortestMs = known.length === 0 ? 0 : Math.min(...known);
  return refusedThoughSpaced(evidence, account).filter(
    (one) => sinceAcceptedMs(one, accepted) + LITTLE_MS >= shortestMs,
  );
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
  const refused = refusedThoughSpaced(evidence, account).filter((one) =>
    refusedOthers.flat().every((other) => Math.abs(other.sentAtMs - one.sentAtMs) > windowMs),
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
  return refusedAtFirst(evidence, account).filter((one) => isQuiet(one, evidence));
}

/** Whether all that began with a turn was refused though it kept its distance. */
function isWhollyRefused(turn: Turn, evidence: Evidence): boolean {
  const { next } = turn;
  const together = underWay(evidence, next.sentAtMs, next.receivedAtMs).filter((one) => one.account === next.account);
  return (
    together.every((one) => isWhole(one) && !one.resent && isRefused(one, evidence)) &&
    isSpaced(turn, evidence, LITTLE_MS)
  );
}

/**
 * First responses of fresh windows that find fewer left than the first request of a window does, as this account or
 * another one shows: a budget that is begun already.
 */
function begunBudgets(evidence: Evidence, account: string): Exchange[] {
  const least = Math.min(
    ...evidence.target.accounts.flatMap(({ name }) => firstsOf(evidence, name).map(({ used }) => used)),
  );
  if (least !== 1) return [];
  return firstsOf(evidence, account)
    .filter(({ used }) => used > 1)
    .map(({ one }) => one);
}

/** The first responses of an account's fresh windows, and how many requests of the limit they say were used. */
function firstsOf(evidence: Evidence, account: string): Array<{ one: Exchange; used: number }> {
  return turnsOf(evidence, account)
    .filter((turn) => isSpaced(turn, evidence, LITTLE_MS) && isQuiet(turn.next, evidence))
    .map(({ next }) => next)
    .filter((one) => !one.resent && letThrough([one], evidence).length > 0)
    .flatMap((one) => {
      const [limit, left] = [rateHeaderOf(one, 'Limit'), rateHeaderOf(one, 'Remaining')];
      return limit === null || left === null ? [] : [{ one, used: limit - left }];
    });
}
