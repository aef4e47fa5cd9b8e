/**
 * One connection to the server under test, and one exchange over it: bounded in time and size, raw header
 * lines kept, and whatever goes wrong below HTTP returned as a fault instead of thrown.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Fault, HeaderLines } from '../../evidence/exchange';
import { Answer, type Bounds, type WireOutcome } from './answer';
import { codeOf, MAX_HEADER_BYTES, MORE_THAN_AN_ANSWER, unreachable } from './fault';

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
  /** Sent as it is. */
  body?: Buffer | null;
}

const CLOSE_IS_SEEN_MS = 2;
/** No server ends a connection sooner than this because nothing came. */
const CLOSED_UNUSED_AFTER_MS = 20;
/** Codes of errors of opening a connection that took all the time there was. */
const TOO_LATE = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);

export class Connection {
  private readonly dispatcher: Dispatcher;
  private opened: Socket | null = null;
  private socket: Socket | null = null;
  /** Whether the socket in use has failed. */
  private broke = false;
  private used = false;
  private openedAtMs = Number.POSITIVE_INFINITY;
  /** Whether a "100 Continue" came that undici is not told of. */
  private continued = false;
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
      const rest = Buffer.isBuffer(chunk) && chunk.length > 0 ? withoutContinue(chunk) : chunk;
      this.continued ||= rest !== chunk;
      return rest;
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
        interim: 0,
        body: Buffer.alloc(0),
        resent: false,
      };
      return { ...never, fault: this.unopened };
    }
    const wasIdle = this.used || performance.now() - this.openedAtMs > CLOSED_UNUSED_AFTER_MS;
    // A server that closes after an answer does so right after it: that is seen before anything is sent in vain.
    if (this.used) await new Promise((resolve) => setTimeout(resolve, CLOSE_IS_SEEN_MS));
    this.used = true;
    this.continued = false;
    const outcome = await this.once(request);
    if (outcome.fault === null && (await this.saysMore())) return { ...outcome, fault: MORE_THAN_AN_ANSWER };
    // Who announced an answer has taken the request.
    const isUntouched = outcome.head === null && outcome.interim === 0 && !this.continued;
    const isClosed = isUntouched && (outcome.fault?.kind === 'reset' || outcome.fault?.kind === 'unreachable');
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
          ...(request.body ? { body: request.body } : {}),
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

/** What follows a "100 Continue" at the start of a chunk; the chunk itself where none stands there. */
function withoutContinue(chunk: Buffer): Buffer | null {
  if (chunk.toString('latin1', 0, 12) !== 'HTTP/1.1 100') return chunk;
  const end = chunk.indexOf('\r\n\r\n');
  if (end < 0) return chunk;
  const rest = chunk.subarray(end + 4);
  return rest.length === 0 ? null : withoutContinue(rest);
}
