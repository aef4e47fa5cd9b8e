/** The message about a clause that did not pass: what broke it, what would conform, and how to see it again. */

import { textOf } from '../contract/clauses';
import type { Delivery, Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { parsed } from '../evidence/json';
import { MARKER } from '../evidence/markers';
import type { Breach } from '../judge/finding';
import type { Judgement } from '../judge/verdict';
import { visible } from '../visible';
import { commandFor, curlOf, variableOf } from './curl';
import { entriesInWords } from './words';

/** A line that is longer is cut. A document of webhook settings usually fits. */
const LONGEST_LINE = 800;
/** JSON is broken into lines of about so many characters. */
const FULL_LINE = 110;
/** So many entries of the evidence are listed. */
const MOST_ENTRIES = 12;
/** So many breaches after the first are told, a line each. */
const MOST_OTHERS = 3;
/** So many header lines are shown of a response or a notification. */
const MOST_HEADERS = { response: 8, delivery: 12 };

/** Headers that a clause may be about. The evidence holds the others. */
const TELLING_HEADERS = /^(?:x-ratelimit-|retry-after$|date$|content-type$|www-authenticate$|cache-control$|vary$)/i;

/**
 * The message for people, of several lines; `null` where there is nothing to say: `pass` and `not-tested`.
 * @param sameAs the clause that tells the same cause in full; `null` where this one does
 */
export function messageOf(judgement: Judgement, evidence: Evidence, sameAs: string | null = null): string | null {
  const [first, ...others] = judgement.breaches;
  if (first === undefined) return null;
  const { id, evidence: entries } = judgement;
  const text = textOf(id);
  const exchange = first.exchanges.at(-1);
  const delivery = first.deliveries?.[0];
  const again = commandFor(id, exchange);
  const title = `${text.id} (${text.level.toUpperCase()}, section ${text.section}): ${text.statement.trim()}`;
  if (sameAs !== null) {
    const came = exchange ? `${first.came} (entry ${exchange.index})` : first.came;
    return visible(
      [title, '', ...labelled('came', [came]), ...labelled('cause', [`the same as that of ${sameAs}`])].join('\n'),
    );
  }
  const message = [
    title,
    '',
    ...(exchange ? labelled('sent', [curlOf(exchange.request, evidence.target.variables)]) : []),
    ...(again ? labelled('again', [again]) : []),
    ...labelled('came', [first.came, ...(exchange ? linesOfResponse(exchange, text.area) : [])]),
    ...(delivery ? labelled('arrived', linesOfDelivery(delivery)) : []),
    ...labelled('conforms', [text.conforms]),
    ...(entries.length > 0 ? labelled('evidence', [`${entriesInWords(entries, MOST_ENTRIES)} of evidence.har`]) : []),
    ...othersInWords(first, others).flatMap((line) => labelled('also', [line])),
    ...(exchange ? labelled('where', variablesInWords(exchange, evidence)) : []),
  ].join('\n');
  // Playwright and its reporters print it as it is.
  return visible(message);
}

/** Lines with a label before the first of them. */
function labelled(label: string, lines: string[]): string[] {
  return lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(8)} ${line}`);
}

/** The other breaches, a line for each sentence: one that was told already is only counted. */
function othersInWords(first: Breach, others: Breach[]): string[] {
  const told = others.filter(
    ({ came }, i) => came !== first.came && others.findIndex((one) => one.came === came) === i,
  );
  const lines = told.slice(0, MOST_OTHERS).map(({ came, exchanges }) => {
    const [exchange] = exchanges;
    return exchange ? `${came} (entry ${exchange.index})` : came;
  });
  const more = others.length - lines.length;
  return more > 0 ? [...lines, `${more} more`] : lines;
}

/** What the variables of the curl line hold, and which of them the user has to set first. */
function variablesInWords({ request }: Exchange, { target }: Evidence): string[] {
  const markers = [...new Set([...JSON.stringify(request).matchAll(MARKER)].map(([marker]) => marker))];
  const variables = markers.map((marker) => variableOf(marker, target.variables));
  const own = [...new Set(variables.filter(({ isUsers }) => isUsers).map(({ name }) => `$${name}`))];
  const unset = new Map(variables.filter(({ isUsers }) => !isUsers).map(({ name, holds }) => [name, holds]));
  return [
    ...(own.length > 0 ? [`${own.join(', ')} as you set ${own.length === 1 ? 'it' : 'them'} for this run`] : []),
    ...[...unset].map(([name, holds]) => `set ${name} to ${holds} first`),
  ];
}

function linesOfResponse({ response }: Exchange, area: string): string[] {
  if (!response) return [];
  // What was served says nothing about the rate limit; what refuses a request does.
  const body = area === 'rate' && response.status < 300 ? '' : response.body;
  const headers = response.headers.filter(([name]) => TELLING_HEADERS.test(name)).slice(0, MOST_HEADERS.response);
  return linesOf(`${response.status} ${response.statusText}`, headers, { ...response, body });
}

/** A notification has few headers, and any of them may be the credentials. */
function linesOfDelivery(delivery: Delivery): string[] {
  const headers = delivery.headers.slice(0, MOST_HEADERS.delivery);
  return linesOf(`${delivery.method} ${delivery.path}`, headers, delivery);
}

/** First line, headers and body of a message, a line each; JSON takes as many as it needs. */
function linesOf(
  first: string,
  headers: HeaderLines,
  { body, bodyEncoding }: Pick<Delivery, 'body' | 'bodyEncoding'>,
): string[] {
  const fields = headers.map(([name, value]) => `${name}: ${value}`);
  const text = bodyEncoding === 'base64' ? '(not UTF-8)' : onOneLine(body);
  return [...[first, ...fields].map(onOneLine), ...(isJson(body) ? brokenAtCommas(text) : [text])].filter(
    (line) => line !== '',
  );
}

function onOneLine(text: string): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}

function isJson(text: string): boolean {
  const document = parsed(text);
  return typeof document === 'object' && document !== null;
}

/** Lines of a readable length, each as full as can be. */
function brokenAtCommas(text: string): string[] {
  const lines: string[] = [];
  for (const piece of text.split(/(?<=,)/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + piece.length <= FULL_LINE) lines[lines.length - 1] = last + piece;
    else lines.push(piece);
  }
  return lines;
}
