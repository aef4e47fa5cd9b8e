/** Builds `conformance.json` from what the tests decided and the recorder saw. */
import { clauseTexts, textOf } from '../contract/clauses';
import type { Change, ClauseResult, Conformance } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { observationsOf } from '../judge/observations';
import { isPublished, profileVerdictOf, runVerdictOf } from '../judge/verdict';
import { suite } from '../suite';

/** What a result is built from. */
interface Outcome {
  evidence: Evidence;
  /** Verdicts of the clauses whose tests ran to their end. */
  decided: ReadonlyMap<string, ClauseResult>;
  /** Why a clause has no verdict. */
  undecided: (id: string) => string;
  startedAtEpochMs: number;
  durationMs: number;
  waitedMs: number;
  error: string | null;
  baseline: Conformance | null;
}

/** The result of a run, valid against schemas/conformance.schema.json whatever happened. */
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
    observations: observationsOf(evidence),
    changes: null,
    error,
  };
  return outcome.baseline ? { ...result, changes: changesSince(outcome.baseline, result) } : result;
}

/**
 * What is different from an earlier result. A clause that one of them does not know changes from, or to, `null`;
 * so does an observation that was not made.
 */
export function changesSince(baseline: Conformance, result: Conformance): Change[] {
  const verdicts = (from: Conformance) =>
    new Map<string, unknown>(from.clauses.map((clause) => [clause.id, clause.verdict]));
  const observed = (from: Conformance) =>
    new Map<string, unknown>(Object.entries(from.observations).map(([id, values]) => [`observations.${id}`, values]));
  return [...differing(verdicts(baseline), verdicts(result)), ...differing(observed(baseline), observed(result))];
}

function differing(before: Map<string, unknown>, after: Map<string, unknown>): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [from, to] = [before.get(id) ?? null, after.get(id) ?? null];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ id, from, to }];
  });
}
