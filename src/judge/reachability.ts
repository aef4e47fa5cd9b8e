/** Whether any key was accepted. If none was, address or keys are probably wrong, and nothing else is judged. */
import { groupedBy, listed } from '../common/text';
import type { ClauseResult } from '../contract/result';
import { linesOf } from '../evidence/http/headers';
import { type Evidence, type Exchange, type Fault, once } from '../evidence/model';
import { isAccepted, isWhole, statusOf } from '../evidence/responder/classify';

/** Clauses that are judged even if no key was accepted, because they are about that. */
const STILL_JUDGED: ReadonlySet<string> = new Set(['auth.accepted', 'transport.complete', 'transport.https']);

/** Returns why a clause cannot be judged if no key was accepted; `null` if one was, or the clause is about that. */
export function whyUnjudged(id: string, evidence: Evidence): string | null {
  // The 200 of a web page accepts no key.
  const isFeigned = id === 'auth.accepted' && isOneWebPage(evidence);
  if (noKeyAccepted(evidence) === null || (STILL_JUDGED.has(id) && !isFeigned)) return null;
  return 'No key was accepted, so nothing else could be judged (auth.accepted).';
}

/** Returns that no key was accepted, what came instead, and what to check; `null` if one was, or none was tried. */
export const noKeyAccepted = once((evidence: Evidence): string | null => {
  const keyed = evidence.exchanges.filter(({ account }) => account !== null);
  const isLetIn = keyed.some(isAccepted) && !isOneWebPage(evidence);
  if (keyed.length === 0 || isLetIn) return null;
  const { baseURL } = evidence.target;
  return `No key was accepted at ${baseURL}/webhooks: ${answersIn(keyed)}. ${whatLooksWrong(evidence, keyed)}`;
});

/**
 * Returns why a run has no verdict, in one sentence: no key was accepted, no answer arrived whole, a trigger failed, the
 * receiver cannot be reached, or the server's answers left every clause open. `null` if something was judged, or if all
 * that was selected needs a declaration.
 * @param decided the clauses that were to be judged
 */
export function whyNothingIsJudged(decided: readonly ClauseResult[], evidence: Evidence): string | null {
  if (decided.length === 0) return null;
  const { exchanges, target } = evidence;
  if (decided.some(({ verdict }) => verdict !== 'not-tested')) return noKeyAccepted(evidence);
  const faults = exchanges.flatMap(({ fault }) => fault ?? []);
  const [broken] = faults;
  if (broken && faults.length === exchanges.length) {
    const scheme = isPerhapsHttps(target.baseURL, exchanges) ? ` ${WRONG_SCHEME}.` : '';
    return `No answer of ${target.baseURL} arrived whole, so nothing could be judged: the server ${broken.message}.${scheme}`;
  }
  const failed = evidence.triggers.find(({ failure }) => failure !== null)?.failure;
  const closed = evidence.notSent.find(({ probe }) => probe.group === 'events')?.reason;
  const unseen = decided.find(({ untested }) => untested === 'unseen');
  return failed ?? closed ?? noKeyAccepted(evidence) ?? (unseen ? `Nothing was judged. ${unseen.reason}` : null);
}

/** Whether every GET, with and without a key, was answered with a web page. */
function isOneWebPage({ exchanges }: Evidence): boolean {
  const whole = exchanges.filter((exchange) => isWhole(exchange) && exchange.request.method === 'GET');
  const isMixed = new Set(whole.map(({ account }) => Boolean(account))).size > 1;
  return isMixed && whole.every((exchange) => isAccepted(exchange) && isWebPage(exchange));
}

function isWebPage({ response }: Exchange): boolean {
  return /^\s*<(?:!doctype\s+html|html)\b/i.test(response?.body.slice(0, 500) ?? '');
}

/** Returns the answers, such as "401 to alice and bob" or "503 to alice; no complete answer to bob". */
function answersIn(keyed: readonly Exchange[]): string {
  const byAnswer = groupedBy(keyed, (exchange) => {
    if (isWhole(exchange)) return `${statusOf(exchange)}${isWebPage(exchange) ? ' with a web page' : ''}`;
    const { fault } = exchange;
    return `no complete answer${fault && fault.kind !== 'unreachable' ? ` (the server ${fault.message})` : ''}`;
  });
  return [...byAnswer]
    .map(([answer, to]) => `${answer} to ${listed(new Set(to.map(({ account }) => account ?? '')))}`)
    .join('; ');
}

function whatLooksWrong({ target: { baseURL }, exchanges }: Evidence, keyed: readonly Exchange[]): string {
  const breaks = 'if key and address are right, the server breaks auth.accepted.';
  const whole = keyed.filter(isWhole);
  const statuses = whole.map(statusOf);
  if (isPerhapsHttps(baseURL, exchanges)) return `${WRONG_SCHEME}; ${breaks}`;
  const [elsewhere] = whole.flatMap((exchange) => linesOf(exchange.response?.headers ?? [], 'Location'));
  if (elsewhere !== undefined && statuses.every((status) => Math.floor(status / 100) === 3))
    return `The server redirects to ${elsewhere.slice(0, 200)}: use the address of the API itself; ${breaks}`;
  if (keyed.every((exchange) => exchange.fault !== null && exchange.response !== null))
    return 'The server answers valid keys, but never wholly: fix transport.complete first.';
  const meant = addressMeant(baseURL);
  const isPathUnknown = whole.length > 0 && statuses.every((status) => status === 404);
  if (!/\/v\d+$/.test(new URL(baseURL).pathname) || (isPathUnknown && meant !== baseURL))
    return `The path looks wrong. Try ${meant}, then check the keys; ${breaks}`;
  if (whole.length > 0 && whole.every(isWebPage))
    return `A web page answers in place of the API: it may be down for maintenance, or host or path are another's; ${breaks}`;
  if (whole.length > 0 && statuses.every((status) => status >= 500))
    return `The server itself failed: its log may say why; ${breaks}`;
  if (whole.length === keyed.length && statuses.every((status) => status === 401 || status === 403))
    return `The server answers, so key or address looks wrong; ${breaks}`;
  return `Is the server up, does nobody else use the keys, and are keys and address right? Then it breaks auth.accepted.`;
}

const WRONG_SCHEME = 'The scheme looks wrong: http:// was spoken to what may be an https port. Try https://';

/** Whether all that came is that the server hung up, or noise, as a port of https does where http is spoken. */
function isPerhapsHttps(baseURL: string, exchanges: readonly Exchange[]): boolean {
  const isHungUp = ({ kind }: Fault) => kind === 'reset' || kind === 'malformed';
  return (
    baseURL.startsWith('http:') &&
    exchanges.every(({ fault, response }) => !response && fault !== null && isHungUp(fault))
  );
}

/** Returns the address with the version v2 at its end (API description, section 9). */
function addressMeant(baseURL: string): string {
  const { origin, pathname } = new URL(baseURL);
  const path = pathname.replace(/\/v\d+(?:\/.*)?$/, '').replace(/\/(?:webhooks)?$/, '');
  return `${origin}${path}/v2`;
}
