/** What the reports are made from: a result, the evidence, and each clause and cause with the words of the contract. */
import { clauseText } from '../contract/clauses';
import type { ClauseResult, Conformance } from '../contract/result';
import type { RunFigures } from '../evidence/har/write';
import type { Evidence, Exchange } from '../evidence/model';
import type { Trend } from '../history/history';
import { type Cause, HARM } from '../judge/verdict';

/** What was recorded of a run, with its figures and why nothing could be judged, if so. */
export interface Recorded extends RunFigures {
  evidence: Evidence;
  notes: string[];
}

export interface ReportInput {
  conformance: Conformance;
  evidence: Evidence;
  /** The content of `evidence.har`, in parts. */
  har: readonly Buffer[];
  /** Every clause, in the order of the contract. */
  clauses: readonly ClauseView[];
  /** What to act on: what is broken, the most harmful first, then warnings, then what is waived. */
  causes: readonly CauseView[];
  /** What fails the run besides a broken MUST, one sentence each. */
  failures: string[];
  /** Whether the user ended the run before all its tests were decided. Default: false. */
  isInterrupted?: boolean;
  /** What earlier runs say about clauses that fail; empty if none are kept. */
  trends: readonly Trend[];
  /** Path of the overview of many targets, from this target's page. */
  overview?: string;
}

/** A clause as every output shows it: its result, its area, and what would conform. */
export type ClauseView = ReturnType<typeof clauseView>;

/** One thing to act on, as every output shows it. */
export interface CauseView {
  verdict: 'fail' | 'warn' | 'waived';
  /** What it means, for readers who know no header fields. */
  headline: string;
  /** The clause that is shown in full, and the others that the same cause breaks. */
  clauses: readonly [ClauseView, ...ClauseView[]];
  /** What came, as the first of its clauses says it. */
  reason: string;
  /** The exchange that shows it best. */
  exchange: Exchange | undefined;
  /** The headers and members that are wrong in that exchange, in lower case. */
  fields: ReadonlySet<string>;
}

/** Returns a result with the words of its clause. Every output reads them here. */
export function clauseView<Result extends ClauseResult>(result: Result) {
  const { area, conforms } = clauseText(result.id);
  return { ...result, area, conforms };
}

/** Returns the clauses and the causes of a result as the outputs show them. @param causes of what is broken */
export function viewsOf(
  { clauses: results }: Conformance,
  { exchanges }: Evidence,
  causes: readonly Cause[],
): Pick<ReportInput, 'clauses' | 'causes'> {
  const clauses = results.map(clauseView);
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const waived = clauses
    .filter(({ verdict }) => verdict === 'waived')
    .map(({ id, reason, evidence: [telling = null] }): Cause => {
      return { clauses: [id], reason: reason ?? '', telling, fields: new Set(), harm: HARM.other };
    });
  const views = [...causes, ...waived].flatMap((cause): CauseView[] => {
    const [first, ...others] = cause.clauses.flatMap((id) => byId.get(id) ?? []);
    if (first === undefined) return [];
    const exchange = exchanges.find(({ index }) => index === cause.telling);
    const { reason, fields } = cause;
    const verdict = first.verdict === 'fail' || first.verdict === 'waived' ? first.verdict : 'warn';
    return [{ verdict, headline: headlineOf(cause), clauses: [first, ...others], reason, exchange, fields }];
  });
  return { clauses, causes: views };
}

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};

/** Returns the headline of the first clause of a cause. Clauses about callers without a valid key have none. */
function headlineOf({ clauses: [first = ''], harm }: Cause): string {
  return clauseText(first).headline ?? WITHOUT_KEY[harm] ?? 'Callers without a valid key are not turned away properly';
}
