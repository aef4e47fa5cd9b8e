/**
 * The words everything else is written in: an exchange is one request and what came of it, the evidence is
 * all exchanges of a run. Nothing in here holds a secret: each stands as a marker, `[secret:apiKey:alice]`.
 */
import type { Rate } from '../contract/bounds';
import type { Kind } from '../contract/settings';
import type { Probe } from './probe';

export type { Kind, Rate };

/** Header lines in the order and the letter case of the wire, duplicates included. */
export type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/** A request as it was sent. */
export interface RecordedRequest {
  method: string;
  /** Absolute URL. */
  url: string;
  headers: HeaderLines;
}

/** A response as it came. */
export interface RecordedResponse {
  status: number;
  statusText: string;
  headers: HeaderLines;
  /** Header lines of interim (1xx) responses before it, and trailers after its body, where there were any. */
  aside?: HeaderLines;
  /** The body after content decoding: text where it is UTF-8, base64 of its bytes otherwise. */
  body: string;
  bodyEncoding: 'utf8' | 'base64';
}

/**
 * How an exchange failed below HTTP. `unreachable`: no connection could be opened, so nothing was judged.
 * All others are the server's: it took the connection and did not answer with one whole response.
 */
export type FaultKind = 'unreachable' | 'timeout' | 'reset' | 'truncated' | 'too-large' | 'malformed' | 'upgrade';

/** What went wrong below HTTP. */
export interface Fault {
  kind: FaultKind;
  /** One sentence for people. */
  message: string;
}

/** Whose valid key a request carried in the `apiKey` header. `null`: nobody's, so that it must be rejected. */
export type KeyHolder = string | null;

/** One request and what came of it. */
export interface Exchange {
  /** Entry of `evidence.har`, counted from 0. */
  index: number;
  /** What it was sent for. */
  probe: Probe;
  account: KeyHolder;
  request: RecordedRequest;
  /** `null` where no status line and headers arrived; a fault may still follow a response. */
  response: RecordedResponse | null;
  fault: Fault | null;
  /** Milliseconds since the run began, on a monotonic clock: just before the first byte was written … */
  sentAtMs: number;
  /** … and just after the last byte (or the fault) arrived. */
  receivedAtMs: number;
  /** Exchanges with the same number went over the same connection. */
  connection: number;
  /** Sent twice, because the server had closed the connection: it may have counted both. */
  resent?: true;
}

/** What the target file declares of an account, without its secrets. */
export interface AccountFacts {
  name: string;
  hasPassword?: boolean;
  /** Whether the stored password was declared, so that it can be looked for. */
  passwordDeclared: boolean;
  /** Any part of the `webhook` object; a secret in it stands as its marker. */
  settings?: Record<string, unknown>;
}

/** A known failure that shall not fail the run. */
export interface Waiver {
  clause: string;
  reason: string;
  /** Last day on which it waives, `YYYY-MM-DD`. */
  until?: string;
}

/** What is known of the target beforehand: all that judging needs and nothing that is secret. */
export interface TargetFacts {
  name: string;
  baseURL: string;
  embedded: boolean;
  accounts: AccountFacts[];
  rate: Rate;
  riskyProbes: boolean;
  /** The `limits` in force. */
  limits: { timeoutSeconds: number; bodyBytes: number; burst: number };
  /** Known failures that shall not fail the run. */
  waivers: Waiver[];
  /** Names of the environment variables that hold secrets, by `kind:name` of their markers; never a value. */
  variables?: Readonly<Record<string, string>>;
  /** Accounts whose notifications are judged; `null` where the event profile is off. */
  notifications: { accounts: string[]; waitSeconds: number } | null;
}

/** One way to read the Basic credentials of a delivery: a password may hold colons. */
export interface BasicCredentials {
  /** `null`: a username that no account has, kept to itself since it may be anything. */
  username: string | null;
  /** The marker of a declared password, a word such as `null` that is nobody's, or the marker of an undeclared one. */
  password: string;
}

/** A notification that reached the suite's own receiver. */
export interface Delivery {
  /** Entry of `evidence.har`. */
  index: number;
  method: string;
  /** Path and query, as they came. */
  path: string;
  headers: HeaderLines;
  /** The body after content decoding: text where it is UTF-8, base64 of its bytes otherwise. */
  body: string;
  bodyEncoding: 'utf8' | 'base64';
  /** Whether more of the body came than is kept, or it ended too early. */
  truncated: boolean;
  /** What its `Authorization: Basic` said, read before secrets became markers; empty for any other. */
  basic: BasicCredentials[];
  /** When it was there as a whole, on the run's clock. */
  receivedAtMs: number;
}

/** One call of the command that makes the service send. */
export interface Trigger {
  kind: Kind;
  account: string;
  /** Whether the kind was switched on, as the API said before. */
  enabled: boolean;
  startedAtMs: number;
  endedAtMs: number;
  /** Until when deliveries were waited for. */
  watchedUntilMs: number;
  /** Why the command did not work: one sentence for people. */
  failure: string | null;
}

/** A probe that could not be sent, and why: one sentence that a person can act on. */
export interface NotSent {
  probe: Probe;
  reason: string;
}

/** All that a run saw, which is all that is judged. */
export interface Evidence {
  target: TargetFacts;
  /** Wall-clock time of `sentAtMs` 0, in milliseconds since the epoch. */
  startedAtEpochMs: number;
  exchanges: Exchange[];
  notSent: NotSent[];
  /** What reached the suite's own receiver, in order; `index` counts exchanges and deliveries together. */
  deliveries: Delivery[];
  triggers: Trigger[];
}
