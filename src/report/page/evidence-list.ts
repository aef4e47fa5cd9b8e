/** The evidence, entry by entry: an exchange, or a notification that was delivered. */
import { nameOf } from '../../catalogue/probe';
import { compact, plural } from '../../common/text';
import type { Evidence, HeaderLines, RecordedBody } from '../../evidence/model';
import { curlOf } from '../breach/curl';
import { jsonLines } from '../breach/message';
import { type Markup, markup, withPills } from '../markup';
import type { Section } from './parts';

/** A longer body or value is cut. `evidence.har` holds all of it. */
const MOST_CHARACTERS = 2048;
const HEADER_LINES = 100;

/** What is shown of an entry: its line, and below it, at a click, its details. */
interface Entry {
  index: number;
  line: string;
  who: string;
  probe: string;
  answer: string;
  atMs: number;
  details: Markup;
}

/** Returns every exchange and delivery of the run, in order; `null` if nothing was sent. */
export function evidenceList({ target, exchanges, deliveries }: Evidence): Section | null {
  if (exchanges.length === 0) return null;
  const entries = [
    ...exchanges.map(({ index, request, response, fault, account, probe, sentAtMs }): Entry => {
      const { method, url } = request;
      const details = markup`
        <pre class="curl">${curlOf(request, target)}</pre>\n
        ${response && renderMessage(`${response.status} ${response.statusText}`, response)}
        ${fault && markup`<p class="fault"><b>${fault.kind}</b>: ${fault.message}</p>`}`;
      return {
        ...{ index, probe: nameOf(probe), atMs: sentAtMs, details, who: account ?? 'no valid key' },
        line: `${method} ${url.startsWith(`${target.baseURL}/`) ? url.slice(target.baseURL.length) : url}`,
        answer: compact(response && `${response.status}`, fault?.kind).join(' '),
      };
    }),
    ...deliveries.map((delivery): Entry => {
      const { index, method, path, receivedAtMs } = delivery;
      const line = `${method} ${path}`;
      const details = renderMessage(line, delivery);
      return { index, line, who: 'to the receiver', probe: '', answer: 'delivered', atMs: receivedAtMs, details };
    }),
  ].sort((a, b) => a.index - b.index);
  const body = markup`
    <p>
      All ${plural(entries.length, 'entry', 'entries')}, in order. A secret is replaced by its name:\n
      <span class="pill">apiKey <b>account</b></span>.
    </p>\n
    <div class="evidence">${entries.map(renderEntry)}</div>`;
  return { id: 'evidence', title: 'Evidence', body, isFolded: true };
}

function renderEntry({ index, line, who, probe, atMs, answer, details }: Entry): Markup {
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

/** Returns the first line, the headers and the body of a response or a notification. */
function renderMessage(first: string, message: RecordedBody & { headers: HeaderLines }): Markup {
  const { headers, body, bodyEncoding } = message;
  const lines = headers.slice(0, HEADER_LINES).map(([name, value]) => {
    const more = value.length > MOST_CHARACTERS && '…';
    return markup`<span class="name">${withPills(name)}</span>: ${withPills(value.slice(0, MOST_CHARACTERS))}${more}\n`;
  });
  const left = headers.length - lines.length;
  const shown = body.slice(0, MOST_CHARACTERS);
  const isJson = /^\s*[[{]/.test(shown) && bodyEncoding === 'utf8';
  const indented = isJson ? jsonLines(shown).map(({ text }) => text) : [shown];
  const rest = `The first ${MOST_CHARACTERS} of ${body.length} characters. evidence.har has them all.`;
  return markup`
    <pre><b>${withPills(first)}</b>\n${lines}${left > 0 && `and ${plural(left, 'more header line')} in evidence.har\n`}</pre>
    ${bodyEncoding === 'base64' && markup`<p class="faint">Not text, shown in base64:</p>`}
    ${body !== '' && markup`<pre class="body">${withPills(indented.join('\n'))}</pre>`}
    ${body.length > MOST_CHARACTERS && markup`<p class="faint">${rest}</p>`}`;
}
