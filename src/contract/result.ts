/** The shape of `conformance.json`, the suite's public result; see schemas/conformance.schema.json. */

export type Level = 'must' | 'should';
export type Verdict = 'pass' | 'fail' | 'warn' | 'waived' | 'inapplicable' | 'not-tested';
export type RunVerdict = 'conformant' | 'non-conformant' | 'incomplete' | 'error';

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
}

export interface Change {
  /** A clause id, or `observations.` followed by the id of an observation. */
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
  /** Milliseconds spent on nothing but waiting for windows of the rate limit. */
  waitedMs: number;
  requests: number;
  verdict: RunVerdict;
  certifiable: boolean;
  profiles: { core: 'pass' | 'fail' | 'not-tested'; event: 'pass' | 'fail' | 'not-tested' };
  clauses: ClauseResult[];
  observations: Record<string, unknown[]>;
  changes: Change[] | null;
  error: string | null;
}
