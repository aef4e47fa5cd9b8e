/** What the rate clauses (API description, section 8) share: refusals, rate headers, and other clients of a key. */
import { listed } from '../../common/text';
import { parsedHeaders, valuesOf } from '../../evidence/http/headers';
import {
  burstsOf,
  type Evidence,
  type Exchange,
  exchangesOf,
  isOfTheApi,
  isRespelled,
  ofTheApi,
  once,
  whyNotSent,
} from '../../evidence/model';
import { isAccepted, isRefused, isWhole } from '../../evidence/responder/classify';
import { refusedByGateway } from '../../evidence/responder/guards';
import { heldBackOf } from '../../evidence/responder/queueing';
import { isStored } from '../../evidence/time/server-clock';
import { isLimitKept, isOverRate } from '../../limiter/enforced';
import { reportedLimit } from '../../limiter/reported';
import { type Answered, accountsOf } from '../../limiter/timeline';
import { idleAccounts, otherClients } from '../../limiter/worlds';
import { type Finding, inapplicable, notTested, notTestedWhen, type Rule } from '../finding';

const NO_REFUSAL =
  'No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.';

/** Returns why there is no refusal to inspect. */
export function noRefusal(evidence: Evidence): string {
  if (burstsOf(evidence).length === 0) return whyNotSent(evidence, 'sequence', NO_REFUSAL);
  return isLimitKept(evidence)
    ? NO_REFUSAL
    : 'No request was refused, because no limit is enforced: fix rate.enforced first.';
}

/** Returns the exchanges of some decisions. */
export const shown = (some: readonly Answered[]): Exchange[] => some.map(({ exchange }) => exchange);

/** Returns the server's whole responses to valid keys, which should carry rate headers. */
export function keyedResponses(evidence: Evidence): Exchange[] {
  const byGateway = refusedByGateway(evidence);
  return ofTheApi(evidence).filter(
    (exchange) =>
      exchange.account !== null &&
      isWhole(exchange) &&
      (isAccepted(exchange) || (isRefused(exchange, evidence) && !byGateway.has(exchange))),
  );
}

/**
 * The refusals because of the rate. A server that refused nothing of whole bursts refused nothing else because of the rate:
 * a gateway that was overloaded for a moment did.
 */
export const refusalsOf = once((evidence: Evidence): readonly Exchange[] => {
  const bursts = burstsOf(evidence);
  if (bursts.length > 0 && !bursts.some((exchange) => isRefused(exchange, evidence))) return [];
  const byGateway = refusedByGateway(evidence);
  return ofTheApi(evidence).filter((exchange) => isRefused(exchange, evidence) && !byGateway.has(exchange));
});

/** Judges the refusals that arrived whole, if there are any. */
export function ofRefusals(evidence: Evidence, judge: (refusals: Exchange[]) => Finding): Finding {
  const refusals = refusalsOf(evidence);
  const whole = refusals.filter(isWhole);
  if (whole.length > 0) return judge(whole);
  return refusals.length > 0
    ? notTested('No refusal arrived whole: fix rate.refusal first.')
    : withoutRefusals(evidence);
}

/**
 * Returns the finding if no request was refused: inapplicable for a server that holds requests back instead. A server that
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

/** Returns the answers whose rate headers are held to their word: the API's, and those to HEAD or a query that were let in or refused. */
export function headed(evidence: Evidence): Exchange[] {
  const { baseURL } = evidence.target;
  const isOfThePath = ({ request: { method, url } }: Exchange) =>
    ['GET', 'HEAD'].includes(method) && url.split('?')[0] === `${baseURL}/webhooks`;
  const isLikePlain = (exchange: Exchange) =>
    isRespelled(exchange) && isOfThePath(exchange) && (isAccepted(exchange) || isRefused(exchange, evidence));
  return evidence.exchanges.filter((exchange) => isOfTheApi(exchange, evidence) || isLikePlain(exchange));
}

/** Returns such fresh answers to valid keys with a well-formed rate header. */
export function freshWith(name: 'limit' | 'remaining' | 'reset', evidence: Evidence): Exchange[] {
  // Answers to wrong keys may report the limit of an address.
  return headed(evidence).filter(
    (exchange) => exchange.account !== null && parsedHeaders(exchange)[name] !== null && !isStored(exchange, evidence),
  );
}

/** Whether a limiter shows in the trials: of the declared rate, of the reported limit, or any that refused something. */
export const showsALimit = once((evidence: Evidence): boolean => {
  const bursts = burstsOf(evidence);
  if (isLimitKept(evidence) || heldBackOf(evidence).length > 0) return true;
  if (bursts.some((exchange) => isRefused(exchange, evidence))) return true;
  return accountsOf(evidence).some((name) => {
    const reported = reportedLimit(name, evidence);
    const isOver = (group: 'sequence' | 'concurrent') => isOverRate(evidence, group, name, reported ?? 0);
    const isAsked = bursts.some(({ account }) => account === name);
    return isAsked && reported !== null && !isOver('sequence') && !isOver('concurrent');
  });
});

/**
 * Judges the accounts whose key nobody else used, since another client of a key can seem to break many rate clauses.
 * `not-tested` if there is another client and nothing else is broken.
 */
export function ofIdleAccounts(
  judge: (evidence: Evidence, accounts: string[], everything: Evidence) => Finding,
): Rule['judge'] {
  return (evidence, everything = evidence) => {
    const used = otherClients(evidence);
    const finding = judge(evidence, idleAccounts(evidence), everything);
    if (used.size === 0) return finding;
    const times = [...used].map(
      ([account, some]) => `the key of ${account} (seen ${some.length === 1 ? 'once' : `${some.length} times`})`,
    );
    return notTestedWhen(
      finding,
      `Somebody else used ${listed(times)} during this run: keep the keys idle and run again.`,
      shown([...used.values()].flat()),
    );
  };
}

/** The finding where some requests were refused although they kept to the rate, and others were not. */
export function notTestedForOthers(evidence: Evidence): Finding {
  const others = accountsOf(evidence).length > 1 ? '' : ', or declare a second account';
  return notTested(
    `Some requests were refused although they kept to the rate, others were not. Perhaps another client uses the key: keep it idle and run again${others}.`,
  );
}
