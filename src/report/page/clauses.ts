/** What to act on, cause by cause; every clause by area; and the evidence, entry by entry. */
import { nameOf } from '../../catalogue/catalogue';
import { compact, groupedBy, plural } from '../../common/text';
import { clauseText } from '../../contract/clauses';
import type { ClauseResult } from '../../contract/result';
import { parsed } from '../../evidence/http/json';
import type { Delivery, Evidence, Exchange, HeaderLines, RecordedBody } from '../../evidence/model';
import { fieldsIn } from '../../judge/finding';
import type { Cause } from '../../judge/verdict';
import { commandFor, curlOf } from '../breach/curl';
import { linesOfResponse, variablesInWords } from '../breach/message';
import { type Markup, markup, prose, withPills } from '../markup';
import { type Cell, TO_ACT_ON } from '../tables';
import {
  AREA,
  clausesByArea,
  countsInWords,
  firstLine,
  having,
  headlineOf,
  MOST_LISTED,
  partOf,
  type ReportInput,
  sourceOf,
} from '../words';
import { renderCell, type Section, verdictMark } from './parts';

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
function renderCause(cause: Cause, input: ReportInput, isOpen: boolean): Markup {
  const { clauses, reason, breaches } = cause;
  const exchange = breaches[0]?.exchanges.at(-1);
  const { id, area, conforms } = clauseText(clauses[0] ?? '');
  const command = commandFor(id, exchange, input.evidence);
  const toSet = exchange ? variablesInWords(exchange, input.evidence, {}) : [];
  const answer = linesOfResponse(exchange, area, fieldsIn(breaches, exchange)).join('\n');
  // If the run could not be done, the page lists no clauses to link to.
  const listed: Cell = input.conformance.verdict === 'error' ? clauses.map((code) => ({ code })) : { clauses };
  return markup`
    <details class="fix"${isOpen && markup` open`}>
      <summary>
        <b class="headline">${headlineOf(cause)}</b>\n
        <code class="id">${id}</code>\n
        <span class="reason">${prose(firstLine(reason))}</span>
      </summary>
      <div class="how">
        ${answer && markup`<p class="label">What came</p><pre>${withPills(answer)}</pre>`}
        <p>Would conform: ${prose(conforms)}.</p>
        <p>Clauses: ${renderCell(listed)}</p>
        ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
        ${exchange && markup`<pre class="curl">${curlOf(exchange.request, input.evidence.target)}</pre>`}
        ${toSet.map((what) => markup`<p>To paste it, ${what}</p>`)}
        ${command && markup`<p class="label">One request does not show it. This command does:</p><pre class="curl">${command}</pre>`}
      </div>
    </details>`;
}

/** Returns the clauses that were selected. What passed in an area is folded. */
export function clauseList({ conformance }: ReportInput): Section {
  const areas = clausesByArea(partOf(conformance).selected);
  const body = markup`${areas.map(([area, own]) => renderArea(area, own))}`;
  return { id: 'clauses', title: 'Clauses', body, isFolded: true };
}

function renderArea(area: string, clauses: ClauseResult[]): Markup {
  const passed = having(clauses, 'pass');
  const others = clauses.filter((clause) => !passed.includes(clause));
  const folded = markup`
    <details class="folded">
      <summary>${passed.length} passed</summary>
      <div class="clauses">${passed.map(renderClause)}</div>
    </details>`;
  return markup`
    <h3>${AREA[area] ?? area} <span class="count">${countsInWords(clauses)}</span></h3>
    <div class="clauses">${others.map(renderClause)}</div>
    ${passed.length > 0 && folded}`;
}

/** Shows the clause, its verdict and why. A click opens what would conform, where that stands, and the evidence. */
function renderClause({ id, level, section, statement, verdict, reason, evidence }: ClauseResult): Markup {
  // Why clauses were not tested stands in a section of its own.
  const isExplained = reason !== null && verdict !== 'not-tested';
  const entries = evidence.slice(0, MOST_LISTED).map((index): Cell => ({ link: `${index}`, to: `#x${index}` }));
  const more = evidence.length - entries.length;
  return markup`
    <details class="clause is-${verdict}" id="${id}">
      <summary>
        ${verdictMark(verdict)}
        <span class="what">
          <span class="statement">${prose(statement)}</span>\n
          <code class="id">${id}</code>
          ${isExplained && markup`<span class="reason">${prose(reason)}</span>`}
        </span>
        <b class="level ${level}">${level.toUpperCase()}</b>
      </summary>
      <p class="source">Would conform: ${prose(clauseText(id).conforms)}.</p>
      <p class="source">Source: ${sourceOf(section)}</p>
      ${entries.length > 0 && markup`<p class="source refs">Evidence: ${renderCell(entries)}${more > 0 && `and ${more} more`}</p>`}
    </details>`;
}

/** A longer body is cut. `evidence.har` holds all of it. */
const MOST_CHARACTERS = 2048;

/** Returns every exchange and delivery of the run, in order; `null` if nothing was sent. */
export function evidenceList({ target, exchanges, deliveries }: Evidence): Section | null {
  if (exchanges.length === 0) return null;
  const entries = [...exchanges, ...deliveries].sort((a, b) => a.index - b.index);
  const body = markup`
    <p>
      All ${plural(entries.length, 'entry', 'entries')}, in order. A secret is replaced by its name:\n
      <span class="pill">apiKey <b>account</b></span>.
    </p>\n
    <div class="evidence">
      ${entries.map((entry) => ('probe' in entry ? renderExchange(entry, target) : renderDelivery(entry)))}
    </div>`;
  return { id: 'evidence', title: 'Evidence', body, isFolded: true };
}

function renderExchange(exchange: Exchange, target: Evidence['target']): Markup {
  const { index, request, response, fault, account, probe, sentAtMs } = exchange;
  const { method, url } = request;
  const path = url.startsWith(`${target.baseURL}/`) ? url.slice(target.baseURL.length) : url;
  const answer = compact(response && `${response.status}`, fault?.kind).join(' ');
  const details = markup`
    <pre class="curl">${curlOf(request, target)}</pre>\n
    ${response && renderMessage(`${response.status} ${response.statusText}`, response)}
    ${fault && markup`<p class="fault"><b>${fault.kind}</b>: ${fault.message}</p>`}`;
  return renderEntry(index, [`${method} ${path}`, account ?? 'no valid key', nameOf(probe), answer], sentAtMs, details);
}

function renderDelivery(delivery: Delivery): Markup {
  const line = `${delivery.method} ${delivery.path}`;
  const words = [line, 'to the receiver', '', 'delivered'];
  return renderEntry(delivery.index, words, delivery.receivedAtMs, renderMessage(line, delivery));
}

function renderEntry(index: number, [line = '', who, probe, answer]: string[], atMs: number, details: Markup): Markup {
  return markup`
    <details class="x" id="x${index}">
      <summary>
        <span class="number">${index}</span>\n
        <span class="line"><code>${withPills(line)}</code> <span class="who">${who}</span></span>\n
        <span class="probe">${probe}</span>\n
        <span class="answer">${answer}</span>\n
        <span class="time">${(atMs / 1000).toFixed(3)} s</span>
      </summary>\n
      <div class="exchange">${details}</div>
    </details>`;
}

function renderMessage(first: string, message: RecordedBody & { headers: HeaderLines }): Markup {
  const { headers, body, bodyEncoding } = message;
  const lines = headers.map(([name, value]) => {
    return markup`<span class="name">${withPills(name)}</span>: ${withPills(value)}\n`;
  });
  const rest = `The first ${MOST_CHARACTERS} of ${body.length} characters. evidence.har has them all.`;
  return markup`
    <pre><b>${withPills(first)}</b>\n${lines}</pre>
    ${bodyEncoding === 'base64' && markup`<p class="faint">Not text, shown in base64:</p>`}
    ${body !== '' && markup`<pre class="body">${withPills(shownOf(message))}</pre>`}
    ${body.length > MOST_CHARACTERS && markup`<p class="faint">${rest}</p>`}`;
}

/** Returns what is shown of a body. Short JSON is shown line by line, if nothing but white space differs. */
function shownOf(message: RecordedBody): string {
  const { body } = message;
  if (body.length > MOST_CHARACTERS) return body.slice(0, MOST_CHARACTERS);
  const lines = JSON.stringify(parsed(message), null, 2) ?? '';
  return lines.replace(/\s/g, '') === body.replace(/\s/g, '') ? lines : body;
}
