/** One entry of the evidence: an exchange, or a notification that was delivered. */

import type { Delivery, Evidence, Exchange, HeaderLines, RecordedBody } from '../../evidence/exchange';
import { nameOf } from '../../evidence/probe';
import { curlOf } from '../curl';
import { type JsonLine, jsonLines, namedIn } from '../json';
import { type Markup, markup, withPills } from '../markup';
import type { ReportInput } from '../model';
import { duration, firstLine, momentInWords } from '../words';
import { answerOf, type MarkKind, outcomeOf, SIGN, symbol } from './signs';

/** A longer body is cut: evidence.har holds all of it. */
const BODY_CHARACTERS = 2048;
/** So many header lines of a message are shown. */
const HEADER_LINES = 100;

export interface Entry {
  /** Its number in the evidence. */
  index: number;
  /** One line of text. */
  title: string;
  /** Its line and, below, all that is known of it. */
  body: () => Markup;
}

/** All entries, in the order of their numbers. What the first line of a cause names is marked where it shows best. */
export function entriesOf({ evidence, conformance, causes }: ReportInput): Entry[] {
  const base = conformance.target.baseURL.replace(/\/+$/, '');
  const exchanges = evidence.exchanges.map((exchange): Entry => {
    const { index, request, account } = exchange;
    const path = request.url.startsWith(`${base}/`) ? request.url.slice(base.length) : request.url;
    const reasons = causes.filter(({ telling }) => telling === index).map(({ reason }) => firstLine(reason));
    return {
      index,
      title: `${request.method} ${path}, ${account ?? 'no valid key'}, ${answerOf(exchange)}`,
      body: () => renderExchange(exchange, path, evidence, namedIn(reasons.join(' '))),
    };
  });
  const deliveries = evidence.deliveries.map((delivery): Entry => {
    const { index, method, path } = delivery;
    return { index, title: `notification: ${method} ${path}`, body: () => renderDelivery(delivery) };
  });
  return [...exchanges, ...deliveries].sort((a, b) => a.index - b.index);
}

function renderExchange(exchange: Exchange, path: string, evidence: Evidence, named: ReadonlySet<string>): Markup {
  const { index, account, request, response, fault, sentAtMs, receivedAtMs, connection } = exchange;
  const { method, url, headers } = request;
  const kind = outcomeOf(exchange, evidence);
  const probe = nameOf(exchange.probe);
  const answer = markup`${answerOf(exchange)} <span class="sr">${SIGN[kind].word}</span>`;
  const first = response && markup`<b>${response.status} ${response.statusText}</b>`;
  return renderEntry(
    { index, method, path, who: account ?? 'no valid key', probe, atMs: sentAtMs, kind, answer },
    markup`
      <p class="meta">
        Sent at ${momentInWords(sentAtMs)} of the run, took ${duration(receivedAtMs - sentAtMs)};\n
        connection ${connection}; probe <code>${probe}</code>
      </p>\n
      <pre class="curl">${curlOf(request, evidence.target.variables)}</pre>\n
      <div class="sides">
        <div><p class="label">Request</p>${renderMessage(markup`${method} ${withPills(url)}`, headers)}</div>\n
        <div>
          <p class="label">Response</p>
          ${response && first && renderMessage(first, response.headers)}${response && renderBody(response, named)}
          ${fault && markup`<p class="fault">${symbol('fault')} <b>${fault.kind}</b>: ${fault.message}</p>`}
        </div>
      </div>`,
  );
}

function renderDelivery(delivery: Delivery): Markup {
  const { index, method, path, headers, receivedAtMs: atMs } = delivery;
  const answer = markup`${SIGN.delivery.word}`;
  return renderEntry(
    { index, method, path, who: 'to the receiver', probe: '', atMs, kind: 'delivery', answer },
    markup`
      <p class="meta">Arrived at ${momentInWords(atMs)} of the run</p>
      <p class="label">Notification</p>
      ${renderMessage(markup`${method} ${withPills(path)}`, headers)}
      ${renderBody(delivery, new Set())}`,
  );
}

/** What is seen of an entry that is not opened. */
interface Line {
  index: number;
  method: string;
  path: string;
  who: string;
  probe: string;
  atMs: number;
  kind: MarkKind;
  answer: Markup;
}

function renderEntry({ index, method, path, who, probe, atMs, kind, answer }: Line, details: Markup): Markup {
  return markup`
    <summary>
      <span class="number">${index}</span>\n
      <span class="line"><code>${method} ${withPills(path)}</code> <span class="who">${who}</span></span>\n
      <span class="probe">${probe}</span>\n
      <span class="answer ${kind}">${symbol(kind)} ${answer}</span>\n
      <span class="time">${momentInWords(atMs)}</span>
    </summary>\n
    <div class="exchange">${details}</div>`;
}

/** The first line and the headers of a message. */
function renderMessage(first: Markup, headers: HeaderLines): Markup {
  const shown = headers.slice(0, HEADER_LINES);
  const lines = shown.map(
    ([name, value]) => markup`<span class="name">${withPills(name)}</span>: ${withPills(beginningOf(value))}\n`,
  );
  const more = headers.length - shown.length;
  return markup`<pre>${first}\n${lines}${more > 0 && `and ${more} more header lines, which evidence.har holds\n`}</pre>`;
}

function beginningOf(value: string): string {
  return value.length > BODY_CHARACTERS ? `${value.slice(0, BODY_CHARACTERS)}…` : value;
}

function renderBody({ body, bodyEncoding }: RecordedBody, named: ReadonlySet<string>): Markup {
  if (body === '') return markup`<p class="faint">No body.</p>`;
  const isCut = body.length > BODY_CHARACTERS;
  const shown = isCut ? body.slice(0, BODY_CHARACTERS) : body;
  const isJson = /^\s*[[{]/.test(shown) && bodyEncoding === 'utf8';
  const rest = `The first ${BODY_CHARACTERS} of ${body.length} characters; evidence.har holds them all.`;
  return markup`
    ${bodyEncoding === 'base64' && markup`<p class="faint">Not text; in base64:</p>`}
    <pre class="body">${isJson ? jsonLines(shown, named).map(renderJsonLine) : withPills(shown)}</pre>
    ${isCut && markup`<p class="faint">${rest}</p>`}`;
}

function renderJsonLine({ text, isNamed }: JsonLine): Markup {
  return isNamed ? markup`<mark>${withPills(text)}</mark>\n` : markup`${withPills(text)}\n`;
}
