/** The shape of `conformance.json`, the suite's public result; see schemas/conformance.schema.json. */
import type { Rate } from './bounds';

export type Level = 'must' | 'should';
export type Verdict = 'pass' | 'fail' | 'warn' | 'waived' | 'inapplicable' | 'not-tested';
export type RunVerdict = 'conformant' | 'non-conformant' | 'incomplete' | 'error';

/** What kept a clause from being tested: the choice of clauses, something to declare or to switch on, or what was seen. */
export type Untested = 'not-selected' | 'undeclared' | 'unseen';

/** What a flaw is about. Flaws of several clauses in one header or member may have one cause. */
export interface Subject {
  /**
   * - `header`: a header field, by its name
   * - `member`: a member of the settings by its path below `webhook`, or another by its path from the top
   * - `request`: a kind of request, by how it was asked: `without a key`
   * - `answer`: an answer as a whole
   * - `limit`: how the rate limit of an account is kept, by the account
   * - `account`: how an account is treated, by its name
   * - `notification`: a notification, by its kind and account, or by its request line
   * - `address`: the base URL
   * - `server`: the server as a whole
   */
  kind: 'header' | 'member' | 'request' | 'answer' | 'limit' | 'account' | 'notification' | 'address' | 'server';
  name: string;
}

/** What is wrong, in members. judge/sentences makes the sentences of it. */
export interface Flaw {
  subject: Subject;
  /** What would conform there. */
  expected: string;
  /** What came. */
  got: string;
}

export interface ClauseResult {
  id: string;
  level: Level;
  /** The section of the API description or of an RFC that demands it. */
  section: string;
  verdict: Verdict;
  /** Why the verdict is not `pass`; `null` where it is. */
  reason: string | null;
  /** The entries of `evidence.har` that decided it, counted from 0. */
  evidence: number[];
  /** What broke it, the worst first; `null` where nothing did. */
  finding: Found[] | null;
  /** `null` where it was tested. */
  untested: Untested | null;
}

/** A flaw, and the entries of `evidence.har` that show it. */
export interface Found extends Flaw {
  evidence: number[];
}

export interface Change {
  /** A clause id, or `observations.` followed by the id of an observation. */
  id: string;
  from: unknown;
  to: unknown;
}

/** What the target file declares of an account: that it is declared, and not what. */
export interface DeclaredAccount {
  name: string;
  /** Whether a stored password was declared, so that it could be looked for. */
  password: boolean;
  /** `null` where nothing is declared of it. */
  hasPassword: boolean | null;
  /** The members of `webhook` of which anything is declared. */
  settings: string[];
}

/** The bounds of a run. */
export interface Limits {
  timeoutSeconds: number;
  bodyBytes: number;
  burst: number;
}

/** A test of the user's own. */
export interface OwnTest extends Pick<ClauseResult, 'verdict' | 'reason' | 'evidence'> {
  title: string;
}

export interface Conformance {
  suite: { name: string; version: string };
  target: {
    name: string;
    baseURL: string;
    embedded: boolean;
    accounts: string[];
    rate: Rate;
    /** Who makes the server, what it is called, and which version was judged: as declared. */
    vendor?: string;
    product?: string;
    version?: string;
  };
  startedAt: string;
  durationMs: number;
  /** Milliseconds spent on nothing but waiting for windows of the rate limit. */
  waitedMs: number;
  requests: number;
  verdict: RunVerdict;
  certifiable: boolean;
  profiles: Record<'core' | 'event', 'pass' | 'fail' | 'not-tested'>;
  clauses: ClauseResult[];
  /** What was declared beforehand, which the verdict rests on; never a value. */
  declared: { accounts: DeclaredAccount[] };
  options: { riskyProbes: boolean; insecureTls: boolean; limits: Limits };
  /** `sha256:` and hexadecimal digits. */
  digests: {
    /** Of schemas/clauses.yaml. */
    contract: string;
    /** Of `evidence.har` as it was written beside this. */
    evidence: string;
  };
  /** Tests of the user's own. */
  own: OwnTest[];
  observations: Record<string, unknown[]>;
  changes: Change[] | null;
  error: string | null;
}
