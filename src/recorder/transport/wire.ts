/** The interfaces through which the suite sends requests and reads the time, which tests simulate; and a wait on that clock. */
import type { Fault, HeaderLines } from '../../evidence/model';

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
