import { visible } from '../../common/visible';
import { clauseText } from '../../contract/clauses';
import type { Cause } from '../../judge/causes';
import { firstLine, said, standingOf } from '../format';
import type { ReportInput } from '../model';
import { againFor } from './curl';
import { linesOfResponse } from './message';

/** Returns a cause as a ticket in Markdown, for whoever fixes the server. The first line is the title. */
export function ticketOf(cause: Cause, { conformance, evidence }: ReportInput): string {
  const { target, startedAt, suite } = conformance;
  const [first = ''] = cause.clauses;
  const exchange = evidence.exchanges.find(({ index }) => index === cause.telling);
  const again = againFor(first, exchange, evidence);
  const answer = linesOfResponse(exchange, clauseText(first).area, cause.fields).join('\n');
  const clauses = cause.clauses.map((id) => `- \`${id}\` (${standingOf(id)}): ${clauseText(id).statement}`);
  const blocks = said(
    `# ${first}: ${firstLine(cause.reason)}`,
    `Seen at ${target.baseURL} on ${startedAt} by ${suite.name} ${suite.version}.`,
    '**Broken**',
    clauses.join('\n'),
    again && `**See it again**\n\n${fenced(again, 'sh')}`,
    answer && `**What came**\n\n${fenced(answer)}`,
    `**Would conform:** ${clauseText(first).conforms}.`,
  );
  return visible(blocks.join('\n\n'));
}

/** Returns a block of code. Its fence is longer than any run of backticks in it. */
function fenced(text: string, language = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(2, ...runs.map(({ length }) => length)));
  return [fence + language, text, fence].join('\n');
}
