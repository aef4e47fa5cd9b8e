/** Made of target.schema.json by `npm run types`. */

/** A server under test and what is known of it beforehand. Written in YAML; `${VAR}` in a value is replaced from the environment before the file is held against this schema. */
export interface Declaration {
  /** Name of the server in reports. */
  name?: string;
  /** Address of the API, an absolute URL with https:// or http:// that ends in its version segment, with or without a slash. A port is at most 65535. No query, no fragment, no user name or password: a gateway's credentials go into `headers` of a target file. */
  baseURL: string;
  /** The accounts whose keys the run may use. With several, more clauses can be tested, and the run takes less time. */
  accounts: {
    name: string;
    /** The key of the account: visible ASCII characters, with no white space at either end. It has at least 8 characters, and at least 16 where all are letters and hyphens: a shorter one cannot be told from an ordinary word in an answer, so give the account a longer key for testing. */
    apiKey: string;
    /** Whether a password for receivers is stored in this account. */
    hasPassword?: boolean;
    /** The password that is stored for receivers. Responses are searched for it and notifications must carry it. It is never sent to the API. */
    password?: string;
    settings?: {
      /** What is configured for the "start" kind, or a part of it. */
      start?: {
        /** Whether the kind is sent. */
        status?: boolean;
        /** Where the notification is sent: an absolute http or https URL with a host, in any script. */
        url?: string;
      };
      /** What is configured for the "submission" kind, or a part of it. */
      submission?: {
        /** Whether the kind is sent. */
        status?: boolean;
        /** Where the notification is sent: an absolute http or https URL with a host, in any script. */
        url?: string;
      };
      /** What is configured for the "updates" kind, or a part of it. */
      updates?: {
        /** Whether the kind is sent. */
        status?: boolean;
        /** Where the notification is sent: an absolute http or https URL with a host, in any script. */
        url?: string;
      };
      /** How the service authenticates to the receivers, or a part of it. */
      auth?: {
        /** Whether receivers are sent credentials. */
        status?: boolean;
        /** The scheme in use. */
        type?: string;
        /** The part of the Basic credentials that the API serves. */
        basic?: {
          /** A string or null. */
          username?: string | null;
          /** Only null, because the API never serves the password. Declare the stored password as `password` of the account. */
          password?: null;
          /** Whether the API says that a password is stored. */
          hasPassword?: boolean;
        };
        /** A value of any type, because the description leaves the types open. */
        apikey?: {
          /** Name of the header, or null. */
          header?: unknown;
          /** Value of the header, or null. Treated as a secret. */
          apikey?: unknown;
        };
      };
    };
  }[];
  /** The rate limit of each user, where it is not the published one of 1 request in 1 second. A run with another limit cannot be certified. */
  rate?: {
    /** The number of requests that a window accepts. */
    requests: number;
    /** Length of the window in seconds. It is at most a day, because no reset may be further ahead. */
    seconds: number;
  };
  /** Sent with every request, such as what a gateway before the server asks for. Their values are treated as secrets. The key has its own place, and headers that frame a message or manage a connection are the suite's own. */
  headers?: Record<string, string>;
  /** What the suite shows to a server that asks for a client certificate (mutual TLS). The key and its passphrase are treated as secrets. */
  clientCertificate?: {
    /** Path of a file with the certificate and those that lead to its authority, as PEM. A relative path starts at the target file. */
    cert: string;
    /** Path of a file with the private key of the certificate, as PEM. A relative path starts at the target file. */
    key: string;
    /** What the private key is encrypted with, where it is. */
    passphrase?: string;
  };
  /** The time and the size allowed for a response, the size of a burst, and the time allowed for the run. */
  limits?: {
    /** Seconds allowed for a request and its response. */
    timeoutSeconds?: number;
    /** Bytes allowed for a response body after decompression. */
    bodyBytes?: number;
    /** The number of requests in a burst. By default it is twice the requests of the rate and 5 more, at least 10 and at most 1000. */
    burst?: number;
    /** Seconds allowed for the whole run, besides what it only waits for windows of the rate limit. After that nothing more is sent. */
    runSeconds?: number;
  };
  /** Turns the event profile on: where the suite receives notifications, and how it makes the service send one. */
  notifications?: {
    /** Host and port, at most 65535, on which the suite listens. The urls of the accounts must lead there; a tunnel will do. */
    listen: string;
    /** Names of the declared accounts whose notifications are judged. */
    accounts: string[];
    /** Shell command that makes the service send one notification. It finds the kind in KIND and the account in ACCOUNT. Or the word manual: the terminal asks a person to do it. */
    trigger: string;
    /** Seconds within which a notification must arrive after its trigger: more than 0, at most 300. By default 3, and 10 where the trigger is manual. */
    waitSeconds?: number;
  };
  /** Clauses whose failure is known and does not fail the run. */
  waivers?: {
    /** Id of the clause. */
    clause: string;
    /** Why the failure is accepted. Every report shows it. */
    reason: string;
    /** The last day on which the waiver holds, as year-month-day. Without it the waiver does not expire. */
    until?: string;
  }[];
  /** Who makes the server: packages of certification show it. */
  vendor?: string;
  /** What the server is called, for packages of certification. */
  product?: string;
  /** Which version of the server is judged, for packages of certification. Put it in quotes. */
  version?: string;
}
