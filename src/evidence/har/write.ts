/** Writes evidence as HAR 1.2. Members with a `_` are the suite's own (schemas/evidence.schema.json). */
import { createHash } from 'node:crypto';
import type { Entry, Header } from 'har-format';
import { nameOf, probe } from '../../catalogue/catalogue';
import { suite } from '../../common/suite';
import { sha256Of, visibleJson } from '../../common/text';
import { gated } from '../../redaction/gate';
import { linesOf } from '../http/headers';
import type { Delivery, Evidence, Exchange, HeaderLines, RecordedBody } from '../model';

export interface Har {
  log: ReturnType<typeof logOf> & { entries: HarEntry[]; _seal: string };
}
export type HarEntry = HarExchange | HarDelivery;
export type HarExchange = ReturnType<typeof exchangeEntry>;
/** A notification that reached the suite's own receiver. */
export type HarDelivery = ReturnType<typeof deliveryEntry>;

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
  const head = gated(Buffer.from(JSON.stringify(logOf(evidence, figures))));
  const log: ReturnType<typeof logOf> = JSON.parse(head.toString());
  const entries: object[] = [];
  const END = ']\n }\n}';
  const parts: Buffer[] = [];
  const hash = createHash('sha256');
  const put = (text: string) => {
    const left = gated(Buffer.from(text));
    parts.push(left);
    hash.update(left);
    return left;
  };
  // Only the seal stands behind the entries.
  put(visibleJson({ log: { ...log, entries: [] } }, 1).slice(0, -END.length));
  for (const entry of inOrder(evidence)) {
    put(entries.length === 0 ? '\n   ' : ',\n   ');
    // JSON strings hold no raw line breaks, so this only indents.
    const left = put(visibleJson(entry, 1).replaceAll('\n', '\n   '));
    entries.push(JSON.parse(left.toString()));
  }
  const seal = figures.brokenSeal ?? sealOf({ ...log, entries });
  put(`${entries.length === 0 ? '' : '\n  '}],\n  "_seal": "${seal}"\n }\n}\n`);
  return { parts, digests: { evidence: `sha256:${hash.digest('hex')}`, seal } };
}

function* inOrder({ exchanges, deliveries, startedAtEpochMs }: Evidence) {
  for (const each of [...exchanges, ...deliveries].sort((a, b) => a.index - b.index))
    yield 'probe' in each ? exchangeEntry(each, startedAtEpochMs) : deliveryEntry(each, startedAtEpochMs);
}

function exchangeEntry(exchange: Exchange, startedAtEpochMs: number) {
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
function deliveryEntry(delivery: Delivery, startedAtEpochMs: number) {
  const { index, method, path, headers, body, bodyEncoding, receivedAtMs } = delivery;
  // The path need not form a URL, so `_path` has it unchanged.
  const url = `http://receiver.invalid${path.startsWith('/') ? path : '/'}`;
  const entry = exchangeEntry(
    {
      index,
      probe: probe('events'),
      account: null,
      request: { method, url, headers },
      response: { status: 200, statusText: 'OK', headers: [], body: '', bodyEncoding: 'utf8' },
      fault: null,
      sentAtMs: receivedAtMs,
      receivedAtMs,
      connection: 0,
    },
    startedAtEpochMs,
  );
  return {
    ...entry,
    _probe: 'delivery',
    connection: '',
    request: { ...entry.request, ...bodyOf(headers, { body, bodyEncoding }) },
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
