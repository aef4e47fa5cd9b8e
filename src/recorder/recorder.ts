/**
 * Sends requests to the server under test and keeps what came of each, in order, with markers for secrets.
 * Nothing else opens a connection to that server.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type {
  Delivery,
  Evidence,
  Exchange,
  HeaderLines,
  KeyHolder,
  NotSent,
  TargetFacts,
  Trigger,
} from '../evidence/exchange';
import { linesOf } from '../evidence/headers';
import { MARKER, markerOf } from '../evidence/markers';
import { nameOf, type Probe } from '../evidence/probe';
import { suite } from '../suite';
import { factsOf, type Target } from '../target/target';
import { UsageError } from '../usage-error';
import { authorizationKept, basicCredentialsOf, NO_PASSWORD, UNDECLARED, undeclaredPasswordOf } from './credentials';
import { LEAD_MS, Pace } from './pace';
import type { RawDelivery } from './receiver';
import { Vault } from './vault/vault';
import type { WireOutcome } from './wire/answer';
import { Connection, type Route } from './wire/connection';

/** A request that is to be sent. */
export interface ProbeRequest {
  /** What it is sent for. */
  probe: Probe;
  /** The account whose valid key stands in the `apiKey` header, and whose budget is used. */
  account: KeyHolder;
  method?: string;
  /** Below the base URL, or an absolute URL. */
  path: string;
  /** Besides the standing ones; markers stand for secrets. */
  headers?: HeaderLines;
  /** Sent as it is; recorded as text, where it is text. */
  body?: Buffer | null;
}

export interface Surroundings {
  insecureTls: boolean;
  riskyProbes: boolean;
  /** Environment variables that say how to reach the server. */
  environment: Record<string, string | undefined>;
}

/** After so many exchanges that broke one after another, or ran out of time in all, no more is sent. */
const BROKEN_IN_A_ROW = 8;
const BROKEN_FROM_THE_START = 3;
const TIMEOUTS_IN_ALL = 10;
/** Characters of JSON that all bodies together may take: what is recorded has to fit into one text. */
const MOST_KEPT = 96 * 1024 * 1024;

export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly notSent: NotSent[] = [];
  readonly deliveries: Delivery[] = [];
  readonly triggers: Trigger[] = [];
  readonly pace: Pace;
  /** Why the run was given up before anything could be judged, for people. */
  error: string | null = null;
  private readonly vault = new Vault();
  private readonly startedAtMs = performance.now();
  private readonly startedAtEpochMs = Date.now();
  private readonly route: Route;
  /** User names of receivers that accounts are known to have. */
  private readonly usernames = new Set(['']);
  /** Each body once, and how many characters of JSON it takes. */
  private readonly bodies = new Map<string, { text: string; length: number }>();
  private kept = 0;
  private readonly facts: TargetFacts;
  private connections = 0;
  private whole = 0;
  private brokenInARow = 0;
  private timeouts = 0;
  private stopped = false;

  constructor(
    readonly target: Target,
    surroundings: Surroundings,
  ) {
    this.pace = new Pace(target.rate, () => this.now());
    this.route = routeTo(target, surroundings);
    keepSecrets(this.vault, target);
    this.facts = factsOf(target, surroundings.riskyProbes, (text) => this.vault.maskText(text));
  }

  /** Milliseconds since this recorder began, on a monotonic clock. */
  now(): number {
    return performance.now() - this.startedAtMs;
  }

  /** Everything so far, without secrets. */
  evidence(): Evidence {
    return {
      target: this.facts,
      startedAtEpochMs: this.startedAtEpochMs,
      exchanges: this.exchanges,
      notSent: this.notSent,
      deliveries: this.deliveries,
      triggers: this.triggers,
    };
  }

  /** A text with a marker for each secret in it. */
  masked(text: string): string {
    return this.vault.maskText(text);
  }

  /** Records a notification that arrived just now. */
  receive(raw: RawDelivery): Delivery {
    const basic = basicCredentialsOf(raw.headers, this.target.accounts).map(({ username, password }) => ({
      username: username !== null && this.usernames.has(username) ? this.vault.maskText(username) : null,
      password,
    }));
    const undeclared = undeclaredPasswordOf(raw.headers, this.target.accounts);
    const mask = (bytes: Buffer) => undeclared?.mask(this.vault.mask(bytes)) ?? this.vault.mask(bytes);
    const maskBytes = (text: string) => {
      const masked = mask(Buffer.from(text, 'latin1'));
      return asUtf8(masked) ?? masked.toString('latin1');
    };
    const body = mask(raw.body);
    const text = asUtf8(body);
    const delivery: Delivery = {
      index: this.nextIndex(),
      method: raw.method,
      path: maskBytes(raw.path),
      headers: raw.headers.map(
        ([name, value]) => [maskBytes(name), authorizationKept(name, maskBytes(value))] as const,
      ),
      body: this.intern(text ?? body.toString('base64')),
      bodyEncoding: text === null ? 'base64' : 'utf8',
      truncated: raw.truncated,
      basic,
      receivedAtMs: this.now(),
    };
    this.deliveries.push(delivery);
    return delivery;
  }

  private nextIndex(): number {
    return this.exchanges.length + this.deliveries.length;
  }

  /** Registers a value that is as secret as what it was made from, and gives its marker. */
  keep(marker: string, value: string): string {
    this.vault.add(marker, value);
    return marker;
  }

  /** A connection of its own; close it when its exchanges are done. */
  connection(): Connection {
    this.connections += 1;
    const bounds = { timeoutMs: this.target.limits.timeoutSeconds * 1000, bodyBytes: this.target.limits.bodyBytes };
    return new Connection(new URL(this.target.baseURL), this.route, bounds, this.connections);
  }

  /** True once one whole answer has come: until then the server is asked little at one time. */
  get hasAnswered(): boolean {
    return this.whole > 0;
  }

  /** Sends nothing any more. */
  stop(): void {
    this.stopped = true;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** True once the server has broken so many answers that asking on would only take time. */
  get givenUp(): boolean {
    return (
      this.stopped ||
      this.error !== null ||
      this.brokenInARow >= (this.whole === 0 ? BROKEN_FROM_THE_START : BROKEN_IN_A_ROW) ||
      this.timeouts >= TIMEOUTS_IN_ALL ||
      this.kept > MOST_KEPT
    );
  }

  /**
   * Sends one request at a given moment over a connection of its own (or the one given) and records what came.
   * The connection is opened ahead of that moment.
   * @returns the exchange, or `null` where the server was given up before: then the probe is noted as not sent.
   */
  async send(request: ProbeRequest, options: { atMs?: number; via?: Connection } = {}): Promise<Exchange | null> {
    const atMs = options.atMs ?? 0;
    if (atMs > this.now() + LEAD_MS) await this.pace.until(atMs - LEAD_MS);
    if (this.givenUp) return this.skip(request.probe, this.error ?? (this.kept > MOST_KEPT ? TOO_MUCH : GIVEN_UP));
    const connection = options.via ?? this.connection();
    try {
      if (!options.via) await this.pace.busy(() => connection.open());
      if (atMs > this.now()) await this.pace.until(atMs);
      const headers = this.headersOf(request);
      const url = this.urlOf(request.path);
      const outcome = await this.pace.busy(() =>
        connection.exchange({
          method: request.method ?? 'GET',
          url: new URL(this.vault.reveal(url)),
          headers: headers.map(([name, value]) => [name, this.vault.reveal(value)] as const),
          body: request.body ?? null,
        }),
      );
      return this.record(request, url, headers, outcome, connection.number);
    } finally {
      if (!options.via) await connection.close();
    }
  }

  /** Notes a probe that will not be sent, and why. */
  skip(probe: Probe, reason: string): null {
    this.notSent.push({ probe, reason });
    return null;
  }

  private record(
    sent: ProbeRequest,
    url: string,
    headers: HeaderLines,
    outcome: WireOutcome,
    connection: number,
  ): Exchange {
    this.count(outcome);
    this.learn(outcome, sent);
    const masked = outcome.fault ? this.vault.maskCut(outcome.body) : this.vault.mask(outcome.body);
    const utf8 = asUtf8(masked);
    const text = utf8 === null ? null : withoutUndeclaredPasswords(utf8);
    const exchange: Exchange = {
      index: this.nextIndex(),
      probe: sent.probe,
      account: sent.account,
      request: { method: sent.method ?? 'GET', url, headers },
      response: outcome.head && {
        status: outcome.head.status,
        statusText: this.vault.maskText(outcome.head.statusText),
        headers: this.masksOf(outcome.head.headers),
        ...(outcome.aside.length > 0 ? { aside: this.masksOf(outcome.aside) } : {}),
        body: this.intern(text ?? masked.toString('base64')),
        bodyEncoding: text === null ? 'base64' : 'utf8',
      },
      fault: outcome.fault,
      sentAtMs: outcome.sentAtMs - this.startedAtMs,
      receivedAtMs: outcome.receivedAtMs - this.startedAtMs,
      connection,
      ...(outcome.resent ? { resent: true } : {}),
    };
    this.exchanges.push(exchange);
    for (const owner of this.chargedBy(exchange, headers, url)) this.pace.used(owner, exchange.receivedAtMs);
    return exchange;
  }

  /** Whose budget an exchange may have used up: that of its key, and where it was let in without one, of anybody. */
  private chargedBy({ account, response }: Exchange, headers: HeaderLines, url: string): string[] {
    if (account !== null) return [account];
    if (response === null || response.status < 200 || response.status > 299) return [];
    const owner = keyOwner(headers, url);
    return owner === null ? this.target.accounts.map(({ name }) => name) : [owner];
  }

  private count(outcome: WireOutcome): void {
    if (!outcome.fault) {
      this.whole += 1;
      this.brokenInARow = 0;
      return;
    }
    this.brokenInARow += 1;
    if (outcome.fault.kind === 'timeout') this.timeouts += 1;
    if (outcome.fault.kind === 'unreachable' && this.exchanges.length === 0) {
      const advice = /certificate|proxy/.test(outcome.fault.message)
        ? ''
        : ' Check the address and that the server is up.';
      this.error = `${this.target.baseURL} could not be reached: ${outcome.fault.message}. Nothing was judged.${advice}`;
    }
  }

  /** Secrets that only the server knew: the receiver's key, and cookies that may open a session. */
  private learn(outcome: WireOutcome, { probe, account }: ProbeRequest): void {
    const cookies = linesOf(outcome.head?.headers ?? [], 'Set-Cookie').map((value) => value.split(';')[0] ?? '');
    if (cookies.length > 0) this.vault.addForSending(cookiesFrom(probe), cookies.join('; '));
    const auth = receiverAuthIn(outcome.body);
    const key = auth?.apikey?.apikey;
    if (typeof key === 'string') this.vault.add(markerOf('receiverKey', account ?? 'unknown'), key);
    const username = auth?.basic?.username;
    if (typeof username !== 'string') return;
    this.usernames.add(username);
    const password = this.target.accounts.find(({ name }) => name === account)?.password;
    if (password) this.vault.add(markerOf('password', account ?? '', 'basic'), `${username}:${password}`);
  }

  /** The marker of a `Cookie` line with all cookies that the answer to a probe has set; `null` where it set none. */
  cookiesOf({ probe, response }: Exchange): string | null {
    return linesOf(response?.headers ?? [], 'Set-Cookie').length > 0 ? cookiesFrom(probe) : null;
  }

  private headersOf({ headers = [] }: ProbeRequest): HeaderLines {
    const given = new Set(headers.map(([name]) => name.toLowerCase()));
    const standing: HeaderLines = [
      ['User-Agent', `${suite.name}/${suite.version}`],
      ['Accept', 'application/json'],
      ['Accept-Encoding', 'gzip, deflate, br'],
      ...this.target.headers.map(([name]) => [name, markerOf('header', name)] as const),
    ];
    return [...standing.filter(([name]) => !given.has(name.toLowerCase())), ...headers];
  }

  private urlOf(path: string): string {
    return /^https?:/.test(path) ? path : this.target.baseURL + path;
  }

  private masksOf(lines: HeaderLines): HeaderLines {
    return lines.map(([name, value]) => [this.maskHeader(name), this.maskValue(name, value)] as const);
  }

  private maskHeader(text: string): string {
    return this.vault.mask(Buffer.from(text, 'latin1')).toString('latin1');
  }

  /** A cookie's value may open a session, so it is kept to itself, but for a declared secret that it holds. */
  private maskValue(name: string, value: string): string {
    const bytes = Buffer.from(value, 'latin1');
    const masked = (OF_THE_PROTOCOL.test(name) ? this.vault.maskProtocol(bytes) : this.vault.mask(bytes)).toString(
      'latin1',
    );
    if (name.toLowerCase() !== 'set-cookie') return masked;
    return masked.replace(/^\s*([^=;\s]+)=([^;]{8,})/, (cookie, called: string, held: string) =>
      held.match(MARKER) ? cookie : `${called}=${markerOf('cookie', called)}`,
    );
  }

  private intern(text: string): string {
    const body = this.bodies.get(text) ?? { text, length: JSON.stringify(text).length };
    this.bodies.set(text, body);
    this.kept += body.length;
    return body.text;
  }
}

/** Header fields whose values are words and numbers of HTTP, or of the API description's section 8. */
const OF_THE_PROTOCOL =
  /^(?:date|age|expires|last-modified|server|connection|keep-alive|allow|vary|content-(?:type|length|encoding|language)|transfer-encoding|cache-control|retry-after|(?:x-)?ratelimit-.*|www-authenticate|access-control-.*|strict-transport-security)$/i;

function cookiesFrom(probe: Probe): string {
  return markerOf('cookie', nameOf(probe));
}

const GIVEN_UP = 'the server broke too many answers (transport.complete), so nothing more was sent: mend that first';

const TOO_MUCH =
  'the bodies of all answers together are more than can be recorded, so nothing more was sent: the settings of an account are a few kilobytes';

function routeTo(target: Target, { insecureTls, environment }: Surroundings): Route {
  const file = environment.NODE_EXTRA_CA_CERTS;
  let extraCa: string[] = [];
  if (file) {
    try {
      extraCa = [...require('node:tls').rootCertificates, readFileSync(file, 'utf8')];
    } catch (error) {
      throw new UsageError(
        `NODE_EXTRA_CA_CERTS names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  }
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const proxyIn = (name: string) => {
    const address = named(name);
    // The message must not repeat the value: it may hold a password.
    if (!target.embedded && address && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
      throw new UsageError(
        `${name} is not the URL of a proxy; right would be, for example, http://proxy.example:3128.`,
      );
    return address;
  };
  const http = proxyIn('HTTP_PROXY');
  const https = proxyIn('HTTPS_PROXY');
  const url = new URL(target.baseURL).protocol === 'https:' ? https : http;
  const proxy = target.embedded || !url ? null : { url, exempt: named('NO_PROXY') ?? '' };
  return { insecureTls, extraCa, proxy };
}

function keepSecrets(vault: Vault, target: Target): void {
  for (const account of target.accounts) {
    vault.add(markerOf('apiKey', account.name), account.apiKey);
    if (account.password !== undefined) vault.add(markerOf('password', account.name), account.password);
    const auth = account.settings?.auth as
      | { basic?: { username?: unknown }; apikey?: { apikey?: unknown } }
      | undefined;
    if (typeof auth?.apikey?.apikey === 'string') vault.add(markerOf('receiverKey', account.name), auth.apikey.apikey);
    if (typeof auth?.basic?.username === 'string' && account.password) {
      vault.add(markerOf('password', account.name, 'basic'), `${auth.basic.username}:${account.password}`);
    }
  }
  for (const [name, value] of target.headers) vault.add(markerOf('header', name), value);
}

/** The account whose key, as it is or altered, a request carried otherwise than valid in the `apiKey` header. */
function keyOwner(headers: HeaderLines, url: string): string | null {
  const text = headers.map(([, value]) => value).join('\n') + url;
  return /\[secret:apiKey:([^\]:]+)/.exec(text)?.[1] ?? null;
}

interface ReceiverAuth {
  basic?: { username?: unknown } | null;
  apikey?: { apikey?: unknown } | null;
}

function receiverAuthIn(body: Buffer): ReceiverAuth | null {
  if (!body.includes('apikey') && !body.includes('username')) return null;
  try {
    return JSON.parse(body.toString('utf8'))?.webhook?.auth ?? null;
  } catch {
    // Not JSON: that is for the clauses to judge, there is nothing to learn from it.
    return null;
  }
}

const PASSWORD_MEMBER = /"(?:(?:stored|plain)_?)?(?:password|passwd|pwd)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/gi;

/** A text in which a leaked password that nobody declared is known by the member it stands in; a mask stays as it is. */
function withoutUndeclaredPasswords(text: string): string {
  return text.replace(PASSWORD_MEMBER, (member, value: string) =>
    NO_PASSWORD.has(value) || /^(.)\1*$/u.test(value) || value.match(MARKER)
      ? member
      : `${member.slice(0, -value.length - 1)}${markerOf('password', UNDECLARED)}"`,
  );
}

function asUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
