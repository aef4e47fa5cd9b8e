/** Answers that a queueing server held back until there was budget, told from those of a server that is just slow. */
import type { Evidence, Exchange } from './exchange';
import { burstsOf } from './groups';
import { once } from './once';
import { isAccepted } from './outcome';
import type { Group } from './probe';

/** Groups in which no request has to wait for budget. */
const UNHURRIED: readonly Group[] = ['read', 'together', 'missing-key', 'unknown-key', 'header-case', 'base-accepted'];

/** What an answer usually takes, in milliseconds: the lower quartile of requests that kept their distance. */
export const usualLatencyMs = once(({ exchanges }: Evidence): number => {
  const took = exchanges
    .filter(({ probe, fault }) => fault === null && UNHURRIED.includes(probe.group))
    .map((exchange) => exchange.receivedAtMs - exchange.sentAtMs)
    .sort((a, b) => a - b);
  return took[Math.floor(took.length / 4)] ?? 0;
});

/** A network is not taken for a queue because an answer is so many milliseconds late. */
const LATE_MS = 250;

/** Whether an accepted answer came so late that it had to wait for budget: for a good part of what one request's share takes to flow in. */
export function isHeldBack(exchange: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const tookMs = exchange.receivedAtMs - exchange.sentAtMs;
  return isAccepted(exchange) && tookMs - usualLatencyMs(evidence) > Math.max(LATE_MS, (seconds * 1000) / requests / 2);
}

/** Accepted answers of bursts that were held back. */
export function heldBackOf(evidence: Evidence): Exchange[] {
  return burstsOf(evidence).filter((exchange) => isHeldBack(exchange, evidence));
}
