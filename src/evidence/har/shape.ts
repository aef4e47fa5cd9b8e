/**
 * The shape of `evidence.har`: HAR 1.2, and in members with a `_` what HAR has none for. What of it is read back
 * stands in schemas/evidence.schema.json.
 */
import type { BasicCredentials, Fault, KeyHolder, TargetFacts, Trigger } from '../exchange';

export interface Har {
  log: {
    version: '1.2';
    creator: { name: string; version: string };
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

interface HarMessages {
  startedDateTime: string;
  time: number;
  request: HarRequest;
  response: HarResponse;
  cache: object;
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
  request: HarRequest & { postData: { mimeType: string; text: string; params: []; _encoding?: 'base64' } };
  _delivery: true;
  _path: string;
  _truncated: boolean;
  _basic: BasicCredentials[];
}

export interface NameValue {
  name: string;
  value: string;
}

interface HarRequest {
  method: string;
  url: string;
  httpVersion: string;
  cookies: NameValue[];
  headers: NameValue[];
  queryString: NameValue[];
  headersSize: number;
  bodySize: number;
}

interface HarResponse {
  status: number;
  statusText: string;
  httpVersion: string;
  cookies: NameValue[];
  headers: NameValue[];
  /** Header lines of interim responses, and trailers. */
  _aside?: NameValue[];
  content: { size: number; mimeType: string; text: string; encoding?: 'base64' };
  redirectURL: string;
  headersSize: number;
  bodySize: number;
}

/** What is said of a run as a whole, as in `conformance.json`. */
export interface RunFigures {
  durationMs: number;
  waitedMs: number;
  error: string | null;
}
