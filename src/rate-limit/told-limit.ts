/** X-RateLimit-Limit compared with what was refused (API description, section 8). */
import { longestMemoryMs } from '../contract/bounds';
import { saidBy } from '../evidence/http/headers';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, isWhole } from '../evidence/responder/classify';
import { isHeldBack } from '../evidence/responder/queueing';
import { ofTheApi } from '../evidence/select';
import { ownOf } from '../evidence/time/gaps';
import { besides, ownBeside } from '../evidence/time/in-flight';
import { isStored } from '../evidence/time/server-clock';
import { isUndisturbed } from './own-budgets';
import { isLimitKept } from './trials';

/**
 * By account, the refusals that no limiter of the told Limit decides, whatever its shape: fewer requests than that had
 * been sent, by all the limiter can remember. An answer that a queue held back counts as a refusal. Only a Limit above
 * the declared one is looked at: of any other, a client of the same key may have used a part.
 */
export const refusedBelowLimit = once((evidence: Evidence): ReadonlyMap<string, Exchange[]> => {
  const { rate, accounts } = evidence.target;
  // Where more is let through than declared, windows may be longer than declared, too.
  const memoryMs = isLimitKept(evidence) ? longestMemoryMs(rate) : Number.POSITIVE_INFINITY;
  const byAccount = accounts.flatMap(({ name }) => {
    const limit = toldTo(name, evidence);
    if (limit === null || limit <= rate.requests) return [];
    const refused = ownOf(evidence, name).filter(
      (exchange) =>
        isWhole(exchange) &&
        !exchange.resent &&
        (isRefused(exchange, evidence) || isHeldBack(exchange, evidence)) &&
        (besides(exchange, evidence, memoryMs).length < limit ||
          (ownBeside(exchange, evidence, memoryMs).length < limit && isUndisturbed(exchange, evidence))),
    );
    return refused.length > 0 ? [[name, refused] as const] : [];
  });
  // What came at one moment may be an accident. A limiter is the same program for all accounts.
  const moments = byAccount.flatMap(([, refused]) => refused.map(({ receivedAtMs }) => receivedAtMs));
  const isRepeated = Math.max(...moments) - Math.min(...moments) >= rate.seconds * 1000;
  return new Map(isRepeated ? byAccount : []);
});

/** The X-RateLimit-Limit of an account's first fresh answer that has one in form. */
export function toldTo(account: string, evidence: Evidence): number | null {
  const first = ofTheApi(evidence).find(
    (exchange) => exchange.account === account && saidBy(exchange).limit !== null && !isStored(exchange, evidence),
  );
  return first ? saidBy(first).limit : null;
}
