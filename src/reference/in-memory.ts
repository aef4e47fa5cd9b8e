/**
 * Whole runs in one process, without a socket and without waiting: the suite's own recorder, probes and judges against
 * the reference server's behaviour, over a network and a clock that are simulated. The same seed gives the same run.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver, Target } from '../config/target';
import { linesOf } from '../evidence/http/headers';
import type { HeaderLines } from '../evidence/model';
import { decode } from '../recorder/transport/content-coding';
import type { Clock, Connection, Wire, WireOutcome, WireRequest } from '../recorder/transport/wire';
import { embeddedAccounts } from './account';
import { type Answer, type Behaviour, bent, type Call, conformant, notify, serve } from './behaviour';
import type { Notification } from './notification';
import { randomFrom } from './random';
import { callOf, type ReferenceOptions } from './server';

export class VirtualTime implements Clock {
  private nowMs = 0;
  private due: Array<{ atMs: number; happen: () => void }> = [];

  now(): number {
    return this.nowMs;
  }

  after(ms: number, happen: () => void): () => void {
    const event = { atMs: this.nowMs + ms, happen };
    const before = this.due.findLastIndex(({ atMs }) => atMs <= event.atMs);
    this.due.splice(before + 1, 0, event);
    return () => {
      this.due = this.due.filter((other) => other !== event);
    };
  }

  /** @returns once so many milliseconds have passed */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /**
   * Lets time pass until the work is done.
   * @throws what the work throws, and where it waits for something that is not due at any time
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return done;
      const next = this.due.shift();
      if (!next) throw new Error('The simulated run waits for something that never happens.');
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.happen();
    }
  }
}

/** How long a request and its answer are under way, at most; each takes a random share of it. */
export interface SimulatedNetwork {
  upMs: number;
  downMs: number;
  seed: number;
  /** When a run begins; by default, the seed decides. */
  startedAtEpochMs?: number;
}

/** As fast as the loopback of an idle machine. */
export const LOOPBACK: SimulatedNetwork = { upMs: 1, downMs: 1, seed: 1 };

/** Nothing is answered before it was asked. */
const SHORTEST_MS = 0.05;
const ORIGIN = 'http://127.0.0.1:8080';
const RECEIVER = 'http://127.0.0.1:9099';
/** Where runs begin, unless the seed moves it: any moment within a day. */
const STARTED_AT = Date.UTC(2026, 5, 15);
const DAY_MS = 86_400_000;

/** Returns a bent reference server and the way to it. @param options as a reference server is started with; none of its bends may need a real connection */
export function inMemory(options: ReferenceOptions, limits: Target['limits'], network = LOOPBACK) {
  const { bends = [], rate = { requests: 1, seconds: 1 }, basePath = '/api/v2' } = options;
  const configured = options.accounts ?? embeddedAccounts(RECEIVER);
  const accounts = bends.reduce((sofar, { configure }) => configure?.(sofar) ?? sofar, configured);
  const wire = new InMemoryWire(limits, network, (head) => receiver.isOwn(head));
  const behaviour = bent({ ...conformant({ accounts, rate, basePath }), ...wire.surroundings() }, bends);
  wire.lead(behaviour);
  const receiver: Receiver = {
    origin: RECEIVER,
    isOwn: () => false,
    onDelivery: () => undefined,
    isExpected: () => true,
    overrun: 0,
    close: async () => undefined,
  };
  const deliver = async (notification: Notification): Promise<void> => {
    await wire.travel('up');
    if (new URL(notification.url).origin === RECEIVER) receiver.onDelivery(deliveryOf(notification));
    await wire.travel('down');
  };
  return {
    baseURL: ORIGIN + basePath,
    accounts,
    receiver,
    trigger: (kind: string, account: string) => notify(behaviour, kind, account, deliver),
    wire,
  };
}

/** A network with nothing at its other end but one behaviour. */
class InMemoryWire extends VirtualTime implements Wire {
  readonly startedAtEpochMs: number;
  private readonly random: () => number;
  private readonly sent = new WeakMap<Call, Answer>();
  private behaviour: Behaviour | null = null;

  constructor(
    private readonly limits: Target['limits'],
    private readonly network: SimulatedNetwork,
    /** Called with each of the suite's own requests that arrives at the receiver. */
    private readonly receive: Receiver['isOwn'],
  ) {
    super();
    this.random = randomFrom(network.seed);
    this.startedAtEpochMs = network.startedAtEpochMs ?? Math.floor(STARTED_AT + this.random() * DAY_MS);
  }

  /** What a behaviour takes from the world around it. */
  surroundings(): Pick<Behaviour, 'clock' | 'pause' | 'random' | 'send'> {
    return {
      clock: () => this.startedAtEpochMs + this.now(),
      pause: (ms) => this.pause(ms),
      random: this.random,
      send: (call, answer) => void this.sent.set(call, answer),
    };
  }

  lead(to: Behaviour): void {
    this.behaviour = to;
  }

  travel(way: 'up' | 'down'): Promise<void> {
    return this.pause(SHORTEST_MS + this.random() * this.network[`${way}Ms`]);
  }

  connection(number: number, to?: URL): Connection {
    const socket = { remoteAddress: '127.0.0.1' };
    const answer = (request: WireRequest) => (to ? this.elsewhere(request) : this.answered(request, socket));
    return {
      number,
      open: async () => undefined,
      exchange: (request) => this.exchange(answer, request),
      close: async () => undefined,
    };
  }

  private async exchange(
    answer: (request: WireRequest) => Promise<Result>,
    request: WireRequest,
  ): Promise<WireOutcome> {
    const sentAtMs = this.now();
    const timeoutMs = this.limits.timeoutSeconds * 1000;
    let callOff = (): void => undefined;
    const late = new Promise<Result>((resolve) => {
      callOff = this.after(timeoutMs, () => resolve(brokenBy('timeout', `did not answer within ${timeoutMs} ms`)));
    });
    const result = await Promise.race([answer(request), late]);
    callOff();
    return { ...result, sentAtMs, receivedAtMs: this.now(), aside: [], resent: false };
  }

  /** No other host is there but the receiver. */
  private async elsewhere({ method, url, headers }: WireRequest): Promise<Result> {
    if (url.origin !== RECEIVER) return brokenBy('unreachable', 'no such host is simulated');
    await this.travel('up');
    this.receive({ method, path: url.pathname + url.search, headers });
    await this.travel('down');
    return { head: { status: 200, statusText: '', headers: [] }, body: Buffer.alloc(0), fault: null };
  }

  private async answered(request: WireRequest, socket: object): Promise<Result> {
    if (!this.behaviour) throw new Error('The wire leads nowhere.');
    await this.travel('up');
    const call = callOf(messageOf(request, socket), {} as ServerResponse);
    await serve(this.behaviour, call);
    const answer = this.sent.get(call);
    if (!answer) throw new Error('A bend did not hand on its answer: it needs a real connection, so mark it `wire`.');
    await this.travel('down');
    const raw = request.method === 'HEAD' || answer.status === 204 ? Buffer.alloc(0) : Buffer.from(answer.body);
    const headers = lengthened(answer, raw);
    const head = { status: answer.status, statusText: '', headers };
    if (raw.length > this.limits.bodyBytes) return { ...brokenBy('too-large', 'sent a body that is too large'), head };
    const decoded = decode(raw, headers, this.limits.bodyBytes);
    return 'fault' in decoded ? { ...decoded, head, body: raw } : { head, body: decoded.body, fault: null };
  }
}

type Result = Pick<WireOutcome, 'head' | 'body' | 'fault'>;

function brokenBy(kind: 'timeout' | 'too-large' | 'unreachable', message: string): Result {
  return { head: null, body: Buffer.alloc(0), fault: { kind, message } };
}

function lengthened({ status, headers }: Answer, body: Buffer): HeaderLines {
  const trimmed = headers.map(([name, value]) => [name, String(value).trim()] as const);
  return status === 204 ? trimmed : [...trimmed, ['Content-Length', String(body.length)]];
}

/** What Node makes of a request: names in small letters, and the values of one name joined (RFC 9110, 5.3). */
function messageOf({ method, url, headers }: WireRequest, socket: object): IncomingMessage {
  const lines: HeaderLines = [['Host', url.host], ...headers];
  const joined = lines.map(([name]) => [name.toLowerCase(), linesOf(lines, name).join(', ')]);
  const message = { method, url: url.pathname + url.search, httpVersion: '1.1', headers: Object.fromEntries(joined) };
  return { ...message, rawHeaders: lines.flat(), socket } as unknown as IncomingMessage;
}

function deliveryOf({ method, url, headers, body }: Notification) {
  const { pathname, search } = new URL(url);
  const lines = Object.entries(Object.fromEntries(headers));
  return { method, path: pathname + search, headers: lines, body: Buffer.from(body), truncated: false };
}
