/** A cause as the text of a ticket, in Markdown, for whoever mends the server. */
import { textOf } from '../contract/clauses';
import type { Cause } from '../judge/causes';
import { visible } from '../visible';
import { commandFor, curlOf } from './curl';
import type { ReportInput } from './model';
import { firstLine, sectionName } from './words';

/** What came is quoted up to so many characters. */
const LONGEST_QUOTE = 1200;

/** The whole ticket; its first line is the title. */
export function ticketOf(cause: Cause, { conformance, evidence }: ReportInput): string {
  const { target, startedAt, suite } = conformance;
  const [first = ''] = cause.clauses;
  const exchange = evidence.exchanges.find(({ index }) => index === cause.telling);
  const again = commandFor(first, exchange) ?? (exchange ? curlOf(exchange.request, evidence.target.variables) : null);
  const clauses = cause.clauses.map((id) => {
    const { level, section, statement } = textOf(id);
    return `- \`${id}\` (${level.toUpperCase()}, ${sectionName(section)}): ${statement.trim()}`;
  });
  return [
    `# ${first}: ${firstLine(cause.reason)}`,
    '',
    `Seen at ${target.baseURL} on ${startedAt} by ${suite.name} ${suite.version}.`,
    '',
    '**Broken**',
    '',
    ...clauses,
    ...(again ? ['', '**See it again**', '', ...fenced(again, 'sh')] : []),
    ...(exchange?.response ? ['', '**What came**', '', ...fenced(answerOf(exchange.response), '')] : []),
    '',
    `**Would conform:** ${textOf(first).conforms}.`,
  ]
    .map((line) => visible(line))
    .join('\n');
}

function answerOf({
  status,
  statusText,
  headers,
  body,
}: NonNullable<ReportInput['evidence']['exchanges'][0]['response']>) {
  const lines = [`${status} ${statusText}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', body];
  const text = lines.join('\n').trim();
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

/** A block of code whose fence is longer than any run of backticks in it. */
function fenced(text: string, language: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [fence + language, text, fence];
}
