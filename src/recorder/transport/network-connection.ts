/** One connection over the network, bounded in time and size. What goes wrong becomes a fault and is not thrown. */
import { request as ask, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { utf8OrLatin1 } from '../../common/text';
import type { Target } from '../../config/target';
import { isLoopback } from '../../contract/settings';
import { Answer, type Limits, linesFrom } from './answer';
import {
  broken,
  CLOSED_IN_ANSWER,
  isOfParser,
  MAX_HEADER_BYTES,
  MORE_THAN_AN_ANSWER,
  SWITCHED,
  unreachable,
} from './fault';
import {
  type Clock,
  type Connection,
  openSocket,
  type Reach,
  type Route,
  routeTo,
  type Wire,
  type WireOutcome,
  type WireRequest,
} from './wire';

const CLOSE_IS_SEEN_MS = 2;
/** The server may be closing an unused connection that has been open for longer than this: than bursts wait for theirs. */
const CLOSED_UNUSED_AFTER_MS = 500;
/** Requests that say so even if they have no body (RFC 9110 section 8.6). */
const USUALLY_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

export class NetworkConnection implements Connection {
  /** The socket that is opened ahead of the first request; `null` if that failed. */
  private ahead: Promise<Socket | null> | null = null;
  private openedAtMs = Number.POSITIVE_INFINITY;
  /** The socket of the last exchange. */
  private socket: Socket | null = null;
  /** Whether bytes have come on it that belong to no answer. */
  private hasMore = false;
  private readonly closing = new AbortController();

  constructor(
    private readonly origin: URL,
    private readonly route: Route,
    private readonly limits: Limits,
    readonly number: number,
    private readonly clock: Clock,
  ) {}

  async open(withinMs: number): Promise<void> {
    // If it fails, another is opened when the request is sent, and its error is reported.
    this.ahead = this.newSocket().catch(() => null);
    const opened = this.ahead.then(() => {
      this.openedAtMs = this.clock.now();
    });
    await Promise.race([opened, pause(withinMs, undefined, { ref: false })]);
  }

  private newSocket(): Promise<Socket> {
    return openSocket(this.origin, this.route, this.closing.signal);
  }

  /** If the server has closed an idle connection, a GET or HEAD is sent again over a new one (RFC 9112, 9.3.1). */
  async exchange(request: WireRequest): Promise<WireOutcome> {
    const wasIdle = this.socket !== null || this.clock.now() - this.openedAtMs > CLOSED_UNUSED_AFTER_MS;
    // A server that closes after its answer does so at once. This short wait notices it before the request is lost.
    if (this.socket !== null) await pause(CLOSE_IS_SEEN_MS);
    const outcome = await this.once(request);
    const { head, aside, fault } = outcome;
    // Nothing shows that the server has taken the request, not even an interim answer.
    const isUntouched = head === null && aside.length === 0 && fault?.kind === 'reset';
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    return wasIdle && isUntouched && isSafe ? { ...(await this.once(request)), resent: true } : outcome;
  }

  private async once(request: WireRequest): Promise<WireOutcome> {
    let call: ClientRequest | null = null;
    const viaProxy = this.route.proxy !== null;
    const answer = new Answer(this.limits, this.clock, viaProxy, () => call?.destroy());
    const write = (socket: Socket) => {
      if (!answer.isSettled) call = this.written(request, socket, answer);
    };
    this.usableSocket()
      .then(write)
      .catch((error: Error) => answer.break(unreachable(error, viaProxy)));
    const outcome = await answer.outcome;
    if (outcome.fault !== null) return outcome;
    // What follows an answer is often read in the next turn.
    await setImmediate();
    return this.hasMore ? { ...outcome, fault: MORE_THAN_AN_ANSWER } : outcome;
  }

  /** Returns the socket of the last exchange, the one opened ahead, or a new one. */
  private async usableSocket(): Promise<Socket> {
    const last = this.hasMore ? null : this.socket;
    this.hasMore = false;
    const open = [last, await this.ahead].find((socket) => socket?.readable && socket.writable);
    this.ahead = null;
    this.socket = open ?? (await this.newSocket());
    return this.socket;
  }

  private written(request: WireRequest, socket: Socket, answer: Answer): ClientRequest {
    let response: IncomingMessage | null = null;
    socket.off('data', this.noteMore);
    const call = ask({ ...this.writable(request), createConnection: () => socket });
    call.maxHeadersCount = 0;
    // Without an agent, Node would end the connection after the answer.
    call.shouldKeepAlive = true;
    call
      .on('socket', () => answer.sent())
      .on('information', ({ rawHeaders }) => answer.addInterim(linesFrom(rawHeaders)))
      .on('upgrade', () => answer.break(SWITCHED))
      .on('error', (error) => {
        if (!response?.complete) answer.break(broken(error, answer.head !== null));
        else if (isOfParser(error)) this.hasMore = true;
      })
      .on('response', (message) => {
        response = message;
        const { statusCode: status = 0, statusMessage = '', rawHeaders } = message;
        const statusText = utf8OrLatin1(Buffer.from(statusMessage, 'latin1'));
        answer.begin({ status, statusText, headers: linesFrom(rawHeaders) });
        message
          .on('data', (chunk: Buffer) => answer.addToBody(chunk))
          .on('error', () => answer.break(CLOSED_IN_ANSWER))
          .on('end', () => {
            // Node ends a connection without an error on which a second answer follows in one packet.
            if (socket.destroyed && call.shouldKeepAlive) this.hasMore = true;
            socket.on('data', this.noteMore);
            answer.end(linesFrom(message.rawTrailers));
          });
      })
      .end(request.body);
    return call;
  }

  /** Returns what Node needs to write a request as it is, its header lines in order. */
  private writable({ method, url, headers, body }: WireRequest): RequestOptions {
    const { proxy } = this.route;
    const forwarded = url.protocol === 'http:' ? proxy : null;
    const length = body?.length ?? (USUALLY_WITH_BODY.has(method) ? 0 : null);
    const lines = [
      ['Host', url.host],
      ['Connection', 'keep-alive'],
      ...(forwarded?.lines ?? []),
      ...headers,
      ...(length === null ? [] : [['Content-Length', `${length}`]]),
    ];
    return {
      method,
      path: `${forwarded ? url.origin : ''}${url.pathname}${url.search}`,
      headers: lines.flat(),
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    };
  }

  /** An empty line is skipped wherever a head may begin. */
  private readonly noteMore = (chunk: Buffer) => {
    this.hasMore ||= /[^\r\n]/.test(chunk.toString('latin1'));
  };

  async close(): Promise<void> {
    // Node reads the stack of the error that ends each stream. Playwright would look its places up in source maps.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    this.closing.abort();
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Counts from the start of this process. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, happen) => {
    const timer = setTimeout(happen, Math.ceil(ms));
    return () => clearTimeout(timer);
  },
};

/** Returns the wire to a target. @throws UsageError if the environment's certificate file or proxy cannot be used */
export function networkTo(target: Target, reach: Reach): Wire {
  const api = new URL(target.baseURL);
  const route = routeTo(api, target.embedded, reach, target.identity);
  const elsewhere = (to: URL) => routeTo(to, target.embedded || isLoopback(to.hostname), reach);
  const startedAtMs = CLOCK.now();
  const clock: Clock = { now: () => CLOCK.now() - startedAtMs, after: CLOCK.after };
  return {
    ...clock,
    startedAtEpochMs: Date.now(),
    connection: (number, to) =>
      new NetworkConnection(to ?? api, to ? elsewhere(to) : route, target.limits, number, clock),
  };
}
