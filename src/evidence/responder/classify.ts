/** What became of a request: accepted, rejected or refused, in the contract's sense. */
import { catalogue } from '../../catalogue/catalogue';
import { parsedHeaders, valuesOf } from '../http/headers';
import { holdsSettings, parsed, settingsIn } from '../http/json';
import { type Evidence, type Exchange, type Fault, isOfTheApi, once } from '../model';

export function isWhole(exchange: Exchange): boolean {
  return exchange.fault === null && exchange.response !== null;
}

/** Faults that may be accidents. The same request shows it when it is sent again. */
const MAY_PASS: ReadonlySet<string> = new Set(['reset', 'truncated', 'malformed'] satisfies Fault['kind'][]);

/** Whether an answer is broken in a way that may be an accident. To wait for answers takes long, so only a single late one may. */
export function isBroken({ fault }: Exchange, { exchanges }: Evidence): boolean {
  if (fault?.kind === 'timeout') return exchanges.filter((other) => other.fault?.kind === 'timeout').length === 1;
  return fault !== null && MAY_PASS.has(fault.kind);
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

/** How many characters of a text are compared, and how many are read first, so that longer numbers do not move the end. */
const COMPARED = 500;
const READ = 4 * COMPARED;

/** Returns the shape of an answer: status, media type, Retry-After or not, and its text without numbers and ids. */
export function shapeOf(exchange: Exchange): string {
  if (!isWhole(exchange)) return 'broken';
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

/** Whether an answer has this shape. HEAD has no text to compare (RFC 9110 section 9.3.2). */
export function hasShape(exchange: Exchange, shape: string | null): boolean {
  const its = shapeOf(exchange);
  const hasText = exchange.request.method !== 'HEAD';
  return hasText ? shape === its : (shape?.startsWith(its) ?? false);
}

/** Whether a response holds webhook settings in any shape, whatever its status. */
export function disclosesSettings(exchange: Exchange): boolean {
  return holdsSettings(exchange.response);
}

/**
 * Whether a request with a valid key was refused because of the rate limit. In a burst of reads, every response is a
 * refusal but a 2xx with the settings. Elsewhere a response is one if
 * - it says so itself, or
 * - it has the status of the refusals in bursts, and the same request was accepted at another time, or
 * - it has their status, and the shape of one or, where others are served, nothing left. A 2xx is one only by its shape.
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
      (habits.accepted.has(wayOf(exchange)) || (isOfTheApi(exchange, evidence) && isMadeAsRefusals(exchange, habits))))
  );
}

/** Whether an answer has the shape of refusals in bursts, or reports that nothing is left at an address that serves somebody. */
function isMadeAsRefusals(exchange: Exchange, { shapes, served }: ReturnType<typeof habitsOf>): boolean {
  return shapes.has(shapeOf(exchange)) || (reportsNoneLeft(exchange) && served.has(addressOf(exchange)));
}

const addressOf = ({ request: { method, url } }: Exchange): string => `${method} ${url}`;

const reportsNoneLeft = (exchange: Exchange): boolean => parsedHeaders(exchange).remaining === 0;

/**
 * Whether a valid key got a 401 from a server whose refusals speak of the rate. Then the key was rejected, for example by
 * one of several replicas. A 403 shows nothing: a firewall that counts requests may send it.
 */
export function isRejectedAsWrong(exchange: Exchange, evidence: Evidence): boolean {
  return exchange.account !== null && isAboutTheKey(exchange) && habitsOf(evidence).rejects;
}

function isAboutTheKey(exchange: Exchange): boolean {
  return isWhole(exchange) && statusOf(exchange) === 401 && !mayBeThrottled(exchange);
}

/** Returns the accepted requests. A refusal in the guise of a 2xx is none of them. */
export function letThrough(trial: readonly Exchange[], evidence: Evidence): Exchange[] {
  return trial.filter((exchange) => isAccepted(exchange) && !isRefused(exchange, evidence));
}

/** Returns what a request asks for and under which header names, whoever sends it. */
export function askedFor({ method, url, headers }: Exchange['request']): string {
  return [method, url, ...headers.map(([name]) => name)].join(' ');
}

function wayOf({ account, request }: Exchange): string {
  return `${account} ${askedFor(request)}`;
}

/** Whether an answer to a request without a valid key has the status of a refusal or says that it is about the rate. */
export function looksRefused(exchange: Exchange, evidence: Evidence): boolean {
  const habits = habitsOf(evidence);
  return isWhole(exchange) && (saysThrottled(exchange, evidence) || habits.statuses.has(statusOf(exchange)));
}

/** Whether a response says that it is about the rate: 429, or 403 or 503 with a Retry-After that not all answers carry. */
export function saysThrottled(exchange: Exchange, evidence: Evidence): boolean {
  if (statusOf(exchange) === 429) return true;
  return [403, 503].includes(statusOf(exchange)) && mayBeThrottled(exchange) && !habitsOf(evidence).alwaysRetry;
}

function isBurstRead(exchange: Exchange): boolean {
  return catalogue[exchange.probe.group].isAtTheLimit === true && exchange.request.url.endsWith('/webhooks');
}

function isRefusedInBurst(exchange: Exchange, serving: ReadonlySet<string>): boolean {
  // A 2xx that breaks off was let through; transport.complete judges how it arrived.
  if (!isWhole(exchange)) return exchange.fault?.kind !== 'unreachable' && Math.floor(statusOf(exchange) / 100) !== 2;
  return !isAccepted(exchange) || (serving.has(exchange.account ?? '') && looksLikeAnError(exchange));
}

const DESCRIBED = /webhook|submission|hasPassword/;

/** Whether a 2xx is no settings document at all. In JSON, member names may be escaped. */
function looksLikeAnError(exchange: Exchange): boolean {
  return !DESCRIBED.test(JSON.stringify(parsed(exchange.response)) ?? exchange.response?.body ?? '');
}

/** Whether an answer may be about the number of requests: 429, or any with Retry-After. */
export function mayBeThrottled(exchange: Exchange): boolean {
  return statusOf(exchange) === 429 || valuesOf(exchange, 'Retry-After').length > 0;
}

/** What the whole run shows about a server's refusals. */
export const habitsOf = once((evidence: Evidence) => {
  const { exchanges } = evidence;
  const reads = exchanges.filter((exchange) => exchange.probe.group === 'read' && isAccepted(exchange));
  const burst = exchanges.filter((exchange) => isBurstRead(exchange) && isWhole(exchange));
  // If a burst got answers that speak of the rate, a 2xx without the settings is none of its refusals, but a broken answer.
  const speaks = burst.some((exchange) => !isAccepted(exchange) && mayBeThrottled(exchange));
  const served = reads.filter(({ response }) => !speaks && settingsIn(response) !== null);
  const serving = new Set(served.map(({ account }) => account ?? ''));
  const notLetIn = burst.filter((exchange) => isRefusedInBurst(exchange, serving));
  const rejects = notLetIn.some(mayBeThrottled);
  const refused = notLetIn.filter((exchange) => !(rejects && isAboutTheKey(exchange)));
  // Any other 5xx is a failure, unless the server refuses with nothing else.
  const proper = refused.filter((exchange) => statusOf(exchange) < 500 || statusOf(exchange) === 503);
  const letIn = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const alwaysRetry = letIn.some(mayBeThrottled);
  // Of a request that was asked again, the last answer counts. A limiter before authentication refuses a missing key as well.
  const missing = exchanges.findLast(({ probe }) => probe.group === 'missing-key');
  const isOfALimiter = (exchange: Exchange) =>
    statusOf(exchange) === 429 || reportsNoneLeft(exchange) || (!alwaysRetry && mayBeThrottled(exchange));
  const rejected = missing && !isOfALimiter(missing) ? shapeOf(missing) : null;
  return {
    /** Whether some refusals speak of the rate: then a 401 is none. */
    rejects,
    statuses: new Set((proper.length > 0 ? proper : refused).map(statusOf)),
    /** The shapes of refusals in bursts, but that of the answer to a missing key. */
    shapes: new Set(proper.map(shapeOf).filter((shape) => shape !== rejected)),
    /** Whether accepted answers have Retry-After too: then it says nothing about the rate. */
    alwaysRetry,
    /** The accounts whose first reads got a settings document, if refusals may look like success. */
    serving,
    accepted: new Set(letIn.map(wayOf)),
    /** The addresses at which some key was accepted. */
    served: new Set(letIn.map(addressOf)),
  };
});
