/** Requests that kept their distance, and those refused all the same. */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from './exchange';
import { isRefused, isWhole } from './outcome';
import { isQuiet } from './quiet';
import { isSpaced, ownOf, turnsOf, waitedMs } from './turns';

/** Requests of an account that kept their distance; those that were refused, only where they came a little later. */
export function spacedOf(evidence: Evidence, account: string): Exchange[] {
  const spaced = turnsOf(evidence, account).filter((turn) =>
    isSpaced(turn, evidence, isRefused(turn.next, evidence) ? LITTLE_MS : 0),
  );
  // What was sent twice may have been counted twice.
  return spaced.map(({ next }) => next).filter((exchange) => isWhole(exchange) && !exchange.resent);
}

/**
 * Requests refused though they kept their distance, with nobody else busy: a refusal while others are may be about
 * them (rate.per-user, rate.keyless-free).
 */
export function refusedAlone(evidence: Evidence, account: string): Exchange[] {
  return spacedOf(evidence, account).filter((exchange) => isRefusedInQuiet(exchange, evidence));
}

/** Requests refused after a silence of a window and a little, with nobody else busy, whether or not a refusal asked for more. */
export function refusedThoughSilent(evidence: Evidence, account: string): Exchange[] {
  const leastMs = evidence.target.rate.seconds * 1000 + LITTLE_MS;
  return turnsOf(evidence, account)
    .filter((turn) => waitedMs(turn) >= leastMs && turn.before.every(isWhole))
    .map(({ next }) => next)
    .filter((exchange) => isWhole(exchange) && !exchange.resent && isRefusedInQuiet(exchange, evidence));
}

function isRefusedInQuiet(exchange: Exchange, evidence: Evidence): boolean {
  return isRefused(exchange, evidence) && isQuiet(exchange, evidence);
}

/** So many requests of an account that kept their distance show how the server's limiter works. */
export const TELLING_REQUESTS = 3;

/** What may have used up budget of an account, whatever its status: all that was not refused. */
export function chargedOf(evidence: Evidence, account: string): Exchange[] {
  return ownOf(evidence, account).filter((exchange) => !isRefused(exchange, evidence));
}

/** How long before a request the last one of some others was answered, in milliseconds: infinity where none was. */
export function sinceLastMs(exchange: Exchange, others: readonly Exchange[]): number {
  const { sentAtMs } = exchange;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const other of others)
    if (other !== exchange && other.receivedAtMs <= sentAtMs) lastMs = Math.max(lastMs, other.receivedAtMs);
  return sentAtMs - lastMs;
}
