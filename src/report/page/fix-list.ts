/** What to act on, cause by cause: what came, what would conform, and how to see it again. */
import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/text';
import { commandFor, curlOf } from '../breach/curl';
import { exampleFor, linesOfResponse } from '../breach/message';
import { firstLine } from '../format';
import { type Markup, markup, prose, withPills } from '../markup';
import type { CauseView, ReportInput } from '../model';
import { type Cell, TO_ACT_ON } from '../tables';
import { renderCell, type Section } from './sections';

/** Returns what needs to be acted on: what is broken, then warnings, then waivers; `null` if nothing. */
export function fixList(input: ReportInput): Section | null {
  const { causes: all, conformance } = input;
  const [first] = all;
  if (first === undefined) return null;
  const groups = [...groupedBy(all, ({ verdict }) => verdict)].map(([verdict, causes]) => {
    return markup`
      <h3 class="v-${verdict}">${verdict === 'fail' ? 'Broken' : TO_ACT_ON[verdict]}\n
        <span class="count">${plural(causes.length, 'cause')}</span>
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

/** Shows a headline and what came. A click opens the answer, all clauses of the cause, and how to see it again. */
function renderCause(cause: CauseView, input: ReportInput, isOpen: boolean): Markup {
  const { clauses, exchange, headline, reason } = cause;
  const [{ id, area, conforms }] = clauses;
  const command = commandFor(id, exchange, input.evidence);
  const example = exampleFor(id, input.evidence, 2);
  const ids = clauses.map((clause) => clause.id);
  const answer = linesOfResponse(exchange, area, cause.fields).join('\n');
  // If the run could not be done, the page lists no clauses to link to.
  const listed: Cell = input.conformance.verdict === 'error' ? ids.map((code) => ({ code })) : { clauses: ids };
  return markup`
    <details class="fix"${isOpen && markup` open`}>
      <summary>
        <b class="headline">${headline}</b>\n
        <code class="id">${id}</code>\n
        <span class="reason">${prose(firstLine(reason))}</span>
      </summary>
      <div class="how">
        ${answer && markup`<p class="label">What came</p><pre>${withPills(answer)}</pre>`}
        <p>Would conform: ${prose(conforms)}.</p>
        ${example && markup`<pre>${example}</pre>`}
        <p>Clauses: ${renderCell(listed)}</p>
        ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
        ${exchange && markup`<pre class="curl">${curlOf(exchange.request, input.evidence.target)}</pre>`}
        ${command && markup`<p class="label">One request does not show it. This command does:</p><pre class="curl">${command}</pre>`}
      </div>
    </details>`;
}
