/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job summary. */

import type { Change, ClauseResult, Conformance, Verdict } from '../contract/result';
import { changeKind, changesInOrder } from './changes';
import { foundationLines } from './foundations';
import { code, inline, table } from './markdown';
import type { ReportInput } from './model';
import { ownSummary } from './own';
import {
  certificateInWords,
  countsInWords,
  countVerdicts,
  duration,
  heading,
  plural,
  profilesInWords,
  RUN_VERDICT,
  remarks,
  untestedByReason,
  VERDICT,
  valueInWords,
  verdictSentence,
  verdictWord,
} from './words';

/** The summary of one run, as Markdown. */
export function renderSummary(input: ReportInput): string {
  const { conformance } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite } = conformance;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting`;
  const notes = remarks(input).map((note) => `- Note: ${inline(note)}`);
  const writer = inline(`${suite.name} ${suite.version}`);
  const blocks = [
    `## ${heading(conformance.verdict)}${verdictWord(input).slice(RUN_VERDICT[conformance.verdict].word.length)}: ${inline(target.name)}`,
    [inline(verdictSentence(input)), profilesInWords(conformance), inline(certificateInWords(conformance))].join(' '),
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${time}.`,
    notes.join('\n'),
    troubles(clauses),
    ownSummary(conformance.own),
    changesTable(conformance.changes ?? []),
    untested(conformance),
    `<details><summary>What the verdict rests on</summary>\n\n${foundations(conformance)}\n\n</details>`,
    `<sub>${writer}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
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
    typeof of === 'string' && Object.hasOwn(VERDICT, of) ? verdictCell(of as Verdict) : inline(valueInWords(of));
  const rows = changesInOrder(changes).map((change) => [
    code(change.id),
    changeKind(change),
    value(change.from),
    value(change.to),
  ]);
  return `### What changed\n\n${table(['What', 'Kind', 'Before', 'Now'], rows)}`;
}

function untested(conformance: Conformance): string {
  const count = countVerdicts(conformance.clauses)['not-tested'];
  if (count === 0) return '';
  const lines = untestedByReason(conformance).map(
    ([reason, ids]) => `- ${ids.map(code).join(', ')}: ${inline(reason)}`,
  );
  return `<details><summary>${plural(count, 'clause')} not tested</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

function foundations(conformance: Conformance): string {
  return foundationLines(conformance)
    .map((line) => `- ${inline(line)}`)
    .join('\n');
}
