import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/plural';
import { commandFor, curlOf } from '../breach/curl';
import { ticketOf } from '../breach/ticket';
import { firstLine, having } from '../format';
import { type Markup, markup, prose } from '../markup';
import type { CauseView, ReportInput } from '../model';
import { TO_ACT_ON } from '../tables';
import { renderAnswer } from './evidence-list';
import { renderCell, type Section } from './sections';

/** Returns what needs to be acted on: causes with the clauses they break, then warnings and waivers; `null` if none. */
export function fixList(input: ReportInput): Section | null {
  const { clauses, causes: all, conformance } = input;
  const [first] = all;
  if (first === undefined) return null;
  const groups = [...groupedBy(all, ({ verdict }) => verdict)].map(([verdict, causes]) => {
    const counted = having(clauses, verdict);
    const here = new Set(causes.flatMap((cause) => cause.clauses.map(({ id }) => id)));
    const above = counted.filter(({ id }) => !here.has(id)).length;
    const by = here.size > causes.length && ` by ${plural(causes.length, 'cause')}`;
    return markup`
      <h3 class="v-${verdict}">${verdict === 'fail' ? 'Broken' : TO_ACT_ON[verdict]}\n
        <span class="count">${plural(counted.length - above, 'clause')}${by}${above > 0 && `, ${above} more by a cause above`}</span>
      </h3>
      <div class="clauses">${causes.map((cause) => renderCause(cause, input))}</div>`;
  });
  const title = first.verdict === 'fail' ? 'What to fix' : 'What to look at';
  return {
    id: 'fix',
    title: conformance.verdict === 'error' ? 'If keys and address are right' : title,
    body: markup`${groups}`,
  };
}

/** Shows a headline and what came. A click opens the answer, how to see it again, and the text of a ticket. */
function renderCause(cause: CauseView, input: ReportInput): Markup {
  const { clauses, exchange, headline, reason, fields } = cause;
  const [first, ...others] = clauses.map(({ id }) => id);
  const { target } = input.evidence;
  const command = commandFor(clauses[0].id, exchange, input.evidence);
  // If the run could not be done, the page lists no clauses to link to.
  const links =
    input.conformance.verdict !== 'error' &&
    markup`<p>Clauses: ${renderCell({ clauses: clauses.map(({ id }) => id) })}</p>`;
  return markup`
    <details class="fix">
      <summary>
        <b class="headline">${headline}</b>\n
        <code class="id">${first}</code>\n
        <span class="reason">${prose(firstLine(reason))}</span>
        ${others.length > 0 && markup`<span class="also">By the same cause: <code>${others.join(', ')}</code></span>`}
      </summary>
      <div class="how">
        ${exchange?.response && markup`<p class="label">What came</p>${renderAnswer(exchange.response, fields)}`}
        <p>Would conform: ${prose(clauses[0].conforms)}.</p>
        ${links}
        ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
        ${exchange && markup`<pre class="curl">${curlOf(exchange.request, target.variables)}</pre>`}
        ${command && markup`<p class="label">One request does not show it; this does</p><pre class="curl">${command}</pre>`}
        <details class="folded">
          <summary>As a ticket, in Markdown</summary>
          <pre class="ticket">${ticketOf(cause, input)}</pre>
        </details>
      </div>
    </details>`;
}
