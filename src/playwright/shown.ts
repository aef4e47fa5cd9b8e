/** What Playwright's own report, trace and UI mode show of a judgement: the exchanges that decided it, as steps and attachments. */
import type { Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { isTooDeep } from '../evidence/json';
import type { Judgement } from '../judge/verdict';
import { curlOf } from '../report/curl';
import { visible } from '../visible';
import type { Attached } from './hand-over';

/** So many exchanges have a step of their own. */
const MOST_STEPS = 20;
/** Characters of a step's title, and of an attachment. */
const LONGEST_TITLE = 160;
const LONGEST_ATTACHMENT = 20_000;
/** Lines of a body. */
const MOST_LINES = 400;

/** One line for each exchange that decided it, the telling ones first, and how many more there were. */
export function stepsOf(judgement: Judgement, evidence: Evidence): string[] {
  const byIndex = new Map(evidence.exchanges.map((exchange) => [exchange.index, exchange]));
  const telling = judgement.breaches.flatMap(({ exchanges }) => exchanges.map(({ index }) => index));
  const deciding = [...new Set([...telling, ...judgement.evidence])].flatMap((index) => byIndex.get(index) ?? []);
  const steps = deciding.slice(0, MOST_STEPS).map(stepOf);
  const left = deciding.length - steps.length;
  return left > 0 ? [...steps, `${left} more, in evidence.har`] : steps;
}

function stepOf({ index, request, account, response, fault, sentAtMs, receivedAtMs }: Exchange): string {
  const whose = account === null ? 'without a valid key' : `as ${account}`;
  const came = [response?.status, fault?.kind].filter((part) => part !== undefined).join(', ');
  const took = `${Math.round(receivedAtMs - sentAtMs)} ms`;
  return cut(visible(`entry ${index}: ${request.method} ${request.url} ${whose} → ${came} (${took})`), LONGEST_TITLE);
}

/** The request and the response that tell most about a breach, as files to look at; none where nothing is broken. */
export function attachmentsOf({ breaches }: Judgement): Attached[] {
  const [first] = breaches;
  if (!first) return [];
  const exchange = first.exchanges.at(-1);
  const delivery = first.deliveries?.[0];
  const named = namedIn(first.came);
  const attached: Attached[] = [];
  if (exchange) attached.push({ name: 'request (curl)', text: curlOf(exchange.request) });
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

/** The words in a sentence about a breach that may be the path of a member or the name of a header. */
function namedIn(came: string): ReadonlySet<string> {
  return new Set((came.match(/[\w.-]+/g) ?? []).map((word) => word.replace(/[.]+$/, '').toLowerCase()));
}

/** Whether the sentence speaks of the member: by its path, below `webhook` or from the top, or by its name where it has one level. */
function isNamed(path: readonly string[], named: ReadonlySet<string>): boolean {
  const full = path.join('.').toLowerCase();
  return (
    named.has(full) || (path[0] === 'webhook' && path.length > 1 && named.has(path.slice(1).join('.').toLowerCase()))
  );
}

/** A message, a line for each header and member; what the breach is about is marked at the beginning of its line. */
function page(
  first: string,
  headers: HeaderLines,
  { body, bodyEncoding }: { body: string; bodyEncoding: 'utf8' | 'base64' },
  named: ReadonlySet<string>,
): string {
  const lines = [
    { text: first, isNamed: false },
    ...headers.map(([name, value]) => ({ text: `${name}: ${value}`, isNamed: named.has(name.toLowerCase()) })),
    { text: '', isNamed: false },
    ...(bodyEncoding === 'base64' ? [{ text: '(not UTF-8)', isNamed: false }] : bodyLines(body, named)),
  ];
  return lines.map((line) => `${line.isNamed ? '>>> ' : '    '}${line.text}`.trimEnd()).join('\n');
}

interface Line {
  text: string;
  isNamed: boolean;
}

/** JSON stands a member on each line, anything else as it came. */
function bodyLines(body: string, named: ReadonlySet<string>): Line[] {
  const pretty = prettyJson(body);
  const path: string[] = [];
  const lines = (pretty ?? body).split('\n').map((text) => {
    if (pretty === null) return { text, isNamed: false };
    const [, indent = '', name] = /^( *)(?:"((?:[^"\\]|\\.)*)": )?/.exec(text) ?? [];
    path.length = indent.length / 2;
    if (name === undefined) return { text, isNamed: false };
    path[path.length - 1] = name;
    return { text, isNamed: isNamed(path, named) };
  });
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), { text: '…', isNamed: false }] : lines;
}

function prettyJson(body: string): string | null {
  if (body.length > LONGEST_ATTACHMENT || isTooDeep(body)) return null;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Not JSON: it stands as it came.
    return null;
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
