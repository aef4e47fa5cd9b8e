/** Whether a request was alone, so that its answer is about its own account. */

import { LITTLE_MS } from '../contract/bounds';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { letThrough } from '../evidence/responder/classify';
import { ownOf } from '../evidence/time/gaps';
import { besides } from '../evidence/time/in-flight';
import { type Decision, decisionOf } from './decisions';
import { isExplained } from './limiters';

/**
 * Whether only its own account's requests were under way for some time before a request, until its answer. Otherwise that
 * may be about another account. Accounts known to have separate budgets do not disturb each other.
 * @param rememberedMs how long before, in milliseconds. By default a window and a little: a store may expire late.
 */
export function isUndisturbed(
  exchange: Exchange,
  evidence: Evidence,
  rememberedMs = evidence.target.rate.seconds * 1000 + LITTLE_MS,
): boolean {
  return besides(exchange, evidence, rememberedMs).every(
    (other) =>
      (other.account === exchange.account && other.account !== null) ||
      haveOwnBudgets(other.account, exchange.account, evidence),
  );
}

/** This many accepted requests show an account's budget. The number bounds the work on a server without a limit. */
const MOST_COMPARED = 100;

/** Whether each account's accepted requests fit one budget of the declared rate, and those of both together do not. */
export function haveOwnBudgets(account: string | null, other: string | null, evidence: Evidence): boolean {
  if (account === null || other === null) return false;
  return pairsWithOwnBudgets(evidence).has([account, other].sort().join('\n'));
}

/** Whether one budget of the declared rate for all accounts explains everything that was accepted. */
export const mayAllShare = once((evidence: Evidence): boolean => {
  const accepted = acceptedByAccount(evidence).flatMap(({ decisions }) => decisions);
  return isExplained(accepted, evidence.target.rate);
});

function acceptedByAccount(evidence: Evidence): Array<{ name: string; decisions: Decision[] }> {
  return evidence.target.accounts.map(({ name }) => ({
    name,
    decisions: letThrough(ownOf(evidence, name), evidence).slice(0, MOST_COMPARED).map(decisionOf),
  }));
}

const pairsWithOwnBudgets = once((evidence: Evidence): Set<string> => {
  const { rate } = evidence.target;
  const accepted = acceptedByAccount(evidence);
  const limited = accepted.filter(({ decisions }) => isExplained(decisions, rate));
  const pairs = limited.flatMap((account, i) => limited.slice(i + 1).map((other) => [account, other] as const));
  return new Set(
    pairs
      .filter(([account, other]) => !isExplained([...account.decisions, ...other.decisions], rate))
      .map(([account, other]) => [account.name, other.name].sort().join('\n')),
  );
});
