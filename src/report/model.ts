/** What the reports are made from. It holds no secret, but much text that a server sent. */

import type { Conformance, RunVerdict } from '../contract/result';
import type { RunFigures } from '../evidence/har/write';
import type { Evidence } from '../evidence/model';
import type { History } from '../history/trends';
import type { Cause } from '../judge/causes';

/** What was recorded of a run, with its figures and why nothing could be judged, if so. */
export interface Recorded extends RunFigures {
  evidence: Evidence;
  startedAtEpochMs: number;
  notes: string[];
  /** False if replayed evidence does not add up. Default: true. */
  isWhole?: boolean;
}

export interface ReportInput {
  conformance: Conformance;
  evidence: Evidence;
  /** What broke the clauses, the most harmful first. */
  causes: readonly Cause[];
  /** What fails the run besides a broken MUST, one sentence each. */
  failures: string[];
  /** Whether the user ended the run before all its tests were decided. Default: false. */
  isInterrupted?: boolean;
  /** What earlier runs say about this one; `null` if none are kept. */
  history: History | null;
  /** Path of the overview of many targets, from this target's page. */
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
  /** What broke them, the most harmful first: in plain words, with the clauses. */
  causes: Array<{ headline: string; clauses: string[] }>;
  durationMs: number;
  failures: string[];
  /** `null` if the run of the target left no result. */
  conformance: Conformance | null;
}
