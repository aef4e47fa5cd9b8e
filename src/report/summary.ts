/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job summary. */

import { foundationLines } from './foundations';
import { code, inline, table } from './markdown';
import type { ReportInput } from './model';
import { type Cell, causeTables, changesTable, nightsTable, ownTable, type Table, untestedTable } from './tables';
import {
  certificateInWords,
  countsInWords,
  duration,
  plural,
  profilesInWords,
  RUN_VERDICT,
  remarks,
  VERDICT,
  verdictSentence,
  verdictWord,
} from './words';

/** The summary of one run, as Markdown. */
export function renderSummary(input: ReportInput): string {
  const { conformance, history } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite, verdict, error } = conformance;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting`;
  const lines = (some: string[]) => some.map((line) => `- ${inline(line)}`).join('\n');
  const untested = error === null ? [untestedTable(conformance)] : [];
  const tables = [
    ...causeTables(input),
    ...untested,
    ownTable(conformance),
    changesTable(conformance),
    nightsTable(history),
  ];
  const blocks = [
    `## ${`${RUN_VERDICT[verdict].glyph} ${verdictWord(input)}`.trim()}: ${inline(target.name)}`,
    [verdictSentence(input), profilesInWords(conformance), certificateInWords(conformance)].map(inline).join(' '),
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${time}.`,
    lines(remarks(input).map((note) => `Note: ${note}`)),
    ...tables.map(tableIn),
    `<details><summary>What the verdict rests on</summary>\n\n${lines(foundationLines(conformance))}\n\n</details>`,
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** A table with its title, as Markdown; nothing where it has no rows. */
export function tableIn({ title, head, rows }: Pick<Table, 'title' | 'head' | 'rows'>): string {
  const cells = rows.map((row) => row.map(cellIn));
  return rows.length === 0 ? '' : `### ${inline(title)}\n\n${table(head, cells)}`;
}

function cellIn(cell: Cell): string {
  if (typeof cell === 'string') return inline(cell);
  if (Array.isArray(cell)) return cell.map(cellIn).filter(Boolean).join(' ');
  if ('code' in cell) return code(cell.code);
  if ('clauses' in cell) return cell.clauses.map(code).join(', ');
  if ('verdict' in cell) return inline(`${VERDICT[cell.verdict].glyph} ${VERDICT[cell.verdict].word}`);
  // Only the page has a place of its own for each entry.
  if ('link' in cell) return cell.to.startsWith('#') ? cell.link : `[${inline(cell.link)}](${cell.to})`;
  return inline(cell.nights.map(({ verdict }) => (verdict === null ? '·' : VERDICT[verdict].glyph)).join(' '));
}
