/** What the description leaves open is reported and not judged. An observation is a list of distinct values. */

import { DAY_SECONDS } from '../contract/bounds';
import { secondsAhead } from '../evidence/clock';
import type { Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { linesOf, rateHeaderOf, retryAfterOf, valuesOf } from '../evidence/headers';
import { isObject, outlined } from '../evidence/json';
import { isAccepted, isWhole, statusOf } from '../evidence/outcome';
import { bodyAt, ownReads } from '../evidence/reads';
import { bansOf } from '../evidence/service';
import { timesEachCame } from './event';
import { refusalsOf } from './rate/facts';

export type Observations = Record<string, unknown[]>;

/** Observations by their ids in schemas/clauses.yaml. An observation without a value is left out. */
export function observationsOf(evidence: Evidence): Observations {
  const whole = evidence.exchanges.filter(isWhole);
  const keyless = whole.filter(
    (exchange) =>
      exchange.account === null && exchange.probe.group !== 'every-path' && exchange.probe.group !== 'every-method',
  );
  const rejections = keyless.filter((exchange) => statusOf(exchange) >= 400 && statusOf(exchange) < 500);
  const refusals = refusalsOf(evidence).filter(isWhole);
  const base = whole.filter((exchange) => exchange.probe.group === 'base-accepted');
  const reads = ownReads(evidence);
  const inReads = (...path: string[]) => reads.map((read) => bodyAt(read, 'webhook', 'auth', ...path));
  const typesInReads = (...path: string[]) =>
    inReads(...path)
      .filter((value) => value !== undefined && value !== null)
      .map((value) => typeof value);
  const versions = (names: string[]) =>
    whole.filter((exchange) => exchange.probe.group === 'version' && names.includes(exchange.probe.form));
  const all: Observations = {
    'rejection.status': rejections.map(statusOf),
    'rejection.body-type': rejections.map(bodyTypeOf),
    'rejection.members': rejections.flatMap(membersOf),
    'rejection.challenge': rejections
      .flatMap((exchange) => valuesOf(exchange, 'WWW-Authenticate'))
      .map((value) => value.split(' ')[0]),
    'refusal.status': refusals.map(statusOf),
    'refusal.body-type': refusals.map(bodyTypeOf),
    'refusal.members': refusals.flatMap(membersOf),
    'headers.carriage': carriageOf(evidence, refusals, rejections),
    'reset.rounding': whole.flatMap((exchange) => resetAheadOf(exchange, evidence)),
    'retry-after.form': refusals.flatMap(retryAfterFormOf),
    'auth.type.values': inReads('type').filter((value) => value !== undefined),
    'apikey.header.types': typesInReads('apikey', 'header'),
    'apikey.apikey.types': typesInReads('apikey', 'apikey'),
    'base-path.status': base.map(statusOf),
    'base-path.content-type': base.map(bodyTypeOf),
    'base-path.members': base.flatMap(membersOf),
    'unknown-path.status': whole.filter((exchange) => exchange.probe.group === 'every-path').map(statusOf),
    'options.status': whole.filter((exchange) => exchange.request.method === 'OPTIONS').map(statusOf),
    'unknown-version.status': versions(['v0', 'v999']).map(statusOf),
    'unversioned.status': versions(['unversioned']).map(statusOf),
    'deprecation.headers': whole.flatMap((exchange) =>
      ['Deprecation', 'Sunset'].filter((name) => valuesOf(exchange, name).length > 0),
    ),
    'defence.ban': bansOf(evidence).map(({ fromMs, toMs, wrongKeys, shown }) => ({
      answer: shown.fault ? shown.fault.kind : statusOf(shown),
      wrongKeys,
      seconds: Number.isFinite(toMs) ? Math.round((toMs - fromMs) / 1000) : null,
    })),
    cookies: whole.flatMap((exchange) => valuesOf(exchange, 'Set-Cookie')).map((cookie) => cookie.split('=')[0]),
    compression: whole.flatMap((exchange) => valuesOf(exchange, 'Content-Encoding')),
    'notification.method': evidence.deliveries.map(({ method }) => method),
    'notification.content-type': evidence.deliveries.map(({ headers, body }) => mediaTypeOf(headers, body)),
    'notification.members': evidence.deliveries.flatMap(({ body }) => memberNamesIn(body)),
    'notification.headers': evidence.deliveries.flatMap(({ headers }) => headers.map(([name]) => name)),
    'notification.retries': timesEachCame(evidence),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([id, values]) => (values.length > 0 ? [[id, distinct(values)]] : [])),
  );
}

/** Distinct values, sorted so that the observations of two runs can be compared. */
export function distinct(values: readonly unknown[]): unknown[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byText.keys()].sort().map((text) => byText.get(text));
}

function bodyTypeOf(exchange: Exchange): string {
  return mediaTypeOf(exchange.response?.headers ?? [], exchange.response?.body ?? '');
}

function mediaTypeOf(headers: HeaderLines, body: string): string {
  if (body === '') return 'none';
  return linesOf(headers, 'Content-Type')[0]?.split(';')[0]?.trim().toLowerCase() ?? 'unnamed';
}

function membersOf(exchange: Exchange): string[] {
  return memberNamesIn(exchange.response?.body ?? '');
}

function memberNamesIn(body: string): string[] {
  const document = outlined(body);
  return isObject(document) ? Object.keys(document) : [];
}

/** Each rate-limit header with each class of responses that carry it, such as `Retry-After on refused`. */
function carriageOf(evidence: Evidence, refusals: Exchange[], rejections: Exchange[]): string[] {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  const groups = {
    accepted: evidence.exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange)),
    refused: refusals,
    rejected: rejections,
  };
  return Object.entries(groups).flatMap(([what, exchanges]) =>
    names
      .filter((name) => exchanges.some((exchange) => valuesOf(exchange, name).length > 0))
      .map((name) => `${name} on ${what}`),
  );
}

/** Whole seconds from the response to the moment of its Reset; none for a Reset more than a day away. */
function resetAheadOf(exchange: Exchange, evidence: Evidence): number[] {
  const reset = rateHeaderOf(exchange, 'Reset');
  const ahead = reset === null ? Number.POSITIVE_INFINITY : secondsAhead(reset, exchange, evidence).least;
  return Math.abs(ahead) > DAY_SECONDS ? [] : [Math.round(ahead)];
}

function retryAfterFormOf(exchange: Exchange): string[] {
  const asked = retryAfterOf(exchange);
  if (asked === null) return [];
  if (asked.form === 'seconds') return ['seconds'];
  return [asked.obsolete ? 'obsolete date' : 'date'];
}
