/** What the recorder's receiver of notifications offers: a target brings one along where it listens already. */
import type { HeaderLines } from '../evidence/exchange';

/** A notification as it arrived, secrets included. */
export interface RawDelivery {
  method: string;
  /** Path and query; each character is one byte. */
  path: string;
  /** Each character of a value is one byte. */
  headers: HeaderLines;
  /** After content decoding. */
  body: Buffer;
  truncated: boolean;
}

export interface Receiver {
  /** Such as `http://127.0.0.1:9099`. */
  origin: string;
  /** Called for each delivery once it is complete, or once it was cut at a limit. */
  onDelivery: (delivery: RawDelivery) => void;
  /** Whether a delivery is waited for at a path and query: only little is taken of what comes elsewhere. */
  isExpected: (path: string) => boolean;
  /** How many deliveries may be missing: those beyond the number that is handed on, and connections ended for others. */
  readonly overrun: number;
  /** Hands on what is still arriving, ends every connection and stops listening. */
  close(): Promise<void>;
}
