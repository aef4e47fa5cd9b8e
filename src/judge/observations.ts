/** Reports what the description leaves open. An observation is a list of distinct values, and is not judged. */
import { catalogue, type Group } from '../catalogue/catalogue';
import { DAY_SECONDS } from '../contract/bounds';
import { linesOf, parsedHeaders, valuesOf } from '../evidence/http/headers';
import { isObject, parsed } from '../evidence/http/json';
import { type Delivery, type Evidence, type Exchange, exchangesOf, type RecordedResponse } from '../evidence/model';
import { isAccepted, isRejection, isWhole, statusOf } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { bansOf } from '../evidence/responder/guards';
import { bodyAt, ownReads } from '../evidence/settings-reads';
import { secondsAhead } from '../evidence/time/server-clock';
import { carries, refusalsOf } from './rate/facts';

export type Observations = Record<string, unknown[]>;

/** Returns the observations of the core profile, by their ids in schemas/clauses.yaml. Values may repeat or be absent. */
export function coreObservations(wholeRun: Evidence): Observations {
  // Answers during an outage are no habit of the server.
  const evidence = whileServing(wholeRun);
  const { exchanges } = evidence;
  const whole = exchanges.filter(isWhole);
  const answersTo = (group: Group) => exchangesOf(evidence, group).filter(isWhole);
  const versions = (...names: string[]) => answersTo('version').filter(({ probe }) => names.includes(probe.form));
  const refusals = refusalsOf(evidence).filter(isWhole);
  const isDescribed = ({ probe }: Exchange) => catalogue[probe.group].answer !== 'not-served';
  const keyless = whole.filter((exchange) => exchange.account === null && isDescribed(exchange));
  const rejections = keyless.filter(isRejection);
  const [rejected, refused] = [responsesOf(rejections), responsesOf(refusals)];
  const base = responsesOf(answersTo('base-accepted'));
  const firstWords = (name: string, from: Exchange[], end: string) =>
    from.flatMap((exchange) => valuesOf(exchange, name)).map((value) => value.split(end)[0]);
  const inReads = (path: string) => ownReads(evidence).map((read) => bodyAt(read, `webhook.auth.${path}`));
  const typesInReads = (member: string) =>
    inReads(`apikey.${member}`)
      .filter((value) => value !== undefined && value !== null)
      .map((value) => typeof value);
  return {
    'rejection.status': rejected.map(({ status }) => status),
    'rejection.body-type': rejected.map(mediaTypeOf),
    'rejection.members': rejected.flatMap(membersOf),
    'rejection.challenge': firstWords('WWW-Authenticate', rejections, ' '),
    'refusal.status': refused.map(({ status }) => status),
    'refusal.body-type': refused.map(mediaTypeOf),
    'refusal.members': refused.flatMap(membersOf),
    'headers.carriage': carriageOf({
      accepted: exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange)),
      refused: refusals,
      rejected: rejections,
    }),
    'reset.rounding': whole.flatMap((exchange) => resetAheadOf(exchange, evidence)),
    'retry-after.form': refusals.flatMap(retryAfterFormOf),
    'auth.type.values': inReads('type').filter((value) => value !== undefined),
    'apikey.header.types': typesInReads('header'),
    'apikey.apikey.types': typesInReads('apikey'),
    'base-path.status': base.map(({ status }) => status),
    'base-path.content-type': base.map(mediaTypeOf),
    'base-path.members': base.flatMap(membersOf),
    'unknown-path.status': answersTo('every-path')
      .filter(({ probe }) => probe.form === '')
      .map(statusOf),
    'options.status': whole.filter(({ request }) => request.method === 'OPTIONS').map(statusOf),
    'unknown-version.status': versions('v0', 'v999').map(statusOf),
    'unversioned.status': versions('unversioned').map(statusOf),
    'deprecation.headers': ['Deprecation', 'Sunset'].filter((name) => whole.some(carries(name))),
    'defence.ban': bansOf(wholeRun).map(({ fromMs, toMs, wrongKeys, shown }) => ({
      answer: shown.fault ? shown.fault.kind : statusOf(shown),
      wrongKeys,
      seconds: Number.isFinite(toMs) ? Math.round((toMs - fromMs) / 1000) : null,
    })),
    cookies: firstWords('Set-Cookie', whole, '='),
    compression: whole.flatMap((exchange) => valuesOf(exchange, 'Content-Encoding')),
  };
}

/** Returns distinct values, sorted so that two runs can be compared. */
export function distinct(values: readonly unknown[]): unknown[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byText.keys()].sort().map((text) => byText.get(text));
}

function responsesOf(exchanges: readonly Exchange[]): RecordedResponse[] {
  return exchanges.flatMap(({ response }) => response ?? []);
}

export function mediaTypeOf({ headers, body }: RecordedResponse | Delivery): string {
  if (body === '') return 'none';
  return linesOf(headers, 'Content-Type')[0]?.split(';')[0]?.trim().toLowerCase() ?? 'unnamed';
}

const MOST_MEMBERS = 100;

export function membersOf(message: RecordedResponse | Delivery): string[] {
  const document = parsed(message);
  return isObject(document) ? Object.keys(document).slice(0, MOST_MEMBERS) : [];
}

/** Returns each rate-limit header with each class of responses that carries it, such as `Retry-After on refused`. */
function carriageOf(classes: Record<string, Exchange[]>): string[] {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  return Object.entries(classes).flatMap(([what, exchanges]) =>
    names.filter((name) => exchanges.some(carries(name))).map((name) => `${name} on ${what}`),
  );
}

function resetAheadOf(exchange: Exchange, evidence: Evidence): number[] {
  const reset = parsedHeaders(exchange).reset;
  const ahead = reset === null ? Number.POSITIVE_INFINITY : secondsAhead(reset, exchange, evidence).least;
  return Math.abs(ahead) > DAY_SECONDS ? [] : [Math.round(ahead)];
}

function retryAfterFormOf(exchange: Exchange): string[] {
  const asked = parsedHeaders(exchange).retryAfter;
  if (asked?.form !== 'date') return asked ? [asked.form] : [];
  return [asked.obsolete ? 'obsolete date' : 'date'];
}
