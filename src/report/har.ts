/** Evidence as HAR 1.2, and back again for a replay. What HAR has no member for stands in members with a `_`. */
import Ajv from 'ajv/dist/2020';
import type { Delivery, Evidence, Exchange, HeaderLines, NotSent, TargetFacts, Trigger } from '../exchange';
import { linesOf } from '../judge/headers';
import { suite } from '../suite';
import { UsageError } from '../usage-error';

interface HarEntry {
  startedDateTime: string;
  time: number;
  request: HarRequest;
  response: HarResponse;
  cache: object;
  timings: { send: number; wait: number; receive: number };
  connection: string;
  _probe: string;
  _account: string | null;
  _sentAtMs: number;
  _receivedAtMs: number;
  _fault: Exchange['fault'];
  _resent?: true;
  /** Whether any response arrived; HAR wants a response object either way. */
  _answered: boolean;
}

/** A notification at the suite's own receiver. */
interface HarDelivery extends HarEntry {
  _delivery: true;
  _path: string;
  _truncated: boolean;
  _basic: Delivery['basic'];
}

interface NameValue {
  name: string;
  value: string;
}

interface HarRequest {
  method: string;
  url: string;
  httpVersion: string;
  cookies: NameValue[];
  headers: NameValue[];
  queryString: NameValue[];
  headersSize: number;
  bodySize: number;
  postData?: { mimeType: string; text: string; params: []; _encoding?: 'base64' };
}

interface HarResponse {
  status: number;
  statusText: string;
  httpVersion: string;
  cookies: NameValue[];
  headers: NameValue[];
  content: { size: number; mimeType: string; text: string; encoding?: 'base64' };
  redirectURL: string;
  headersSize: number;
  bodySize: number;
}

export interface Har {
  log: {
    version: '1.2';
    creator: { name: string; version: string };
    entries: HarEntry[];
    _target: TargetFacts;
    _startedAtEpochMs: number;
    _notSent: NotSent[];
    _triggers: Trigger[];
    /** As in `conformance.json`. */
    _durationMs: number;
    _waitedMs: number;
    _error: string | null;
  };
}

export interface RunFigures {
  durationMs: number;
  waitedMs: number;
  error: string | null;
}

/** HAR 1.2 of a run's evidence. */
export function toHar(evidence: Evidence, figures: RunFigures): Har {
  return {
    log: {
      version: '1.2',
      creator: { name: suite.name, version: suite.version },
      _target: evidence.target,
      _startedAtEpochMs: evidence.startedAtEpochMs,
      _notSent: evidence.notSent,
      _triggers: evidence.triggers,
      _durationMs: figures.durationMs,
      _waitedMs: figures.waitedMs,
      _error: figures.error,
      entries: entriesOf(evidence),
    },
  };
}

/** Exchanges and deliveries under the numbers that they have in the evidence. */
function entriesOf({ exchanges, deliveries, startedAtEpochMs }: Evidence): HarEntry[] {
  return [
    ...exchanges.map((one) => ({ index: one.index, entry: entryOf(one, startedAtEpochMs) })),
    ...deliveries.map((one) => ({ index: one.index, entry: deliveredEntryOf(one, startedAtEpochMs) })),
  ]
    .sort((a, b) => a.index - b.index)
    .map(({ entry }) => entry);
}

function deliveredEntryOf(delivery: Delivery, startedAtEpochMs: number): HarDelivery {
  const { method, path, headers, body, bodyEncoding } = delivery;
  // What was asked for need not be a URL; the path stands as it came in `_path`.
  const url = `http://receiver.invalid${path.startsWith('/') ? path : '/'}`;
  const mimeType = linesOf(headers, 'Content-Type')[0] ?? 'x-unknown';
  const encoded = bodyEncoding === 'base64' ? { _encoding: 'base64' as const } : {};
  return {
    startedDateTime: new Date(startedAtEpochMs + delivery.receivedAtMs).toISOString(),
    time: 0,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(headers),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: Buffer.byteLength(body, bodyEncoding),
      postData: { mimeType, text: body, params: [], ...encoded },
    },
    response: {
      status: 200,
      statusText: 'OK',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'x-unknown', text: '' },
      redirectURL: '',
      headersSize: -1,
      bodySize: 0,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    connection: '',
    _probe: 'delivery',
    _account: null,
    _sentAtMs: delivery.receivedAtMs,
    _fault: null,
    _answered: true,
    _delivery: true,
    _path: path,
    _truncated: delivery.truncated,
    _basic: delivery.basic,
    _receivedAtMs: delivery.receivedAtMs,
  };
}

function entryOf(exchange: Exchange, startedAtEpochMs: number): HarEntry {
  const { request, response } = exchange;
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
      queryString: [...new URL(request.url).searchParams].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(response?.headers ?? []),
      content: {
        size: Buffer.byteLength(response?.body ?? '', response?.bodyEncoding ?? 'utf8'),
        mimeType: linesOf(response?.headers ?? [], 'Content-Type')[0] ?? 'x-unknown',
        text: response?.body ?? '',
        ...(response?.bodyEncoding === 'base64' ? { encoding: 'base64' as const } : {}),
      },
      redirectURL: linesOf(response?.headers ?? [], 'Location')[0] ?? '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: timeMs, receive: 0 },
    connection: String(exchange.connection),
    _probe: exchange.probe,
    _account: exchange.account,
    _sentAtMs: exchange.sentAtMs,
    _receivedAtMs: exchange.receivedAtMs,
    _fault: exchange.fault,
    ...(exchange.resent ? { _resent: true as const } : {}),
    _answered: response !== null,
  };
}

function pairsOf(headers: HeaderLines): NameValue[] {
  return headers.map(([name, value]) => ({ name, value }));
}

/** A run read back from its HAR. */
export interface RecordedHar extends RunFigures {
  evidence: Evidence;
  /** Name and version of the suite that recorded it. */
  recordedBy: { name: string; version: string };
}

/**
 * Reads a HAR that this suite wrote.
 * @param file how to call it in messages
 * @throws UsageError with one message, where the text was cut, edited into nonsense, or is somebody else's HAR
 */
export function fromHar(text: string, file: string): RecordedHar {
  let har: Har;
  try {
    har = JSON.parse(text) as Har;
  } catch {
    throw new UsageError(
      `REPLAY: ${file} is not whole JSON: it was cut or edited. Take the evidence.har that a run left.`,
    );
  }
  const log = har?.log;
  if (log?.version !== '1.2' || !Array.isArray(log.entries)) throw unusable(file, 'it is no HAR 1.2');
  if (log.creator?.name !== suite.name || !log._target || !isDate(log._startedAtEpochMs)) {
    throw unusable(file, 'it was not written by this suite');
  }
  return {
    evidence: {
      target: checkedFacts(log._target, file),
      startedAtEpochMs: log._startedAtEpochMs,
      notSent: checked('_notSent', log._notSent, () => unusable(file, 'what it says was not sent makes no sense')),
      exchanges: log.entries.flatMap((entry, i) => (isDelivery(entry) ? [] : [exchangeOf(entry, i, file)])),
      deliveries: log.entries.flatMap((entry, i) => (isDelivery(entry) ? [deliveryFrom(entry, i, file)] : [])),
      triggers: checked('_triggers', log._triggers ?? [], () =>
        unusable(file, 'what it says of the triggers makes no sense'),
      ),
    },
    durationMs: Math.max(0, Number(log._durationMs) || 0),
    waitedMs: Math.max(0, Number(log._waitedMs) || 0),
    error: typeof log._error === 'string' && log._error !== '' ? log._error : null,
    recordedBy: { name: String(log.creator.name), version: String(log.creator.version) },
  };
}

function unusable(file: string, why: string): UsageError {
  return new UsageError(
    `REPLAY: ${file} cannot be judged again: ${why}. Take the evidence.har that a run left, unedited.`,
  );
}

const ajv = new Ajv({ allowUnionTypes: true });
const text = { type: 'string', minLength: 1 };
const number = { type: 'number' };
const listOf = (items: object) => ({ type: 'array', items });
const withAll = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

/** What is read back as it is; an entry is taken apart member by member. */
const readAsItIs = {
  _target: withAll({
    name: text,
    baseURL: text,
    embedded: { type: 'boolean' },
    accounts: {
      minItems: 1,
      ...listOf(
        withAll(
          { name: text, passwordDeclared: { type: 'boolean' } },
          { hasPassword: { type: 'boolean' }, settings: { type: 'object' } },
        ),
      ),
    },
    rate: withAll({
      requests: { type: 'integer', minimum: 1, maximum: 100_000 },
      seconds: { ...number, exclusiveMinimum: 0, maximum: 86_400 },
    }),
    riskyProbes: { type: 'boolean' },
    limits: withAll({ timeoutSeconds: number, bodyBytes: number, burst: number }),
    waivers: listOf(withAll({ clause: text, reason: text }, { until: text })),
    notifications: { ...withAll({ accounts: listOf(text), waitSeconds: number }), type: ['object', 'null'] },
  }),
  _notSent: listOf(withAll({ probe: text, reason: text })),
  _triggers: listOf(
    withAll({
      kind: { enum: ['start', 'submission', 'updates'] },
      account: text,
      enabled: { type: 'boolean' },
      startedAtMs: number,
      endedAtMs: number,
      watchedUntilMs: number,
      failure: { type: ['string', 'null'] },
    }),
  ),
  _basic: listOf(withAll({ username: { type: ['string', 'null'] }, password: { type: 'string' } })),
};

/** A member that is read back as it is, if it makes sense. */
function checked<Name extends keyof typeof readAsItIs, Value>(
  name: Name,
  value: Value,
  unusableFor: () => UsageError,
): Value {
  if (!ajv.validate(readAsItIs[name], value)) throw unusableFor();
  return value;
}

function checkedFacts(facts: TargetFacts, file: string): TargetFacts {
  const senseless = () => unusable(file, 'what it says of its target makes no sense');
  if (!URL.canParse(checked('_target', facts, senseless).baseURL)) throw senseless();
  return facts;
}

function exchangeOf(entry: HarEntry, index: number, file: string): Exchange {
  const broken = (what: string) => unusable(file, `its entry ${index} has no usable ${what}`);
  const { request, response } = entry ?? {};
  if (typeof entry?._probe !== 'string') throw broken('_probe');
  if (!isTime(entry._sentAtMs) || !isTime(entry._receivedAtMs) || entry._receivedAtMs < entry._sentAtMs)
    throw broken('times');
  if (typeof request?.url !== 'string' || !URL.canParse(request.url) || typeof request.method !== 'string')
    throw broken('request');
  if (entry._answered && (!isStatus(response?.status) || typeof response?.content?.text !== 'string'))
    throw broken('response');
  if (entry._account !== null && typeof entry._account !== 'string') throw broken('_account');
  if (!entry._answered && !entry._fault) throw broken('response');
  return {
    index,
    probe: entry._probe,
    account: entry._account,
    request: {
      method: request.method,
      url: request.url,
      headers: linesFrom(request.headers, () => broken('request headers')),
    },
    response: entry._answered
      ? {
          status: response.status,
          statusText: String(response.statusText ?? ''),
          headers: linesFrom(response.headers, () => broken('response headers')),
          body: response.content.text,
          bodyEncoding: response.content.encoding === 'base64' ? 'base64' : 'utf8',
        }
      : null,
    fault: entry._fault && typeof entry._fault.message === 'string' ? entry._fault : null,
    sentAtMs: entry._sentAtMs,
    receivedAtMs: entry._receivedAtMs,
    connection: Number(entry.connection) || 0,
    ...(entry._resent ? { resent: true as const } : {}),
  };
}

function isDelivery(entry: HarEntry | null): entry is HarDelivery {
  return (entry as HarDelivery | null)?._delivery === true;
}

function deliveryFrom(entry: HarDelivery, index: number, file: string): Delivery {
  const broken = (what: string) => unusable(file, `its entry ${index} has no usable ${what}`);
  const { request } = entry;
  if (typeof entry._path !== 'string') throw broken('_path');
  if (!isTime(entry._receivedAtMs)) throw broken('time');
  if (typeof request?.method !== 'string' || typeof request.postData?.text !== 'string') throw broken('request');
  return {
    index,
    method: request.method,
    path: entry._path,
    headers: linesFrom(request.headers, () => broken('request headers')),
    body: request.postData.text,
    bodyEncoding: request.postData._encoding === 'base64' ? 'base64' : 'utf8',
    truncated: entry._truncated === true,
    basic: checked('_basic', entry._basic, () => broken('_basic')),
    receivedAtMs: entry._receivedAtMs,
  };
}

function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 999;
}

function isDate(epochMs: unknown): boolean {
  return typeof epochMs === 'number' && epochMs >= 0 && epochMs < Date.UTC(3000, 0);
}

/** A moment of a run, which takes a day at most. */
function isTime(ms: unknown): ms is number {
  return typeof ms === 'number' && ms >= 0 && ms <= 86_400_000;
}

function linesFrom(pairs: unknown, broken: () => UsageError): HeaderLines {
  if (!Array.isArray(pairs)) throw broken();
  return pairs.map((pair: NameValue) => {
    if (typeof pair?.name !== 'string' || typeof pair.value !== 'string') throw broken();
    return [pair.name, pair.value] as const;
  });
}
