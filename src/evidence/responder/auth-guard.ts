/**
 * Answers to wrong keys that are not the server's own rejection. They come from a guard that counts wrong keys, a
 * limiter before authentication, or a gateway without room. Behind them the server may accept the key.
 */
import { catalogue, type Group } from '../../catalogue/catalogue';
import { nameOf, sendingOf, standsFor } from '../../catalogue/probe';
import { once } from '../memoize';
import type { Evidence, Exchange } from '../model';
import {
  habitsOf,
  hasShape,
  isAccepted,
  isRefused,
  isWhole,
  looksRefused,
  saysThrottled,
  shapeOf,
  statusOf,
  tellsOfTime,
} from './classify';

/** The shapes of the server's own rejections, of a guard's answers, and of refusals of valid keys. */
export const shapesOf = once((evidence: Evidence) => {
  const whole = evidence.exchanges.filter(isWhole);
  // A request right after an accepted read may be charged to the same account, and refused.
  const early = whole.filter((exchange) => exchange.account === null && !catalogue[exchange.probe.group].followsARead);
  const isTurnedAway = (exchange: Exchange) => saysThrottled(exchange, evidence) || isMadeAsRefusal(exchange, evidence);
  // The answer to the first request without a key, before any flood. A guard answers the same request otherwise later,
  // and a server that takes it for an account's may refuse it because of the rate.
  const proper = early.filter((exchange) => statusOf(exchange) < 500);
  // Where the first answer was a failure, what turned all others away may be a guard that came after it.
  const first = proper.find((exchange) => !isTurnedAway(exchange)) ?? early[0];
  const own = first && !isAccepted(first) ? shapeOf(first) : null;
  const missing = early.find((exchange) => exchange.probe.group === 'missing-key');
  // A limiter before authentication may have refused those two.
  const plain = early.find((exchange) => !isAccepted(exchange) && !isTurnedAway(exchange));
  // No guard counts so few wrong keys as had been sent before those.
  const afterRead = whole
    .slice(
      0,
      whole.findIndex((exchange) => early.includes(exchange)),
    )
    .filter((exchange) => exchange.account === null && !isAccepted(exchange) && !isTurnedAway(exchange));
  const usual = new Set([own, ...[missing, plain, ...afterRead].map((exchange) => exchange && shapeOf(exchange))]);
  // A gateway turned away a wrong key that the server itself rejected at another time: a short ban, or no room.
  const rejected = new Set(whole.filter((exchange) => hasShape(exchange, own)).map(({ probe }) => sendingOf(probe)));
  const lifted = whole.filter(
    (exchange) =>
      exchange.account === null && OF_A_GATEWAY.includes(statusOf(exchange)) && rejected.has(sendingOf(exchange.probe)),
  );
  const toWrongKeys = new Set(whole.filter(({ account }) => account === null).map(shapeOf));
  // During a ban, a guard's answer to wrong keys is that to valid ones.
  const toBoth = whole.filter((exchange) => exchange.probe.group === 'ban' && toWrongKeys.has(shapeOf(exchange)));
  const guards = [...lifted, ...toBoth, ...whole.filter(({ probe }) => probe.group === 'guard')]
    .filter((exchange) => !isAccepted(exchange))
    .map(shapeOf)
    .filter((shape) => !usual.has(shape));
  const refusals = whole.filter((exchange) => exchange.account !== null && isRefused(exchange, evidence)).map(shapeOf);
  return { own, guards: new Set(guards), refusals: new Set(refusals) };
});

/** The statuses of a gateway in place of the server (RFC 9110 section 15.6). */
const OF_A_GATEWAY = [502, 503, 504];

/** Whether a guard, or a limiter before authentication, answered this request without a valid key. */
export function isVeiled(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account !== null || !isWhole(exchange)) return false;
  const { own, guards, refusals } = shapesOf(evidence);
  // A server that was never seen to reject a key may let all of them in.
  if (isAccepted(exchange) && (own === null || !isMadeAsRefusal(exchange, evidence))) return false;
  if (hasShape(exchange, own)) return false;
  if ([...guards, ...refusals].some((shape) => hasShape(exchange, shape))) return true;
  return tellsOfTime(exchange) && looksRefused(exchange, evidence);
}

/** Whether to ask a wrong key again, alone: the answer may be about the number of requests, not about the key. */
export function isDoubtful(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account !== null) return false;
  if (!isWhole(exchange)) return exchange.fault?.kind === 'reset';
  // The first answer to a missing key may be an accident: only the same request, sent again, shows that.
  const isOwn = exchange.probe.group !== 'missing-key' && hasShape(exchange, shapesOf(evidence).own);
  return isVeiled(exchange, evidence) || isMadeAsRefusal(exchange, evidence) || (statusOf(exchange) >= 500 && !isOwn);
}

/**
 * Whether an answer to a wrong key that is no rejection is made like refusals of valid keys: a limiter before
 * authentication may have given it. If the same comes again at a distance, it is the server's own.
 */
export function isMadeAsRefusal(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account !== null || !isWhole(exchange) || statusOf(exchange) >= 400) return false;
  return [...habitsOf(evidence).refusals].some((shape) => hasShape(exchange, shape));
}

/**
 * Tells the answers to wrong keys that count, no veiled one and no doubtful one that got a clear answer later, and the last
 * exchange of each probe that only a guard or a limiter ever answered.
 */
export function answersAmong(asked: readonly Exchange[], evidence: Evidence) {
  const last = new Map(asked.map((exchange) => [nameOf(exchange.probe), exchange]));
  const counted = asked.filter((exchange) => {
    if (isVeiled(exchange, evidence)) return false;
    // No request of a flood is asked again.
    if (exchange.probe.group === 'keyless') return !isDoubtful(exchange, evidence);
    const latest = last.get(nameOf(exchange.probe)) ?? exchange;
    return latest === exchange || !isDoubtful(exchange, evidence) || isVeiled(latest, evidence);
  });
  // A request of a flood was the same as the one that it repeats.
  const seen = new Set(counted.map(({ probe }) => nameOf(standsFor(probe))));
  const hidden = [...last.values()].filter(({ probe }) => probe.group !== 'keyless' && !seen.has(nameOf(probe)));
  return { counted, hidden };
}

/** Returns the groups of requests without a valid key of which one was let in, other than a preflight, which may be. */
export function letInWithoutKey(exchanges: readonly Exchange[]): ReadonlySet<Group> {
  const letIn = exchanges.filter(
    (exchange) => exchange.account === null && exchange.request.method !== 'OPTIONS' && isAccepted(exchange),
  );
  return new Set(letIn.map(({ probe }) => standsFor(probe).group));
}
