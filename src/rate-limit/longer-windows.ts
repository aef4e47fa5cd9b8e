/** Windows longer than declared: whether they explain every decision about every account. */
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { ownOf } from '../evidence/time/gaps';
import { type Charged, decisionOf, doWindowsExplain, secondsThatExplain, TELLING_DECISIONS } from './limiters';
import { chargedOf, refusedWithRoom } from './room';

/**
 * The length in seconds of windows longer than declared that explain all decisions, where requests that had room were
 * refused; `null` where none explains all.
 */
export const explainingWindowSeconds = once((evidence: Evidence): number | null => {
  const isRefused = evidence.target.accounts.some(({ name }) => refusedWithRoom(evidence, name).length > 0);
  return isRefused ? secondsThatExplain(usersOf(evidence), evidence.target.rate) : null;
});

/** Whether windows longer than declared explain all decisions and declared ones do not. That may be chance. */
export const seemsLonger = once((evidence: Evidence): boolean => {
  const [users, { rate }] = [usersOf(evidence), evidence.target];
  // Of more requests than are looked at, the first may be missing from their window.
  const areAll = users.every(({ charged }) => charged.length <= TELLING_DECISIONS);
  return areAll && !doWindowsExplain(users, rate) && secondsThatExplain(users, rate) !== null;
});

function usersOf(evidence: Evidence): Charged[] {
  return evidence.target.accounts.map(({ name }) => {
    const own = ownOf(evidence, name).filter((exchange) => isWhole(exchange) && !exchange.resent);
    const decided = (exchanges: readonly Exchange[]) => exchanges.map(decisionOf);
    const refused = own.filter((exchange) => isRefused(exchange, evidence));
    const charged = chargedOf(evidence, name);
    return { accepted: decided(letThrough(own, evidence)), refused: decided(refused), charged: decided(charged) };
  });
}
