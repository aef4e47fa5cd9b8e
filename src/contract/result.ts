/** The shape of `conformance.json` (see schemas/conformance.schema.json), the suite's public result. */

export type Level = 'must' | 'should';
export type Verdict = 'pass' | 'fail' | 'warn' | 'waived' | 'not-tested';
export type RunVerdict = 'conformant' | 'non-conformant' | 'incomplete' | 'error';

export interface ClauseResult {
  id: string;
  level: Level;
  /** Section of the API description, or of an RFC. */
  section: string;
  verdict: Verdict;
  /** Why, for every verdict but `pass`. */
  reason: string | null;
  /** Entries of `evidence.har` that decided it. */
  evidence: number[];
}

/** What became of a test of the user's own. It decides no clause. */
export interface OwnResult {
  title: string;
  verdict: 'pass' | 'fail' | 'not-tested';
  /** Why, for every verdict but `pass`. */
  reason: string | null;
  /** Entries of `evidence.har` that it sent. */
  evidence: number[];
}

export interface Change {
  /** A clause id, or `observations.` and the name of an observation. */
  id: string;
  from: unknown;
  to: unknown;
}

export interface Conformance {
  suite: { name: string; version: string };
  target: {
    name: string;
    baseURL: string;
    embedded: boolean;
    accounts: string[];
    rate: { requests: number; seconds: number };
  };
  startedAt: string;
  durationMs: number;
  /** Spent only waiting for windows of the rate limit. */
  waitedMs: number;
  requests: number;
  verdict: RunVerdict;
  certifiable: boolean;
  profiles: { core: 'pass' | 'fail' | 'not-tested'; event: 'pass' | 'fail' | 'not-tested' };
  clauses: ClauseResult[];
  /** Tests of the user's own. */
  own: OwnResult[];
  observations: Record<string, unknown[]>;
  changes: Change[] | null;
  error: string | null;
}
