/** The evidence of a run. A marker such as `[secret:apiKey:alice]` replaces every secret in it. */

import type { Probe } from '../catalogue/probe';
import type { Rate } from '../contract/bounds';
import type { Limits } from '../contract/result';
import type { Kind } from '../contract/settings';

export type { Kind, Rate };

/** Header lines with the order and the letter case of the wire, duplicates included. */
export type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/** A request as it was sent, with markers for secrets. */
export interface RecordedRequest {
  method: string;
  /** Absolute URL. */
  url: string;
  headers: HeaderLines;
  /** The beginning of its body; absent where it had none. */
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
  /**
   * Header lines of the interim (1xx) responses before it and trailers after its body; absent where there were none.
   */
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

export interface Exchange {
  /** Entry of `evidence.har`, counted from 0. */
  index: number;
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
  vendor?: string;
  product?: string;
  version?: string;
  riskyProbes: boolean;
  /** Present only where the server's certificate was not verified. */
  insecureTls?: true;
  /** The `limits` of the target file, or their defaults. */
  limits: Limits;
  waivers: Waiver[];
  /** Names of the environment variables that hold secrets, by `kind:name` of their markers; never a value. */
  variables?: Readonly<Record<string, string>>;
  /** Name of the target file, without its directory; missing where the run had none. */
  file?: string;
  /** The accounts whose notifications are judged, and how long to wait for them; `null` without the event profile. */
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
  index: number;
  method: string;
  /** Path and query as they came. */
  path: string;
  headers: HeaderLines;
  /** Whether the body ended too early, or was longer than what is kept. */
  truncated: boolean;
  /** Its Basic credentials, read before secrets were replaced; empty without `Authorization: Basic`. */
  basic: BasicCredentials[];
  /** When all of it had arrived: milliseconds since the run began. */
  receivedAtMs: number;
}

/** One call of the command that makes the service send a notification. */
export interface Trigger {
  kind: Kind;
  account: string;
  /** Whether the kind was switched on in the settings that the API had served before. */
  enabled: boolean;
  /** When the suite's own request to the kind's url had arrived at the receiver; absent where it is not known to. */
  checkedAtMs?: number;
  startedAtMs: number;
  endedAtMs: number;
  /** When the suite stopped waiting for deliveries. */
  watchedUntilMs: number;
  /**
   * How long this process was held up while it waited: a delivery was in time if it came this much later. Default: 0.
   */
  heldUpMs?: number;
  /** Why the command failed, as a sentence for people; `null` where it did not. */
  failure: string | null;
}

/** No run sends more, so that its evidence can be judged in a reasonable time. */
export const MOST_EXCHANGES = 20_000;
/** No run takes more notifications, those of strangers included. */
export const MOST_DELIVERIES = 1100;

/** Everything that a run saw. Judging uses nothing else. */
export interface Evidence {
  target: TargetFacts;
  /** When the run began, in milliseconds since the epoch: the wall-clock time of `sentAtMs` 0. */
  startedAtEpochMs: number;
  exchanges: Exchange[];
  /** Probes that could not be sent, and the reason as a sentence that a person can act on. */
  notSent: Array<{ probe: Probe; reason: string }>;
  /** The notifications that reached the suite's receiver, in order. Exchanges and deliveries are numbered together. */
  deliveries: Delivery[];
  triggers: Trigger[];
}
