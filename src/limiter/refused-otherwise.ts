/** Whether the rate explains that a request was turned away which is to show something else. */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { isOfTheApi } from '../evidence/select';
import { ownOf } from '../evidence/time/gaps';
import { accountsOf, withRoom } from './timeline';

/** So many requests with room show that the rate is not why the base path refuses. */
const ENOUGH = 3;

/**
 * Returns the refusals at the base path that the rate does not explain, though those over the rate are made alike: none
 * there was let in, of those that had room either, and no read that had room was refused. A 429 speaks of the rate.
 */
export function refusedAtTheBaseAlone(evidence: Evidence): Exchange[] {
  const isAtTheBase = ({ request }: Exchange) => request.url === `${evidence.target.baseURL}/`;
  const met = accountsOf(evidence).flatMap((name) => withRoom(evidence, name));
  const refused = met.filter(({ outcome }) => outcome === 'refused').map(({ exchange }) => exchange);
  const reads = met.filter(({ exchange }) => isAccepted(exchange) && !exchange.resent);
  const isClosed =
    refused.every((exchange) => isAtTheBase(exchange) && statusOf(exchange) !== 429) &&
    !evidence.exchanges.some((exchange) => isAtTheBase(exchange) && isAccepted(exchange));
  return isClosed && refused.length >= ENOUGH && reads.length >= ENOUGH ? refused : [];
}

/**
 * Whether a stricter limit than declared may be why a request was not accepted, whatever its status. Plain reads that
 * came a window after an accepted request were turned away, and so was every plain read that came this soon.
 */
export function mayBeTooSoon(exchange: Exchange, evidence: Evidence): boolean {
  if (isAccepted(exchange)) return false;
  const own = ownOf(evidence, exchange.account ?? '').filter(isWhole);
  const accepted = own.filter(isAccepted);
  const usual = own.filter(
    (other) =>
      other.probe.group !== 'header-case' && isOfTheApi(other, evidence) && other.request.url.endsWith('/webhooks'),
  );
  const cameMs = sinceLastMs(exchange, accepted);
  // In a burst another request may have taken the budget.
  const isBeside = (other: Exchange) =>
    accepted.some(({ sentAtMs, receivedAtMs }) => sentAtMs < other.receivedAtMs && receivedAtMs > other.sentAtMs);
  const isTurnedAway = (other: Exchange) =>
    !isAccepted(other) && !isBeside(other) && sinceLastMs(other, accepted) >= evidence.target.rate.seconds * 1000;
  const isNoLater = (other: Exchange) => isAccepted(other) && sinceLastMs(other, accepted) <= cameMs + LITTLE_MS;
  return usual.some(isTurnedAway) && !usual.some(isNoLater);
}

/** Returns how many milliseconds before a request the last of `others` was answered; infinity where none was. */
function sinceLastMs(exchange: Exchange, others: readonly Exchange[]): number {
  const { sentAtMs } = exchange;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const other of others)
    if (other !== exchange && other.receivedAtMs <= sentAtMs) lastMs = Math.max(lastMs, other.receivedAtMs);
  return sentAtMs - lastMs;
}
