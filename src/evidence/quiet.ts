/** Whether a request was alone, so that what became of it is about its own account. */
import type { Evidence, Exchange } from './exchange';
import { once } from './once';
import { letThrough } from './outcome';
import { ownOf } from './turns';
import { underWay } from './under-way';
import { decisionOf, isExplained } from './windows';

/**
 * Whether nobody else's request was under way in the window before one: else its refusal may be about that. Accounts
 * that are known to have budgets of their own do not disturb each other.
 */
export function isQuiet(exchange: Exchange, evidence: Evidence): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  return underWay(evidence, exchange.sentAtMs - windowMs, exchange.receivedAtMs).every(
    (one) =>
      one === exchange ||
      (one.account === exchange.account && one.account !== null) ||
      haveOwnBudgets(one.account, exchange.account, evidence),
  );
}

/** Of so many accepted requests an account's budget is told: bounds the work on a server without a limit. */
const TELLING_REQUESTS = 100;

/** Whether no single budget of the declared rate explains what was accepted of two accounts together. */
export function haveOwnBudgets(one: string | null, other: string | null, evidence: Evidence): boolean {
  if (one === null || other === null) return false;
  return pairsWithOwnBudgets(evidence).has([one, other].sort().join('\n'));
}

const pairsWithOwnBudgets = once((evidence: Evidence): Set<string> => {
  const { rate, accounts } = evidence.target;
  const accepted = accounts.map(({ name }) => ({
    name,
    decisions: letThrough(ownOf(evidence, name), evidence).slice(0, TELLING_REQUESTS).map(decisionOf),
  }));
  const limited = accepted.filter(({ decisions }) => isExplained(decisions, rate));
  const pairs = limited.flatMap((one, i) => limited.slice(i + 1).map((other) => [one, other] as const));
  return new Set(
    pairs
      .filter(([one, other]) => !isExplained([...one.decisions, ...other.decisions], rate))
      .map(([one, other]) => [one.name, other.name].sort().join('\n')),
  );
});
