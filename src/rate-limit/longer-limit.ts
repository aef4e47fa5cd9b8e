/** Whether a limit stricter than declared explains the refusals, or the run shows that the limit is not stricter. */
import { LITTLE_MS } from '../contract/bounds';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { keptItsReset, ownOf, type Turn, turnsOf } from '../evidence/time/gaps';
import { type Charged, decisionOf, doWindowsExplain, secondsThatExplain, TELLING_DECISIONS } from './limiters';
import { acceptedWithRoom, chargedOf, refusedWithRoom, sinceLastMs } from './room';

/**
 * Whether a limit stricter than declared may be why a request was not accepted, whatever its status. Plain reads that
 * came a window after an accepted request were turned away, and so was every plain read that came this soon.
 */
export function mayBeTooSoon(exchange: Exchange, evidence: Evidence): boolean {
  if (isAccepted(exchange)) return false;
  const own = ownOf(evidence, exchange.account ?? '').filter(isWhole);
  const accepted = own.filter(isAccepted);
  const usual = own.filter(({ probe, request }) => probe.group !== 'header-case' && request.url.endsWith('/webhooks'));
  const cameMs = sinceLastMs(exchange, accepted);
  // In a burst another request may have taken the budget.
  const isBeside = (other: Exchange) =>
    accepted.some(({ sentAtMs, receivedAtMs }) => sentAtMs < other.receivedAtMs && receivedAtMs > other.sentAtMs);
  const isTurnedAway = (other: Exchange) =>
    !isAccepted(other) && !isBeside(other) && sinceLastMs(other, accepted) >= evidence.target.rate.seconds * 1000;
  const isNoLater = (other: Exchange) => isAccepted(other) && sinceLastMs(other, accepted) <= cameMs + LITTLE_MS;
  return usual.some(isTurnedAway) && !usual.some(isNoLater);
}

/** Whether windows longer than declared explain all decisions, where requests that kept their distance were refused. */
export function fitsLongerWindows(evidence: Evidence): boolean {
  return explainingWindowSeconds(evidence) !== null;
}

/** The length of those windows in seconds; `null` where none explains all. */
export const explainingWindowSeconds = once((evidence: Evidence): number | null => {
  const isRefused = evidence.target.accounts.some(({ name }) => refusedWithRoom(evidence, name).length > 0);
  return isRefused ? secondsThatExplain(usersOf(evidence), evidence.target.rate) : null;
});

/** Whether windows longer than declared explain all decisions and declared ones do not. That may be chance. */
export const seemsLonger = once((evidence: Evidence): boolean => {
  const [users, { rate }] = [usersOf(evidence), evidence.target];
  // Of more requests than are looked at, the first may be missing from their window.
  const areAll = users.every(({ charged }) => charged.length <= TELLING_DECISIONS);
  return areAll && !doWindowsExplain(users, rate) && secondsThatExplain(users, rate) !== null;
});

function usersOf(evidence: Evidence): Charged[] {
  return evidence.target.accounts.map(({ name }) => {
    const own = ownOf(evidence, name).filter((exchange) => isWhole(exchange) && !exchange.resent);
    const decided = (exchanges: readonly Exchange[]) => exchanges.map(decisionOf);
    const refused = own.filter((exchange) => isRefused(exchange, evidence));
    const charged = chargedOf(evidence, name);
    return { accepted: decided(letThrough(own, evidence)), refused: decided(refused), charged: decided(charged) };
  });
}

/**
 * Returns, by account, the refusals that a stricter limit than declared may explain: two of one account, or one of each
 * of several if longer windows explain them all. A single one may be chance, and one before the Reset of the refusal
 * before it is what that told.
 */
export function refusedTooOften(evidence: Evidence): Map<string, Exchange[]> {
  const refused = evidence.target.accounts.map(({ name }) => {
    const turns = new Map(turnsOf(evidence, name).map((turn) => [turn.next, turn]));
    const isLate = (exchange: Exchange) => keptItsReset(turns.get(exchange) as Turn, evidence);
    return [name, refusedWithRoom(evidence, name).filter(isLate)] as const;
  });
  const isOfAll = fitsLongerWindows(evidence) && refused.flatMap(([, some]) => some).length > 1;
  return new Map(refused.filter(([, some]) => some.length > (isOfAll ? 0 : 1)));
}

/** The windows of a stricter limit are at least this many times as long as declared. */
const LONGER = 1.25;
/** A request accepted this soon after a refusal, in windows, shows when budget came back. */
const AT_ONCE = 0.1;

/**
 * Whether an account's budget came back, was used at once, and came back again about a window later. Under a stricter
 * limit it does not, so another client explains refusals after a silence. This only shows at a limit of one request.
 */
export function showsDeclaredRate(evidence: Evidence, account: string): boolean {
  const { requests, seconds } = evidence.target.rate;
  if (requests !== 1) return false;
  const windowMs = seconds * 1000;
  const own = ownOf(evidence, account).filter(isWhole);
  const isJustAgain = (exchange: Exchange, before: Exchange | undefined) => {
    const sinceMs = before && isRefused(before, evidence) ? exchange.sentAtMs - before.receivedAtMs : -1;
    return sinceMs >= 0 && sinceMs < AT_ONCE * windowMs;
  };
  const through = new Set(letThrough(own, evidence));
  const moments = own.filter((exchange, i) => through.has(exchange) && isJustAgain(exchange, own[i - 1]));
  return moments.some((exchange) =>
    [...through].some(
      (next) => next.sentAtMs >= exchange.receivedAtMs && next.receivedAtMs - exchange.sentAtMs < LONGER * windowMs,
    ),
  );
}

/** This many requests of an account that had room show how the server's limiter works. */
export const TELLING_REQUESTS = 3;

/**
 * Whether requests that had room were refused when they came soon after the last charged one, and accepted
 * when they came later, or longer windows explain them. A stricter limit does that; another client's requests do not.
 */
export function isRefusedRegularly(evidence: Evidence, account: string): boolean {
  const charged = chargedOf(evidence, account);
  const sinceMs = (exchange: Exchange) => sinceLastMs(exchange, charged);
  const refused = refusedWithRoom(evidence, account);
  const kept = acceptedWithRoom(evidence, account).filter((exchange) => Number.isFinite(sinceMs(exchange)));
  return (
    Math.min(refused.length, kept.length) >= TELLING_REQUESTS &&
    (Math.max(...refused.map(sinceMs)) < Math.min(...kept.map(sinceMs)) || fitsLongerWindows(evidence))
  );
}
