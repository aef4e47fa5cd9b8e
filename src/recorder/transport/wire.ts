/** The interface through which the suite sends requests and reads the time. Tests simulate both. */
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
  /** The decoded body. Of a broken answer, only a readable beginning. */
  body: Buffer;
  fault: Fault | null;
  /** True if the request was written twice because the server had closed the connection. It may have counted both. */
  resent: boolean;
  /** There if the server has asked for a client certificate. */
  asksForCertificate?: true;
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
