/** The file of evidence: writes a run as HAR 1.2, and reads it back. Members with a `_` are the suite's own (schemas/evidence.schema.json). */
import type { Entry, Header } from 'har-format';
import schema from '#schemas/evidence.schema.json';
import { nameOf, type Probe, probe, probeNamed } from '../catalogue/catalogue';
import { UsageError } from '../common/errors';
import { errorsAgainst, wholeJsonIn } from '../common/json';
import { suite } from '../common/suite';
import { digestOf, sha256Of, visibleJson } from '../common/text';
import { urlOf } from '../contract/settings';
import { gated, gatedText } from '../redaction/gate';
import { linesOf } from './http/headers';
import {
  type Delivery,
  type Evidence,
  type Exchange,
  type HeaderLines,
  MOST_DELIVERIES,
  type RecordedBody,
  type RecordedRequest,
} from './model';

export interface Har {
  log: ReturnType<typeof logOf> & { entries: HarEntry[]; _seal: string };
}
export type HarEntry = HarExchange | HarDelivery;
export type HarExchange = ReturnType<typeof exchangeEntry>;
/** A notification that reached the suite's own receiver. */
type HarDelivery = ReturnType<typeof deliveryEntry>;

/** The figures of a whole run, as in `conformance.json`. */
export interface RunFigures {
  durationMs: number;
  /** Time spent only waiting for windows of the rate limit. */
  waitedMs: number;
  /** Why nothing could be judged; `null` if something could. */
  error: string | null;
  /** The seal of replayed evidence that was edited after its run. It is kept, so that no replay repairs it. */
  brokenSeal?: string | undefined;
}

function logOf(evidence: Evidence, { durationMs, waitedMs, error }: RunFigures) {
  return {
    version: '1.2',
    creator: suite,
    // Safari opens no HAR without a page.
    pages: [
      {
        startedDateTime: new Date(evidence.startedAtEpochMs).toISOString(),
        id: 'run',
        title: evidence.target.name,
        pageTimings: {},
      },
    ],
    _target: evidence.target,
    _startedAtEpochMs: evidence.startedAtEpochMs,
    _notSent: evidence.notSent.map(({ probe, reason }) => ({ probe: nameOf(probe), reason })),
    _triggers: evidence.triggers,
    _durationMs: durationMs,
    _waitedMs: waitedMs,
    _error: error,
  };
}

/** Returns the content of `evidence.har` behind the gate, entry by entry, with its seal and its SHA-256. */
export function harOf(
  evidence: Evidence,
  figures: RunFigures,
): { parts: Buffer[]; digests: { evidence: string; seal: string } } {
  const log: ReturnType<typeof logOf> = JSON.parse(gatedText(JSON.stringify(logOf(evidence, figures))));
  const parts: Buffer[] = [];
  const put = (text: string) => {
    const left = gated(Buffer.from(text));
    parts.push(left);
    return left.toString();
  };
  // Behind the last entry stands only the seal.
  put(visibleJson({ log: { ...log, entries: [] } }, 1).slice(0, -']\n }\n}'.length));
  const inOrder = [...evidence.exchanges, ...evidence.deliveries].sort((a, b) => a.index - b.index);
  const entries = inOrder.map((each, i): HarEntry => {
    const entry = 'probe' in each ? exchangeEntry(each, evidence) : deliveryEntry(each, evidence);
    put(i === 0 ? '\n   ' : ',\n   ');
    // JSON strings hold no raw line breaks, so this only indents.
    return JSON.parse(put(visibleJson(entry, 1).replaceAll('\n', '\n   ')));
  });
  const seal = figures.brokenSeal ?? sealOf({ ...log, entries });
  put(`${entries.length === 0 ? '' : '\n  '}],\n  "_seal": "${seal}"\n }\n}\n`);
  return { parts, digests: { evidence: digestOf(Buffer.concat(parts)), seal } };
}

function exchangeEntry(exchange: Exchange, { startedAtEpochMs }: Evidence) {
  const { request, response } = exchange;
  const { headers, body, bodyEncoding } = response ?? { headers: [], body: '', bodyEncoding: 'utf8' };
  const timeMs = Math.max(0, exchange.receivedAtMs - exchange.sentAtMs);
  return {
    startedDateTime: new Date(startedAtEpochMs + exchange.sentAtMs).toISOString(),
    time: timeMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(request.headers),
      queryString: pairsOf(new URL(request.url).searchParams),
      headersSize: -1,
      bodySize: 0,
      ...(request.body && bodyOf(request.headers, request.body)),
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(headers),
      ...(response?.aside && { _aside: pairsOf(response.aside) }),
      content: {
        size: Buffer.byteLength(body, bodyEncoding),
        mimeType: mimeTypeOf(headers),
        text: body,
        ...(bodyEncoding === 'base64' && { encoding: bodyEncoding }),
      },
      redirectURL: linesOf(headers, 'Location')[0] ?? '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: timeMs, receive: 0 },
    connection: String(exchange.connection),
    _probe: nameOf(exchange.probe),
    _account: exchange.account,
    _sentAtMs: exchange.sentAtMs,
    _receivedAtMs: exchange.receivedAtMs,
    _fault: exchange.fault,
    ...(exchange.resent && { _resent: exchange.resent }),
    /** Whether a response arrived. HAR wants a response object either way. */
    _answered: response !== null,
  } satisfies Omit<Entry, 'request'> & { request: object } & Record<`_${string}`, unknown>;
}

/** A delivery is written as the exchange in which the receiver answered it. */
function deliveryEntry(delivery: Delivery, evidence: Evidence) {
  const { index, method, path, headers, body, bodyEncoding, receivedAtMs } = delivery;
  // The path need not form a URL, so `_path` has it unchanged.
  const url = `http://receiver.invalid${path.startsWith('/') ? path : '/'}`;
  const exchange: Exchange = {
    index,
    probe: probe('events'),
    account: null,
    request: { method, url, headers, body: { body, bodyEncoding } },
    response: { status: 200, statusText: 'OK', headers: [], body: '', bodyEncoding: 'utf8' },
    fault: null,
    sentAtMs: receivedAtMs,
    receivedAtMs,
    connection: 0,
  };
  return {
    ...exchangeEntry(exchange, evidence),
    _probe: 'delivery',
    connection: '',
    _delivery: true,
    _path: path,
    _truncated: delivery.truncated,
    _basic: delivery.basic,
  };
}

function bodyOf(headers: HeaderLines, { body, bodyEncoding }: RecordedBody) {
  return {
    bodySize: Buffer.byteLength(body, bodyEncoding),
    postData: {
      mimeType: mimeTypeOf(headers),
      text: body,
      params: [] as [],
      ...(bodyEncoding === 'base64' && { _encoding: bodyEncoding }),
    },
  };
}

function mimeTypeOf(headers: HeaderLines): string {
  return linesOf(headers, 'Content-Type')[0] ?? 'x-unknown';
}

function pairsOf(lines: Iterable<readonly [name: string, value: string]>): Header[] {
  return Array.from(lines, ([name, value]) => ({ name, value }));
}

/**
 * Returns the seal of a run: a SHA-256 chained over the log without its entries, each entry, and their number. Whoever
 * edits, removes, adds or reorders something after the run breaks it, unless he writes a new seal as well.
 */
export function sealOf({ entries, ...log }: { entries: readonly object[] }): string {
  let chained = sha256Of(JSON.stringify({ ...log, _seal: undefined }));
  // White space between members does not count.
  for (const entry of entries) chained = sha256Of(`${chained}${JSON.stringify(entry)}`);
  return `sha256:${sha256Of(`${chained}${entries.length}`)}`;
}

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
  const { response } = entry;
  return {
    index,
    probe: probeNamed(entry._probe) as Probe,
    account: entry._account,
    request: requestIn(entry),
    response: entry._answered
      ? {
          status: response.status,
          statusText: response.statusText,
          headers: linesIn(response.headers),
          ...(response._aside && { aside: linesIn(response._aside) }),
          ...bodyIn(response.content.text, response.content.encoding),
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
  const { method, headers, body = bodyIn('') } = requestIn(entry);
  const { _path: path, _truncated: truncated, _basic: basic, _receivedAtMs: receivedAtMs } = entry;
  return { index, method, path, headers, ...body, truncated, basic, receivedAtMs };
}

function requestIn({ request: { method, url, headers, postData } }: HarEntry): RecordedRequest {
  return {
    method,
    url,
    headers: linesIn(headers),
    ...(postData && { body: bodyIn(postData.text, postData._encoding) }),
  };
}

function bodyIn(body: string, bodyEncoding: RecordedBody['bodyEncoding'] = 'utf8'): RecordedBody {
  return { body, bodyEncoding };
}

function linesIn(pairs: Header[]): HeaderLines {
  return pairs.map(({ name, value }) => [name, value] as const);
}
