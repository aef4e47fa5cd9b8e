/** Reads evidence back from the HAR that `toHar` made of it. */
import type { ErrorObject } from 'ajv/dist/2020';
import type { Header } from 'har-format';
import schema from '#schemas/evidence.schema.json';
import { type Probe, probeNamed } from '../../catalogue/catalogue';
import { UsageError } from '../../common/errors';
import { errorsAgainst, jsonOf, whyTooMuch } from '../../common/json';
import { urlOf } from '../../contract/settings';
import {
  type Delivery,
  type Evidence,
  type Exchange,
  type HeaderLines,
  MOST_DELIVERIES,
  type RecordedBody,
} from '../model';
import { type Har, type HarDelivery, type HarEntry, type HarExchange, sealOf } from './write';

// The first error is enough. To collect all, ajv takes a time that grows with the square of their number.
const errorsIn = errorsAgainst(schema);

/**
 * Returns the run in a HAR 1.2 that this suite wrote.
 * @param source its text in UTF-8
 * @param file the name of the file in messages
 * @param named what a message begins with
 * @throws UsageError where the text was cut, does not fit schemas/evidence.schema.json, or is another tool's HAR. Its
 * message names the file, the entry and the member, but no value.
 */
export function fromHar(source: Buffer, file: string, named = 'REPLAY: ') {
  const log = logIn(source, `${named}${file}`);
  const seal = sealOf(log);
  const entries = log.entries.map((entry, index) =>
    '_delivery' in entry ? deliveryOf(entry, index) : exchangeOf(entry, index),
  );
  const evidence: Evidence = {
    target: log._target,
    startedAtEpochMs: log._startedAtEpochMs,
    // `senselessPlace` has checked the names.
    notSent: log._notSent.map(({ probe, reason }) => ({ probe: probeNamed(probe) as Probe, reason })),
    exchanges: entries.filter((entry) => 'probe' in entry),
    deliveries: entries.filter((entry) => 'path' in entry),
    triggers: log._triggers,
  };
  return {
    evidence,
    durationMs: log._durationMs,
    waitedMs: log._waitedMs,
    error: log._error,
    recordedBy: log.creator,
    /** The seal that stands there, if it is not that of what was read. */
    brokenSeal: seal === log._seal ? undefined : log._seal,
  };
}

/** Returns the log of a HAR that this suite wrote. @throws UsageError */
function logIn(source: Buffer, file: string): Har['log'] {
  const text = source.toString();
  const unusable = (why: string) =>
    new UsageError(`${file} cannot be judged again: ${why}. Take the evidence.har that a run left, unedited.`);
  const tooMuch = whyTooMuch(text);
  if (tooMuch !== null) throw unusable(tooMuch);
  const har = jsonOf(text);
  if (har === undefined)
    throw new UsageError(`${file} is not whole JSON: it was cut or edited. Take the evidence.har that a run left.`);
  const [error] = errorsIn(har);
  if (error?.keyword === 'maxItems') throw unusable(`its ${shortName(placeOf(error))} are more than a run leaves`);
  if (error) throw unusable(whatIsWrong(placeOf(error)));
  const { log } = har as Har;
  const senseless = senselessPlace(log);
  if (senseless !== null) throw unusable(whatIsWrong(senseless));
  if (log.entries.filter((entry) => '_delivery' in entry).length > MOST_DELIVERIES)
    throw unusable('its deliveries are more than a run takes');
  return log;
}

/** Returns a JSON pointer to what does not fit. It holds names of the schema and numbers, so it gives no value away. */
function placeOf({ instancePath, params }: ErrorObject): string {
  return params.missingProperty === undefined ? instancePath : `${instancePath}/${params.missingProperty}`;
}

/** Checks what no schema can: probes are known, URLs with markers can be parsed, and time goes forward. */
function senselessPlace({ _target, _notSent, entries }: Har['log']): string | null {
  if (!urlOf(_target.baseURL)) return '/log/_target/baseURL';
  const unknown = _notSent.findIndex(({ probe }) => probeNamed(probe) === null);
  if (unknown >= 0) return `/log/_notSent/${unknown}/probe`;
  for (const [i, entry] of entries.entries()) {
    const member = senselessMember(entry);
    if (member !== null) return `/log/entries/${i}/${member}`;
  }
  return null;
}

function senselessMember(entry: HarEntry): string | null {
  if (!('_delivery' in entry) && probeNamed(entry._probe) === null) return '_probe';
  if (!urlOf(entry.request.url)) return 'request/url';
  return entry._receivedAtMs < entry._sentAtMs ? '_receivedAtMs' : null;
}

function whatIsWrong(place: string): string {
  // A run that could not begin leaves such a file.
  if (/^\/log\/_target(?:\/accounts)?$/.test(place))
    return 'nothing is recorded in it, because its run could not begin';
  return `its ${shortName(place)} is not as a run of this suite writes it`;
}

/** Returns a place below the log as people write it, such as `request.headers[0].name`. */
function shortName(place: string): string {
  const below = place.replace(/^\/log\/?/, '') || 'log';
  return below.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.');
}

function exchangeOf(entry: HarExchange, index: number): Exchange {
  const { request, response } = entry;
  return {
    index,
    probe: probeNamed(entry._probe) as Probe,
    account: entry._account,
    request: {
      method: request.method,
      url: request.url,
      headers: linesFrom(request.headers),
      ...(request.postData && { body: bodyFrom(request.postData.text, request.postData._encoding) }),
    },
    response: entry._answered
      ? {
          status: response.status,
          statusText: response.statusText,
          headers: linesFrom(response.headers),
          ...(response._aside && { aside: linesFrom(response._aside) }),
          ...bodyFrom(response.content.text, response.content.encoding),
        }
      : null,
    fault: entry._fault,
    sentAtMs: entry._sentAtMs,
    receivedAtMs: entry._receivedAtMs,
    connection: Number(entry.connection),
    ...(entry._resent && { resent: entry._resent }),
  };
}

function deliveryOf(entry: HarDelivery, index: number): Delivery {
  const { request } = entry;
  return {
    index,
    method: request.method,
    path: entry._path,
    headers: linesFrom(request.headers),
    ...bodyFrom(request.postData.text, request.postData._encoding),
    truncated: entry._truncated,
    basic: entry._basic,
    receivedAtMs: entry._receivedAtMs,
  };
}

function bodyFrom(body: string, bodyEncoding: RecordedBody['bodyEncoding'] = 'utf8'): RecordedBody {
  return { body, bodyEncoding };
}

function linesFrom(pairs: Header[]): HeaderLines {
  return pairs.map(({ name, value }) => [name, value] as const);
}
