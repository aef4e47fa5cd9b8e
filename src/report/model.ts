/** What the reports are made from. It holds no secret, but much text that a server sent. */
import type { Conformance } from '../contract/result';
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
