/**
 * The evidence of a run: its exchanges, its deliveries, and what was known of the target. Every secret in it is replaced
 * by a marker such as `[secret:apiKey:alice]`.
 */
import type { Rate } from '../contract/bounds';
import type { Limits } from '../contract/result';
import type { Kind } from '../contract/settings';
import type { Probe } from './probe';

export type { Kind, Rate };

/** Header lines in the order and the letter case of the wire, duplicates included. */
export type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/** A request as it was sent, with markers for secrets. */
export interface RecordedRequest {
  method: string;
  /** Absolute URL. */
  url: string;
  headers: HeaderLines;
  /** Where it had one: its beginning. */
  body?: RecordedBody;
}

/** A body, or its beginning, with markers for secrets: text where it is UTF-8, base64 of its bytes otherwise. */
export interface RecordedBody {
  body: string;
  bodyEncoding: 'utf8' | 'base64';
}

/** A response as it came, with markers for secrets; its body after content decoding. */
export interface RecordedResponse extends RecordedBody {
  status: number;
  statusText: string;
  headers: HeaderLines;
  /** Header lines of interim (1xx) responses before it and trailers after its body; absent where there were none. */
  aside?: HeaderLines;
}

/**
 * How an exchange failed below HTTP. `unreachable`: no connection could be opened. All other faults are the server's:
 * it accepted the connection and did not answer with one whole response.
 */
export interface Fault {
  kind: 'unreachable' | 'timeout' | 'reset' | 'truncated' | 'too-large' | 'malformed' | 'upgrade';
  /** One sentence for people. */
  message: string;
}

/** The account whose valid key a request carried in the `apiKey` header; `null` for a request that must be rejected. */
export type KeyHolder = string | null;

/** One request and its response or fault. */
export interface Exchange {
  /** Entry of `evidence.har`, counted from 0. */
  index: number;
  /** Why it was sent. */
  probe: Probe;
  account: KeyHolder;
  request: RecordedRequest;
  /** `null` where no status line and headers arrived. A response may still end in a fault. */
  response: RecordedResponse | null;
  fault: Fault | null;
  /** Just before the first byte was written: milliseconds since the run began, on a monotonic clock. */
  sentAtMs: number;
  /** Just after the last byte or the fault arrived, on the same clock. */
  receivedAtMs: number;
  /** Exchanges with the same number went over the same connection. */
  connection: number;
  /** The request was sent twice, because the server had closed the connection. The server may have counted both. */
  resent?: true;
}

/** What the target file declares of an account, with markers for secrets. */
export interface AccountFacts {
  name: string;
  hasPassword?: boolean;
  /** Whether `password` is declared, so that responses can be searched for it. */
  passwordDeclared: boolean;
  /** Any part of the `webhook` object, with markers for secrets. */
  settings?: Record<string, unknown>;
}

/** A clause whose failure is known and does not fail the run. */
export interface Waiver {
  clause: string;
  reason: string;
  /** The last day on which it holds, `YYYY-MM-DD`. */
  until?: string;
}

/** What is known of the target before the run, as far as judging needs it, without secrets. */
export interface TargetFacts {
  name: string;
  baseURL: string;
  embedded: boolean;
  accounts: AccountFacts[];
  rate: Rate;
  /** Who makes the server, what it is called, and which version it is. */
  vendor?: string;
  product?: string;
  version?: string;
  riskyProbes: boolean;
  /** There only where the certificate of the server was not verified. */
  insecureTls?: true;
  /** The `limits` of the target file, or their defaults. */
  limits: Limits;
  /** Clauses whose failure does not fail the run. */
  waivers: Waiver[];
  /** Names of the environment variables that hold secrets, by `kind:name` of their markers; never a value. */
  variables?: Readonly<Record<string, string>>;
  /** The accounts whose notifications are judged, and how long they are waited for; `null` without the event profile. */
  notifications: { accounts: string[]; waitSeconds: number } | null;
}

/** One way to split Basic credentials at a colon. With several colons there are several ways. */
export interface BasicCredentials {
  /** `null` for a username that no account has: it is not recorded, because it may be a secret. */
  username: string | null;
  /** The marker of a declared password, a harmless word such as `null`, or the marker of an undeclared password. */
  password: string;
}

/** A notification that reached the suite's own receiver; its body after content decoding. */
export interface Delivery extends RecordedBody {
  /** Entry of `evidence.har`. */
  index: number;
  method: string;
  /** Path and query, as they came. */
  path: string;
  headers: HeaderLines;
  /** Whether the body ended too early, or was longer than what is kept. */
  truncated: boolean;
  /** Its Basic credentials, read before secrets were replaced; empty without `Authorization: Basic`. */
  basic: BasicCredentials[];
  /** When it had arrived as a whole: milliseconds since the run began. */
  receivedAtMs: number;
}

/** One call of the command that makes the service send a notification. */
export interface Trigger {
  kind: Kind;
  account: string;
  /** Whether the kind was switched on, by the settings that the API had served before. */
  enabled: boolean;
  startedAtMs: number;
  endedAtMs: number;
  /** Until when the suite waited for deliveries. */
  watchedUntilMs: number;
  /** How long this process was held up while it waited: what came so much later was still in time. Left out: 0. */
  heldUpMs?: number;
  /** Why the command failed, as a sentence for people; `null` where it did not. */
  failure: string | null;
}

/** All that a run saw. Judging takes nothing else. */
export interface Evidence {
  target: TargetFacts;
  /** Milliseconds since the epoch at which the run began: the wall-clock time of `sentAtMs` 0. */
  startedAtEpochMs: number;
  exchanges: Exchange[];
  /** Probes that could not be sent, and the reason as a sentence that a person can act on. */
  notSent: Array<{ probe: Probe; reason: string }>;
  /** The notifications that reached the suite's receiver, in order. Exchanges and deliveries share one count. */
  deliveries: Delivery[];
  triggers: Trigger[];
}
