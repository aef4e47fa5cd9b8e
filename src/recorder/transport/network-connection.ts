/** One connection over the network, bounded in time and size. What goes wrong becomes a fault and is not thrown. */
import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { Answer, type Bounds } from './answer';
import { codeOf, MAX_HEADER_BYTES, MORE_THAN_AN_ANSWER } from './fault';
import { HeadFilter } from './head-filter';
import type { Route } from './route';
import type { Clock, Connection, WireOutcome, WireRequest } from './wire';

const CLOSE_IS_SEEN_MS = 2;
/** The server may be closing an unused connection that has been open for longer than this. */
const CLOSED_UNUSED_AFTER_MS = 20;
/** If the server closes the unused connection more often than this, it is opened only when its request is sent. */
const MOST_REOPENED = 5;
/** Error codes that mean: opening the connection used up the whole time. */
const TOO_LATE = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);

export class NetworkConnection implements Connection {
  private readonly dispatcher: Dispatcher;
  private readonly connector: buildConnector.connector | null;
  /** The socket that is opened ahead of the first request, or the error that prevented it. */
  private ahead: Promise<Socket | Error> | null = null;
  private openedAtMs = Number.POSITIVE_INFINITY;
  private reopened = 0;
  private socket: Socket | null = null;
  private used = false;
  private closed = false;
  /** Of the last socket. */
  private filter = new HeadFilter();

  constructor(
    private readonly origin: URL,
    route: Route,
    private readonly bounds: Bounds,
    readonly number: number,
    private readonly clock: Clock,
  ) {
    const tls = {
      rejectUnauthorized: !route.insecureTls,
      ...(route.trusted.length > 0 ? { ca: route.trusted } : {}),
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
        // As every client does: a tunnel for https, the absolute form for http (RFC 9112 section 3.2.2).
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
        // Asynchronous, since undici expects the callback to be called after this function has returned.
        connect: async (options, callback) => {
          const socket = (await this.takeAhead()) ?? (await this.connected(connector, options));
          if (socket instanceof Error) callback(socket, null);
          else callback(null, socket);
        },
      });
    }
  }

  private connected(connector: buildConnector.connector, to: buildConnector.Options): Promise<Socket | Error> {
    return new Promise((resolve) => connector(to, (error, socket) => resolve(error ?? this.watch(socket))));
  }

  /** Behind a proxy this does nothing: there the connection is opened when its request is sent. */
  async open(): Promise<void> {
    if (!this.connector || this.closed) return;
    this.ahead = this.openAhead(this.connector);
    await this.ahead;
  }

  private openAhead(connector: buildConnector.connector): Promise<Socket | Error> {
    const { hostname, host, protocol, port } = this.origin;
    const bare = hostname.replace(/^\[|\]$/g, '');
    const opening = this.connected(connector, { hostname: bare, host, protocol, port }).then((socket) => {
      if (socket instanceof Error) return socket;
      this.openedAtMs = this.clock.now();
      const reopen = () => {
        if (this.ahead !== opening || this.closed) return;
        socket.destroy();
        this.reopened += 1;
        this.ahead = this.reopened > MOST_REOPENED ? null : this.openAhead(connector);
      };
      return socket.once('end', reopen).once('close', reopen);
    });
    return opening;
  }

  /** Returns the socket opened ahead, `null` if a new one is needed, or an error if opening used up the whole time. */
  private async takeAhead(): Promise<Socket | Error | null> {
    for (let { ahead } = this; ahead; ahead = this.ahead) {
      const opened = await ahead;
      // The server closed this socket meanwhile, and another one is being opened.
      if (ahead !== this.ahead) continue;
      if (opened instanceof Error && TOO_LATE.has(codeOf(opened))) return opened;
      this.ahead = null;
      return opened instanceof Error || opened.destroyed || !opened.readable ? null : opened;
    }
    return null;
  }

  /**
   * Makes up for defects of undici. It takes a reset for the end of a body that ends with the connection, so the socket is
   * kept: its `errored` shows the reset. A filter reads the first lines of heads before undici does.
   */
  private watch(socket: Socket): Socket {
    this.socket = socket;
    // If a socket fails before it is used, another one is opened and nothing is reported.
    socket.on('error', () => undefined);
    const filter = new HeadFilter();
    this.filter = filter;
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk: unknown = read(size);
      return Buffer.isBuffer(chunk) ? filter.rest(chunk) : chunk;
    };
    return socket;
  }

  /** If the server has closed an idle connection, a GET or HEAD is sent again over a new one (RFC 9112, 9.3.1). */
  async exchange(request: WireRequest): Promise<WireOutcome> {
    const wasIdle = this.used || this.clock.now() - this.openedAtMs > CLOSED_UNUSED_AFTER_MS;
    // A server that closes after its answer does so at once. This short wait notices it before the request is lost.
    if (this.used) await new Promise((resolve) => setTimeout(resolve, CLOSE_IS_SEEN_MS));
    this.used = true;
    const outcome = await this.once(request);
    if (outcome.fault === null && (await this.saysMore())) return { ...outcome, fault: MORE_THAN_AN_ANSWER };
    // A 1xx shows that the server has taken the request, so it is never sent again.
    const isUntouched = outcome.head === null && outcome.interim === 0 && !this.filter.hasContinued;
    const isClosed = isUntouched && (outcome.fault?.kind === 'reset' || outcome.fault?.kind === 'unreachable');
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!wasIdle || !isClosed || !isSafe) return outcome;
    // If no connection could be opened, the server cannot have counted the first attempt.
    const isWritten = outcome.fault?.kind === 'reset';
    return { ...(await this.once(request)), resent: isWritten };
  }

  /** Whether bytes followed the end of an answer: undici then ends the connection with an error. */
  private async saysMore(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.socket?.errored?.message === 'bad response';
  }

  private once(request: WireRequest): Promise<WireOutcome> {
    this.filter.expectAnswer();
    return new Promise((resolve) => {
      const isBroken = () => Boolean(this.socket?.errored);
      // Behind a proxy the reason phrase, which has no meaning (RFC 9112 section 4), is not kept.
      const done = (outcome: WireOutcome) => {
        const head = outcome.head && { ...outcome.head, statusText: this.filter.reason };
        resolve({ ...outcome, head });
      };
      const answer = new Answer(this.bounds, this.clock, isBroken, this.connector === null, done);
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

  async close(): Promise<void> {
    this.closed = true;
    this.ahead?.then((opened) => opened instanceof Error || opened.destroy());
    await this.dispatcher.destroy();
  }
}

/** Makes undici open a tunnel once. Without this, it retries without a pause as long as the proxy closes the tunnel. */
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

/** undici does not try again after an error of this kind. The cause says what happened. */
class TunnelError extends Error {
  readonly code = 'TUNNEL';
}
