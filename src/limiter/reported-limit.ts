/** X-RateLimit-Limit compared with what was refused (API description, section 8). */
import { longestMemoryMs } from '../contract/bounds';
import { isWhole } from '../evidence/responder/classify';
import { isHeldBack } from '../evidence/responder/queueing';
import { besides } from '../evidence/time/in-flight';
import { isLimitKept } from './kept';
import { reportedLimit } from './remaining';
import { type Answered, isUndisturbed, oncePer, timelineOf } from './timeline';

/**
 * Returns the refusals, and the answers that a queue held back, before which fewer requests were sent than the Limit. Of a
 * Limit that is not above the declared one, a client of the same key may have used a part.
 */
export const refusedBelowLimit = oncePer((evidence, account: string): Answered[] => {
  const limit = reportedLimit(account, evidence);
  if (limit === null || limit <= evidence.target.rate.requests) return [];
  // Where more is let through than declared, windows may be longer than declared, too.
  const memoryMs = isLimitKept(evidence) ? longestMemoryMs(evidence.target.rate) : Number.POSITIVE_INFINITY;
  return timelineOf(evidence, account).filter(({ exchange, outcome }) => {
    if (!isWhole(exchange) || exchange.resent) return false;
    if (outcome !== 'refused' && !isHeldBack(exchange, evidence)) return false;
    const isOfOthers = !isUndisturbed(exchange, evidence, memoryMs);
    return (
      besides(exchange, evidence, memoryMs).filter((other) => isOfOthers || other.account === account).length < limit
    );
  });
});
