/** The tables that the page, the summary and the terminal share, each made once. */
import { cut, groupedBy, plural } from '../common/text';
import { clauseText } from '../contract/clauses';
import type { ClauseResult, Verdict } from '../contract/result';
import { coreMusts } from '../judge/verdict';
import { countsInWords, firstLine, having, partOf, type ReportInput, VERDICTS, valueInWords } from './words';

/** Text, in which backticks enclose code, or something that each form of the report shows in its own way. */
export type Cell =
  | string
  | { code: string }
  | { clauses: readonly string[] }
  | { verdict: Verdict }
  | { link: string; to: string }
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

/** The titles of what needs to be acted on, by the verdict. */
export const TO_ACT_ON = { fail: 'What to fix', warn: 'Warnings', waived: 'Waived' } as const;

/** An observation of another run, which anybody may have written, is cut here. */
const LONGEST_VALUE = 500;

function valueCell(value: unknown, absent: string): Cell {
  if (value === null) return absent;
  const verdict = VERDICTS.find((known) => known === value);
  return verdict ? { verdict } : { code: cut(valueInWords(value), LONGEST_VALUE) };
}

/** Returns the tables of a run. One that has no rows has nothing to say. */
export function tablesOf({ conformance, causes, trends }: Pick<ReportInput, 'conformance' | 'causes' | 'trends'>) {
  const { clauses, own, changes } = conformance;
  const untested = having(partOf(conformance).selected, 'not-tested');
  const weight = (some: ClauseResult[]) => coreMusts(some, 'not-tested').length * clauses.length + some.length;
  return {
    /** What needs to be acted on, by its cause: what is broken, what is a warning, and what is waived. */
    toActOn: Object.entries(TO_ACT_ON).map(([verdict, title]): Table => {
      const some = causes.filter((cause) => cause.verdict === verdict);
      return {
        id: verdict,
        title: some.length > 1 ? `${title}: ${plural(some.length, 'cause')}` : title,
        head: ['Clause', 'What came'],
        rows: some.map(({ clauses: [first = '', ...others], reason }) => [
          { clauses: [first] },
          [
            verdict === 'warn' ? `${reason} Would conform: ${clauseText(first).conforms}.` : reason,
            ...(others.length > 0 ? ['From the same cause:', { clauses: others }] : []),
          ],
        ]),
      };
    }),
    /** The selected clauses that were not tested, by reason; first what keeps most MUST clauses of the core. */
    untested: {
      id: 'untested',
      title: 'Not tested',
      intro: 'What to declare or switch on, or what was in the way.',
      head: ['Why', 'Clauses'],
      rows: [...groupedBy(untested, ({ reason }) => reason ?? '')]
        .sort(([, a], [, b]) => weight(b) - weight(a))
        .map(([reason, some]): Cell[] => [reason, { clauses: some.map(({ id }) => id) }]),
    },
    /** What changed since the baseline, or since the last run that is kept. */
    changes: {
      id: 'changes',
      title: 'What changed',
      head: ['What', 'Before and now'],
      rows: (changes ?? []).map(({ id, from, to }): Cell[] => [
        to === null || id.startsWith('observations.') ? { code: id } : { clauses: [id] },
        [valueCell(from, 'new'), '→', valueCell(to, 'gone')],
      ]),
    },
    /** The own tests. Those that failed and those that were not tested come first. */
    own: {
      id: 'own',
      title: `Own tests: ${countsInWords(own)}`,
      intro:
        'Tests beside the clauses, such as those in tests/own. They decide no clause, but a failed one fails the run.',
      head: ['Test', 'Verdict and why'],
      rows: having(own, ...VERDICTS).map(({ title, verdict, reason, evidence }): Cell[] => {
        const entries = evidence.map((entry) => ({ link: `entry ${entry}`, to: `#x${entry}` }));
        return [{ code: title }, [{ verdict }, ...entries, firstLine(reason ?? '')]];
      }),
    },
    /** Since when clauses have failed over many runs, and which fail only now and then. */
    history: {
      id: 'history',
      title: 'History',
      head: ['Clause', 'Over the runs of the history'],
      rows: trends.map(({ id, text }): Cell[] => [{ clauses: [id] }, text]),
    },
  };
}
