/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job summary. */
import { plural } from '../../common/plural';
import { countsInWords, duration, remarks, said } from '../format';
import { foundationLines } from '../foundation';
import type { ReportInput } from '../model';
import { certificateInWords, OUTCOME, outcomeOf, outcomeWord, verdictSentence } from '../outcome';
import { causeTables, changesTable, nightsTable, ownTable, untestedTable } from '../tables';
import { code, inline, tableIn } from './markdown';

export function renderSummary(input: ReportInput): string {
  const { conformance, history } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite, error } = conformance;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting`;
  const lines = (some: string[]) => some.map((line) => `- ${inline(line)}`).join('\n');
  const tables = [
    ...causeTables(input),
    ...(error === null ? [untestedTable(conformance)] : []),
    ownTable(conformance),
    changesTable(conformance),
    nightsTable(history),
  ];
  const blocks = said(
    `## ${`${OUTCOME[outcomeOf(input)].glyph} ${outcomeWord(input)}`.trim()}: ${inline(target.name)}`,
    [verdictSentence(input), certificateInWords(conformance)].map(inline).join(' '),
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${time}.`,
    lines(remarks(conformance).map((note) => `Note: ${note}`)),
    ...tables.map(tableIn),
    `<details><summary>What the verdict rests on</summary>\n\n${lines(foundationLines(conformance))}\n\n</details>`,
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  );
  return `${blocks.join('\n\n')}\n`;
}
