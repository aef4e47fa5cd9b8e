/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job summary. */

import type { Conformance } from '../contract/result';
import { foundationLines } from './foundations';
import { code, inline, table } from './markdown';
import type { ReportInput } from './model';
import { type Cell, changesTable, nightsTable, ownTable, type Table, troublesTable } from './tables';
import {
  certificateInWords,
  countsInWords,
  duration,
  plural,
  profilesInWords,
  RUN_VERDICT,
  remarks,
  untestedByReason,
  VERDICT,
  verdictSentence,
  verdictWord,
} from './words';

/** The summary of one run, as Markdown. */
export function renderSummary(input: ReportInput): string {
  const { conformance } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite, verdict } = conformance;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting`;
  const lines = (some: string[]) => some.map((line) => `- ${inline(line)}`).join('\n');
  const tables = [ownTable(conformance), changesTable(conformance), nightsTable(input)];
  const blocks = [
    `## ${`${RUN_VERDICT[verdict].glyph} ${verdictWord(input)}`.trim()}: ${inline(target.name)}`,
    [inline(verdictSentence(input)), profilesInWords(conformance), inline(certificateInWords(conformance))].join(' '),
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${time}.`,
    lines(remarks(input).map((note) => `Note: ${note}`)),
    tableIn(troublesTable(conformance)),
    ...tables.map((each) => each.rows.length > 0 && `### ${each.title}\n\n${tableIn(each)}`),
    untested(conformance),
    folded('What the verdict rests on', lines(foundationLines(conformance))),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** What can be opened. @param text Markdown */
export function folded(title: string, text: string): string {
  return `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

function tableIn({ head, rows }: Table): string {
  return rows.length === 0
    ? ''
    : table(
        head,
        rows.map((row) => row.map(cellIn)),
      );
}

function cellIn(cell: Cell): string {
  if (typeof cell === 'string') return inline(cell);
  if (Array.isArray(cell)) return cell.map(cellIn).filter(Boolean).join(' ');
  if ('code' in cell) return code(cell.code);
  if ('clause' in cell) return code(cell.clause);
  if ('entry' in cell) return `entry ${cell.entry}`;
  if ('verdict' in cell) return inline(`${VERDICT[cell.verdict].glyph} ${VERDICT[cell.verdict].word}`);
  return inline(cell.nights.map(({ verdict }) => (verdict === null ? '·' : VERDICT[verdict].glyph)).join(' '));
}

function untested(conformance: Conformance): string {
  const groups = untestedByReason(conformance);
  if (groups.length === 0) return '';
  const lines = groups.map(([reason, ids]) => `- ${ids.map(code).join(', ')}: ${inline(reason)}`);
  return folded(`${plural(groups.flatMap(([, ids]) => ids).length, 'clause')} not tested`, lines.join('\n'));
}
