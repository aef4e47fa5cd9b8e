/** When our address was banned after wrong keys: such answers accuse of nothing. */
import { parsedHeaders } from '../http/headers';
import { once } from '../memoize';
import type { Evidence, Exchange, Stretch } from '../model';
import { burstsOf } from '../select';
import { ONE_MOMENT_MS } from '../time/in-flight';
import { shapesOf } from './auth-guard';
import { hasShape, isAccepted, isWhole, saysThrottled, shapeOf, statusOf } from './classify';
import { isForetold } from './foretold';

/** `toMs` is infinite where the ban stays. */
interface Ban extends Stretch {
  /** How many requests without a valid key got another answer before the ban was noticed. */
  wrongKeys: number;
  /** A refusal of a valid key during the ban. */
  shown: Exchange;
}

/**
 * The times when valid keys of all accounts were refused after many wrong keys. A refused ban watch
 * shows one, unless another is accepted at the same moment (accounts may share a budget), or it was foretold. A read
 * after a flood shows one if it got a guard's answer to wrong keys, even if the ban ended between those reads.
 */
export const bansOf = once((evidence: Evidence): readonly Ban[] => {
  const { exchanges } = evidence;
  const bans: Ban[] = [];
  const { guards } = shapesOf(evidence);
  const reads = exchanges.filter((exchange) => exchange.probe.group === 'ban' || exchange.probe.group === 'together');
  const letIn = reads.filter(isAccepted);
  const bursts = burstsOf(evidence);
  const answers = new Set(bursts.map(shapeOf));
  // Some guards answer 429. Whose page that is shows where it is known how the limiter refuses.
  const isLimiterKnown = bursts.some((exchange) => isWhole(exchange) && !isAccepted(exchange));
  const isOfAGuard = (exchange: Exchange) =>
    guards.has(shapeOf(exchange)) &&
    !answers.has(shapeOf(exchange)) &&
    (isLimiterKnown || !saysThrottled(exchange, evidence));
  const turnedAway = reads.filter(
    (exchange) =>
      !isAccepted(exchange) && mayBan(exchange, evidence) && (exchange.probe.group === 'ban' || isOfAGuard(exchange)),
  );
  for (const noticed of turnedAway) {
    if (bans.some(({ toMs }) => noticed.sentAtMs < toMs) || isForetold(noticed, evidence)) continue;
    if (
      noticed.probe.group === 'ban' &&
      letIn.some(({ sentAtMs }) => Math.abs(sentAtMs - noticed.sentAtMs) < ONE_MOMENT_MS)
    )
      continue;
    const accepted = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
    const before = accepted.map(({ receivedAtMs }) => receivedAtMs).filter((ms) => ms <= noticed.sentAtMs);
    const after = accepted.map(({ sentAtMs }) => sentAtMs).filter((ms) => ms >= noticed.receivedAtMs);
    const wrongKeys = exchanges.filter(
      (exchange) =>
        exchange.account === null && exchange.sentAtMs < noticed.sentAtMs && !hasShape(exchange, shapeOf(noticed)),
    ).length;
    bans.push({ fromMs: Math.max(0, ...before), toMs: Math.min(...after), wrongKeys, shown: noticed });
  }
  return bans;
});

/**
 * Whether a defence may have answered so: broken off, or with a 4xx or 503. Where nothing listens, or another 5xx comes,
 * the server failed; the page that every request without a key gets is no ban's; and an answer that names the declared
 * limit is the limiter's.
 */
function mayBan(exchange: Exchange, evidence: Evidence): boolean {
  const { target } = evidence;
  if (hasShape(exchange, shapesOf(evidence).own)) return false;
  if (!isWhole(exchange)) return exchange.fault?.kind !== 'unreachable';
  if (parsedHeaders(exchange).limit === target.rate.requests && parsedHeaders(exchange).remaining === 0) return false;
  return statusOf(exchange) < 500 || statusOf(exchange) === 503;
}
