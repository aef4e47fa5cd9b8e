/** Made of conformance.schema.json by `npm run types`. */

/** The result of a run, `conformance.json`: the target, the verdict of the run and of each clause, the observations, and what changed since an earlier run. */
export interface Conformance {
  /** The suite that judged. */
  suite: {
    /** Name of the suite. */
    name: string;
    /** Version of the suite. */
    version: string;
  };
  /** The server that was judged, as far as it was known when the run ended. */
  target: {
    /** Name of the target. */
    name: string;
    /** Address of the API. In a run that could not begin it is the text that was given as the address. */
    baseURL: string;
    /** Whether the target is the suite's own reference server. */
    embedded: boolean;
    /** Names of the accounts whose keys were used. */
    accounts: string[];
    /** The rate limit by which the run was judged, for each user. */
    rate: {
      /** The number of requests that a window accepts. */
      requests: number;
      /** Length of the window in seconds. */
      seconds: number;
    };
    /** Who makes the server, as declared. */
    vendor?: string;
    /** What the server is called, as declared. */
    product?: string;
    /** Which version of it was judged, as declared. */
    version?: string;
  };
  /** When the run sent its first request. */
  startedAt: string;
  /** Milliseconds that the run took. */
  durationMs: number;
  /** Milliseconds that the run spent only on waiting for windows of the rate limit. */
  waitedMs: number;
  /** How many requests were sent. */
  requests: number;
  /** `error`: the run could not be done. `non-conformant`: a clause with level must failed. `incomplete`: no such clause failed, but one of the core profile is waived or was not tested. `conformant`: everything else. */
  verdict: 'conformant' | 'non-conformant' | 'incomplete' | 'error';
  /** Whether the run may be shown as a certificate. It is conformant and at the published rate, no waiver was used, and every clause of the core profile with level must was tested. */
  certifiable: boolean;
  /** The verdicts of the two profiles: event is the area of notifications, core is every other area. */
  profiles: {
    /** `fail` if a clause of the profile with level must failed; `not-tested` if none of them was tested. */
    core: 'pass' | 'fail' | 'not-tested';
    /** `fail` if a clause of the profile with level must failed; `not-tested` if none of them was tested. */
    event: 'pass' | 'fail' | 'not-tested';
  };
  /** The verdict of each clause, in the order of the contract. */
  clauses: Clause[];
  /** What the verdict rests on: what the target file declares of each account. */
  declared: {
    /** In the order of the target file. */
    accounts: DeclaredAccount[];
  };
  /** What was chosen for the run. */
  options: {
    /** Whether unsafe methods without a key and a valid key in a URL were sent. */
    riskyProbes: boolean;
    /** Whether a certificate that does not verify was accepted. */
    insecureTls: boolean;
    limits: Limits;
  };
  /** What was judged by, and on what. */
  digests: {
    /** SHA-256 of schemas/clauses.yaml. */
    contract: string;
    /** SHA-256 of evidence.har as it was written beside this file. */
    evidence: string;
    /** SHA-256 chained over the entries of evidence.har; `_seal` there. */
    seal: string;
  };
  /** Tests of the user's own that ran beside the clauses. */
  own: OwnTest[];
  /** What the description leaves open: the values that were seen, by the id of the observation. */
  observations: Record<string, unknown[]>;
  /** What differs from the baseline; null where no baseline was given. */
  changes: Change[] | null;
  /** What a reader should know and no clause says, one sentence each: accidents, an unsteady server, a stale waiver. */
  notes: string[];
  /** What could not be done, in one sentence; null unless the verdict is `error`. */
  error: string | null;
}

/** The verdict of a clause. */
export interface Clause {
  /** Id of the clause. */
  id: string;
  /** `must`: a breach fails the run. `should`: a breach is a warning. */
  level: 'must' | 'should';
  /** The section of the API description or of an RFC that demands it. */
  section: string;
  /** What is true of a server that conforms, in the words of the contract. */
  statement: string;
  /** `waived`: the clause was broken, and a waiver of the target file allows that. `inapplicable`: the run provoked what the clause speaks of, and it never happened; it counts as tested. `not-tested`: the reason says what would make it testable. */
  verdict: 'pass' | 'fail' | 'warn' | 'waived' | 'inapplicable' | 'not-tested';
  /** Why the verdict is not `pass`; null if and only if it is `pass`. */
  reason: string | null;
  /** The entries of `evidence.har` that decided the verdict, counted from 0. */
  evidence: number[];
  /** What broke the clause, the worst first, for machines: `reason` says the same in words. An array if and only if the verdict is `fail`, `warn` or `waived`, else null. At most the first 100 are listed. */
  finding: Found[] | null;
  /** What kept the clause from being tested. `not-selected`: the run was not asked to. `undeclared`: something has to be declared or switched on. `unseen`: what the run met. Null if it was tested. */
  untested: 'not-selected' | 'undeclared' | 'unseen' | null;
}

/** One thing that is wrong. */
export interface Found {
  /** What is at issue. */
  subject: {
    /** `header`: a header field. `member`: a member of the answer, by its path below `webhook`. `request`: a kind of request, by how it was asked. `answer`: an answer as a whole. `limit`: the rate limit of an account. `account`: how an account is treated. `notification`: a notification. `address`: the base URL. `server`: the server as a whole. */
    kind: 'header' | 'member' | 'request' | 'answer' | 'limit' | 'account' | 'notification' | 'address' | 'server';
    /** Which one it is. */
    name: string;
  };
  /** What would conform there. */
  expected: string;
  /** What came. */
  got: string;
  /** The entries of `evidence.har` that show it, counted from 0. */
  evidence: number[];
}

/** A verdict or an observation that differs from the baseline. */
export interface Change {
  /** Id of a clause, or `observations.` and the name of an observation. */
  id: string;
  /** The value in the baseline; null where the baseline does not have the id. */
  from: unknown;
  /** The value in this run; null where this run does not have the id. */
  to: unknown;
}

/** What is declared of an account: that it is, and not what. */
export interface DeclaredAccount {
  /** How the target file calls the account. */
  name: string;
  /** Whether the stored password is declared, so that it could be looked for. */
  password: boolean;
  /** Whether a password is declared to be stored; null where nothing is declared of it. */
  hasPassword: boolean | null;
  /** Members of `webhook` of which anything is declared. */
  settings: string[];
}

/** What an answer and a burst were allowed. */
export interface Limits {
  /** The longest that an answer may take. */
  timeoutSeconds: number;
  /** The most that a body may hold. */
  bodyBytes: number;
  /** How many requests a burst has. */
  burst: number;
}

/** A test of the user's own. */
export interface OwnTest {
  /** How the test is called. */
  title: string;
  /** What came of it. */
  verdict: 'pass' | 'fail' | 'warn' | 'waived' | 'not-tested';
  /** Why, for every verdict but `pass`. */
  reason: string | null;
  /** Entries of `evidence.har` that it sent. */
  evidence: number[];
}
