/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job summary. */
import { plural } from '../../common/plural';
import { compact, countsInWords, duration, remarks } from '../format';
import type { ReportInput } from '../model';
import { certificateInWords, OUTCOME, outcomeOf, outcomeWord, verdictSentence } from '../outcome';
import { causeTables, changesTable, nightsTable, ownTable, untestedTable } from '../tables';
import { code, inline, tableIn } from './markdown';

export function renderSummary(input: ReportInput): string {
  const { conformance, history } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite, error } = conformance;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting`;
  const tables = [
    ...causeTables(input),
    ...(error === null ? [untestedTable(conformance)] : []),
    ownTable(conformance),
    changesTable(conformance),
    nightsTable(history),
  ];
  const blocks = compact(
    `## ${`${OUTCOME[outcomeOf(input)].glyph} ${outcomeWord(input)}`.trim()}: ${inline(target.name)}`,
    [verdictSentence(input), certificateInWords(conformance)].map(inline).join(' '),
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${time}.`,
    remarks(conformance)
      .map((note) => `- Note: ${inline(note)}`)
      .join('\n'),
    ...tables.map(tableIn),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  );
  return `${blocks.join('\n\n')}\n`;
}
