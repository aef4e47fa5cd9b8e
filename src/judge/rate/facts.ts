/** What the rate clauses (API description, section 8) have in common: windows, refusals, and who else may explain them. */

import { saidBy, valuesOf } from '../../evidence/http/headers';
import { once } from '../../evidence/memoize';
import type { Evidence, Exchange } from '../../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough, shapeOf, statusOf } from '../../evidence/responder/classify';
import { heldBackOf } from '../../evidence/responder/queueing';
import { burstsOf, exchangesOf, ofTheApi, whyNotSent } from '../../evidence/select';
import { besides, ownBeside } from '../../evidence/time/in-flight';
import { isStored } from '../../evidence/time/server-clock';
import { isRefusedByChance, otherClients } from '../../rate-limit/causes';
import { toldTo } from '../../rate-limit/told-limit';
import { isLimitKept, isOverRate } from '../../rate-limit/trials';
import { type Finding, inapplicable, notTested, type Rule, unlessUnseen } from '../finding';

const NO_REFUSAL =
  'No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.';

/** Why there is no refusal to inspect. */
export function noRefusal(evidence: Evidence): string {
  if (burstsOf(evidence).length === 0) return whyNotSent(evidence, 'sequence', NO_REFUSAL);
  return isLimitKept(evidence)
    ? NO_REFUSAL
    : 'No request was refused, as the limit is not kept: fix rate.enforced first.';
}

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
 * rate: a gateway that was overloaded for a moment answers like that. Nor is the answer of a gateway a refusal that has
 * no room for several requests at once.
 */
export const refusalsOf = once((evidence: Evidence): readonly Exchange[] => {
  const bursts = burstsOf(evidence);
  if (bursts.length > 0 && !bursts.some((exchange) => isRefused(exchange, evidence))) return [];
  const refused = ofTheApi(evidence).filter((exchange) => isRefused(exchange, evidence));
  const isAlone = (exchange: Exchange) => besides(exchange, evidence).length === 0;
  const ofOneMoment = refused.filter((exchange) => isBare(exchange) && !isAlone(exchange));
  const alone = new Set(refused.filter(isAlone).map(shapeOf));
  // A server that refuses single requests in another way refuses nothing in this one.
  const isUsedUp = (exchange: Exchange) => alone.size === 0 && !hadBudget(exchange, evidence);
  const shapes = new Set([...alone, ...ofOneMoment.filter(isUsedUp).map(shapeOf)]);
  const withoutRoom = new Set(ofOneMoment.filter((exchange) => !shapes.has(shapeOf(exchange))));
  return refused.filter((exchange) => !withoutRoom.has(exchange));
});

/** Whether an answer has the status of a refusal, and says nothing of a limit. */
function isBare(exchange: Exchange): boolean {
  const { limit, remaining, reset, retryAfter } = saidBy(exchange);
  const isSilent = [limit, remaining, reset, retryAfter].every((value) => value === null);
  return isWhole(exchange) && isSilent && [429, 503].includes(statusOf(exchange));
}

/** Whether an account had been let through less often than the rate allows in the window before a request was answered. */
function hadBudget(exchange: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  return letThrough(ownBeside(exchange, evidence, seconds * 1000), evidence).length < requests;
}

/** Judges the refusals that arrived whole, where there are any. */
export function ofRefusals(evidence: Evidence, judge: (refusals: Exchange[]) => Finding): Finding {
  const refusals = refusalsOf(evidence).filter(isWhole);
  return refusals.length > 0 ? judge(refusals) : withoutRefusals(evidence);
}

/**
 * The finding where no request was refused: inapplicable to a server that holds requests back instead. A server that
 * does neither is broken, and may refuse once it is fixed.
 */
export function withoutRefusals(evidence: Evidence): Finding {
  const held = heldBackOf(evidence);
  return held.length > 1 && exchangesOf(evidence, 'concurrent').length > 0 && isLimitKept(evidence)
    ? inapplicable(
        held,
        'No request was refused: this server held back what was over the rate, up to a whole burst at one moment',
      )
    : notTested(noRefusal(evidence));
}

/** Whether an exchange's response carries a header field. */
export const carries = (name: string) => (exchange: Exchange) => valuesOf(exchange, name).length > 0;

/** Responses of the API to valid keys, made for their requests, that carry a well-formed rate header. */
export function freshWith(name: 'limit' | 'remaining' | 'reset', evidence: Evidence): Exchange[] {
  // What is told to wrong keys may be the limit of an address.
  return ofTheApi(evidence).filter(
    (exchange) => exchange.account !== null && saidBy(exchange)[name] !== null && !isStored(exchange, evidence),
  );
}

/** Whether requests that show a breach came at two moments at least a window apart: all of one may be one accident. */
export function areApart(shown: readonly Exchange[], evidence: Evidence): boolean {
  const moments = shown.map(({ sentAtMs }) => sentAtMs);
  return Math.max(...moments) - Math.min(...moments) >= windowSeconds(evidence) * 1000;
}

/** Whether some limiter explains the trials: the declared one, the one that is told, or one that refused something. */
export const showsALimit = once((evidence: Evidence): boolean => {
  if (isLimitKept(evidence)) return true;
  const trials = burstsOf(evidence);
  if (trials.some((exchange) => isRefused(exchange, evidence)) || heldBackOf(evidence).length > 0) return true;
  return accountsOf(evidence).some((account) => {
    const [told, own] = [toldTo(account, evidence), trials.filter((exchange) => exchange.account === account)];
    return told !== null && own.length > 0 && !isOverRate([own], evidence, account, told);
  });
});

/**
 * Judges the accounts whose key nobody else used: another client of the same key can seem to break many rate clauses.
 * `not-tested` where there is another account and nothing else is broken.
 */
export function unlessOthersUseTheKey(judge: (evidence: Evidence, accounts: string[]) => Finding): Rule['judge'] {
  return (evidence) => {
    const used = otherClients(evidence);
    if (used.size === 0) return judge(evidence, accountsOf(evidence));
    const idle = accountsOf(evidence).filter((account) => !used.has(account));
    const exchanges = evidence.exchanges.filter(({ account }) => !used.has(account ?? ''));
    const times = [...used].map(
      ([account, shown]) => `the key of ${account} (seen ${shown.length === 1 ? 'once' : `${shown.length} times`})`,
    );
    return unlessUnseen(
      judge({ ...evidence, exchanges }, idle),
      `Somebody else used ${times.join(' and ')} while this ran: keep the keys idle and run again.`,
      [...used.values()].flat(),
    );
  };
}

/** The finding; not tested if its breaches are refusals of the only key, and another client of it may be why. */
export function unlessByChance(finding: Finding, refused: readonly Exchange[], evidence: Evidence): Finding {
  const isByChance = finding.breaches.length > 0 && isRefusedByChance(refused, evidence);
  return isByChance ? notTested(MAY_BE_ANOTHER_CLIENT) : finding;
}

export const MAY_BE_ANOTHER_CLIENT =
  'Requests were refused although they kept their distance, but not always, as where another client uses the key: keep it idle and run again, or declare a second account.';
