/** The way to a server and the clock, which tests simulate: its interfaces, a wait, routes by the environment, and sockets. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { UsageError } from '../../common/errors';
import { MOST_BYTES, textIn } from '../../common/files';
import type { ClientCertificate } from '../../config/target';
import { urlOf } from '../../contract/settings';
import type { Fault, HeaderLines } from '../../evidence/model';
import { MAX_HEADER_BYTES, ProxyRefusal } from './fault';

/** A request as it is written, with the secrets themselves. */
export interface WireRequest {
  method: string;
  url: URL;
  headers: HeaderLines;
  body?: Buffer;
}

export interface WireOutcome {
  /** On the wire's clock, just before the first byte was written. */
  sentAtMs: number;
  /** On the wire's clock, just after the last byte or the fault arrived. */
  receivedAtMs: number;
  head: { status: number; statusText: string; headers: HeaderLines } | null;
  /** Header lines of interim (1xx) responses, and trailers. */
  aside: HeaderLines;
  /** The decoded body; empty of a broken answer. */
  body: Buffer;
  fault: Fault | null;
  /** True if the request was written twice because the server had closed the connection. It may have counted both. */
  resent: boolean;
}

export interface Connection {
  /** Exchanges with the same number went over the same connection. */
  readonly number: number;
  /**
   * Opens the connection, TLS and a proxy's tunnel included, ahead of its first request. Never rejects: a failure shows as
   * the fault of the exchange, and so does an opening that takes longer than that allows.
   * @param withinMs how long to wait at most: some servers open one only after another was used
   */
  open(withinMs: number): Promise<void>;
  /** Sends a request, over an open connection within this tick, and waits for its answer. Errors become a `fault`. */
  exchange(request: WireRequest): Promise<WireOutcome>;
  /** Ends the connection at once. */
  close(): Promise<void>;
}

export interface Clock {
  /** Milliseconds since the run began, on a monotonic clock. */
  now(): number;
  /** Calls `happen` once, in `ms` milliseconds or later. @returns a function that cancels the call */
  after(ms: number, happen: () => void): () => void;
}

export interface Wire extends Clock {
  /** The wall-clock time at which `now()` was 0, in milliseconds since the epoch. */
  readonly startedAtEpochMs: number;
  /** Returns a new connection that is not open yet. @param to another host than the API's */
  connection(number: number, to?: URL): Connection;
}

const TICK_MS = 20;
/** The wait ends only after a tick this short: what arrived during a longer tick may not have been read yet. */
const ON_TIME_MS = 2 * TICK_MS;
/** If no tick is on time, the wait ends after this many times the ticks that it should take. */
const MOST_TIMES = 5;

/** A wait that a busy machine cannot shorten: it counts ticks of the event loop, each of which reads what came. */
export class CountedWait {
  readonly ended: Promise<void>;
  /** How many milliseconds longer than asked the wait has taken so far. */
  heldUpMs = 0;
  /** Stops the wait; `ended` then never resolves. */
  callOff: () => void = () => undefined;
  private ticksLeft: number;

  /** Begins to wait at once. @param leftMs how long, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private leftMs: number,
  ) {
    this.ticksLeft = Math.ceil((MOST_TIMES * leftMs) / TICK_MS);
    this.ended = new Promise((resolve) => this.tick(resolve));
  }

  private tick(end: () => void): void {
    const beganAtMs = this.clock.now();
    const askedMs = this.leftMs > 0 ? Math.min(TICK_MS, this.leftMs) : TICK_MS;
    this.callOff = this.clock.after(askedMs, () => {
      const tookMs = this.clock.now() - beganAtMs;
      const countedMs = Math.min(tookMs, askedMs, this.leftMs);
      this.leftMs -= countedMs;
      this.heldUpMs += tookMs - countedMs;
      this.ticksLeft -= 1;
      if ((this.leftMs <= 0 && tookMs <= ON_TIME_MS) || this.ticksLeft <= 0) end();
      else this.tick(end);
    });
  }
}

/** What the user says about the way to the server. */
export interface Reach {
  insecureTls: boolean;
  /** Environment variables: NODE_EXTRA_CA_CERTS, HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read. */
  environment: Record<string, string | undefined>;
}

export interface Route {
  insecureTls: boolean;
  /** The certificates to trust, parsed once: of all of Node's own, that takes longer than a handshake. */
  trust: SecureContext;
  /** The same, with what is shown to a server that asks for a client certificate. No proxy gets that. */
  identified: SecureContext;
  /** `lines`: header lines for the proxy itself. `null`: a direct connection. */
  proxy: { url: URL; lines: HeaderLines } | null;
}

/** Returns how to reach a host. @param direct without a proxy @throws UsageError if a file or proxy is unusable */
export function routeTo(
  to: URL,
  direct: boolean,
  { insecureTls, environment }: Reach,
  identity?: ClientCertificate,
): Route {
  const file = environment.NODE_EXTRA_CA_CERTS;
  const ca = file && [...rootCertificates, textIn(file, MOST_BYTES.file, 'NODE_EXTRA_CA_CERTS: ')];
  const trust = createSecureContext(ca ? { ca } : {});
  const identified = identity ? createSecureContext({ ...(ca && { ca }), ...identity }) : trust;
  return { insecureTls, trust, identified, proxy: direct ? null : proxyFor(to, environment) };
}

/** Returns the proxy for a URL's scheme, unless `NO_PROXY` exempts its host. Both addresses are checked. */
function proxyFor(to: URL, environment: Reach['environment']): Route['proxy'] {
  const [http, https] = [proxyIn('HTTP_PROXY', environment), proxyIn('HTTPS_PROXY', environment)];
  return isExempt(to, named('NO_PROXY', environment)) ? null : to.protocol === 'https:' ? https : http;
}

function named(name: string, environment: Reach['environment']): string {
  return environment[name.toLowerCase()] || environment[name] || '';
}

const CREDENTIALS = 'Proxy-Authorization';

function proxyIn(name: string, environment: Reach['environment']) {
  const address = named(name, environment);
  if (address === '') return null;
  const url = urlOf(address);
  const user = url && userOf(url);
  // The message must not repeat the value: it may hold a password.
  if (url === null || user === null)
    throw new UsageError(`${name} is not the URL of a proxy; right would be, for example, http://proxy.example:3128.`);
  return { url, lines: user === '' ? [] : [[CREDENTIALS, `Basic ${Buffer.from(user).toString('base64')}`] as const] };
}

/** Returns the credentials that proxies get, decoded, and the passwords alone: a proxy may pass them on. */
export function secretsForProxies(environment: Reach['environment']): HeaderLines {
  return ['HTTP_PROXY', 'HTTPS_PROXY'].flatMap((name) => {
    const url = urlOf(named(name, environment));
    const user = url && userOf(url);
    return user ? [user, user.replace(/^[^:]*:/, '')].map((value) => [CREDENTIALS, value] as const) : [];
  });
}

/** Returns user and password in a URL, as `user:password`; empty without any, `null` if they cannot be read. */
export function userOf({ protocol, username, password }: URL): string | null {
  if (!/^https?:$/.test(protocol)) return null;
  if (username === '' && password === '') return '';
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return null;
  }
}

/** Whether `NO_PROXY` names a host, or a domain above it, with its port or without. */
function isExempt({ hostname, protocol, port }: URL, exempt: string): boolean {
  if (exempt.trim() === '*') return true;
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  const host = withoutBrackets(hostname);
  return exempt.split(/[,\s]+/).some((entry) => {
    // An address of IPv6 has a port only behind brackets.
    const [, named = entry, onlyPort = ownPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const name = withoutBrackets(named.replace(/^\*?\./, '').toLowerCase());
    return name !== '' && onlyPort === ownPort && (host === name || host.endsWith(`.${name}`));
  });
}

/** Returns the name of a host as the system knows it: in a URL, an address of IPv6 stands in brackets. */
function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Opens a socket to the server of an address.
 * @param signal destroys it, whether or not it is open yet
 * @throws the error of the system or of TLS, or ProxyRefusal
 */
export async function openSocket(to: URL, route: Route, signal: AbortSignal): Promise<Socket> {
  const { proxy } = route;
  const first = proxy?.url ?? to;
  const port = Number(first.port) || (first.protocol === 'https:' ? 443 : 80);
  const plain = connect({ host: withoutBrackets(first.hostname), port, noDelay: true, signal });
  await hasHappened(plain, 'connect');
  const secureContext = proxy ? route.trust : route.identified;
  const socket = first.protocol === 'https:' ? await secured(plain, first, route, secureContext) : plain;
  // As every client does: a tunnel for https, the absolute form for http (RFC 9112 section 3.2.2).
  if (proxy === null || to.protocol !== 'https:') return socket;
  return secured(await tunnelled(to, socket, proxy.lines), to, route, route.identified);
}

async function secured(socket: Socket, to: URL, { insecureTls }: Route, secureContext: SecureContext): Promise<Socket> {
  const host = withoutBrackets(to.hostname);
  const secure = connectSecurely({
    socket,
    host,
    // An address is no name of a server (RFC 6066 section 3).
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !insecureTls,
    secureContext,
  });
  await hasHappened(secure, 'secureConnect');
  return secure;
}

/** Makes a proxy lead a socket to a server (RFC 9110 section 9.3.6). */
async function tunnelled(to: URL, toProxy: Socket, lines: HeaderLines): Promise<Socket> {
  const authority = `${to.hostname}:${to.port || 443}`;
  const asked = request({
    method: 'CONNECT',
    path: authority,
    headers: ['Host', authority, ...lines.flat()],
    maxHeaderSize: MAX_HEADER_BYTES,
    createConnection: () => toProxy,
  }).end();
  const [{ statusCode }, tunnel] = await once(asked, 'connect');
  if (statusCode !== 200) throw new ProxyRefusal(statusCode);
  return tunnel;
}

/** Waits for an event of a socket. @throws its error; a later one shows in its exchange */
async function hasHappened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  socket.on('error', () => undefined);
  await once(socket, event);
}
