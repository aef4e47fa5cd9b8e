/** The tables of a report, made once for the page and the summary. */
import { observationTexts } from '../contract/clauses';
import type { Change, ClauseResult, Conformance, OwnTest, Verdict } from '../contract/result';
import type { Trend } from '../history/trends';
import { changeKind, changesInOrder, isOfObservation } from './changes';
import type { ReportInput } from './model';
import { firstLine, plural, sectionName, trendInWords, VERDICT, valueInWords } from './words';

/** Text in which what stands between backticks is code, or something that each form of the report shows in its own way. */
export type Cell =
  | string
  | { code: string }
  | { clause: string }
  | { verdict: Verdict }
  | { entry: number }
  | { nights: Array<{ day: string; verdict: Verdict | null }> }
  | Cell[];

export interface Table {
  /** Unique on the page. */
  id: string;
  title: string;
  intro?: string;
  /** The first cell of a row says what the row is about. */
  head: string[];
  rows: Cell[][];
}

/** What changed since the baseline, or since the last run that is kept. */
export function changesTable({ changes }: Conformance): Table {
  return {
    id: 'changes',
    title: 'What changed',
    head: ['What', 'Kind', 'Before', 'Now'],
    rows: changesInOrder(changes ?? []).map((change) => [
      isOfObservation(change) || changeKind(change) === 'gone' ? { code: change.id } : { clause: change.id },
      changeKind(change),
      valueCell(change.from),
      valueCell(change.to),
    ]),
  };
}

function valueCell(value: Change['to']): Cell {
  if (value === null) return '–';
  const isVerdict = typeof value === 'string' && Object.hasOwn(VERDICT, value);
  return isVerdict ? { verdict: value as Verdict } : { code: valueInWords(value) };
}

/** The most pressing first. */
const OWN_ORDER: ReadonlyArray<OwnTest['verdict']> = ['fail', 'not-tested', 'pass'];

/** Tests of the user's own: those that failed and those that were not tested come first. */
export function ownTable({ own }: Conformance): Table {
  return {
    id: 'own',
    title: 'Own tests',
    intro: 'Tests that were added to this suite. They decide no clause of the contract; one that fails fails the run.',
    head: ['Test', 'Verdict', 'Why, and what it sent'],
    rows: OWN_ORDER.flatMap((verdict) => own.filter((test) => test.verdict === verdict)).map(
      ({ title, verdict, reason, evidence }) => [
        { code: title },
        { verdict },
        [firstLine(reason ?? ''), ...evidence.map((entry) => ({ entry }))],
      ],
    ),
  };
}

/** Clauses over many nights: those that ever changed, and since when those fail that fail now. */
export function nightsTable({ history }: ReportInput): Table {
  const { nights = [], trends = [] } = history ?? {};
  const days = nights.map((night) => night.slice(0, 10));
  const row = ({ strip, ...trend }: Trend): Cell[] => {
    const last = strip.at(-1);
    return [
      { clause: trend.id },
      { nights: strip.map((verdict, i) => ({ day: days[i] ?? '', verdict })) },
      trendInWords({ strip, ...trend }) || `now: ${last ? VERDICT[last].word : 'no result'}`,
    ];
  };
  return {
    id: 'nights',
    title: 'Over the nights',
    intro: `The last ${plural(days.length, 'run')}, from ${days[0]} to ${days.at(-1)}, the latest on the right. A dot is a run that could not be done. Clauses that never changed and pass are left out.`,
    head: ['Clause', 'Runs', 'In words'],
    rows: trends.map(row),
  };
}

/** What the API description leaves open, and what this server does. */
export function observationsTable({ observations }: Conformance): Table {
  const row = ([id, values]: [string, unknown[]]): Cell[] => {
    const text = observationTexts.find((observation) => observation.id === id);
    const seen = values.map((value) => ({ code: valueInWords(value) }));
    return [
      [text?.what ?? id, { code: id }],
      seen.length > 0 ? seen : 'nothing seen',
      text ? sectionName(text.section) : '',
    ];
  };
  return {
    id: 'observations',
    title: 'Observations',
    intro: 'The API description does not say how these should be, so they are reported and not judged.',
    head: ['Not specified', 'Seen in this run', 'Section'],
    rows: Object.entries(observations).map(row),
  };
}

/** Every clause that somebody has to act on. */
export function troublesTable({ clauses }: { clauses: ClauseResult[] }): Table {
  const found = (['fail', 'warn', 'waived'] as const).flatMap((verdict) =>
    clauses.filter((clause) => clause.verdict === verdict),
  );
  return {
    id: 'troubles',
    title: '',
    head: ['Verdict', 'Clause', 'Level', 'Why'],
    rows: found.map(({ id, level, verdict, reason }) => [
      { verdict },
      { clause: id },
      level.toUpperCase(),
      reason ?? '',
    ]),
  };
}
