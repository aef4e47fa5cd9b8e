/** Requests that kept their distance, and those refused all the same. */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from './exchange';
import { isRefused, isWhole } from './outcome';
import { isQuiet } from './quiet';
import { isSpaced, turnsOf } from './turns';

/** Requests of an account that kept their distance; those that were refused, only where they came a little later. */
export function spacedOf(evidence: Evidence, account: string): Exchange[] {
  return turnsOf(evidence, account)
    .filter((turn) => {
      const { next } = turn;
      // What was sent twice may have been counted twice.
      if (!isWhole(next) || next.resent) return false;
      return isSpaced(turn, evidence, isRefused(next, evidence) ? LITTLE_MS : 0);
    })
    .map(({ next }) => next);
}

/**
 * Requests refused though they kept their distance, with nobody else busy: a refusal while others are may be about
 * them (rate.per-user, rate.keyless-free).
 */
export function refusedAlone(evidence: Evidence, account: string): Exchange[] {
  return spacedOf(evidence, account).filter((one) => isRefused(one, evidence) && isQuiet(one, evidence));
}
