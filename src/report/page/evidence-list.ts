/** The evidence, entry by entry: an exchange, or a notification that was delivered. */
import { nameOf } from '../../catalogue/probe';
import { plural } from '../../common/text';
import type { Delivery, Evidence, Exchange, HeaderLines, RecordedBody } from '../../evidence/model';
import { type Outcome, outcomeOf } from '../../evidence/responder/classify';
import { curlOf } from '../breach/curl';
import { jsonLines } from '../breach/message';
import { compact, duration, momentInWords } from '../format';
import { type Markup, markup, withPills } from '../markup';
import type { ReportInput } from '../model';
import type { Section } from './parts';

/** A longer body or value is cut. `evidence.har` holds all of it. */
const MOST_CHARACTERS = 2048;
const HEADER_LINES = 100;

/** The sign and the word for what came of an exchange. `admitted` is a 2xx without a valid key. */
const ANSWER: Record<Outcome | 'admitted', { glyph: string; word: string }> = {
  accepted: { glyph: '●', word: 'accepted' },
  refused: { glyph: '▼', word: 'refused' },
  rejected: { glyph: '◆', word: 'rejected' },
  admitted: { glyph: '▲', word: 'let in' },
  fault: { glyph: '✕', word: 'transport fault' },
  other: { glyph: '■', word: 'other answer' },
};

/** An entry of the evidence, as lists name it. */
export type Entry = ReturnType<typeof entryOfExchange> | ReturnType<typeof entryOfDelivery>;

/** Returns all entries by number. */
export function entriesOf(input: ReportInput): Entry[] {
  const { exchanges, deliveries } = input.evidence;
  const entries = [
    ...exchanges.map((exchange) => entryOfExchange(exchange, input)),
    ...deliveries.map((delivery) => entryOfDelivery(delivery)),
  ];
  return entries.sort((a, b) => a.index - b.index);
}

function entryOfExchange(exchange: Exchange, { evidence, conformance }: ReportInput) {
  const { index, request, response, fault, account, probe, sentAtMs: atMs } = exchange;
  const { method, url } = request;
  const base = conformance.target.baseURL.replace(/\/+$/, '');
  const path = url.startsWith(`${base}/`) ? url.slice(base.length) : url;
  const who = account ?? 'no valid key';
  const outcome = outcomeOf(exchange, evidence);
  // Anybody may send a CORS preflight.
  const isAdmitted = outcome === 'accepted' && account === null && method !== 'OPTIONS';
  const kind = isAdmitted ? 'admitted' : outcome;
  const { glyph, word } = ANSWER[kind];
  const answer = compact(response && `${response.status}`, fault?.kind).join(' ');
  return {
    ...{ index, method, path, who, probe: nameOf(probe), atMs, kind },
    title: `${method} ${path}, ${who}, ${answer}`,
    answer: markup`<span aria-hidden="true">${glyph}</span> ${answer} <span class="sr">${word}</span>`,
    details: () => exchangeDetails(exchange, evidence),
  };
}

function entryOfDelivery(delivery: Delivery) {
  const { index, method, path, receivedAtMs: atMs } = delivery;
  return {
    ...{ index, method, path, who: 'to the receiver', probe: '', atMs, kind: 'delivery' as const },
    title: `notification: ${method} ${path}`,
    answer: markup`delivered`,
    details: () => deliveryDetails(delivery),
  };
}

/** Returns every exchange and delivery of the run, in order. */
export function evidenceList(input: ReportInput): Section | null {
  if (input.evidence.exchanges.length === 0) return null;
  const entries = entriesOf(input).map(renderEntry);
  const body = markup`
    <p>
      All ${plural(entries.length, 'entry', 'entries')}, in order. A secret is replaced by its name:\n
      <span class="pill">apiKey <b>account</b></span>.
    </p>\n
    <div class="evidence">${entries}</div>`;
  return { id: 'evidence', title: 'Evidence', body, isFolded: true };
}

/** Returns the line of an entry and, below it, its details. */
function renderEntry({ index, method, path, who, probe, atMs, kind, answer, details }: Entry): Markup {
  return markup`
    <details class="x" id="x${index}">
      <summary>
        <span class="number">${index}</span>\n
        <span class="line"><code>${method} ${withPills(path)}</code> <span class="who">${who}</span></span>\n
        <span class="probe">${probe}</span>\n
        <span class="answer ${kind}">${answer}</span>\n
        <span class="time">${momentInWords(atMs)}</span>
      </summary>\n
      <div class="exchange">${details()}</div>
    </details>`;
}

function exchangeDetails(exchange: Exchange, { target }: Evidence): Markup {
  const { probe, request, response, fault, sentAtMs, receivedAtMs, connection } = exchange;
  return markup`
    <p class="meta">
      Sent ${momentInWords(sentAtMs)} into the run, took ${duration(receivedAtMs - sentAtMs)};\n
      connection ${connection}; probe <code>${nameOf(probe)}</code>
    </p>\n
    <pre class="curl">${curlOf(request, target)}</pre>\n
    <div class="sides">
      <div><p class="label">Request</p>${renderHead(markup`${request.method} ${withPills(request.url)}`, request.headers)}</div>\n
      <div>
        <p class="label">Response</p>
        ${
          response && [
            renderHead(markup`<b>${response.status} ${response.statusText}</b>`, response.headers),
            renderBody(response),
          ]
        }
        ${fault && markup`<p class="fault"><b>${fault.kind}</b>: ${fault.message}</p>`}
      </div>
    </div>`;
}

function deliveryDetails(delivery: Delivery): Markup {
  const { method, path, headers, receivedAtMs } = delivery;
  return markup`
    <p class="meta">Arrived ${momentInWords(receivedAtMs)} into the run</p>
    <p class="label">Notification</p>
    ${renderHead(markup`${method} ${withPills(path)}`, headers)}
    ${renderBody(delivery)}`;
}

function renderHead(first: Markup, headers: HeaderLines): Markup {
  const lines = headers.slice(0, HEADER_LINES).map(([name, value]) => {
    const more = value.length > MOST_CHARACTERS && '…';
    return markup`<span class="name">${withPills(name)}</span>: ${withPills(value.slice(0, MOST_CHARACTERS))}${more}\n`;
  });
  const more = headers.length - lines.length;
  return markup`<pre>${first}\n${lines}${more > 0 && `and ${plural(more, 'more header line')} in evidence.har\n`}</pre>`;
}

function renderBody({ body, bodyEncoding }: RecordedBody): Markup {
  if (body === '') return markup`<p class="faint">No body.</p>`;
  const shown = body.slice(0, MOST_CHARACTERS);
  const isJson = /^\s*[[{]/.test(shown) && bodyEncoding === 'utf8';
  const content = isJson
    ? jsonLines(shown)
        .map(({ text }) => text)
        .join('\n')
    : shown;
  const rest = `The first ${MOST_CHARACTERS} of ${body.length} characters. evidence.har has them all.`;
  return markup`
    ${bodyEncoding === 'base64' && markup`<p class="faint">Not text, shown in base64:</p>`}
    <pre class="body">${withPills(content)}</pre>
    ${body.length > MOST_CHARACTERS && markup`<p class="faint">${rest}</p>`}`;
}
