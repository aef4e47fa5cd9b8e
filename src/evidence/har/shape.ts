/**
 * The shape of `evidence.har`: HAR 1.2, with a `_` before each member that HAR does not have.
 * schemas/evidence.schema.json has the members that a replay reads.
 */
import type { Creator, Entry, Header, Request, Response } from 'har-format';
import type { BasicCredentials, Fault, KeyHolder, TargetFacts, Trigger } from '../exchange';

export interface Har {
  log: {
    version: '1.2';
    creator: Creator;
    entries: HarEntry[];
    _target: TargetFacts;
    _startedAtEpochMs: number;
    _notSent: Array<{ probe: string; reason: string }>;
    _triggers: Trigger[];
    /** As in `conformance.json`. */
    _durationMs: number;
    _waitedMs: number;
    _error: string | null;
  };
}

export type HarEntry = HarExchange | HarDelivery;

interface HarMessages extends Pick<Entry, 'startedDateTime' | 'time' | 'cache'> {
  request: HarRequest;
  response: HarResponse;
  timings: { send: number; wait: number; receive: number };
  connection: string;
  _probe: string;
  _account: KeyHolder;
  _sentAtMs: number;
  _receivedAtMs: number;
  _fault: Fault | null;
  /** Whether any response arrived; HAR wants a response object either way. */
  _answered: boolean;
}

export interface HarExchange extends HarMessages {
  _resent?: true;
  _delivery?: never;
}

/** A notification at the suite's own receiver. */
export interface HarDelivery extends HarMessages {
  request: HarRequest & { postData: PostData };
  _delivery: true;
  _path: string;
  _truncated: boolean;
  _basic: BasicCredentials[];
}

type HarRequest = Omit<Request, 'postData'> & { postData?: PostData };

interface PostData {
  mimeType: string;
  text: string;
  params: [];
  _encoding?: 'base64';
}

interface HarResponse extends Response {
  /** Header lines of interim responses, and trailers. */
  _aside?: Header[];
  content: { size: number; mimeType: string; text: string; encoding?: 'base64' };
}

/** What is said of a run as a whole, as in `conformance.json`. */
export interface RunFigures {
  durationMs: number;
  waitedMs: number;
  error: string | null;
}
