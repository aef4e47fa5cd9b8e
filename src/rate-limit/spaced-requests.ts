/** Requests that kept their distance, and those of them that were refused. */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, isWhole } from '../evidence/responder/classify';
import { isSpaced, ownOf, turnsOf, waitedMs } from '../evidence/time/gaps';
import { isQuiet } from './own-budgets';

/** Returns an account's requests that kept their distance. A refused one must have come `LITTLE_MS` later still. */
export function spacedOf(evidence: Evidence, account: string): Exchange[] {
  const spaced = turnsOf(evidence, account).filter((turn) =>
    isSpaced(turn, evidence, isRefused(turn.next, evidence) ? LITTLE_MS : 0),
  );
  // A request that was sent twice may have been counted twice.
  return spaced.map(({ next }) => next).filter((exchange) => isWhole(exchange) && !exchange.resent);
}

/**
 * Returns the requests that were refused although they kept their distance. A refusal while other accounts were busy is
 * left out, because it may be about them (rate.per-user, rate.keyless-free).
 */
export function refusedAlone(evidence: Evidence, account: string): Exchange[] {
  return spacedOf(evidence, account).filter((exchange) => isRefusedInQuiet(exchange, evidence));
}

/** As `refusedAlone`, after a silence of a window and a little, even where a refusal had asked to wait longer. */
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

/** This many requests of an account that kept their distance show how the server's limiter works. */
export const TELLING_REQUESTS = 3;

/** Returns what may have used up an account's budget: everything that was not refused, whatever its status. */
export function chargedOf(evidence: Evidence, account: string): Exchange[] {
  return ownOf(evidence, account).filter((exchange) => !isRefused(exchange, evidence));
}

/** Returns how many milliseconds before a request the last of `others` was answered; infinity where none was. */
export function sinceLastMs(exchange: Exchange, others: readonly Exchange[]): number {
  const { sentAtMs } = exchange;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const other of others)
    if (other !== exchange && other.receivedAtMs <= sentAtMs) lastMs = Math.max(lastMs, other.receivedAtMs);
  return sentAtMs - lastMs;
}

/**
 * Returns how many repeated looks, each right after wrong keys, must be refused before wrong keys are blamed. Another
 * client of one key does not explain that several accounts are refused at one moment.
 * @param refused how many accounts are refused
 * @param asked how many were asked at first
 */
export function trialsAfterWrongKeys(refused: number, asked: number): number {
  if (refused > 1) return 2;
  return asked > 1 ? 4 : 3;
}
