/** The message about a clause that did not pass: what broke it, what would conform, and how to see it again. */

import { textOf } from '../contract/clauses';
import type { Delivery, Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { MARKER } from '../evidence/markers';
import type { Breach } from '../judge/finding';
import type { Judgement } from '../judge/verdict';
import { visible } from '../visible';
import { curlOf, variableOf } from './curl';

/** A line that is longer is cut. A document of webhook settings usually fits. */
const LONGEST_LINE = 800;
/** So many entries of the evidence are listed. */
const MOST_ENTRIES = 12;
/** So many breaches after the first are told, a line each. */
const MOST_OTHERS = 3;
/** So many header lines are shown of a response or a notification. */
const MOST_HEADERS = { response: 8, delivery: 12 };

/** Headers that a clause may be about. The evidence holds the others. */
const TELLING_HEADERS = /^(?:x-ratelimit-|retry-after$|date$|content-type$|www-authenticate$|cache-control$|vary$)/i;

/** The message for people, of several lines; `null` where there is nothing to say: `pass` and `not-tested`. */
export function messageOf(judgement: Judgement, evidence: Evidence): string | null {
  const [first, ...others] = judgement.breaches;
  if (first === undefined) return null;
  const text = textOf(judgement.id);
  const exchange = first.exchanges.at(-1);
  const delivery = first.deliveries?.[0];
  return [
    `${text.id} (${text.level.toUpperCase()}, section ${text.section}): ${text.statement.trim()}`,
    '',
    ...(exchange ? labelled('sent', [curlOf(exchange.request)]) : []),
    ...labelled('came', [first.came, ...(exchange ? linesOfResponse(exchange) : [])]),
    ...(delivery ? labelled('arrived', linesOfDelivery(delivery)) : []),
    ...labelled('conforms', [text.conforms]),
    ...labelled('evidence', entriesInWords(judgement.evidence)),
    ...othersInWords(others).flatMap((line) => labelled('also', [line])),
    ...(exchange ? labelled('where', variablesInWords(exchange, evidence)) : []),
  ].join('\n');
}

/** Lines with a label before the first of them. */
function labelled(label: string, lines: string[]): string[] {
  return lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(8)} ${line}`);
}

function entriesInWords(entries: number[]): string[] {
  if (entries.length === 0) return [];
  const listed = entries.slice(0, MOST_ENTRIES).join(', ');
  const noun = entries.length === 1 ? 'entry' : 'entries';
  return [`${noun} ${listed}${entries.length > MOST_ENTRIES ? ', …' : ''} of evidence.har`];
}

function othersInWords(others: Breach[]): string[] {
  const told = others.slice(0, MOST_OTHERS).map(({ came, exchanges }) => {
    const [exchange] = exchanges;
    return exchange ? `${came} (entry ${exchange.index})` : came;
  });
  return others.length > MOST_OTHERS ? [...told, `${others.length - MOST_OTHERS} more`] : told;
}

/** What the variables of the curl line stand for. */
function variablesInWords({ request }: Exchange, { target }: Evidence): string[] {
  const markers = [...JSON.stringify(request).matchAll(MARKER)].map(([marker]) => marker);
  const names = [...new Set(markers.map((marker) => `$${variableOf(marker)}`))];
  if (names.length === 0) return [];
  const verb = names.length === 1 ? 'stands for a secret' : 'stand for secrets';
  return [`${names.join(', ')} ${verb}; the target is ${target.baseURL}`];
}

function linesOfResponse({ response }: Exchange): string[] {
  if (!response) return [];
  const headers = response.headers.filter(([name]) => TELLING_HEADERS.test(name)).slice(0, MOST_HEADERS.response);
  return linesOf(`${response.status} ${response.statusText}`, headers, response);
}

/** A notification has few headers, and any of them may be the credentials. */
function linesOfDelivery(delivery: Delivery): string[] {
  const headers = delivery.headers.slice(0, MOST_HEADERS.delivery);
  return linesOf(`${delivery.method} ${delivery.path}`, headers, delivery);
}

/** First line, headers and body of a message, a line each. */
function linesOf(
  first: string,
  headers: HeaderLines,
  { body, bodyEncoding }: Pick<Delivery, 'body' | 'bodyEncoding'>,
): string[] {
  const fields = headers.map(([name, value]) => `${name}: ${value}`);
  return [first, ...fields, bodyEncoding === 'base64' ? '(not UTF-8)' : body]
    .map((line) => visible(line.replace(/\s+/g, ' ').trim()))
    .filter((line) => line !== '')
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line));
}
