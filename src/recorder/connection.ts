/**
 * One connection to the server under test, and one exchange over it: bounded in time and size, raw header
 * lines kept, and whatever goes wrong below HTTP returned as a fault instead of thrown.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Fault, HeaderLines } from '../exchange';

export interface Bounds {
  /** From the first byte sent to the last received, and for opening the connection. */
  timeoutMs: number;
  /** Of the body, as sent and as decoded. */
  bodyBytes: number;
}

/** How connections are made: certificates and proxies, from the environment. */
export interface Route {
  insecureTls: boolean;
  /** PEM certificates to trust besides Node's own. */
  extraCa: string[];
  /** The proxy for servers like this one, and what `NO_PROXY` exempts; `null` for a direct way. */
  proxy: { url: string; exempt: string } | null;
}

export interface WireRequest {
  method: string;
  url: URL;
  headers: HeaderLines;
}

export interface WireOutcome {
  sentAtMs: number;
  receivedAtMs: number;
  head: { status: number; statusText: string; headers: HeaderLines } | null;
  /** Header lines of interim (1xx) responses, and trailers. */
  aside: HeaderLines;
  /** Decoded; at most `KEPT_OF_A_FAULT` bytes of what came before a fault, and none that could not be decoded. */
  body: Buffer;
  fault: Fault | null;
  /** Sent twice, because the server had closed the connection: it may have counted both. */
  resent: boolean;
}

const MAX_HEADER_BYTES = 65_536;
const MAX_INFORMATIONAL = 20;
const CLOSE_IS_SEEN_MS = 2;
/** No server ends a connection sooner than this because nothing came. */
const CLOSED_UNUSED_AFTER_MS = 20;
/** Codes of errors of opening a connection that took all the time there was. */
const TOO_LATE = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const KEPT_OF_A_FAULT = 4_096;
/** More than deflate makes of so much. */
const MOST_DECODED_OF_A_FAULT = 8 * 1024 * 1024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

export class Connection {
  private readonly dispatcher: Dispatcher;
  private opened: Socket | null = null;
  private socket: Socket | null = null;
  /** Whether the socket in use has failed. */
  private broke = false;
  private used = false;
  private openedAtMs = Number.POSITIVE_INFINITY;
  /** Why it could not be opened in time. */
  private unopened: Fault | null = null;
  private readonly connector: ReturnType<typeof buildConnector> | null;

  constructor(
    private readonly origin: URL,
    route: Route,
    private readonly bounds: Bounds,
    readonly number: number,
  ) {
    const tls = {
      rejectUnauthorized: !route.insecureTls,
      ...(route.extraCa.length > 0 ? { ca: route.extraCa } : {}),
      timeout: bounds.timeoutMs,
    };
    const shared = { pipelining: 1, maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 0, bodyTimeout: 0 };
    if (route.proxy) {
      this.connector = null;
      this.dispatcher = new EnvHttpProxyAgent({
        ...shared,
        httpProxy: route.proxy.url,
        httpsProxy: route.proxy.url,
        noProxy: route.proxy.exempt,
        // A tunnel for https, the absolute form for http (RFC 9112 section 3.2.2), as every client does.
        proxyTunnel: false,
        connect: tls,
        requestTls: tls,
        factory: (to, options) => new Client(to, { ...shared, ...withOneAttempt(options) }),
      });
    } else {
      const connector = buildConnector({ ...tls, allowH2: false });
      this.connector = connector;
      this.dispatcher = new Client(origin.origin, {
        ...shared,
        connect: (options, callback) => {
          const socket = this.opened;
          this.opened = null;
          if (socket && !socket.destroyed && socket.readable) queueMicrotask(() => callback(null, socket));
          else
            connector(options, (error, fresh) => (error ? callback(error, null) : callback(null, this.watch(fresh))));
        },
      });
    }
  }

  /**
   * Opens the connection ahead of the request, so that only the request itself is timed. Behind a proxy this
   * does nothing: there the connection is opened with the request.
   * @returns the fault if it cannot be opened, else `null`.
   */
  open(): Promise<Fault | null> {
    if (!this.connector) return Promise.resolve(null);
    const { hostname, host, protocol, port } = this.origin;
    const bare = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve) => {
      this.connector?.({ hostname: bare, host, protocol, port }, (error, socket) => {
        if (error) {
          const fault = unreachable(error, false);
          // Whoever took all the time there is is not asked again.
          if (TOO_LATE.has(codeOf(error))) this.unopened = fault;
          return resolve(fault);
        }
        this.opened = this.watch(socket);
        this.openedAtMs = performance.now();
        resolve(null);
      });
    });
  }

  /**
   * undici takes a reset for the end of a body that only the end of the connection delimits, and refuses a 100
   * that nobody asked for, which RFC 9110 section 15.2 has clients read: both are put right here.
   */
  private watch(socket: Socket): Socket {
    this.broke = false;
    this.socket = socket;
    // A socket that dies before it is used is replaced, not reported.
    socket.on('error', () => {
      if (this.socket === socket) this.broke = true;
    });
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk: unknown = read(size);
      return Buffer.isBuffer(chunk) && chunk.length > 0 ? withoutContinue(chunk) : chunk;
    };
    return socket;
  }

  /**
   * Sends one request and waits for its whole answer, no longer than the bounds allow. Never throws.
   * Where the server had closed a connection that lay idle, the request goes over a new one, as RFC 9112
   * section 9.3.1 lets clients do: what that answers counts.
   */
  async exchange(request: WireRequest): Promise<WireOutcome> {
    if (this.unopened) {
      const nowMs = performance.now();
      const never = {
        sentAtMs: nowMs,
        receivedAtMs: nowMs,
        head: null,
        aside: [],
        body: Buffer.alloc(0),
        resent: false,
      };
      return { ...never, fault: this.unopened };
    }
    const wasIdle = this.used || performance.now() - this.openedAtMs > CLOSED_UNUSED_AFTER_MS;
    // A server that closes after an answer does so right after it: that is seen before anything is sent in vain.
    if (this.used) await new Promise((resolve) => setTimeout(resolve, CLOSE_IS_SEEN_MS));
    this.used = true;
    const outcome = await this.once(request);
    if (outcome.fault === null && (await this.saysMore())) return { ...outcome, fault: MORE_THAN_AN_ANSWER };
    const isClosed =
      outcome.head === null && (outcome.fault?.kind === 'reset' || outcome.fault?.kind === 'unreachable');
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    return wasIdle && isClosed && isSafe ? { ...(await this.once(request)), resent: true } : outcome;
  }

  /** Whether bytes followed the end of an answer: undici ends the connection for them once nothing waits for an answer. */
  private async saysMore(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.socket?.errored?.message === 'bad response';
  }

  private once(request: WireRequest): Promise<WireOutcome> {
    return new Promise((resolve) => {
      const answer = new Answer(this.bounds, () => this.broke, this.connector === null, resolve);
      this.dispatcher.dispatch(
        {
          origin: this.origin.origin,
          path: request.url.pathname + request.url.search,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers.flat(),
        },
        answer,
      );
    });
  }

  /** Ends the connection at once. */
  async close(): Promise<void> {
    this.opened?.destroy();
    await this.dispatcher.destroy();
  }
}

/** undici opens a tunnel again and again, as fast as it can, where the proxy closes it: here it tries once. */
function withOneAttempt<T extends { connect?: unknown }>(options: T): T {
  const { connect } = options;
  if (typeof connect !== 'function') return options;
  return {
    ...options,
    connect: (to: buildConnector.Options, callback: buildConnector.Callback) =>
      (connect as buildConnector.connector)(to, (error, socket) =>
        error ? callback(new TunnelError(error.message, { cause: error }), null) : callback(null, socket),
      ),
  };
}

/** Of another kind than those after which undici tries again; its cause says what happened. */
class TunnelError extends Error {
  readonly code = 'TUNNEL';
}

const RESET_IN_ANSWER: Fault = { kind: 'reset', message: 'reset the connection in the middle of its answer' };

const MORE_THAN_AN_ANSWER: Fault = {
  kind: 'malformed',
  message:
    'sent more bytes than its answer has (a Content-Length that counts characters instead of bytes is too small)',
};

/** What follows a "100 Continue" at the start of a chunk; the chunk itself where none stands there. */
function withoutContinue(chunk: Buffer): Buffer | null {
  if (chunk.toString('latin1', 0, 12) !== 'HTTP/1.1 100') return chunk;
  const end = chunk.indexOf('\r\n\r\n');
  if (end < 0) return chunk;
  const rest = chunk.subarray(end + 4);
  return rest.length === 0 ? null : withoutContinue(rest);
}

/** Collects one answer within its bounds; undici calls it as the parts arrive. */
class Answer implements Dispatcher.DispatchHandler {
  private sentAtMs: number | null = null;
  private head: WireOutcome['head'] = null;
  private readonly aside: Array<HeaderLines[number]> = [];
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private informational = 0;
  private controller: Dispatcher.DispatchController | null = null;
  private readonly begunAtMs = performance.now();
  private readonly timer: NodeJS.Timeout;
  private settled = false;

  constructor(
    private readonly bounds: Bounds,
    private readonly connectionBroke: () => boolean,
    private readonly viaProxy: boolean,
    private readonly done: (outcome: WireOutcome) => void,
  ) {
    this.timer = setTimeout(() => this.end(this.late()), bounds.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.sentAtMs = performance.now();
  }

  onRequestUpgrade(): void {
    this.end({ kind: 'upgrade', message: 'switched protocols (101) though nothing asked for it' });
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Fields,
    statusText?: string,
  ): void {
    if (status === 101) {
      this.onRequestUpgrade();
      return;
    }
    if (status < 200) {
      this.aside.push(...linesOfFields(headers));
      this.informational += 1;
      if (this.informational > MAX_INFORMATIONAL) {
        this.end({
          kind: 'malformed',
          message: `more than ${MAX_INFORMATIONAL} informational (1xx) answers to one request`,
        });
      }
      return;
    }
    this.head = { status, statusText: statusText ?? '', headers: headerLines(controller.rawHeaders) };
    // No server answers so to a request of its own: it comes from the proxy (RFC 9110 section 15.5.8).
    if (this.viaProxy && status === 407) {
      this.head = null;
      this.end(refusedByProxy(status));
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.bounds.bodyBytes) {
      this.end({ kind: 'too-large', message: `sent a body of more than ${this.bounds.bodyBytes} bytes` });
    } else {
      this.chunks.push(chunk);
    }
  }

  onResponseEnd(_: Dispatcher.DispatchController, trailers: Fields): void {
    this.aside.push(...linesOfFields(trailers));
    if (this.connectionBroke()) {
      this.end(RESET_IN_ANSWER);
      return;
    }
    const raw = Buffer.concat(this.chunks);
    const decoded = decode(raw, this.head?.headers ?? [], this.bounds.bodyBytes);
    this.settle('fault' in decoded ? raw : decoded.body, 'fault' in decoded ? decoded.fault : null);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.end(this.sentAtMs === null ? unreachable(error, this.viaProxy) : broken(error, this.head !== null));
  }

  private late(): Fault {
    const seconds = this.bounds.timeoutMs / 1000;
    if (this.sentAtMs === null) return { kind: 'unreachable', message: `no connection within ${seconds} s` };
    const what = this.head ? `did not finish its answer within ${seconds} s` : `did not answer within ${seconds} s`;
    return { kind: 'timeout', message: what };
  }

  private end(fault: Fault): void {
    this.settle(Buffer.concat(this.chunks), fault);
    this.controller?.abort(new Error(fault.message));
  }

  private settle(body: Buffer, fault: Fault | null): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    const receivedAtMs = performance.now();
    this.done({
      sentAtMs: this.sentAtMs ?? this.begunAtMs,
      receivedAtMs,
      head: this.head,
      aside: this.aside,
      body: fault ? beginningOf(body, this.head?.headers ?? []) : body,
      fault,
      resent: false,
    });
    this.chunks.length = 0;
  }
}

type Fields = Record<string, string | string[] | undefined>;

function linesOfFields(fields: Fields): HeaderLines {
  return Object.entries(fields).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one] as const));
}

function headerLines(raw: unknown): HeaderLines {
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((part) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)));
  return texts.flatMap((text, i) => (i % 2 === 0 ? [[text, texts[i + 1] ?? ''] as const] : []));
}

/** The content codings to undo (RFC 9110 section 8.4), the last one first. */
function codingsOf(headers: HeaderLines): string[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
}

/** Undoes the content codings of a body within the size allowed. */
function decode(raw: Buffer, headers: HeaderLines, limit: number): { body: Buffer } | { fault: Fault } {
  let body = raw;
  for (const coding of codingsOf(headers)) {
    if (body.length === 0) break;
    const decoder = decoders[coding];
    // The coding is a stranger's text: the headers in the evidence hold it.
    if (!decoder) return { fault: { kind: 'malformed', message: 'used a content coding that was not asked for' } };
    try {
      body = decoder(body, { maxOutputLength: limit });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ERR_BUFFER_TOO_LARGE') {
        return {
          fault: { kind: 'too-large', message: `sent a ${coding} body that decodes to more than ${limit} bytes` },
        };
      }
      const cut = code === 'Z_BUF_ERROR' || code === 'ERR_BROTLI_DECODER_ERROR_UNREACHABLE';
      return cut
        ? { fault: { kind: 'truncated', message: `sent a ${coding} body that ends too early` } }
        : { fault: { kind: 'malformed', message: `sent a body that is not ${coding}, though it says so` } };
    }
  }
  return { body };
}

/**
 * What is kept of a body that did not arrive whole. A coded one is decoded as far as it came: in what stays coded
 * no secret would be found, and whoever decodes it would find it.
 */
function beginningOf(raw: Buffer, headers: HeaderLines): Buffer {
  const part = raw.subarray(0, KEPT_OF_A_FAULT);
  let body = part;
  for (const coding of codingsOf(headers)) {
    const isPlain = body === part && coding.endsWith('gzip') && !part.subarray(0, 2).equals(GZIP_MAGIC);
    if (isPlain) return part;
    const decoder = decoders[coding];
    try {
      const finishFlush = coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
      body = decoder?.(body, { finishFlush, maxOutputLength: MOST_DECODED_OF_A_FAULT }) ?? Buffer.alloc(0);
    } catch {
      // It cannot be read, so nothing of it is kept.
      return Buffer.alloc(0);
    }
  }
  return body.subarray(0, KEPT_OF_A_FAULT);
}

const inflateEither: typeof inflateSync = (bytes, options) => {
  try {
    return inflateSync(bytes, options);
  } catch (error) {
    // "deflate" is sent both with and without the zlib wrapper.
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error;
    return inflateRawSync(bytes, options);
  }
};

const decoders: Record<string, typeof gunzipSync> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateEither,
  br: brotliDecompressSync,
};

/** Why no connection could be opened; names no address, which may hold what the user would not print. */
function unreachable(error: Error, viaProxy: boolean): Fault {
  const refusal = /^Proxy response \((\d+)\)/.exec(error.message);
  if (refusal) return refusedByProxy(Number(refusal[1]));
  const code = codeOf(error);
  const words: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused: nothing listens there',
    ENOTFOUND: 'the host name is not known',
    EAI_AGAIN: 'the host name could not be looked up',
    ETIMEDOUT: 'no connection in time',
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
    ECONNRESET: 'the connection was closed while it was being opened',
    UND_ERR_SOCKET: 'the connection was closed while it was being opened',
    DEPTH_ZERO_SELF_SIGNED_CERT:
      'its certificate is self-signed: trust it with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
    SELF_SIGNED_CERT_IN_CHAIN:
      'its certificate chain is self-signed: trust it with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      'its certificate does not verify: trust its issuer with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
    CERT_HAS_EXPIRED: 'its certificate has expired (INSECURE_TLS=1 accepts it)',
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name (INSECURE_TLS=1 accepts it)',
    EPROTO: 'the server does not speak TLS there',
    ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS there (perhaps it is http instead of https)',
  };
  const which = viaProxy ? ' (or it is the proxy that cannot be reached: HTTP_PROXY or HTTPS_PROXY is set)' : '';
  return { kind: 'unreachable', message: `${words[code] ?? `the connection could not be opened (${code})`}${which}` };
}

function refusedByProxy(status: number): Fault {
  return { kind: 'unreachable', message: `the proxy answered ${status} itself (HTTP_PROXY or HTTPS_PROXY is set)` };
}

function broken(error: Error, headArrived: boolean): Fault {
  const code = codeOf(error);
  if (error.name === 'HTTPParserError') return { kind: 'malformed', message: 'sent something that is not HTTP/1.1' };
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return { kind: 'too-large', message: `sent more than ${MAX_HEADER_BYTES} bytes of headers` };
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || (headArrived && code !== 'ECONNRESET')) {
    return { kind: 'truncated', message: 'closed the connection in the middle of its answer' };
  }
  if (headArrived) return RESET_IN_ANSWER;
  if (/upgrade/i.test(error.message))
    return { kind: 'upgrade', message: 'switched protocols (101) though nothing asked for it' };
  return { kind: 'reset', message: 'closed the connection without an answer' };
}

function codeOf(error: Error): string {
  const own = (error as NodeJS.ErrnoException).code;
  if ((own === 'UND_ERR_SOCKET' || own === 'TUNNEL') && error.cause instanceof Error) return codeOf(error.cause);
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return own ?? error.name;
}
