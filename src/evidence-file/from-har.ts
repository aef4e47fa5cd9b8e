/** Reads evidence back from the HAR that `toHar` made of it. */
import Ajv from 'ajv/dist/2020';
import type { Delivery, Evidence, Exchange, HeaderLines, TargetFacts } from '../exchange';
import { suite } from '../suite';
import { UsageError } from '../usage-error';
import type { Har, HarDelivery, HarEntry, HarExchange, NameValue, RunFigures } from './har';

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

function exchangeOf(entry: HarExchange, index: number, file: string): Exchange {
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
