/** Sends requests, and records every exchange with markers for secrets. Nothing else connects to the server. */
import { type Probe, type ProbeRequest, probe, withoutKey } from '../catalogue/catalogue';
import { suite } from '../common/suite';
import { visibleJson } from '../common/text';
import { factsOf, type RawDelivery, type Target } from '../config/target';
import { linesOf } from '../evidence/http/headers';
import {
  type Delivery,
  type Evidence,
  type Exchange,
  type HeaderLines,
  MOST_EXCHANGES,
  type TargetFacts,
} from '../evidence/model';
import { waitAskedMs } from '../evidence/time/server-clock';
import { markerOf, markersIn } from '../redaction/markers';
import { cookiesFrom, Masking } from './masking';
import { circuitOf, LEAD_MS, Pace } from './pace';
import { networkTo } from './transport/network-connection';
import {
  type Clock,
  type Connection,
  type Reach,
  secretsForProxies,
  type Wire,
  type WireOutcome,
} from './transport/wire';

/** Requests wait at most this long for their connections, so that one slow connection delays no others. */
const MOST_OPENING_MS = 1000;

/** So much a run records of what others send, in bytes of `evidence.har`: its judges and its readers are made for that. */
const MOST_RECORDED = 24 * 2 ** 20;

/** The largest indentation of JSON. */
const DEEP = 10;

/** How long a server may take to start again, or a queue to serve what nobody waits for any more. */
const RESTART_MS = 3000;

const USER_AGENT = ['User-Agent', `${suite.name}/${suite.version}`] as const;

const STOPPED = 'the run was stopped';
const GIVEN_UP =
  'the server broke too many answers or served no valid key any more (transport.complete), so nothing more was sent: fix that first';
const TOO_MUCH =
  'all answers together are more than can be recorded, so nothing more was sent: the settings of an account are a few kilobytes';
const TOO_MANY = `one run sends at most ${MOST_EXCHANGES} requests, so nothing more was sent: declare fewer accounts, or a smaller \`limits.burst\``;

export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly notSent: Evidence['notSent'] = [];
  readonly deliveries: Delivery[] = [];
  readonly triggers: Evidence['triggers'] = [];
  readonly pace: Pace;
  readonly clock: Clock;
  /** Why the run was given up before anything could be judged, as a sentence for the user; else `null`. */
  error: string | null = null;
  /** Once it is set, nothing more is sent. */
  isStopped = false;
  readonly masking: Masking;
  /** Of what others sent, in bytes of `evidence.har`. */
  private recordedBytes = 0;
  private readonly facts: TargetFacts;
  private connections = 0;
  private restart: Promise<unknown> | null = null;
  private hasWaited = false;

  /**
   * @param wire carries the requests: the network, unless a test simulates it
   * @throws UsageError if the environment names a certificate file or a proxy that cannot be used
   */
  constructor(
    readonly target: Target,
    surroundings: Reach & { riskyProbes: boolean },
    private readonly wire: Wire = networkTo(target, surroundings),
  ) {
    this.clock = wire;
    this.pace = new Pace(target.rate, wire);
    const headers = [...target.headers, ...secretsForProxies(surroundings.environment)];
    this.masking = new Masking(target.accounts, headers, target.identity);
    this.facts = factsOf(target, surroundings, (text) => this.masking.maskText(text));
  }

  now(): number {
    return this.wire.now();
  }

  get isRiskAllowed(): boolean {
    return this.facts.riskyProbes;
  }

  /** Returns everything recorded so far, without secrets. */
  evidence(): Evidence {
    const { exchanges, notSent, deliveries, triggers } = this;
    const { startedAtEpochMs } = this.wire;
    return { target: this.facts, startedAtEpochMs, exchanges, notSent, deliveries, triggers };
  }

  /** Notes a value that was made from a secret, such as an altered key, and returns its marker. */
  registerSecret(marker: string, value: string): string {
    this.masking.reserve(marker, value);
    return marker;
  }

  /** Records a notification that just arrived. Once the record is full, path, headers and body are left out. */
  receive(raw: RawDelivery): Delivery {
    const { isFull } = this;
    const delivery: Delivery = {
      index: this.nextIndex(),
      method: raw.method,
      ...this.masking.delivery(raw),
      ...(isFull && { path: '', headers: [], body: '' }),
      truncated: raw.truncated || isFull,
      receivedAtMs: this.now(),
    };
    this.deliveries.push(delivery);
    this.count(delivery);
    return delivery;
  }

  /** Returns a new connection. The caller closes it after its exchanges. */
  connection(): Connection {
    this.connections += 1;
    return this.wire.connection(this.connections);
  }

  /** True once a whole answer has arrived. Until then, probes send few requests at once. */
  get hasAnswered(): boolean {
    return this.circuit.hasAnswer;
  }

  private get circuit() {
    return circuitOf({ exchanges: this.exchanges, windowMs: this.pace.windowMs });
  }

  /** True once nothing more is sent. */
  get givenUp(): boolean {
    return this.reasonToStop() !== null;
  }

  /** Records that a probe is not sent, and why. */
  skip(probe: Probe, reason: string): null {
    this.notSent.push({ probe, reason });
    return null;
  }

  /** Returns the marker of a `Cookie` line with all cookies that a response set; `null` if it set none. */
  cookiesOf({ probe, response }: Exchange): string | null {
    return linesOf(response?.headers ?? [], 'Set-Cookie').length > 0 ? cookiesFrom(probe) : null;
  }

  /** Sends one request; by default now, over a new connection. As `burst`, but returns `null` if it is not sent. */
  async send(request: ProbeRequest, options: { atMs?: number; via?: Connection } = {}): Promise<Exchange | null> {
    const [exchange] = await this.burst([request], { atMs: 0, ...options });
    return exchange ?? null;
  }

  /**
   * Sends requests at one moment, within one tick and each over its own connection, and records the exchanges.
   * @param options.atMs on the run's clock
   * @param options.via one connection to use for all of them instead
   * @returns the exchanges in the order of the requests; none if nothing more is sent: then that is recorded
   */
  async burst(
    requests: readonly ProbeRequest[],
    { atMs, via }: { atMs: number; via?: Connection | undefined },
  ): Promise<Exchange[]> {
    if (atMs > this.now() + LEAD_MS) await this.pace.until(atMs - LEAD_MS);
    if (this.circuit.isBrokenOff && requests[0]?.probe.group !== 'alive') await this.restarted();
    const reason = this.reasonToStop(requests.length, requests[0]?.probe);
    if (reason !== null) {
      for (const { probe } of requests) this.skip(probe, reason);
      return [];
    }
    const prepared = requests.map((request) => this.prepared(request, via ?? this.connection()));
    const dueInMs = Math.max(0, atMs - this.now());
    if (!via)
      await this.opened(
        prepared.map(({ connection }) => connection),
        dueInMs + MOST_OPENING_MS,
      );
    if (atMs > this.now()) await this.pace.until(atMs);
    // Nothing is awaited between the first exchange and the last, so that all requests leave within one tick.
    return Promise.all(
      prepared.map(async (sent) => {
        const { connection, wireRequest } = sent;
        const exchange = this.record(sent, await this.pace.busy(() => connection.exchange(wireRequest)));
        if (!via) await connection.close();
        return exchange;
      }),
    );
  }

  /** Sends a GET to another host than the API's, without a secret, and records nothing; `null` if nothing is sent. */
  async reach(url: URL, headers: HeaderLines): Promise<WireOutcome | null> {
    if (this.givenUp) return null;
    const connection = this.wire.connection(0, url);
    const outcome = await connection.exchange({ method: 'GET', url, headers: [USER_AGENT, ...headers] });
    await connection.close();
    return outcome;
  }

  private prepared(request: ProbeRequest, connection: Connection) {
    const { masking, target } = this;
    const { path, method = 'GET', body, headers = [] } = request;
    const isOwn = request.probe.group === 'own';
    const written = isOwn ? headers : headers.map((line) => this.besideCookie(line));
    const standing = this.standing(request, isOwn);
    const revealed = (lines: HeaderLines) => lines.map(([name, value]) => [name, masking.reveal(value)] as const);
    const [, origin = target.baseURL, below = ''] = /^(https?:\/\/[^/?#]*)?(.*)$/s.exec(path) ?? [];
    return {
      request,
      connection,
      /** What is recorded of it. What an own test wrote may hold secrets, and what only looks like their markers. */
      recorded: {
        method,
        url: origin + (isOwn ? masking.maskText(below) : below),
        headers: [...standing, ...(isOwn ? masking.lines(written) : written)],
        ...(body ? { body: masking.sentBody(body, written) } : {}),
      },
      wireRequest: {
        method,
        // A path of the suite's own may hold a key's slot. An address that others wrote never does.
        url: new URL(isOwn || origin !== target.baseURL ? origin + below : origin + masking.reveal(below)),
        headers: [...revealed(standing), ...(isOwn ? written : revealed(written))],
        ...(body ? { body } : {}),
      },
    };
  }

  /** Opens connections side by side, and waits for them no longer than a moment: their exchanges show what is wrong. */
  async opened(connections: readonly Connection[], withinMs = MOST_OPENING_MS): Promise<void> {
    await this.pace.busy(() => Promise.all(connections.map((connection) => connection.open(withinMs))));
  }

  /** Why nothing more is sent, where the run has taken all the time or room that it may; else `null`. */
  get cutShort(): string | null {
    if (this.isFull) return TOO_MUCH;
    const { runSeconds } = this.target.limits;
    const isOver = this.now() - this.pace.waitedMs > runSeconds * 1000;
    return isOver
      ? `the run took longer than ${runSeconds} s besides its waits for the rate limit, so nothing more was sent: is the server that slow, or raise \`limits.runSeconds\``
      : null;
  }

  private get isFull(): boolean {
    return this.recordedBytes > MOST_RECORDED;
  }

  /** Counts what others sent towards the most that a run records. A header line takes as much more in `evidence.har`. */
  private count(received: object): void {
    this.recordedBytes += Buffer.byteLength(visibleJson(received, DEEP));
  }

  /** @param more how many requests are to be sent @param probe what for */
  private reasonToStop(more = 1, probe?: Probe): string | null {
    if (this.isStopped) return STOPPED;
    if (this.exchanges.length + more > MOST_EXCHANGES) return TOO_MANY;
    // Of a server that broke too many answers, one more request shows whether it still serves.
    const mayStartAgain = this.circuit.isBrokenOff && !this.hasWaited;
    const isGivenUp = this.circuit.isOpen && !mayStartAgain && probe?.group !== 'alive';
    // Tests of the user's own come when they like.
    const isOwn = probe?.group === 'own';
    return this.error ?? (isGivenUp ? GIVEN_UP : isOwn && !this.isFull ? null : this.cutShort);
  }

  /** Waits, once in a run, for a server that broke off. A whole answer shows that it serves again. */
  private restarted(): Promise<unknown> {
    this.restart ??= this.pace
      .until(this.now() + RESTART_MS)
      .then(() => this.send(withoutKey(probe('alive'))))
      .finally(() => {
        this.hasWaited = true;
      });
    return this.restart;
  }

  private record(sent: ReturnType<Recorder['prepared']>, outcome: WireOutcome): Exchange {
    const { request, recorded, connection } = sent;
    const { probe, account } = request;
    const { head, aside, fault } = outcome;
    if (fault?.kind === 'unreachable' && this.exchanges.length === 0)
      this.error = `${this.target.baseURL} could not be reached: ${fault.message}. Nothing was judged.`;
    const recordedBody = this.masking.answerBody(outcome, probe, account);
    const exchange: Exchange = {
      index: this.nextIndex(),
      probe,
      account,
      request: recorded,
      response: head && {
        status: head.status,
        statusText: this.masking.maskText(head.statusText, true),
        headers: this.masking.lines(head.headers),
        ...(aside.length > 0 ? { aside: this.masking.lines(aside) } : {}),
        ...recordedBody,
      },
      fault,
      sentAtMs: outcome.sentAtMs,
      receivedAtMs: outcome.receivedAtMs,
      connection: connection.number,
      ...(outcome.resent ? { resent: true } : {}),
    };
    this.exchanges.push(exchange);
    // What was left out, or is shorter with a marker, was searched in its own length.
    this.count({ ...exchange.response, body: recordedBody.body.padEnd(outcome.body.length) });
    const askedMs = waitAskedMs(exchange, this.evidence());
    for (const owner of this.chargedBy(exchange)) this.pace.used(owner, exchange.receivedAtMs, askedMs);
    return exchange;
  }

  /** Returns the accounts whose budget an exchange may have used: its key's owner, or all if accepted without a key. */
  private chargedBy({ account, request, response }: Exchange): string[] {
    if (account !== null) return [account];
    if (response === null || response.status < 200 || response.status > 299) return [];
    const key = markersIn(`${request.headers.flat().join('\n')}${request.url}`).find(({ kind }) => kind === 'apiKey');
    return key ? [key.name] : this.target.accounts.map(({ name }) => name);
  }

  /** Returns a header line, a cookie with the one of the target's own headers: a gate before the server wants to see that. */
  private besideCookie([name, value]: HeaderLines[number]): HeaderLines[number] {
    const isCookie = ([called]: HeaderLines[number]) => /^cookie$/i.test(called);
    const gate = isCookie([name, value]) ? this.target.headers.find(isCookie) : undefined;
    return [name, gate ? `${markerOf('header', gate[0])}; ${value}` : value];
  }

  /** Returns the header lines that a request does not replace by its own. */
  private standing({ account, headers = [] }: ProbeRequest, isOwn: boolean): HeaderLines {
    const given = new Set(headers.map(([name]) => name.toLowerCase()));
    const standing: HeaderLines = [
      USER_AGENT,
      ['Accept', 'application/json'],
      ['Accept-Encoding', 'gzip, deflate, br'],
      ...this.target.headers.map(([name]) => [name, markerOf('header', name)] as const),
      ...(isOwn && account !== null ? [['apiKey', markerOf('apiKey', account)] as const] : []),
    ];
    return standing.filter(([name]) => !given.has(name.toLowerCase()));
  }

  private nextIndex(): number {
    return this.exchanges.length + this.deliveries.length;
  }
}
