/** What somebody has to act on: causes with the clauses they break first, then warnings and waivers. */

import { textOf } from '../../contract/clauses';
import type { Cause } from '../../judge/causes';
import { commandFor, curlOf } from '../curl';
import { type Markup, markup, prose } from '../markup';
import type { ReportInput } from '../model';
import { ticketOf } from '../ticket';
import { causesByVerdict, firstLine, plural } from '../words';
import type { Section } from './sections';

const TITLES = { fail: 'Broken', warn: 'Warnings', waived: 'Waived' };

export function fixList(input: ReportInput): Section | null {
  const causes = causesByVerdict(input);
  const groups = (['fail', 'warn', 'waived'] as const).filter((verdict) => causes[verdict].length > 0);
  if (groups.length === 0) return null;
  const verdicts = new Map(input.conformance.clauses.map(({ id, verdict }) => [id, verdict]));
  const body = groups.map((verdict) => {
    const clauses = causes[verdict].flatMap((cause) => cause.clauses).filter((id) => verdicts.get(id) === verdict);
    const by = clauses.length > causes[verdict].length && ` by ${plural(causes[verdict].length, 'cause')}`;
    return markup`
      <h3 class="v-${verdict}">${TITLES[verdict]}\n
        <span class="count">${plural(clauses.length, 'clause')}${by}</span>
      </h3>
      <ul class="fixes">${causes[verdict].map((cause) => renderCause(cause, input))}</ul>`;
  });
  return { id: 'fix', title: causes.fail.length > 0 ? 'What to fix' : 'What to look at', body: markup`${body}` };
}

/** What came; what would conform, how to see it again, and the text of a ticket are one click away. */
function renderCause(cause: Cause, input: ReportInput): Markup {
  const [first = '', ...others] = cause.clauses;
  const also = others.map((id) => markup`<a class="id" href="#${id}">${id}</a> `);
  const { exchanges, target } = input.evidence;
  const exchange = exchanges.find(({ index }) => index === cause.telling);
  const command = commandFor(first, exchange);
  return markup`
    <li><a class="id" href="#${first}">${first}</a>\n
      <p class="reason">${prose(firstLine(cause.reason))}</p>
      ${others.length > 0 && markup`<p class="also">By the same cause: ${also}</p>`}
      <details class="how">
        <summary>What would conform, how to see it again, a ticket</summary>
        <p class="conforms"><span>Would conform:</span> ${prose(textOf(first).conforms)}.</p>
        ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
        ${exchange && markup`<pre class="curl">${curlOf(exchange.request, target.variables)}</pre>`}
        ${command && markup`<p class="label">One request does not show it; this does</p><pre class="curl">${command}</pre>`}
        <p class="label">As a ticket, in Markdown</p>
        <pre class="ticket">${ticketOf(cause, input)}</pre>
      </details>
    </li>`;
}
