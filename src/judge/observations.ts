/** What the description leaves open: never judged, only reported. Each observation is a set of distinct values. */

import { DAY_SECONDS } from '../contract/bounds';
import { secondsAhead } from '../evidence/clock';
import type { Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { linesOf, rateHeaderOf, retryAfterOf, valuesOf } from '../evidence/headers';
import { isObject, memberAt, parsed } from '../evidence/json';
import { isAccepted, isWhole, statusOf } from '../evidence/outcome';
import { ownReads } from '../evidence/reads';
import { bansOf } from '../evidence/service';
import { timesEachCame } from './event';
import { refusalsOf } from './rate/facts';

export type Observations = Record<string, unknown[]>;

/** Observations by id, as schemas/clauses.yaml lists them; those of which nothing was seen are left out. */
export function observationsOf(evidence: Evidence): Observations {
  const whole = evidence.exchanges.filter(isWhole);
  const keyless = whole.filter(
    (one) => one.account === null && one.probe.group !== 'every-path' && one.probe.group !== 'every-method',
  );
  const rejections = keyless.filter((one) => statusOf(one) >= 400 && statusOf(one) < 500);
  const refusals = refusalsOf(evidence).filter(isWhole);
  const base = whole.filter((one) => one.probe.group === 'base-accepted');
  const reads = ownReads(evidence);
  const inReads = (...path: string[]) =>
    reads.map((one) => memberAt(parsed(one.response?.body ?? ''), 'webhook', 'auth', ...path));
  const versions = (names: string[]) =>
    whole.filter((one) => one.probe.group === 'version' && names.includes(one.probe.form));
  const all: Observations = {
    'rejection.status': rejections.map(statusOf),
    'rejection.body-type': rejections.map(bodyTypeOf),
    'rejection.members': rejections.flatMap(membersOf),
    'rejection.challenge': rejections
      .flatMap((one) => valuesOf(one, 'WWW-Authenticate'))
      .map((value) => value.split(' ')[0]),
    'refusal.status': refusals.map(statusOf),
    'refusal.body-type': refusals.map(bodyTypeOf),
    'refusal.members': refusals.flatMap(membersOf),
    'headers.carriage': carriageOf(evidence, refusals, rejections),
    'reset.rounding': whole.flatMap((one) => resetAheadOf(one, evidence)),
    'retry-after.form': refusals.flatMap((one) => retryAfterFormOf(one)),
    'auth.type.values': inReads('type').filter((value) => value !== undefined),
    'apikey.header.types': inReads('apikey', 'header')
      .filter((value) => value !== undefined && value !== null)
      .map((value) => typeof value),
    'apikey.apikey.types': inReads('apikey', 'apikey')
      .filter((value) => value !== undefined && value !== null)
      .map((value) => typeof value),
    'base-path.status': base.map(statusOf),
    'base-path.content-type': base.map(bodyTypeOf),
    'base-path.members': base.flatMap(membersOf),
    'unknown-path.status': whole.filter((one) => one.probe.group === 'every-path').map(statusOf),
    'options.status': whole.filter((one) => one.request.method === 'OPTIONS').map(statusOf),
    'unknown-version.status': versions(['v0', 'v999']).map(statusOf),
    'unversioned.status': versions(['unversioned']).map(statusOf),
    'deprecation.headers': whole.flatMap((one) =>
      ['Deprecation', 'Sunset'].filter((name) => valuesOf(one, name).length > 0),
    ),
    'defence.ban': bansOf(evidence).map(({ fromMs, toMs, wrongKeys, shown }) => ({
      answer: shown.fault ? shown.fault.kind : statusOf(shown),
      wrongKeys,
      seconds: Number.isFinite(toMs) ? Math.round((toMs - fromMs) / 1000) : null,
    })),
    cookies: whole.flatMap((one) => valuesOf(one, 'Set-Cookie')).map((cookie) => cookie.split('=')[0]),
    compression: whole.flatMap((one) => valuesOf(one, 'Content-Encoding')),
    'notification.method': evidence.deliveries.map((one) => one.method),
    'notification.content-type': evidence.deliveries.map((one) => mediaTypeOf(one.headers, one.body)),
    'notification.members': evidence.deliveries.flatMap((one) => memberNamesIn(one.body)),
    'notification.headers': evidence.deliveries.flatMap((one) => one.headers.map(([name]) => name)),
    'notification.retries': timesEachCame(evidence),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([id, values]) => (values.length > 0 ? [[id, distinct(values)]] : [])),
  );
}

/** Distinct values in a stable order, so that two runs can be compared. */
export function distinct(values: readonly unknown[]): unknown[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
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
  const document = parsed(body);
  return isObject(document) ? Object.keys(document) : [];
}

/** Which responses carry the rate-limit headers. */
function carriageOf(evidence: Evidence, refusals: Exchange[], rejections: Exchange[]): string[] {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  const groups = {
    accepted: evidence.exchanges.filter((one) => one.account !== null && isAccepted(one)),
    refused: refusals,
    rejected: rejections,
  };
  return Object.entries(groups).flatMap(([what, exchanges]) =>
    names.filter((name) => exchanges.some((one) => valuesOf(one, name).length > 0)).map((name) => `${name} on ${what}`),
  );
}

/** How many seconds ahead of the response Reset lies, as whole seconds. */
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
