/** What the reports are made from. Nothing in here is a secret, and much of it is a stranger's text. */

import type { FullResult } from '@playwright/test/reporter';
import type { Conformance, RunVerdict } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { whyNothingIsJudged } from '../judge/verdict';
import type { Decided } from '../playwright/decided';
import type { Recorded } from '../run/recorded';
import { conformanceOf } from './result';

export interface ReportInput {
  conformance: Conformance;
  evidence: Evidence;
  /** Remarks on the whole run: a stale waiver, a replay and the version that recorded it. */
  notes: string[];
}

/** How a run came to its end. */
interface Ending {
  status: FullResult['status'];
  /** What kept it from being done, unless what was recorded says so itself. */
  error: string | null;
  /** When the process began, of which a run against one target is the whole. */
  startedAtEpochMs: number;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
}

/** Puts together what was recorded of one target and what its tests decided. */
export function reportInputOf(recorded: Recorded, decided: Decided, ending: Ending): ReportInput {
  const { evidence, waitedMs } = recorded;
  const conformance = conformanceOf({
    evidence,
    waitedMs,
    decided: decided.clauses,
    undecided: (id) => decided.whyUndecided(id, ending.status),
    startedAtEpochMs: recorded.startedAtEpochMs ?? ending.startedAtEpochMs,
    durationMs: recorded.durationMs ?? Date.now() - ending.startedAtEpochMs,
    error: recorded.error ?? ending.error ?? whyNothingIsJudged([...decided.clauses.values()], evidence),
    baseline: ending.baseline,
  });
  return { conformance, evidence, notes: [...recorded.notes, ...decided.notes] };
}

/** One target among many: what `fleet.json` says of it, and its own result. */
export interface FleetTarget {
  /** Also the name of the directory that holds the target's own results. */
  name: string;
  verdict: RunVerdict;
  failed: string[];
  durationMs: number;
  /** `null` where the target's run left no result. */
  conformance: Conformance | null;
}
