/** The exchanges of a group of probes, or why there are none. */
import type { Evidence, Exchange } from './exchange';
import type { Group } from './probe';

/** The exchanges of the groups, in the order in which they were sent. */
export function exchangesOf(evidence: Evidence, ...groups: Group[]): Exchange[] {
  return evidence.exchanges.filter((exchange) => groups.includes(exchange.probe.group));
}

/** All that was sent to be more than the rate allows. */
export function burstsOf(evidence: Evidence): Exchange[] {
  return exchangesOf(evidence, 'sequence', 'concurrent');
}

/**
 * Why probes of a group were not sent: the reason recorded for the group, or else for an account.
 * @param otherwise the reason where none is recorded
 */
export function whyNotSent(evidence: Evidence, group: Group, otherwise: string): string {
  const noted =
    evidence.notSent.find(({ probe }) => probe.group === group) ??
    evidence.notSent.find(({ probe }) => probe.group === 'account');
  return noted?.reason ?? otherwise;
}

/** The evidence without the requests of the user's own tests, which no clause is judged by. */
export function withoutOwn(evidence: Evidence): Evidence {
  return { ...evidence, exchanges: evidence.exchanges.filter(({ probe }) => probe.group !== 'own') };
}

/** Exchanges with the API itself: what answers for other versions may be another server, with limits of its own. */
export function ofTheApi(evidence: Evidence): Exchange[] {
  return evidence.exchanges.filter((exchange) => isOfTheApi(exchange, evidence));
}

/** Whether a request asked the API itself. */
export function isOfTheApi({ request }: Exchange, { target }: Evidence): boolean {
  return request.url.startsWith(`${target.baseURL}/`);
}
