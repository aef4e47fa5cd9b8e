/** Shows the exchanges that decided a judgement as steps and attachments, in Playwright's report, trace and UI mode. */
import { cut } from '../common/text';
import { visible } from '../common/visible';
import type { Evidence, Exchange } from '../evidence/model';
import { fieldsIn } from '../judge/finding';
import type { Judgement } from '../judge/verdict';
import { curlOf, type Reach } from '../report/breach/curl';
import { jsonLines } from '../report/breach/json';
import type { Message } from '../report/breach/message';

const MOST_STEPS = 20;
/** Most characters of a step's title, and of an attachment. */
const LONGEST_TITLE = 160;
const LONGEST_ATTACHMENT = 20_000;
const MOST_LINES = 400;

/** Returns one line for each exchange that decided it, those of breaches first, and the number of those left out. */
export function stepsOf({ breaches, evidence: deciding }: Judgement, { exchanges }: Evidence): string[] {
  const byIndex = new Map(exchanges.map((exchange) => [exchange.index, exchange]));
  const breaking = breaches.flatMap((breach) => breach.exchanges.map(({ index }) => index));
  const all = [...new Set([...breaking, ...deciding])].flatMap((index) => byIndex.get(index) ?? []);
  const left = all.length - MOST_STEPS;
  return [...all.slice(0, MOST_STEPS).map(stepOf), ...(left > 0 ? [`${left} more, in evidence.har`] : [])];
}

function stepOf({ index, request, account, response, fault, sentAtMs, receivedAtMs }: Exchange): string {
  const whose = account === null ? 'without a valid key' : `as ${account}`;
  const came = [response?.status, fault?.kind].filter((part) => part !== undefined).join(', ');
  const took = `${Math.round(receivedAtMs - sentAtMs)} ms`;
  return cut(visible(`entry ${index}: ${request.method} ${request.url} ${whose} → ${came} (${took})`), LONGEST_TITLE);
}

/** Returns the messages that show a breach best, as files to look at; none if nothing is broken. */
export function attachmentsOf({ breaches }: Judgement, reach: Reach = {}) {
  const [first] = breaches;
  if (!first) return [];
  const exchange = first.exchanges.at(-1);
  const delivery = first.deliveries?.[0];
  const response = exchange?.response;
  const named = fieldsIn(breaches, exchange);
  return [
    exchange && { name: 'request (curl)', text: curlOf(exchange.request, reach) },
    response && { name: 'response', text: page(`HTTP ${response.status} ${response.statusText}`, response, named) },
    delivery && { name: 'notification', text: page(`${delivery.method} ${delivery.path}`, delivery, named) },
  ].flatMap((attached) => (attached ? { ...attached, text: cut(visible(attached.text), LONGEST_ATTACHMENT) } : []));
}

/** Returns a message with a line for each header and member. A line that the breach is about begins with a mark. */
function page(first: string, { headers, body, bodyEncoding }: Message, named: ReadonlySet<string>): string {
  // A longer body is not taken apart.
  const isJson = bodyEncoding === 'utf8' && /^\s*[[{]/.test(body) && body.length <= LONGEST_ATTACHMENT;
  const plain = (text: string) => ({ text, isNamed: false });
  const lines = isJson
    ? jsonLines(body, named)
    : (bodyEncoding === 'base64' ? '(not UTF-8)' : body).split('\n').map(plain);
  return [
    plain(first),
    ...headers.map(([name, value]) => ({ text: `${name}: ${value}`, isNamed: named.has(name.toLowerCase()) })),
    plain(''),
    ...lines.slice(0, MOST_LINES),
    ...(lines.length > MOST_LINES ? [plain('…')] : []),
  ]
    .map((line) => `${line.isNamed ? '>>> ' : '    '}${line.text}`.trimEnd())
    .join('\n');
}
