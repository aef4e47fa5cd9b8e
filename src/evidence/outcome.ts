/** What became of a request: the words accepted, rejected and refused, as the contract means them. */

import type { Evidence, Exchange } from './exchange';
import { isOfTheApi } from './groups';
import { valuesOf } from './headers';
import { holdsSettings, parsed, settingsIn } from './json';
import { withheldIn } from './markers';
import { once } from './once';
import type { Group } from './probe';

export type Outcome = 'accepted' | 'rejected' | 'refused' | 'fault' | 'other';

/** Bursts: in these, a valid key that is not accepted was refused. */
const LIMITER_GROUPS = new Set<Group>(['sequence', 'concurrent', 'recovery', 'paths', 'promise']);

export function isWhole(exchange: Exchange): boolean {
  return exchange.fault === null && exchange.response !== null;
}

/** A whole 2xx. */
export function isAccepted(exchange: Exchange): boolean {
  return isWhole(exchange) && Math.floor(statusOf(exchange) / 100) === 2;
}

export function statusOf(exchange: Exchange): number {
  return exchange.response?.status ?? 0;
}

/** How an answer is made: status, media type, whether it asks to wait, and its text without what changes each time. */
export function makeOf(exchange: Exchange): string {
  const { body = '' } = exchange.response ?? {};
  return [
    statusOf(exchange),
    valuesOf(exchange, 'Content-Type')[0] ?? '',
    valuesOf(exchange, 'Retry-After').length > 0,
    isWithheld(exchange) ? '' : body.slice(0, 500).replace(/[0-9a-f]*\d[0-9a-f]*/gi, '#'),
  ].join('\n');
}

/** Whether the body was withheld from the evidence, so that only its size is known. */
export function isWithheld({ response }: Exchange): boolean {
  return withheldIn(response?.body ?? '') !== null;
}

/** Whether the webhook settings were served in this response. */
function servesSettings(exchange: Exchange): boolean {
  return isAccepted(exchange) && settingsIn(exchange.response?.body ?? '') !== null;
}

/** Whether a response holds webhook settings in any shape, whatever its status. */
export function disclosesSettings(exchange: Exchange): boolean {
  return holdsSettings(exchange.response?.body ?? '');
}

/**
 * A valid key that was not let through because of the rate limit: in a burst of reads anything but a 2xx with the
 * settings (a 2xx without them is a refusal in disguise, a broken answer one of the worst kind), elsewhere what says
 * so itself, is made as a burst's refusals and no rejection is, or has their status where the same request was accepted at
 * another time.
 */
export function isRefused(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account === null) return false;
  const habits = habitsOf(evidence);
  if (isBurstRead(exchange)) return isRefusedInBurst(exchange, habits.serving);
  if (!isWhole(exchange) || isAccepted(exchange)) return false;
  return (
    saysThrottled(exchange, evidence) ||
    (habits.statuses.has(statusOf(exchange)) && habits.accepted.has(wayOf(exchange))) ||
    (habits.makes.has(makeOf(exchange)) && isOfTheApi(exchange, evidence))
  );
}

/** The requests that were let through. */
export function letThrough(look: readonly Exchange[], evidence: Evidence): Exchange[] {
  return look.filter((exchange) => isAccepted(exchange) && !isRefused(exchange, evidence));
}

/** Who asked for what, and under which names the headers went: what a server may tell apart besides the time. */
function wayOf({ account, request }: Exchange): string {
  return `${account} ${askedFor(request)}`;
}

/** What a request asks for, and under which names its headers went, whoever sends it. */
export function askedFor({ method, url, headers }: Exchange['request']): string {
  return [method, url, ...headers.map(([name]) => name)].join(' ');
}

/** Whether an answer to a request without a valid key is made as a refusal because of the rate, whatever it means. */
export function looksRefused(exchange: Exchange, evidence: Evidence): boolean {
  const habits = habitsOf(evidence);
  return isWhole(exchange) && (saysThrottled(exchange, evidence) || habits.statuses.has(statusOf(exchange)));
}

/** 429, or 403 or 503 with a Retry-After that not every response has: the response itself says that it is about the rate. */
export function saysThrottled(exchange: Exchange, evidence: Evidence): boolean {
  const status = statusOf(exchange);
  const isTold = !habitsOf(evidence).alwaysRetry && valuesOf(exchange, 'Retry-After').length > 0;
  return status === 429 || ((status === 403 || status === 503) && isTold);
}

function isBurstRead(exchange: Exchange): boolean {
  return LIMITER_GROUPS.has(exchange.probe.group) && exchange.request.url.endsWith('/webhooks');
}

function isRefusedInBurst(exchange: Exchange, serving: ReadonlySet<string>): boolean {
  if (!isWhole(exchange)) return exchange.fault?.kind !== 'unreachable';
  return !isAccepted(exchange) || (serving.has(exchange.account ?? '') && looksLikeAnError(exchange));
}

const DESCRIBED = /webhook|submission|hasPassword/;

/** A 2xx that is no settings document at all, to an account that gets one otherwise. */
function looksLikeAnError(exchange: Exchange): boolean {
  const body = exchange.response?.body ?? '';
  if (DESCRIBED.test(body) || withheldIn(body)) return false;
  // Member names may be escaped in JSON.
  const document = parsed(body);
  return document === undefined || !DESCRIBED.test(JSON.stringify(document));
}

/** What is known of a server's refusals as a whole. */
const habitsOf = once(({ exchanges }: Evidence) => {
  const reads = exchanges.filter(
    (exchange) => exchange.probe.group === 'read' && exchange.account !== null && servesSettings(exchange),
  );
  const serving = new Set(reads.map((exchange) => exchange.account ?? ''));
  const refused = exchanges.filter(
    (exchange) => isBurstRead(exchange) && isWhole(exchange) && isRefusedInBurst(exchange, serving),
  );
  const letIn = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const statuses = refused.map(statusOf);
  const rejections = exchanges.filter(({ probe }) => probe.group === 'missing-key').map(makeOf);
  // A server that refuses with another status fails where it answers so.
  const isProper = (status: number) => status < 500 || status === 503;
  const proper = refused.filter((exchange) => isProper(statusOf(exchange))).map(makeOf);
  return {
    /** The statuses with which it refuses, as its bursts show. */
    statuses: new Set(statuses.some(isProper) ? statuses.filter(isProper) : statuses),
    /** How proper refusals are made, where no answer to a missing key is made so. */
    makes: new Set(proper.filter((make) => !rejections.includes(make))),
    /** Accounts whose first read was a settings document. */
    serving,
    /** Whether accepted responses carry Retry-After as well. */
    alwaysRetry: letIn.some((exchange) => valuesOf(exchange, 'Retry-After').length > 0),
    /** The ways to ask that were accepted. */
    accepted: new Set(letIn.map(wayOf)),
  };
});

/** The statuses with which this server refuses, as its bursts show. */
export function refusalStatuses(evidence: Evidence): Set<number> {
  return habitsOf(evidence).statuses;
}

export function outcomeOf(exchange: Exchange, evidence: Evidence): Outcome {
  if (isRefused(exchange, evidence)) return exchange.fault ? 'fault' : 'refused';
  if (!isWhole(exchange)) return 'fault';
  if (isAccepted(exchange)) return 'accepted';
  const status = statusOf(exchange);
  return exchange.account === null && status >= 400 && status < 500 ? 'rejected' : 'other';
}
