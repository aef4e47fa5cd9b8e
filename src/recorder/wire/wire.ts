/** The port between the suite and the world: how requests travel and how time passes. Tests simulate both. */
import type { Connection } from './connection';

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
