/** What the reports are made from. Nothing in here is a secret, and much of it is a stranger's text. */

import type { Conformance, RunVerdict } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { type Judgement, whyNothingIsJudged } from '../judge/verdict';
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
  /** What kept it from being done, unless what was recorded says so itself. */
  error: string | null;
  /** When the process began, of which a run against one target is the whole. */
  startedAtEpochMs: number;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
}

/**
 * Puts together what was recorded of one target and what was judged of it.
 * @param judgements of the clauses that were decided
 * @param whyUndecided why a clause has no verdict
 */
export function reportInputOf(
  recorded: Recorded,
  judgements: ReadonlyMap<string, Judgement>,
  whyUndecided: (id: string) => string,
  ending: Ending,
): ReportInput {
  const { evidence, waitedMs } = recorded;
  const conformance = conformanceOf({
    evidence,
    waitedMs,
    decided: new Map([...judgements].map(([id, { note: _note, message: _message, ...clause }]) => [id, clause])),
    undecided: whyUndecided,
    startedAtEpochMs: recorded.startedAtEpochMs ?? ending.startedAtEpochMs,
    durationMs: recorded.durationMs ?? Date.now() - ending.startedAtEpochMs,
    error: recorded.error ?? ending.error ?? whyNothingIsJudged([...judgements.values()], evidence),
    baseline: ending.baseline,
  });
  return {
    conformance,
    evidence,
    notes: [...recorded.notes, ...new Set([...judgements.values()].flatMap(({ note }) => note ?? []))],
  };
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
