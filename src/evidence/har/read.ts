/** Reads evidence back from the HAR that `toHar` made of it. */
import type { Header } from 'har-format';
import schema from '#schemas/evidence.schema.json';
import { type Probe, probeNamed } from '../../catalogue/catalogue';
import { UsageError } from '../../common/errors';
import { errorsAgainst, wholeJsonIn } from '../../common/json';
import { urlOf } from '../../contract/settings';
import {
  type Delivery,
  type Evidence,
  type Exchange,
  type HeaderLines,
  MOST_DELIVERIES,
  type RecordedBody,
} from '../model';
import { type Har, type HarDelivery, type HarExchange, sealOf } from './write';

// The first error is enough. To collect all takes ajv a time that grows with the square of their number.
const errorsIn = errorsAgainst(schema);

/**
 * Returns the run in a HAR 1.2 that this suite wrote.
 * @param file the name of the file in messages
 * @throws UsageError if the text was cut, does not fit schemas/evidence.schema.json, or is another tool's HAR
 */
export function fromHar(text: string, file: string) {
  const log = logIn(text, file);
  const seal = sealOf(log);
  const entries = log.entries.map((entry, index) =>
    '_delivery' in entry ? deliveryOf(entry, index) : exchangeOf(entry, index),
  );
  const evidence: Evidence = {
    target: log._target,
    startedAtEpochMs: log._startedAtEpochMs,
    // `isSensible` has checked the names.
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
    /** The seal in the file, if it does not match the content. */
    brokenSeal: seal === log._seal ? undefined : log._seal,
  };
}

function logIn(text: string, file: string): Har['log'] {
  const unusable = (why: string) =>
    new UsageError(`${file} cannot be judged again: ${why}. Take the evidence.har that a run left, unedited.`);
  const har = wholeJsonIn(text, file);
  const [error] = errorsIn(har);
  if (error?.instancePath === '/log/_target/accounts' && error.keyword === 'minItems')
    throw unusable('nothing is recorded in it, because its run could not begin');
  if (error || !isSensible((har as Har).log)) throw unusable('it is not as a run of this suite writes it');
  return (har as Har).log;
}

/** Whether probes are known, URLs can be parsed, time goes forward, and a run takes so many deliveries. */
function isSensible({ _target, _notSent, entries }: Har['log']): boolean {
  const exchanges = entries.filter((entry) => !('_delivery' in entry));
  const probes = [..._notSent.map(({ probe }) => probe), ...exchanges.map(({ _probe }) => _probe)];
  const urls = [_target.baseURL, ...entries.map(({ request }) => request.url)];
  return (
    entries.length - exchanges.length <= MOST_DELIVERIES &&
    probes.every((name) => probeNamed(name) !== null) &&
    urls.every((url) => urlOf(url) !== null) &&
    entries.every((entry) => entry._receivedAtMs >= entry._sentAtMs)
  );
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
