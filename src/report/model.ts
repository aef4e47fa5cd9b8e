/** What the reports are made from. None of it is a secret, and much of it is text that a server sent. */

import type { Conformance, RunVerdict } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import type { History } from '../history/trends';
import type { Cause } from '../judge/causes';

/** What was recorded of a run. */
export interface Recorded {
  evidence: Evidence;
  /** Why nothing could be judged. */
  error: string | null;
  /** Time spent only waiting for windows of the rate limit. */
  waitedMs: number;
  /** `null` where the run lasts as long as its process. */
  durationMs: number | null;
  /** `null` where the run began with its process. */
  startedAtEpochMs: number | null;
  /** Remarks on the run as a whole. */
  notes: string[];
  /** False where evidence of an earlier run does not add up. Default: true. */
  isWhole?: boolean;
}

/** One run, as every form of the report takes it. */
export interface ReportInput {
  conformance: Conformance;
  evidence: Evidence;
  /** What broke the clauses, most of it first. */
  causes: Cause[];
  /** What fails the run besides a broken MUST, one sentence each. */
  failures: string[];
  /** What earlier runs say of this one; `null` where none are kept. */
  history: History | null;
  /** Where the overview of many targets stands, seen from this one's page. */
  overview?: string;
  /** Remarks on the whole run: a stale waiver, or which version recorded what is replayed. */
  notes: string[];
}

/** One target of many: what `fleet.json` says of it, what fails its run, and its own result. */
export interface FleetTarget {
  /** Also the name of the directory that holds the target's own results. */
  name: string;
  verdict: RunVerdict;
  failed: string[];
  durationMs: number;
  /** What fails the run besides a broken MUST, one sentence each. */
  failures: string[];
  /** `null` where the target's run left no result. */
  conformance: Conformance | null;
}
