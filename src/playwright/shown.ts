/** What Playwright's own report, trace and UI mode show of a judgement: the exchanges that decided it, as steps and attachments. */

import { visible } from '../common/visible';
import type { Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { once } from '../evidence/once';
import type { Judgement } from '../judge/verdict';
import { curlOf, type SecretVariables } from '../report/curl';
import { jsonLines, namedIn } from '../report/json';

/** So many exchanges have a step of their own. */
const MOST_STEPS = 20;
/** Characters of a step's title, and of an attachment. */
const LONGEST_TITLE = 160;
const LONGEST_ATTACHMENT = 20_000;
/** Lines of a body. */
const MOST_LINES = 400;

/** A text to attach to a test. */
type Attached = { name: string; text: string };

/** One line for each exchange that decided it, the telling ones first, and how many more there were. */
export function stepsOf(judgement: Judgement, evidence: Evidence): string[] {
  const byIndex = byIndexOf(evidence);
  const telling = judgement.breaches.flatMap(({ exchanges }) => exchanges.map(({ index }) => index));
  const deciding = [...new Set([...telling, ...judgement.evidence])].flatMap((index) => byIndex.get(index) ?? []);
  const steps = deciding.slice(0, MOST_STEPS).map(stepOf);
  const left = deciding.length - steps.length;
  return left > 0 ? [...steps, `${left} more, in evidence.har`] : steps;
}

const byIndexOf = once(({ exchanges }: Evidence) => new Map(exchanges.map((exchange) => [exchange.index, exchange])));

function stepOf({ index, request, account, response, fault, sentAtMs, receivedAtMs }: Exchange): string {
  const whose = account === null ? 'without a valid key' : `as ${account}`;
  const came = [response?.status, fault?.kind].filter((part) => part !== undefined).join(', ');
  const took = `${Math.round(receivedAtMs - sentAtMs)} ms`;
  return cut(visible(`entry ${index}: ${request.method} ${request.url} ${whose} → ${came} (${took})`), LONGEST_TITLE);
}

/** The request and the response that tell most about a breach, as files to look at; none where nothing is broken. */
export function attachmentsOf({ breaches }: Judgement, variables: SecretVariables = {}): Attached[] {
  const [first] = breaches;
  if (!first) return [];
  const exchange = first.exchanges.at(-1);
  const delivery = first.deliveries?.[0];
  const named = namedIn(first.came);
  const attached: Attached[] = [];
  if (exchange) attached.push({ name: 'request (curl)', text: curlOf(exchange.request, variables) });
  if (exchange?.response) {
    const { status, statusText, headers } = exchange.response;
    attached.push({ name: 'response', text: page(`HTTP ${status} ${statusText}`, headers, exchange.response, named) });
  }
  if (delivery)
    attached.push({
      name: 'notification',
      text: page(`${delivery.method} ${delivery.path}`, delivery.headers, delivery, named),
    });
  return attached.map(({ name, text }) => ({ name, text: cut(visible(text), LONGEST_ATTACHMENT) }));
}

/** A message, a line for each header and member; what the breach is about is marked at the beginning of its line. */
function page(
  first: string,
  headers: HeaderLines,
  { body, bodyEncoding }: { body: string; bodyEncoding: 'utf8' | 'base64' },
  named: ReadonlySet<string>,
): string {
  // Only what is short is taken apart.
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

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
