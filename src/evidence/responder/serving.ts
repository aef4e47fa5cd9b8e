/** What came while the server itself served, and what kept it from that. */
import { type Evidence, type Exchange, type Fault, once, type Stretch } from '../model';
import { spanOf } from '../time/in-flight';
import { hasShape, isAccepted, shapeOf } from './classify';
import { accidentsIn, accidentsOf, outageOf } from './failures';
import { bansOf } from './guards';
import { lostInQueues } from './queueing';

/** In place of what failed by chance. A limiter may have charged the request. */
const BY_CHANCE: Fault = { kind: 'unreachable', message: 'failed by chance' };

/**
 * Returns the evidence without the answers of an outage or a ban, and without what failed by chance: a request with a valid
 * key that did is left, unanswered.
 */
export function whileServing(evidence: Evidence): Evidence {
  const exchanges = servedIn(evidence);
  if (exchanges === evidence.exchanges) return evidence;
  return { ...evidence, exchanges, interruptions: interruptionsOf(evidence) };
}

/** Whether the server itself answered, well or badly. */
export function isOfTheServer({ fault }: Exchange): boolean {
  return fault !== BY_CHANCE;
}

const servedIn = once((evidence: Evidence): Exchange[] => {
  const accidents = accidentsIn(evidence);
  const silent = new Set([...outageOf(evidence), ...lostInQueues(evidence)]);
  const bans = bansOf(evidence);
  if (accidents.size + silent.size + bans.length === 0) return evidence.exchanges;
  const isBanned = (exchange: Exchange) =>
    !isAccepted(exchange) &&
    bans.some(
      ({ fromMs, toMs, shown }) =>
        exchange.sentAtMs >= fromMs &&
        exchange.receivedAtMs <= toMs &&
        (exchange.account !== null || hasShape(exchange, shapeOf(shown))),
    );
  return evidence.exchanges.flatMap((exchange) => {
    if (accidents.has(exchange))
      return exchange.account === null ? [] : { ...exchange, response: null, fault: BY_CHANCE };
    return silent.has(exchange) || isBanned(exchange) ? [] : exchange;
  });
});

/** Returns when the server failed for a while and served again: it may have been restarted, and have forgotten what it counted. */
export function interruptionsOf(evidence: Evidence): readonly Stretch[] {
  return evidence.interruptions ?? accidentsOf(evidence).map(spanOf);
}

/** Whether the server served nobody any more from some moment on, by an outage or by a ban that did not end. */
export function hasStoppedServing(evidence: Evidence): boolean {
  return outageOf(evidence).length > 0 || bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY;
}

/** Returns which ban or outage kept something from being judged; `null` where the server served throughout. */
export function whyNotServing(evidence: Evidence): string | null {
  const ban = bansOf(evidence).at(-1);
  if (ban) {
    const lasts = Number.isFinite(ban.toMs) ? 'for a while' : 'until the run ended';
    return `after ${ban.wrongKeys} wrong keys this address was refused with valid keys too, ${lasts}: ask the operator to exempt it from that defence while the suite runs`;
  }
  if (outageOf(evidence).length > 0)
    return 'the server stopped answering before this could be asked: fix transport.complete first';
  if (accidentsOf(evidence).length === 0) return null;
  return 'the server failed when this was asked, and recovered later: run again';
}
