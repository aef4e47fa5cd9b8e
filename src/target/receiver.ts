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
  /** How many deliveries were not handed on because there were too many. */
  readonly ignored: number;
  /** Hands on what is still arriving, ends every connection and stops listening. */
  close(): Promise<void>;
}
