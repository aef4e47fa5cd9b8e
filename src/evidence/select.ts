/** The exchanges of a group of probes, or why there are none. */
import { catalogue, type Group, groupsWhere } from '../catalogue/catalogue';
import type { Probe } from '../catalogue/probe';
import type { Evidence, Exchange } from './model';

/** Returns the exchanges of the groups, in the order of sending. */
export function exchangesOf(evidence: Evidence, ...groups: Group[]): Exchange[] {
  return evidence.exchanges.filter((exchange) => groups.includes(exchange.probe.group));
}

/** Returns the exchanges of the groups that send more than the rate allows. */
export function burstsOf(evidence: Evidence): Exchange[] {
  return exchangesOf(evidence, ...groupsWhere(({ bursts }) => bursts));
}

/** Returns why probes of a group were not sent: the reason noted for the group, or for an account, or `otherwise`. */
export function whyNotSent<Otherwise>(evidence: Evidence, group: Group, otherwise: Otherwise): Otherwise | string {
  const noted =
    evidence.notSent.find(({ probe }) => probe.group === group) ??
    evidence.notSent.find(({ probe }) => probe.group === 'account');
  return noted?.reason ?? otherwise;
}

/** Returns the evidence without the requests of the user's own tests: no clause is judged by them. */
export function withoutOwn(evidence: Evidence): Evidence {
  return { ...evidence, exchanges: evidence.exchanges.filter(({ probe }) => probe.group !== 'own') };
}

/** Returns the exchanges with the API itself. Other versions and paths may be other servers, with limits of their own. */
export function ofTheApi(evidence: Evidence): Exchange[] {
  return evidence.exchanges.filter((exchange) => isOfTheApi(exchange, evidence));
}

export function isOfTheApi({ request, probe }: Exchange, { target }: Evidence): boolean {
  return request.url.startsWith(`${target.baseURL}/`) && !isElsewhere(probe);
}

/** Whether a request with a valid key is for another version or path than those described: nothing is said of its answer. */
export function isElsewhere({ group }: Probe): boolean {
  const { key, answer } = catalogue[group];
  return key === 'valid' && answer === 'observed';
}

/** Whether a request was for the base path. */
export function isAtTheBase({ request }: Exchange): boolean {
  return /(?<!\/webhooks)\/$/.test(request.url);
}

/** Whether a request was not quite the described one, so that a server may count it otherwise. */
export function isRespelled({ probe }: Exchange): boolean {
  return catalogue[probe.group].isRespelled === true;
}
