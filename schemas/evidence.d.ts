/** Made of evidence.schema.json by `npm run types`. */

/** What was known of the server before the run, as far as judging needs it, without secrets. */
export interface Target {
  /** Name of the server in reports. */
  name: string;
  /** Who makes the server, as declared. */
  vendor?: string;
  /** What the server is called, as declared. */
  product?: string;
  /** Which version of it is judged, as declared. */
  version?: string;
  /** There only where the certificate of the server was not verified. */
  insecureTls?: true;
  /** There only where `NODE_EXTRA_CA_CERTS` named certificates to trust as well. */
  extraAuthorities?: true;
  /** Paths of the certificate that the suite showed and of its key, as declared. There only where one is declared. */
  clientCertificate?: {
    /** Path of the certificate. */
    cert: string;
    /** Path of the private key. */
    key: string;
  };
  /** Address of the API. */
  baseURL: string;
  /** Whether the target is the suite's own reference server. */
  embedded: boolean;
  /** The accounts whose keys were used. */
  accounts: Account[];
  /** The rate limit to judge by, for each user. */
  rate: {
    /** The number of requests that a window accepts. */
    requests: number;
    /** Length of the window in seconds. */
    seconds: number;
  };
  /** Whether requests were sent that a broken server might act on or log. */
  riskyProbes: boolean;
  /** The time and the size allowed for a response, and the size of a burst. */
  limits: {
    /** Seconds allowed for a request and its response. */
    timeoutSeconds: number;
    /** Bytes allowed for a response body after decompression. */
    bodyBytes: number;
    /** The number of requests in a burst. */
    burst: number;
  };
  /** Clauses whose failure was known when the run was recorded. */
  waivers: Waiver[];
  /** Names of the environment variables that hold secrets, by kind and name of their markers; never a value. */
  variables?: Record<string, string>;
  /** Name of the target file, without its directory; missing where the run had none. */
  file?: string;
  /** The accounts whose notifications were waited for, and how long; null where the event profile was off. */
  notifications: {
    /** Names of the accounts whose notifications are judged. */
    accounts: string[];
    /** Seconds in which a notification had to arrive. */
    waitSeconds: number;
  } | null;
}

/** What was declared of an account, without its secrets. */
export interface Account {
  /** Name of the account in results and markers. */
  name: string;
  /** Whether the account is declared to have a password stored; absent where that was not declared. */
  hasPassword?: boolean;
  /** Whether `password` was declared, so that responses could be searched for it. */
  passwordDeclared: boolean;
  /** Any part of the `webhook` object, with markers for secrets. */
  settings?: Record<string, unknown>;
}

/** A clause whose failure was known and accepted. */
export interface Waiver {
  /** Id of the clause. */
  clause: string;
  /** Why the failure was accepted. */
  reason: string;
  /** The last day on which the waiver holds, as year-month-day. */
  until?: string;
}

/** One call of the command that makes the service send a notification. */
export interface Trigger {
  /** Kind of the notification. */
  kind: 'start' | 'submission' | 'updates';
  /** The account of the notification. */
  account: string;
  /** Whether the kind was switched on, by the settings that the API had served before. */
  enabled: boolean;
  /** When the command was called. */
  startedAtMs: number;
  /** When it had ended. */
  endedAtMs: number;
  /** Until when notifications were waited for. */
  watchedUntilMs: number;
  /** How many milliseconds of the wait the suite's own process was held up by a busy machine: what came so much later was still in time. Left out: 0. */
  heldUpMs?: number;
  /** Why the command failed, in one sentence; null where it did not fail. */
  failure: string | null;
}

/** How an exchange failed below HTTP; null where it did not fail. */
export interface Fault {
  /** `unreachable`: no connection could be opened. All other faults are the server's. */
  kind: 'unreachable' | 'timeout' | 'reset' | 'truncated' | 'too-large' | 'malformed' | 'upgrade';
  /** What happened, in words for people. */
  message: string;
}

/** One way to split Basic credentials at a colon. With several colons there are several ways. */
export interface BasicCredentials {
  /** The username; null for one that no account has. */
  username: string | null;
  /** The marker of the password, or a harmless word such as `null`. */
  password: string;
}
