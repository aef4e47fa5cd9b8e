/** What the reports are made from: a result, the evidence, and what to act on. */
import { clauseText } from '../contract/clauses';
import type { Conformance } from '../contract/result';
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
  /** What to act on: what is broken, the most harmful first, then warnings, then what is waived. */
  causes: readonly Cause[];
  /** What fails the run besides a broken MUST, one sentence each. */
  failures: string[];
  /** Whether the user ended the run before all its tests were decided. Default: false. */
  isInterrupted?: boolean;
  /** What earlier runs say about clauses that fail; empty if none are kept. */
  trends: readonly Trend[];
  /** Path of the overview of many targets, from this target's page. */
  overview?: string;
}

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};

/** Returns what a cause means, for readers who know no header fields. Clauses about callers without a valid key share one. */
export function headlineOf({ clauses: [first = ''], harm }: Cause): string {
  return clauseText(first).headline ?? WITHOUT_KEY[harm] ?? 'Callers without a valid key are not turned away properly';
}

/** Returns the exchange that shows a cause best. */
export function exchangeOf({ telling }: Cause, { exchanges }: Evidence): Exchange | undefined {
  return exchanges.find(({ index }) => index === telling);
}
