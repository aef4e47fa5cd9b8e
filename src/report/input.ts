/** What the reports are made from. Nothing in here is a secret, and much of it is a stranger's text. */

import type { ClauseText, ObservationText } from '../clauses';
import type { Conformance, RunVerdict } from '../conformance';
import type { Delivery, Evidence } from '../exchange';

export interface ReportInput {
  conformance: Conformance;
  /** `null` where nothing was sent. */
  evidence: Evidence | null;
  clauses: readonly ClauseText[];
  observationTexts: readonly ObservationText[];
  /** How to run the same again, without secrets; made up from the target where it is not given. */
  commandLine?: string;
  /** Remarks on the whole run: a stale waiver, a replay and the version that recorded it. */
  notes?: string[];
  /** Notifications that reached the suite's receiver. */
  deliveries?: Delivery[];
}

export interface FleetTarget {
  /** Also the name of the directory that holds the target's own results. */
  name: string;
  verdict: RunVerdict;
  failed: string[];
  durationMs: number;
  /** `null` where the target's run left no result. */
  conformance: Conformance | null;
}

export interface FleetInput {
  targets: FleetTarget[];
  clauses: readonly ClauseText[];
}
