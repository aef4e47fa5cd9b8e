/** Whether a request was alone, so that what became of it is about its own account. */
import type { Evidence, Exchange } from './exchange';
import { once } from './once';
import { letThrough } from './outcome';
import { ownOf } from './turns';
import { underWay } from './under-way';
import { decisionOf, isExplained } from './windows';

/**
 * Whether no other account's request was under way in the window before a request: else its refusal may be about that one. Accounts
 * that are known to have budgets of their own do not disturb each other.
 */
export function isQuiet(exchange: Exchange, evidence: Evidence): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  return underWay(evidence, exchange.sentAtMs - windowMs, exchange.receivedAtMs).every(
    (other) =>
      other === exchange ||
      (other.account === exchange.account && other.account !== null) ||
      haveOwnBudgets(other.account, exchange.account, evidence),
  );
}

/** Of so many accepted requests an account's budget is told: bounds the work on a server without a limit. */
const TELLING_REQUESTS = 100;

/** Whether no single budget of the declared rate explains what was accepted of two accounts together. */
export function haveOwnBudgets(account: string | null, other: string | null, evidence: Evidence): boolean {
  if (account === null || other === null) return false;
  return pairsWithOwnBudgets(evidence).has([account, other].sort().join('\n'));
}

const pairsWithOwnBudgets = once((evidence: Evidence): Set<string> => {
  const { rate, accounts } = evidence.target;
  const accepted = accounts.map(({ name }) => ({
    name,
    decisions: letThrough(ownOf(evidence, name), evidence).slice(0, TELLING_REQUESTS).map(decisionOf),
  }));
  const limited = accepted.filter(({ decisions }) => isExplained(decisions, rate));
  const pairs = limited.flatMap((account, i) => limited.slice(i + 1).map((other) => [account, other] as const));
  return new Set(
    pairs
      .filter(([account, other]) => !isExplained([...account.decisions, ...other.decisions], rate))
      .map(([account, other]) => [account.name, other.name].sort().join('\n')),
  );
});
