/** Finds budget that this run did not use: another client has the same key. */
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, letThrough } from '../evidence/responder/classify';
import { ownOf } from '../evidence/time/gaps';
import { fitsLongerWindows, showsDeclaredRate, TELLING_REQUESTS } from './longer-limit';
import { talliesOf } from './remaining';
import { acceptedWithRoom, chargedOf, refusedWithRoom, sinceLastMs } from './room';

/** The accounts whose keys another client uses, each with the responses that show it. */
export const otherClients = once((evidence: Evidence): ReadonlyMap<string, Exchange[]> => {
  const found = new Map<string, Exchange[]>();
  for (const { name } of evidence.target.accounts) {
    // A key that is never accepted again may be locked out by the server itself, so refusals after the last acceptance
    // prove nothing.
    const lastAcceptedMs = letThrough(ownOf(evidence, name), evidence).at(-1)?.sentAtMs ?? 0;
    const refused = refusedOddly(evidence, name).filter((exchange) => exchange.receivedAtMs <= lastAcceptedMs);
    const shown = new Set([...refused, ...(talliesOf(evidence).foreign.get(name) ?? [])]);
    if (shown.size > 0) found.set(name, [...shown]);
  }
  return found;
});

/** Refusals of an account that no limiter explains by the requests of this run. */
function refusedOddly(evidence: Evidence, account: string): Exchange[] {
  const isAsDeclared = showsDeclaredRate(evidence, account);
  if (!isAsDeclared && fitsLongerWindows(evidence)) return [];
  return [
    ...(isAsDeclared ? refusedWithRoom(evidence, account, { evenIfAsked: true }) : []),
    ...refusedNowAndThen(evidence, account),
    ...refusedAfterMore(evidence, account),
  ];
}

/** Whether only another client's requests would explain the refusals of an account, if it is accepted again later. */
export function mayBeAnotherClient(evidence: Evidence, account: string): boolean {
  if (fitsLongerWindows(evidence)) return false;
  return refusedAfterMore(evidence, account).length > 0 || isRefusedUnlikeOthers(evidence, account);
}

/**
 * Refusals of an account that kept its distance, although it was accepted at other times after no longer wait, and
 * other accounts were not refused so. A limiter is the same program for all accounts: if only some of them are refused,
 * and only now and then, another client's requests are the cause.
 */
function refusedNowAndThen(evidence: Evidence, account: string): Exchange[] {
  if (!isRefusedUnlikeOthers(evidence, account)) return [];
  const charged = chargedOf(evidence, account);
  const spaced = acceptedWithRoom(evidence, account);
  // A few accepted requests do not show whether a longer wait is the reason why they were accepted.
  const known = spaced.length < TELLING_REQUESTS ? [] : spaced.map((exchange) => sinceLastMs(exchange, charged));
  const shortestMs = known.length === 0 ? 0 : Math.min(...known);
  return refusedWithRoom(evidence, account, { bursts: true }).filter(
    (exchange) => sinceLastMs(exchange, charged) + LITTLE_MS >= shortestMs,
  );
}

/**
 * Refusals of requests that came no sooner after the last charged request than an accepted one did, and no sooner after
 * the last refusal, or after a silence longer than any limiter of the rate remembers. No limiter alone does that.
 */
function refusedAfterMore(evidence: Evidence, account: string): Exchange[] {
  const [own, charged] = [ownOf(evidence, account), chargedOf(evidence, account)];
  const refused = own.filter((exchange) => isRefused(exchange, evidence));
  const silenceMs = longestHonestSeconds(evidence.target.rate) * 1000 + LITTLE_MS;
  const room = new Set(acceptedWithRoom(evidence, account));
  const accepted = letThrough(charged, evidence).map((exchange) => ({
    hadRoom: room.has(exchange),
    sinceChargedMs: sinceLastMs(exchange, charged),
    sinceRefusedMs: sinceLastMs(exchange, refused),
  }));
  return refusedWithRoom(evidence, account).filter((exchange) => {
    const [sinceChargedMs, sinceRefusedMs] = [sinceLastMs(exchange, charged), sinceLastMs(exchange, refused)];
    const isSilent = Math.min(sinceChargedMs, sinceRefusedMs) >= silenceMs;
    return accepted.some(
      (kept) =>
        kept.sinceChargedMs <= sinceChargedMs && (isSilent || (kept.hadRoom && kept.sinceRefusedMs <= sinceRefusedMs)),
    );
  });
}

/** Whether only this account was refused more than once although it kept its distance, and another was accepted. */
function isRefusedUnlikeOthers(evidence: Evidence, account: string): boolean {
  const others = evidence.target.accounts.map(({ name }) => name).filter((name) => name !== account);
  const refusedOthers = others.map((name) => refusedWithRoom(evidence, name, { bursts: true }));
  // One refusal may be chance, and refusals of several accounts at one moment may have one cause.
  const windowMs = evidence.target.rate.seconds * 1000;
  const refused = refusedWithRoom(evidence, account, { bursts: true }).filter((exchange) =>
    refusedOthers.flat().every((other) => Math.abs(other.sentAtMs - exchange.sentAtMs) > windowMs),
  );
  return (
    refused.length > 1 &&
    refusedOthers.every(({ length }) => length <= 1) &&
    others.some((name) => acceptedWithRoom(evidence, name).length >= TELLING_REQUESTS)
  );
}
