/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job's summary. */

import type { Change, ClauseResult, Conformance, RunVerdict, Verdict } from '../contract/result';
import { visible } from '../visible';
import type { ReportInput } from './model';
import {
  certificateInWords,
  changeKind,
  changesInOrder,
  countsInWords,
  countVerdicts,
  duration,
  plural,
  profilesInWords,
  RUN_VERDICT,
  remarks,
  untestedByReason,
  VERDICT,
  valueInWords,
  verdictSentence,
} from './words';

const LONGEST_REASON = 800;

/** The summary of one run, as Markdown. */
export function renderSummary(input: ReportInput): string {
  const { conformance } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite } = conformance;
  const blocks = [
    `## ${heading(conformance.verdict)}: ${inline(target.name)}`,
    `${inline(verdictSentence(conformance))} ${profilesInWords(conformance)} ${inline(certificateInWords(conformance))}`,
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting.`,
    remarks(input)
      .map((note) => `- Note: ${inline(note)}`)
      .join('\n'),
    troubles(clauses),
    changesTable(conformance.changes ?? []),
    untested(conformance),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report stands in index.html, every exchange in evidence.har.</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** A run's verdict with its sign. */
export function heading(verdict: RunVerdict): string {
  return `${RUN_VERDICT[verdict].glyph} ${RUN_VERDICT[verdict].word}`.trim();
}

/** Any text as Markdown that shows just that text, on one line; only `code` between backticks becomes code. */
export function inline(text: string): string {
  const characters = [...visible(text).trim()];
  const cut = characters.length > LONGEST_REASON;
  const parts = characters
    .slice(0, LONGEST_REASON)
    .join('')
    .split(/`([^`\n]+)`/);
  const shown = parts.map((part, i) => (i % 2 === 1 ? `<code>${literal(part)}</code>` : literal(part))).join('');
  // A paragraph may begin with it, and shall not become a list.
  return (cut ? `${shown} …` : shown).replace(/^([-+])/, '\\$1').replace(/^(\d+)([.)])/, '$1\\$2');
}

function literal(text: string): string {
  return (
    text
      .replace(/[\\`*_[\]|~#$]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Neither leads to wherever a server says nor calls people by their names.
      .replaceAll('://', '&#58;//')
      .replaceAll('@', '@&#8203;')
      .replace(/\s*\n\s*/g, '<br>')
  );
}

/** Any text as code. */
export function code(text: string): string {
  return `<code>${literal(visible(text))}</code>`;
}

/** A table; its cells are Markdown already. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function verdictCell(verdict: Verdict): string {
  return `${VERDICT[verdict].glyph === '~' ? '\\~' : VERDICT[verdict].glyph} ${VERDICT[verdict].word}`;
}

function troubles(clauses: ClauseResult[]): string {
  const order: Verdict[] = ['fail', 'warn', 'waived'];
  const found = order.flatMap((verdict) => clauses.filter((clause) => clause.verdict === verdict));
  if (found.length === 0) return '';
  const rows = found.map(({ id, level, verdict, reason }) => [
    verdictCell(verdict),
    code(id),
    level.toUpperCase(),
    inline(reason ?? ''),
  ]);
  return table(['Verdict', 'Clause', 'Level', 'Why'], rows);
}

function changesTable(changes: Change[]): string {
  if (changes.length === 0) return '';
  const value = (of: unknown) =>
    typeof of === 'string' && of in VERDICT ? verdictCell(of as Verdict) : inline(valueInWords(of));
  const rows = changesInOrder(changes).map((change) => [
    code(change.id),
    changeKind(change),
    value(change.from),
    value(change.to),
  ]);
  return `### Changes since the baseline\n\n${table(['What', 'Kind', 'Before', 'Now'], rows)}`;
}

function untested(conformance: Conformance): string {
  const count = countVerdicts(conformance.clauses)['not-tested'];
  if (count === 0) return '';
  const lines = untestedByReason(conformance).map(
    ([reason, ids]) => `- ${ids.map(code).join(', ')}: ${inline(reason)}`,
  );
  return `<details><summary>${plural(count, 'clause')} not tested</summary>\n\n${lines.join('\n')}\n\n</details>`;
}
