/** Puts the result of a run together: what was recorded and what was decided become `conformance.json`. */

import { isPublished } from '../contract/bounds';
import { clauseTexts, textOf } from '../contract/clauses';
import type { ClauseResult, Conformance, OwnResult } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { withoutOwn } from '../evidence/groups';
import { observationsOf } from '../judge/observations';
import { type Judgement, profileVerdictOf, runVerdictOf, whyNothingIsJudged } from '../judge/verdict';
import { suite } from '../suite';
import { changesSince } from './changes';
import type { Recorded, ReportInput } from './model';

/** How a run ended. */
interface Ending {
  /** Why the run could not be done. What was recorded may name a cause of its own, which goes first. */
  error: string | null;
  /** When the process began. */
  startedAtEpochMs: number;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
  /** What became of the user's own tests. */
  own?: OwnResult[];
}

/**
 * What the reports of one target are made from. A run that lasts as long as its process ends now.
 * @param judgements of the clauses that were decided
 * @param whyUndecided why a clause has no result: one sentence
 */
export function reportInputOf(
  recorded: Recorded,
  judgements: ReadonlyMap<string, Judgement>,
  whyUndecided: (id: string) => string,
  ending: Ending,
): ReportInput {
  const { evidence, waitedMs } = recorded;
  const decided = [...judgements].map(([id, { breaches: _, note: __, ...clause }]) => [id, clause] as const);
  const notes = [...judgements.values()].flatMap(({ note }) => note ?? []);
  const conformance = conformanceOf({
    evidence,
    waitedMs,
    decided: new Map(decided),
    undecided: whyUndecided,
    startedAtEpochMs: recorded.startedAtEpochMs ?? ending.startedAtEpochMs,
    durationMs: recorded.durationMs ?? Date.now() - ending.startedAtEpochMs,
    error: recorded.error ?? ending.error ?? whyNothingIsJudged([...judgements.values()], evidence),
    baseline: ending.baseline,
    own: ending.own ?? [],
  });
  return { conformance, evidence, notes: [...recorded.notes, ...new Set(notes)] };
}

/** What a result is built from. */
interface Outcome {
  evidence: Evidence;
  /** Results of the clauses whose tests ran to their end, by id. */
  decided: ReadonlyMap<string, ClauseResult>;
  /** Why a clause has no result: one sentence. */
  undecided: (id: string) => string;
  startedAtEpochMs: number;
  durationMs: number;
  waitedMs: number;
  error: string | null;
  baseline: Conformance | null;
  own?: OwnResult[];
}

/** The result of a run. It fits schemas/conformance.schema.json whatever happened. */
export function conformanceOf(outcome: Outcome): Conformance {
  const { evidence, error } = outcome;
  const { name, baseURL, embedded, accounts, rate } = evidence.target;
  const clauses = clauseTexts.map((text): ClauseResult => {
    const decided = outcome.decided.get(text.id);
    if (decided && error === null) return decided;
    const reason = error === null ? outcome.undecided(text.id) : `The run could not be done: ${error}`;
    return { id: text.id, level: text.level, section: text.section, verdict: 'not-tested', reason, evidence: [] };
  });
  const inProfile = (profile: string) => clauses.filter((clause) => textOf(clause.id).profile === profile);
  const verdict = runVerdictOf(clauses, error);
  const result: Conformance = {
    suite,
    target: { name, baseURL, embedded, accounts: accounts.map((account) => account.name), rate },
    startedAt: new Date(outcome.startedAtEpochMs).toISOString(),
    durationMs: Math.round(outcome.durationMs),
    waitedMs: Math.round(outcome.waitedMs),
    requests: evidence.exchanges.length,
    verdict,
    certifiable:
      verdict === 'conformant' && isPublished(rate) && clauses.every((clause) => clause.verdict !== 'waived'),
    profiles: { core: profileVerdictOf(inProfile('core')), event: profileVerdictOf(inProfile('event')) },
    clauses,
    own: outcome.own ?? [],
    observations: observationsOf(withoutOwn(evidence)),
    changes: null,
    error,
  };
  return outcome.baseline ? { ...result, changes: changesSince(outcome.baseline, result) } : result;
}
