/** What to act on, cause by cause: what came, what would conform, how to see it again, and a ticket about it. */
import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/text';
import { visible } from '../../common/visible';
import { againFor, commandFor, curlOf } from '../breach/curl';
import { exampleFor, linesOfResponse } from '../breach/message';
import { fenced } from '../ci/markdown';
import { compact, firstLine, having, standingOf } from '../format';
import { type Markup, markup, prose, withPills } from '../markup';
import type { CauseView, ReportInput } from '../model';
import { TO_ACT_ON } from '../tables';
import { renderCell, type Section } from './sections';

/** Returns what needs to be acted on: what is broken, then warnings, then waivers; `null` if nothing. */
export function fixList(input: ReportInput): Section | null {
  const { clauses, causes: all, conformance } = input;
  const [first] = all;
  if (first === undefined) return null;
  const groups = [...groupedBy(all, ({ verdict }) => verdict)].map(([verdict, causes]) => {
    const counted = having(clauses, verdict);
    const here = new Set(causes.flatMap((cause) => cause.clauses.map(({ id }) => id)));
    const above = counted.filter(({ id }) => !here.has(id)).length;
    const by = here.size > causes.length && ` from ${plural(causes.length, 'cause')}`;
    return markup`
      <h3 class="v-${verdict}">${verdict === 'fail' ? 'Broken' : TO_ACT_ON[verdict]}\n
        <span class="count">${plural(counted.length - above, 'clause')}${by}${above > 0 && `, and ${above} more from a cause above`}</span>
      </h3>
      <div class="clauses">${causes.map((cause) => renderCause(cause, input, cause === first))}</div>`;
  });
  const title = first.verdict === 'fail' ? 'What to fix' : 'What to look at';
  return {
    id: 'fix',
    title: conformance.verdict === 'error' ? 'If the keys and the address are right' : title,
    body: markup`${groups}`,
  };
}

/** Shows a headline and what came. A click opens the answer, how to see it again, and the text of a ticket. */
function renderCause(cause: CauseView, input: ReportInput, isOpen: boolean): Markup {
  const { clauses, exchange, headline, reason } = cause;
  const [{ id, conforms }, ...others] = clauses;
  const command = commandFor(id, exchange, input.evidence);
  const example = exampleFor(id, input.evidence, 2);
  const also = others.map((other) => other.id);
  // If the run could not be done, the page lists no clauses to link to.
  const links =
    input.conformance.verdict !== 'error' &&
    markup`<p>Clauses: ${renderCell({ clauses: clauses.map((clause) => clause.id) })}</p>`;
  return markup`
    <details class="fix"${isOpen && markup` open`}>
      <summary>
        <b class="headline">${headline}</b>\n
        <code class="id">${id}</code>\n
        <span class="reason">${prose(firstLine(reason))}</span>
        ${also.length > 0 && markup`<span class="also">From the same cause: <code>${also.join(', ')}</code></span>`}
      </summary>
      <div class="how">
        ${exchange?.response && markup`<p class="label">What came</p><pre>${withPills(answerIn(cause).join('\n'))}</pre>`}
        <p>Would conform: ${prose(conforms)}.</p>
        ${example && markup`<pre>${example}</pre>`}
        ${links}
        ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
        ${exchange && markup`<pre class="curl">${curlOf(exchange.request, input.evidence.target)}</pre>`}
        ${command && markup`<p class="label">One request does not show it. This command does:</p><pre class="curl">${command}</pre>`}
        <details class="folded">
          <summary>As a ticket, in Markdown</summary>
          <pre class="ticket">${ticketOf(cause, input)}</pre>
        </details>
      </div>
    </details>`;
}

function answerIn({ clauses: [{ area }], exchange, fields }: CauseView): string[] {
  return linesOfResponse(exchange, area, fields);
}

/** Returns a cause as a ticket in Markdown, for whoever fixes the server. The first line is the title. */
export function ticketOf(cause: CauseView, { conformance, evidence }: ReportInput): string {
  const { target, startedAt, suite } = conformance;
  const { clauses, reason, exchange } = cause;
  const [{ id, conforms }] = clauses;
  const again = againFor(id, exchange, evidence);
  const answer = answerIn(cause).join('\n');
  const blocks = compact(
    `# ${id}: ${firstLine(reason)}`,
    `Seen at ${target.baseURL} on ${startedAt} by ${suite.name} ${suite.version}.`,
    '**Broken**',
    clauses.map((clause) => `- \`${clause.id}\` (${standingOf(clause)}): ${clause.statement}`).join('\n'),
    again && `**See it again**\n\n${fenced(again, 'sh')}`,
    answer && `**What came**\n\n${fenced(answer)}`,
    `**Would conform:** ${conforms}.`,
  );
  return visible(blocks.join('\n\n'));
}
