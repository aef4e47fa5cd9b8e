/** What somebody has to act on: causes with the clauses they break first, then warnings and waivers. */

import { textOf } from '../../contract/clauses';
import type { Exchange } from '../../evidence/exchange';
import type { Cause } from '../../judge/causes';
import { commandFor } from '../again';
import { curlOf } from '../curl';
import { type Markup, markup, prose } from '../markup';
import type { ReportInput } from '../model';
import { ticketOf } from '../ticket';
import { firstLine, plural } from '../words';
import type { Section } from './section';

export function fixList(input: ReportInput): Section | null {
  const { clauses } = input.conformance;
  const fails = (id: string | undefined) => clauses.some((one) => one.id === id && one.verdict === 'fail');
  const broken = input.causes.filter(({ clauses: [first] }) => fails(first));
  const warned = input.causes.filter((cause) => !broken.includes(cause));
  const waived = clauses.filter(({ verdict }) => verdict === 'waived');
  const ofWaived = waived.map(({ id, reason, evidence }): Cause => {
    return { clauses: [id], reason: reason ?? '', telling: evidence[0] ?? null };
  });
  const body = [
    renderGroup('fail', 'Broken', broken, input),
    renderGroup('warn', 'Warnings', warned, input),
    renderGroup('waived', 'Waived', ofWaived, input),
  ];
  if (body.every((group) => group === null)) return null;
  return { id: 'fix', title: broken.length > 0 ? 'What to fix' : 'What to look at', body: markup`${body}` };
}

function renderGroup(verdict: string, title: string, causes: Cause[], input: ReportInput): Markup | null {
  if (causes.length === 0) return null;
  const clauses = causes.reduce((sum, cause) => sum + cause.clauses.length, 0);
  const count = clauses > causes.length ? `${plural(clauses, 'clause')} by ${plural(causes.length, 'cause')}` : clauses;
  return markup`
    <h3 class="v-${verdict}">${title} <span class="count">${count}</span></h3>
    <ul class="fixes">${causes.map((cause) => renderCause(cause, input))}</ul>`;
}

function renderCause(cause: Cause, input: ReportInput): Markup {
  const [first = '', ...others] = cause.clauses;
  const also = others.map((id) => markup`<a class="id" href="#${id}">${id}</a> `);
  const exchange = input.evidence.exchanges.find(({ index }) => index === cause.telling);
  return markup`
    <li><a class="id" href="#${first}">${first}</a>\n
      <p class="reason">${prose(firstLine(cause.reason))}</p>
      ${others.length > 0 && markup`<p class="also">By the same cause: ${also}</p>`}
      ${renderMore(cause, exchange, input)}
    </li>`;
}

/** What would conform, how to see it again, and the text of a ticket: one click away. */
function renderMore(cause: Cause, exchange: Exchange | undefined, input: ReportInput): Markup {
  const [first = ''] = cause.clauses;
  const { variables } = input.evidence.target;
  const command = commandFor(first, exchange);
  return markup`
    <details class="how">
      <summary>What would conform, how to see it again, a ticket</summary>
      <p class="conforms"><span>Would conform:</span> ${prose(textOf(first).conforms)}.</p>
      ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
      ${exchange && markup`<pre class="curl">${curlOf(exchange.request, variables)}</pre>`}
      ${command && markup`<p class="label">One request does not show it; this does</p><pre class="curl">${command}</pre>`}
      <p class="label">As a ticket, in Markdown</p>
      <pre class="ticket">${ticketOf(cause, input)}</pre>
    </details>`;
}
