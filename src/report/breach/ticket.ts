import { visible } from '../../common/visible';
import { firstLine, said, standingOf } from '../format';
import type { CauseView, ReportInput } from '../model';
import { againFor } from './curl';
import { linesOfResponse } from './message';

/** Returns a cause as a ticket in Markdown, for whoever fixes the server. The first line is the title. */
export function ticketOf(
  { clauses, reason, exchange, fields }: CauseView,
  { conformance, evidence }: ReportInput,
): string {
  const { target, startedAt, suite } = conformance;
  const [first] = clauses;
  const again = againFor(first.id, exchange, evidence);
  const answer = linesOfResponse(exchange, first.area, fields).join('\n');
  const blocks = said(
    `# ${first.id}: ${firstLine(reason)}`,
    `Seen at ${target.baseURL} on ${startedAt} by ${suite.name} ${suite.version}.`,
    '**Broken**',
    clauses.map((clause) => `- \`${clause.id}\` (${standingOf(clause)}): ${clause.statement}`).join('\n'),
    again && `**See it again**\n\n${fenced(again, 'sh')}`,
    answer && `**What came**\n\n${fenced(answer)}`,
    `**Would conform:** ${first.conforms}.`,
  );
  return visible(blocks.join('\n\n'));
}

/** Returns a block of code. Its fence is longer than any run of backticks in it. */
function fenced(text: string, language = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(2, ...runs.map(({ length }) => length)));
  return [fence + language, text, fence].join('\n');
}
