/** The port between the suite and the world: how requests travel and how time passes. Tests simulate both. */
import type { Fault, HeaderLines } from '../../evidence/exchange';

/** A request as it is written: secrets stand in it as they are. */
export interface WireRequest {
  method: string;
  url: URL;
  headers: HeaderLines;
  /** Sent as it is. */
  body?: Buffer;
}

/** What came of a request. */
export interface WireOutcome {
  /** On the wire's clock, just before the first byte was written. */
  sentAtMs: number;
  /** On the wire's clock, just after the last byte or the fault arrived. */
  receivedAtMs: number;
  head: { status: number; statusText: string; headers: HeaderLines } | null;
  /** Header lines of interim (1xx) responses, and trailers. */
  aside: HeaderLines;
  /** How many interim responses came. */
  interim: number;
  /** Decoded. Of an answer that broke, only a readable beginning is kept. */
  body: Buffer;
  fault: Fault | null;
  /** True if the request was written twice because the server had closed the connection: it may have counted both. */
  resent: boolean;
}

export interface Connection {
  /** Exchanges with the same number went over the same connection. */
  readonly number: number;
  /** Opens the connection ahead of its first request. A failure shows as the fault of the exchange. Never rejects. */
  open(): Promise<void>;
  /**
   * Sends one request and waits for its whole answer. Never rejects: what goes wrong is the outcome's fault.
   * The first request over a connection that is open is written before the tick of this call ends.
   */
  exchange(request: WireRequest): Promise<WireOutcome>;
  /** Ends the connection at once. */
  close(): Promise<void>;
}

export interface Clock {
  /** Milliseconds since the run began, on a monotonic clock. */
  now(): number;
  /**
   * Calls `happen` once, no sooner than in `ms` milliseconds.
   * @returns a function that calls it off
   */
  after(ms: number, happen: () => void): () => void;
}

export interface Wire extends Clock {
  /** Wall-clock time when `now()` was 0, in milliseconds since the epoch. */
  readonly startedAtEpochMs: number;
  /** A new connection, which is not open yet. */
  connection(number: number): Connection;
}
