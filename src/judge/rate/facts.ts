/** What the rate clauses (API description, section 8) have in common: windows, refusals, and which requests kept their distance. */

import type { Evidence, Exchange } from '../../evidence/exchange';
import { burstsOf, whyNotSent } from '../../evidence/groups';
import { heldBackOf } from '../../evidence/held-back';
import { isOverRate, looksOf } from '../../evidence/looks';
import { once } from '../../evidence/once';
import { isAccepted, isRefused, isWhole } from '../../evidence/outcome';
import { type Breach, type Finding, inapplicable, notTested } from '../finding';

const NO_REFUSAL =
  'No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.';

/** Why there is no refusal to inspect. */
export function noRefusal(evidence: Evidence): string {
  if (burstsOf(evidence).length === 0) return whyNotSent(evidence, 'sequence', NO_REFUSAL);
  return isLimitKept(evidence)
    ? NO_REFUSAL
    : 'No request was refused, as the limit is not kept: fix rate.enforced first.';
}

/** Whether all that the looks at the limit let through keeps it. */
const isLimitKept = once((evidence: Evidence) =>
  accountsOf(evidence).every((account) => {
    const looks = [...looksOf(evidence, 'sequence', account), ...looksOf(evidence, 'concurrent', account)];
    return !isOverRate(looks, evidence, account);
  }),
);

export function windowSeconds(evidence: Evidence): number {
  return evidence.target.rate.seconds;
}

export function accountsOf(evidence: Evidence): string[] {
  return evidence.target.accounts.map((account) => account.name);
}

/** Whole responses to a valid key on the two described paths: those that are to carry rate headers. */
export function keyedResponses(evidence: Evidence): Exchange[] {
  const base = evidence.target.baseURL;
  return evidence.exchanges.filter(
    (exchange) =>
      exchange.account !== null &&
      isWhole(exchange) &&
      [`${base}/webhooks`, `${base}/`].includes(exchange.request.url) &&
      (isAccepted(exchange) || isRefused(exchange, evidence)),
  );
}

/**
 * The refusals because of the rate. A server that refused nothing of whole bursts did not refuse anything else for its
 * rate: a gateway that was overloaded for a moment answers like that.
 */
export function refusalsOf(evidence: Evidence): Exchange[] {
  const bursts = burstsOf(evidence);
  if (bursts.length > 0 && !bursts.some((exchange) => isRefused(exchange, evidence))) return [];
  return evidence.exchanges.filter((exchange) => isRefused(exchange, evidence));
}

/**
 * That there is no refusal to inspect: a server that holds requests back instead has none to show, one that does neither
 * is broken, and may refuse once it is fixed.
 */
export function withoutRefusals(evidence: Evidence): Finding {
  const held = heldBackOf(evidence);
  const isBurst = evidence.exchanges.some((exchange) => exchange.probe.group === 'concurrent');
  return held.length > 1 && isBurst && isLimitKept(evidence)
    ? inapplicable(
        held,
        'No request was refused: this server held back what was over the rate, up to a whole burst at one moment',
      )
    : notTested(noRefusal(evidence));
}

/** Whether breaches were seen at two moments at least a window apart: all of one moment may be one accident. */
export function areApart(breaches: readonly Breach[], evidence: Evidence): boolean {
  const moments = breaches.flatMap(({ exchanges }) => exchanges.at(-1)?.sentAtMs ?? []);
  return Math.max(...moments) - Math.min(...moments) >= windowSeconds(evidence) * 1000;
}
