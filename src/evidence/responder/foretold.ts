/**
 * Refusals that an accepted answer had announced: the limiter refuses for longer than declared. A ban after wrong keys, and
 * another client's requests, come without notice.
 */
import { longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import { parsedHeaders } from '../http/headers';
import type { Evidence, Exchange } from '../model';
import { ownOf } from '../time/gaps';
import { answeredAt, secondsAhead } from '../time/server-clock';
import { isAccepted, isWhole } from './classify';

/** A moment that is still the same so much later is the end of a window, and not always a while ahead. */
export const SEEN_LATER_MS = 3000;

/** Returns the X-RateLimit-Reset of an accepted answer that lies further ahead than any honest one; else `null`. */
export function longResetOf(accepted: Exchange, evidence: Evidence): number | null {
  const { reset } = parsedHeaders(accepted);
  const isLong =
    reset !== null && secondsAhead(reset, accepted, evidence).least > longestHonestSeconds(evidence.target.rate);
  return isLong && isAccepted(accepted) ? reset : null;
}

/**
 * Whether the last accepted answer to the account of a refusal named a moment further ahead than is honest, and refusals
 * some seconds later still name the same one.
 */
export function isForetold(refusal: Exchange, evidence: Evidence): boolean {
  const own = ownOf(evidence, refusal.account ?? '');
  const at = own.findLastIndex((exchange) => isAccepted(exchange) && exchange.receivedAtMs <= refusal.sentAtMs);
  const accepted = own[at];
  const moment = accepted ? longResetOf(accepted, evidence) : null;
  if (!accepted || moment === null) return false;
  const after = own.slice(at + 1);
  const next = after.findIndex(isAccepted);
  return (next < 0 ? after : after.slice(0, next)).some(
    (exchange) =>
      isWhole(exchange) &&
      exchange.sentAtMs >= accepted.receivedAtMs + SEEN_LATER_MS &&
      doesName(exchange, moment, evidence),
  );
}

/** Whether a refusal says that there is budget at a moment, give or take what rounding adds. */
function doesName(refusal: Exchange, epochSeconds: number, evidence: Evidence): boolean {
  const { reset, retryAfter } = parsedHeaders(refusal);
  if (reset !== null) return Math.abs(reset - epochSeconds) <= ROUNDING_SECONDS;
  if (retryAfter?.form !== 'seconds') return false;
  const { least, most } = answeredAt(refusal, evidence);
  const leftSeconds = epochSeconds - retryAfter.seconds;
  return least - ROUNDING_SECONDS <= leftSeconds && leftSeconds <= most + ROUNDING_SECONDS;
}
