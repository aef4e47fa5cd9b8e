/** What the rate clauses (API description, section 8) have in common: windows, refusals, and which requests kept their distance. */

import { waitAskedSeconds } from '../../evidence/clock';
import type { Evidence, Exchange } from '../../evidence/exchange';
import { whyNotSent } from '../../evidence/groups';
import { isQuiet, letThrough } from '../../evidence/looks';
import { isAccepted, isRefused, isWhole } from '../../evidence/outcome';

const NO_REFUSAL =
  'No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.';

/** Why there is no refusal to inspect. */
export function noRefusal(evidence: Evidence): string {
  const isAsked = evidence.exchanges.some((one) => one.probe.group === 'sequence' || one.probe.group === 'concurrent');
  return isAsked ? NO_REFUSAL : whyNotSent(evidence, 'sequence', NO_REFUSAL);
}

export function windowSeconds(evidence: Evidence): number {
  return evidence.target.rate.seconds;
}

export function accountsOf(evidence: Evidence): string[] {
  return evidence.target.accounts.map((account) => account.name);
}

/** Exchanges with the API itself: what answers for other versions may be another server, with limits of its own. */
export function ofTheApi(evidence: Evidence): Exchange[] {
  const base = `${evidence.target.baseURL}/`;
  return evidence.exchanges.filter((one) => one.request.url.startsWith(base));
}

/** Whole responses to a valid key on the two described paths: those that are to carry rate headers. */
export function keyedResponses(evidence: Evidence): Exchange[] {
  const base = evidence.target.baseURL;
  return evidence.exchanges.filter(
    (one) =>
      one.account !== null &&
      isWhole(one) &&
      [`${base}/webhooks`, `${base}/`].includes(one.request.url) &&
      (isAccepted(one) || isRefused(one, evidence)),
  );
}

export function refusalsOf(evidence: Evidence): Exchange[] {
  return evidence.exchanges.filter((one) => isRefused(one, evidence));
}

/** Requests of an account that were sent a window and a little after its last, and what went on besides. */
export function spacedOf(evidence: Evidence, account: string): Array<{ exchange: Exchange; quiet: boolean }> {
  const windowMs = windowSeconds(evidence) * 1000;
  return evidence.exchanges.flatMap((exchange) => {
    // What was sent twice may have been counted twice.
    if (exchange.account !== account || !isWhole(exchange) || exchange.resent) return [];
    // Requests under way at the same time may have been decided before this one.
    const earlier = evidence.exchanges.filter((one) => one !== exchange && one.sentAtMs < exchange.receivedAtMs);
    const own = earlier.filter((one) => one.account === account);
    // What ran out of time may be decided at any later moment.
    const last = [...own].sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1);
    const isSpaced =
      last !== undefined &&
      isFreeAgain(last, exchange, evidence) &&
      own.every((one) => one.receivedAtMs + windowMs <= exchange.sentAtMs && one.fault?.kind !== 'timeout');
    return isSpaced ? [{ exchange, quiet: isQuiet(exchange, evidence) }] : [];
  });
}

/** Whether a request found its account as free as its last one left it: let through, or refused for a time that is over. */
export function isFreeAgain(last: Exchange, exchange: Exchange, evidence: Evidence): boolean {
  if (letThrough([last], evidence).length > 0) return true;
  const asked = waitAskedSeconds(last, evidence)?.most ?? 0;
  return isWhole(last) && exchange.sentAtMs >= last.receivedAtMs + asked * 1000;
}

/**
 * Requests refused though they kept their distance, with nobody else busy: a refusal while others are may be about
 * them (rate.per-user, rate.keyless-free).
 */
export function refusedAlone(evidence: Evidence, account: string): Exchange[] {
  return spacedOf(evidence, account).flatMap(({ exchange, quiet }) =>
    quiet && isRefused(exchange, evidence) ? [exchange] : [],
  );
}
