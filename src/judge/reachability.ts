/** Whether any key was accepted. If none was, the address or the keys are the likely cause, and nothing else is judged. */

import { groupedBy } from '../common/grouped';
import { listed } from '../common/text';
import type { ClauseResult } from '../contract/result';
import { linesOf } from '../evidence/http/headers';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isWhole, statusOf } from '../evidence/responder/classify';

/** Clauses that are judged even where no key was accepted: they are about that very thing. */
const STILL_JUDGED: ReadonlySet<string> = new Set(['auth.accepted', 'transport.complete', 'transport.https']);

/** Why a clause cannot be judged because no key was accepted; `null` where one was, or the clause is about that. */
export function whyUnjudged(id: string, evidence: Evidence): string | null {
  // The status of a web page says that a key was accepted, and it was not.
  const isFeigned = id === 'auth.accepted' && isOneWebPage(evidence);
  if (noKeyAccepted(evidence) === null || (STILL_JUDGED.has(id) && !isFeigned)) return null;
  return 'No key was accepted, so nothing else could be judged (auth.accepted).';
}

/** Says that no key was accepted, what came instead, and what to check; `null` where one was, or none was tried. */
export const noKeyAccepted = once((evidence: Evidence): string | null => {
  const keyed = evidence.exchanges.filter(({ account }) => account !== null);
  const isLetIn = keyed.some(isAccepted) && !isOneWebPage(evidence);
  if (keyed.length === 0 || isLetIn) return null;
  const { baseURL } = evidence.target;
  return `No key was accepted at ${baseURL}/webhooks: ${answersIn(keyed)}. ${brokenForKeysAlone(evidence) ?? whatLooksWrong(baseURL, keyed)}`;
});

/**
 * Why a run has no verdict, whatever was sent: no key was accepted, no answer arrived whole, or nothing else was judged
 * because a trigger failed, the way to the receiver is closed, or of what the server answered.
 * @param decided the clauses that were to be judged
 * @returns one sentence, or `null` where something was judged, or everything selected needs a declaration
 */
export function whyNothingIsJudged(decided: readonly ClauseResult[], evidence: Evidence): string | null {
  if (decided.length === 0) return null;
  const { exchanges, target } = evidence;
  if (decided.some(({ verdict }) => verdict !== 'not-tested')) return noKeyAccepted(evidence);
  const faults = exchanges.flatMap(({ fault }) => fault ?? []);
  const [broken] = faults;
  if (broken && faults.length === exchanges.length)
    return `No answer of ${target.baseURL} arrived whole, so nothing could be judged: the server ${broken.message}.`;
  const failed = evidence.triggers.find(({ failure }) => failure !== null)?.failure;
  const closed = evidence.notSent.find(({ probe }) => probe.group === 'events')?.reason;
  return failed ?? closed ?? noKeyAccepted(evidence) ?? whyUnseen(decided, evidence);
}

/** Why what the server answered left every clause open: the commonest reason. `null` where declarations are missing. */
function whyUnseen(decided: readonly ClauseResult[], { exchanges, target }: Evidence): string | null {
  const unseen = decided.filter(({ untested }) => untested === 'unseen');
  const [commonest] = [...groupedBy(unseen, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  if (!commonest) return null;
  const keyed = exchanges.filter((exchange) => exchange.account !== null && isWhole(exchange));
  const isPage = keyed.length > 0 && keyed.every(isWebPage);
  const came = isPage ? `: a web page answers at ${target.baseURL}/webhooks in place of the API` : '';
  return `Nothing was judged${came}. ${commonest[0]}`;
}

/** Whether every read, with and without a key, was answered with a web page: a success of that kind is none. */
function isOneWebPage({ exchanges }: Evidence): boolean {
  const whole = exchanges.filter((exchange) => isWhole(exchange) && exchange.request.method === 'GET');
  const isMixed = new Set(whole.map(({ account }) => Boolean(account))).size > 1;
  return isMixed && whole.every((exchange) => isAccepted(exchange) && isWebPage(exchange));
}

function isWebPage({ response }: Exchange): boolean {
  return /^\s*<(?:!doctype\s+html|html)\b/i.test(response?.body.slice(0, 500) ?? '');
}

/** "401 to alice and bob", "503 to alice; no complete answer to bob" */
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

/** What the server does to every valid key, where requests without one show that it is up; `null` where it is not that. */
function brokenForKeysAlone({ exchanges }: Evidence): string | null {
  const keyed = exchanges.filter(({ account }) => account !== null);
  const others = exchanges.filter((exchange) => exchange.account === null && isWhole(exchange));
  if (
    others.some((other) => Math.floor(statusOf(other) / 100) === 4) &&
    keyed.every((each) => isWhole(each) && statusOf(each) >= 500)
  )
    return 'Requests without a valid key get no such error, so the server is up: it breaks auth.accepted.';
  const [fault] = keyed.flatMap((exchange) => exchange.fault ?? []);
  if (!fault || keyed.some(isWhole) || others.length === 0) return null;
  return `Requests without a valid key are answered; to one with a valid key the server ${fault.message}. It breaks transport.complete.`;
}

/** What a person checks first, by what came. */
function whatLooksWrong(baseURL: string, keyed: readonly Exchange[]): string {
  const breaks = 'if key and address are right, the server breaks auth.accepted.';
  const whole = keyed.filter(isWhole);
  const statuses = whole.map(statusOf);
  const asksForTls = whole.some(
    (exchange) => statusOf(exchange) === 400 && /https|ssl|tls/i.test(exchange.response?.body ?? ''),
  );
  const hungUp = keyed.every(({ fault }) => fault?.kind === 'reset' || fault?.kind === 'malformed');
  if (baseURL.startsWith('http:') && (asksForTls || hungUp))
    return `The scheme looks wrong: http:// was spoken to what may be an https port. Try https://; ${breaks}`;
  const [elsewhere] = whole.flatMap((exchange) => linesOf(exchange.response?.headers ?? [], 'Location'));
  if (elsewhere !== undefined && statuses.every((status) => Math.floor(status / 100) === 3))
    return `The server redirects to ${elsewhere.slice(0, 200)}: use the address of the API itself; ${breaks}`;
  const meant = addressMeant(baseURL);
  if (!/\/v\d+$/.test(new URL(baseURL).pathname))
    return `The path looks wrong: it does not end in a version. Try ${meant}, then check the keys; ${breaks}`;
  if (whole.length === 0)
    return `Is the server up, and do scheme and port fit together? Otherwise the server breaks auth.accepted.`;
  if (statuses.every((status) => status === 429))
    return `Is somebody else using the key, or was it banned? Otherwise the server breaks auth.accepted.`;
  if (whole.every(isWebPage))
    return `A web page answers in place of the API: it may be down for maintenance, or host or path are another's; ${breaks}`;
  const advice = meant === baseURL ? 'Check it' : `Try ${meant}, then check the keys`;
  if (statuses.every((status) => status === 404))
    return `The path looks wrong: the server has nothing there. ${advice}; ${breaks}`;
  if (statuses.every((status) => status >= 500))
    return `The server answers every valid key with an error: is it up? Otherwise it breaks auth.accepted.`;
  return `Check the keys and the address; ${breaks}`;
}

/** The address of this version (API description, section 1), where the path ends too early, too late or in another one. */
function addressMeant(baseURL: string): string {
  const { origin, pathname } = new URL(baseURL);
  const path = pathname.replace(/\/v\d+(?:\/.*)?$/, '').replace(/\/(?:webhooks)?$/, '');
  return `${origin}${path}/v2`;
}
