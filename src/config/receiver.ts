/** The interface of the receiver of notifications. The embedded server's target comes with one that already listens. */
import type { HeaderLines } from '../evidence/model';

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
  /** Whether a request, of which the head has arrived, is the suite's own. It is answered, and neither counted nor handed on. */
  isOwn: (head: Pick<RawDelivery, 'method' | 'path' | 'headers'>) => boolean;
  /** Called for each delivery when it is complete or was cut at a limit. */
  onDelivery: (delivery: RawDelivery) => void;
  /** Whether a delivery is expected at this path and query. Little is recorded of deliveries to other paths. */
  isExpected: (path: string) => boolean;
  /** How many deliveries may be missing: those beyond the most that are recorded, and connections ended to make room. */
  readonly overrun: number;
  /** Hands on the deliveries that are still arriving, ends every connection and stops listening. */
  close(): Promise<void>;
}
