/** What became of a request: accepted, rejected or refused, in the contract's sense. */
import { catalogue } from '../../catalogue/catalogue';
import { parsedHeaders, valuesOf } from '../http/headers';
import { holdsSettings, parsed, settingsIn } from '../http/json';
import { type Evidence, type Exchange, isOfTheApi, once, type RecordedResponse } from '../model';

export function isWhole(exchange: Exchange): boolean {
  return exchange.fault === null && exchange.response !== null;
}

/** Whether the response is whole and a 2xx. */
export function isAccepted(exchange: Exchange): boolean {
  return isWhole(exchange) && Math.floor(statusOf(exchange) / 100) === 2;
}

/** Whether the response is whole and a 4xx. */
export function isRejection(exchange: Exchange): boolean {
  return isWhole(exchange) && Math.floor(statusOf(exchange) / 100) === 4;
}

export function statusOf(exchange: Exchange): number {
  return exchange.response?.status ?? 0;
}

const shapes = new WeakMap<RecordedResponse, string>();

/** Returns the shape of an answer: status, media type, Retry-After or not, and its text without numbers and ids. */
export function shapeOf(exchange: Exchange): string {
  const { response } = exchange;
  if (response === null || !isWhole(exchange)) return 'broken';
  const shape = shapes.get(response) ?? shapeAnew(exchange);
  shapes.set(response, shape);
  return shape;
}

/** Whether an answer has this shape. HEAD has no text to compare (RFC 9110 section 9.3.2). */
export function hasShape(exchange: Exchange, shape: string | null): boolean {
  const its = shapeOf(exchange);
  const hasText = exchange.request.method !== 'HEAD';
  return hasText ? shape === its : (shape?.startsWith(its) ?? false);
}

/** So much of a text is compared, and so much is read for that: longer numbers must not move where the comparison ends. */
const COMPARED = 500;
const READ = 4 * COMPARED;

function shapeAnew(exchange: Exchange): string {
  const text = exchange.response?.body.slice(0, READ) ?? '';
  // What differs from answer to answer: long words with digits between letters, then hexadecimal numbers.
  const isId = (word: string) => /[A-Za-z]\d+[A-Za-z]/.test(word);
  return [
    statusOf(exchange),
    valuesOf(exchange, 'Content-Type')[0] ?? '',
    valuesOf(exchange, 'Retry-After').length > 0,
    text
      .replace(/[\w-]{8,}/g, (word) => (isId(word) ? '#' : word))
      .replace(/[0-9a-f]*\d[0-9a-f]*/gi, '#')
      .slice(0, COMPARED),
  ].join('\n');
}

/** Whether a response holds webhook settings in any shape, whatever its status. */
export function disclosesSettings(exchange: Exchange): boolean {
  return holdsSettings(exchange.response?.body ?? '');
}

/**
 * Whether a request with a valid key was not let through because of the rate limit.
 * In a burst of reads, everything but a 2xx with the settings is a refusal, broken answers included. Elsewhere, three
 * kinds of responses are refusals: they say so themselves; or they have the status of those refusals, and the same
 * request was accepted at another time; or they are made as those refusals are, and no rejection is. A 2xx is one of
 * them only if it is made so.
 */
export function isRefused(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account === null || isRejectedAsWrong(exchange, evidence)) return false;
  // Most refusals need no look at the whole run.
  if (isWhole(exchange) && statusOf(exchange) === 429) return true;
  const habits = habitsOf(evidence);
  if (isBurstRead(exchange)) return isRefusedInBurst(exchange, habits.serving);
  if (!isWhole(exchange)) return false;
  if (isAccepted(exchange))
    return habits.serving.has(exchange.account) && looksLikeAnError(exchange) && habits.shapes.has(shapeOf(exchange));
  return (
    saysThrottled(exchange, evidence) ||
    (habits.statuses.has(statusOf(exchange)) &&
      (habits.accepted.has(wayOf(exchange)) ||
        (isOfTheApi(exchange, evidence) && habits.shapes.has(shapeOf(exchange)))))
  );
}

/**
 * Whether a valid key got the 401 that wrong keys get, of a server whose refusals are made otherwise: it is about the
 * key, as where one of several replicas does not know it. A 403 may be that of a firewall that counts requests.
 */
export function isRejectedAsWrong(exchange: Exchange, evidence: Evidence): boolean {
  const isKeyed = exchange.account !== null && isWhole(exchange) && statusOf(exchange) === 401;
  return isKeyed && habitsOf(evidence).rejections.has(shapeOf(exchange));
}

/** Returns the requests that were accepted, without refusals in the guise of a 2xx. */
export function letThrough(trial: readonly Exchange[], evidence: Evidence): Exchange[] {
  return trial.filter((exchange) => isAccepted(exchange) && !isRefused(exchange, evidence));
}

/** Who asked for what, under which header names: everything but the time by which a server may tell requests apart. */
function wayOf({ account, request }: Exchange): string {
  return `${account} ${askedFor(request)}`;
}

/** Returns what a request asks for and under which header names, whoever sends it. */
export function askedFor({ method, url, headers }: Exchange['request']): string {
  return [method, url, ...headers.map(([name]) => name)].join(' ');
}

/** Whether an answer to a request without a valid key has a refusal's status or says that it is about the rate. */
export function looksRefused(exchange: Exchange, evidence: Evidence): boolean {
  const habits = habitsOf(evidence);
  return isWhole(exchange) && (saysThrottled(exchange, evidence) || habits.statuses.has(statusOf(exchange)));
}

/** Whether a response says that it is about the rate: 429, or 403 or 503 with a Retry-After that not all carry. */
export function saysThrottled(exchange: Exchange, evidence: Evidence): boolean {
  const status = statusOf(exchange);
  if (status !== 403 && status !== 503) return status === 429;
  return valuesOf(exchange, 'Retry-After').length > 0 && !habitsOf(evidence).alwaysRetry;
}

function isBurstRead(exchange: Exchange): boolean {
  return catalogue[exchange.probe.group].isAtTheLimit === true && exchange.request.url.endsWith('/webhooks');
}

function isRefusedInBurst(exchange: Exchange, serving: ReadonlySet<string>): boolean {
  // What begins as a 2xx and breaks off is let through, and transport.complete judges how it arrived.
  if (!isWhole(exchange)) return exchange.fault?.kind !== 'unreachable' && Math.floor(statusOf(exchange) / 100) !== 2;
  return !isAccepted(exchange) || (serving.has(exchange.account ?? '') && looksLikeAnError(exchange));
}

const DESCRIBED = /webhook|submission|hasPassword/;

/** Whether a 2xx is no settings document at all. */
function looksLikeAnError(exchange: Exchange): boolean {
  const body = exchange.response?.body ?? '';
  if (DESCRIBED.test(body)) return false;
  // Member names may be escaped in JSON.
  if (!body.includes('\\')) return true;
  const document = parsed(body);
  return document === undefined || !DESCRIBED.test(JSON.stringify(document));
}

/** Whether an answer by its form is about the number of requests: 429, or with Retry-After. */
export function tellsOfTime(exchange: Exchange): boolean {
  return statusOf(exchange) === 429 || valuesOf(exchange, 'Retry-After').length > 0;
}

/** What the whole run shows about a server's refusals. */
export const habitsOf = once((evidence: Evidence) => {
  const { exchanges } = evidence;
  const reads = exchanges.filter((exchange) => exchange.probe.group === 'read' && isAccepted(exchange));
  const serving = new Set(
    reads.flatMap(({ account, response }) => (settingsIn(response?.body ?? '') ? (account ?? []) : [])),
  );
  const notLetIn = exchanges.filter(
    (exchange) => isBurstRead(exchange) && isWhole(exchange) && isRefusedInBurst(exchange, serving),
  );
  const keyless = exchanges.filter((exchange) => exchange.account === null && isWhole(exchange));
  const toWrongKeys = new Set(
    keyless.filter((exchange) => statusOf(exchange) === 401 && !tellsOfTime(exchange)).map(shapeOf),
  );
  const isRefusedOtherwise = notLetIn.some((exchange) => tellsOfTime(exchange) && !toWrongKeys.has(shapeOf(exchange)));
  const rejections = isRefusedOtherwise ? toWrongKeys : new Set<string>();
  const refused = notLetIn.filter((exchange) => !rejections.has(shapeOf(exchange)));
  // Another 5xx counts as a failure, unless the server refuses with nothing else.
  const proper = refused.filter((exchange) => statusOf(exchange) < 500 || statusOf(exchange) === 503);
  const letIn = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const alwaysRetry = letIn.some((exchange) => valuesOf(exchange, 'Retry-After').length > 0);
  // Of a request without a key that was asked again, the last answer counts. A limiter that stands before authentication
  // answers a missing key as it refuses valid ones.
  const rejection = exchanges.findLast(({ probe }) => probe.group === 'missing-key');
  const isOfALimiter = (exchange: Exchange) =>
    statusOf(exchange) === 429 || parsedHeaders(exchange).remaining === 0 || (!alwaysRetry && tellsOfTime(exchange));
  const rejected = rejection && !isOfALimiter(rejection) ? shapeOf(rejection) : null;
  return {
    /** The shapes of answers to wrong keys that are never those of refusals. */
    rejections,
    /** The statuses with which it refuses in bursts. */
    statuses: new Set((proper.length > 0 ? proper : refused).map(statusOf)),
    /** The shapes of its proper refusals, except one that the answer to a missing key has as well. */
    shapes: new Set(proper.map(shapeOf).filter((shape) => shape !== rejected)),
    /** Accounts whose first reads got a settings document. */
    serving,
    /** Whether an accepted answer has Retry-After: then it says nothing of the rate. */
    alwaysRetry,
    /** The ways to ask (`wayOf`) that were accepted. */
    accepted: new Set(letIn.map(wayOf)),
  };
});
