/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job's summary. */

import type { ClauseResult, Verdict } from '../conformance';
import { visible } from '../visible';
import type { ReportInput } from './input';
import {
  changeKind,
  changesInOrder,
  countsInWords,
  countVerdicts,
  duration,
  obstacles,
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

export function renderSummary(input: ReportInput): string {
  const { conformance } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite } = conformance;
  const certificate = conformance.certifiable
    ? 'This run can be certified.'
    : `Cannot be certified: ${obstacles(conformance).join('; ')}.`;
  const blocks = [
    `## ${heading(conformance.verdict)}: ${inline(target.name)}`,
    `${inline(verdictSentence(conformance))} ${profilesInWords(conformance)} ${inline(certificate)}`,
    `${code(target.baseURL)}: ${countsInWords(countVerdicts(clauses))}; ${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting.`,
    remarks(input)
      .map((note) => `- Note: ${inline(note)}`)
      .join('\n'),
    troubles(clauses),
    changesTable(input),
    untested(input),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report stands in index.html, every exchange in evidence.har.</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

export function heading(verdict: ReportInput['conformance']['verdict']): string {
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

/** As code, whatever it holds. */
export function code(text: string): string {
  return `<code>${literal(visible(text))}</code>`;
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function verdictCell(verdict: Verdict): string {
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

function changesTable({ conformance }: ReportInput): string {
  const changes = changesInOrder(conformance.changes ?? []);
  if (changes.length === 0) return '';
  const value = (of: unknown) =>
    typeof of === 'string' && of in VERDICT ? verdictCell(of as Verdict) : inline(valueInWords(of));
  const rows = changes.map((change) => [code(change.id), changeKind(change), value(change.from), value(change.to)]);
  return `### Changes since the baseline\n\n${table(['What', 'Kind', 'Before', 'Now'], rows)}`;
}

function untested({ conformance, clauses }: ReportInput): string {
  const groups = untestedByReason(conformance, clauses);
  const count = countVerdicts(conformance.clauses)['not-tested'];
  if (count === 0) return '';
  const lines = groups.map(([reason, ids]) => `- ${ids.map(code).join(', ')}: ${inline(reason)}`);
  return `<details><summary>${plural(count, 'clause')} not tested</summary>\n\n${lines.join('\n')}\n\n</details>`;
}
