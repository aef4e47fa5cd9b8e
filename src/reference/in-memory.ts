/**
 * Whole runs in one process, without a socket and without waiting: the suite's own recorder, probes and judges against
 * the reference server's behaviour, over a network and a clock that are simulated. The same seed gives the same run.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver, Target } from '../config/target';
import { linesOf } from '../evidence/http/headers';
import type { HeaderLines } from '../evidence/model';
import { decode } from '../recorder/transport/answer';
import type { Clock, Connection, Wire, WireOutcome, WireRequest } from '../recorder/transport/wire';
import type { Notification } from './account';
import { type Answer, type Call, notify, serve } from './behaviour';
import { behaviourOf, callOf, type ReferenceOptions } from './server';

/**
 * A generator of pseudo-random numbers from 0 to below 1 (mulberry32).
 * @param seed any integer; the same seed gives the same numbers
 */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class VirtualTime implements Clock {
  private nowMs = 0;
  private pending: Array<{ atMs: number; happen: () => void }> = [];

  now(): number {
    return this.nowMs;
  }

  after(ms: number, happen: () => void): () => void {
    const event = { atMs: this.nowMs + ms, happen };
    const before = this.pending.findLastIndex(({ atMs }) => atMs <= event.atMs);
    this.pending.splice(before + 1, 0, event);
    return () => {
      this.pending = this.pending.filter((other) => other !== event);
    };
  }

  /** @returns once so many milliseconds have passed */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /**
   * Lets time pass until the work is done.
   * @throws what the work throws, and where it waits for something that no moment brings
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return done;
      const next = this.pending.shift();
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
  const random = randomFrom(network.seed);
  const startedAtEpochMs = network.startedAtEpochMs ?? Math.floor(STARTED_AT + random() * DAY_MS);
  const time = new VirtualTime();
  const sent = new WeakMap<Call, Answer>();
  const { behaviour, basePath } = behaviourOf(options, RECEIVER, {
    clock: () => startedAtEpochMs + time.now(),
    pause: (ms) => time.pause(ms),
    random,
    send: (call, answer) => void sent.set(call, answer),
  });
  const travel = (mostMs: number) => time.pause(SHORTEST_MS + random() * mostMs);
  const receiver: Receiver = {
    origin: RECEIVER,
    isOwn: () => false,
    onDelivery: () => undefined,
    isExpected: () => true,
    overrun: 0,
    close: async () => undefined,
  };

  async function deliver(notification: Notification): Promise<void> {
    await travel(network.upMs);
    if (new URL(notification.url).origin === RECEIVER) receiver.onDelivery(deliveryOf(notification));
    await travel(network.downMs);
  }

  /** No other host is there but the receiver. */
  async function elsewhere({ method, url, headers }: WireRequest): Promise<Result> {
    if (url.origin !== RECEIVER) return brokenBy('unreachable', 'no such host is simulated');
    await travel(network.upMs);
    receiver.isOwn({ method, path: url.pathname + url.search, headers });
    await travel(network.downMs);
    return { head: { status: 200, statusText: '', headers: [] }, body: Buffer.alloc(0), fault: null };
  }

  async function answered(request: WireRequest, socket: object): Promise<Result> {
    await travel(network.upMs);
    const call = callOf(messageOf(request, socket), {} as ServerResponse);
    await serve(behaviour, call);
    const answer = sent.get(call);
    if (!answer) throw new Error('A bend did not hand on its answer: it needs a real connection, so mark it `wire`.');
    await travel(network.downMs);
    const hasBody = request.method !== 'HEAD' && answer.status !== 204;
    const raw = hasBody ? Buffer.from(answer.body) : Buffer.alloc(0);
    const headers = answer.headers.map(([name, value]) => [name, String(value).trim()] as const);
    if (answer.status !== 204) headers.push(['Content-Length', String(raw.length)]);
    const head = { status: answer.status, statusText: '', headers };
    if (raw.length > limits.bodyBytes) return { ...brokenBy('too-large', 'sent a body that is too large'), head };
    return { head, body: Buffer.alloc(0), fault: null, ...decode(raw, headers, limits.bodyBytes) };
  }

  async function exchange(answer: Promise<Result>): Promise<WireOutcome> {
    const sentAtMs = time.now();
    const timeoutMs = limits.timeoutSeconds * 1000;
    let callOff = (): void => undefined;
    const late = new Promise<Result>((resolve) => {
      callOff = time.after(timeoutMs, () => resolve(brokenBy('timeout', `did not answer within ${timeoutMs} ms`)));
    });
    const result = await Promise.race([answer, late]);
    callOff();
    return { ...result, sentAtMs, receivedAtMs: time.now(), aside: [], resent: false };
  }

  const connection = (number: number, to?: URL): Connection => {
    const socket = { remoteAddress: '127.0.0.1' };
    return {
      number,
      open: async () => undefined,
      exchange: (request) => exchange(to ? elsewhere(request) : answered(request, socket)),
      close: async () => undefined,
    };
  };
  return {
    baseURL: ORIGIN + basePath,
    accounts: behaviour.accounts,
    receiver,
    trigger: (kind: string, account: string) => notify(behaviour, kind, account, deliver),
    wire: Object.assign(time, { startedAtEpochMs, connection }) satisfies Wire,
  };
}

type Result = Pick<WireOutcome, 'head' | 'body' | 'fault'>;

function brokenBy(kind: 'timeout' | 'too-large' | 'unreachable', message: string): Result {
  return { head: null, body: Buffer.alloc(0), fault: { kind, message } };
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
