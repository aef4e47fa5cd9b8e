/** The message about a clause that did not pass: what broke it, what would conform, and how to see it again. */
import { compact, cut, visible } from '../../common/text';
import { clauseText } from '../../contract/clauses';
import { memberAt, parsed } from '../../evidence/http/json';
import type { Evidence, Exchange, HeaderLines, RecordedBody } from '../../evidence/model';
import { fieldsIn, reasonOf, sentenceOf } from '../../judge/finding';
import type { Judgement } from '../../judge/verdict';
import { MARKER } from '../../redaction/markers';
import { entriesInWords, filled, standingOf } from '../words';
import { commandFor, curlOf, variableOf } from './curl';

/** A longer line is cut. A document of webhook settings usually fits. */
const LONGEST_LINE = 800;
/** JSON is broken into lines with fewer characters than this. */
const FULL_LINE = 111;
const MOST_MEMBERS = 6;
const MOST_HEADERS = 12;

/** Headers that are shown for clauses of the rate limit, and for other clauses. The evidence holds all. */
const RATE_HEADERS = /^(?:x-ratelimit-|retry-after$|date$)/i;
const OTHER_HEADERS = /^(?:content-type$|www-authenticate$|cache-control$|vary$)/i;

/**
 * Returns the message for people; `null` if nothing is broken.
 * @param sameAs the clause whose message shows the same cause
 * @param shell the variables that a command typed now would find
 */
export function messageOf(
  judgement: Judgement,
  evidence: Evidence,
  sameAs: string | null = null,
  shell: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  const { id, breaches, evidence: entries } = judgement;
  const [first] = breaches;
  if (first === undefined) return null;
  const { statement, conforms, area } = clauseText(id);
  const exchange = first.exchanges.at(-1);
  const arrived = first.deliveries?.[0];
  const lines =
    sameAs !== null
      ? [
          ...labelled('came', `${sentenceOf(first)}${exchange ? ` (entry ${exchange.index})` : ''}`),
          ...labelled('cause', `the same as for ${sameAs}`),
        ]
      : [
          ...labelled('sent', exchange && curlOf(exchange.request, evidence.target)),
          ...labelled('again', commandFor(id, exchange, evidence)),
          ...labelled('came', sentenceOf(first), ...linesOfResponse(exchange, area, fieldsIn(breaches, exchange))),
          ...labelled('arrived', ...(arrived ? linesOf(`${arrived.method} ${arrived.path}`, arrived, new Set()) : [])),
          ...labelled('conforms', conforms),
          ...labelled('evidence', entries.length > 0 && `${entriesInWords(entries)} of evidence.har`),
          ...labelled('also', breaches.length > 1 && reasonOf(breaches.slice(1))),
          ...labelled('where', ...(exchange ? variablesInWords(exchange, evidence, shell) : [])),
        ];
  // Playwright and its reporters print the message unchanged.
  return visible([`${id} (${standingOf(judgement)}): ${statement}`, '', ...lines].join('\n'));
}

function labelled(label: string, ...lines: Parameters<typeof compact>): string[] {
  return compact(...lines).map((line, i) => `  ${(i === 0 ? label : '').padEnd(8)}  ${line}`);
}

/** Returns what the variables of the curl line hold, and which of them have to be set first. `.env` is for the suite alone. */
export function variablesInWords(
  { request }: Exchange,
  { target }: Evidence,
  shell: Readonly<Record<string, string | undefined>>,
): string[] {
  const markers = JSON.stringify(request).match(MARKER) ?? [];
  const variables = markers.map((marker) => variableOf(marker, target.variables));
  const own = [...new Set(variables.flatMap(({ name, isUsers }) => (isUsers ? name : [])))];
  const [set, unset] = [own.filter((name) => shell[name]), own.filter((name) => !shell[name])];
  const named = (names: string[]) => names.map((name) => `$${name}`).join(', ');
  const others = variables.flatMap(({ name, holds, isUsers }) => (isUsers ? [] : `set ${name} to ${holds} first`));
  return compact(
    set.length > 0 && `${named(set)} as set in this shell`,
    unset.length > 0 && `set ${named(unset)} first; from .env: set -a; . ./.env; set +a`,
    ...new Set(others),
  );
}

/** Returns status, telling headers and body. @param named what is wrong: of JSON, only such members are shown */
export function linesOfResponse(exchange: Exchange | undefined, area: string, named: ReadonlySet<string>): string[] {
  const response = exchange?.response;
  if (!response) return [];
  const { status, statusText } = response;
  const isOfRate = area === 'rate';
  const telling = isOfRate ? RATE_HEADERS : OTHER_HEADERS;
  const headers = response.headers.filter(([name]) => telling.test(name) || named.has(name.toLowerCase()));
  // The body of an accepted request says nothing about the rate limit. The body of a refusal does.
  const body = isOfRate && status < 300 ? '' : response.body;
  return linesOf(`${status} ${statusText}`, { ...response, headers, body }, named);
}

/** Returns the first line, the headers and the body of a message; of JSON only the named members, if there are any. */
function linesOf(
  first: string,
  message: RecordedBody & { headers: HeaderLines },
  named: ReadonlySet<string>,
): string[] {
  const { headers, body, bodyEncoding } = message;
  const fields = headers.slice(0, MOST_HEADERS).map(([name, value]) => `${name}: ${value}`);
  const text = bodyEncoding === 'base64' ? '(not UTF-8)' : onOneLine(body);
  const document = parsed(message);
  const isJson = typeof document === 'object' && document !== null;
  const members = [...named].slice(0, MOST_MEMBERS).flatMap((path) => {
    const value = [`webhook.${path}`, path]
      .map((each) => memberAt(document, each))
      .find((found) => found !== undefined);
    const name = JSON.stringify(path.split('.').at(-1));
    return value === undefined ? [] : onOneLine(`… ${name}: ${JSON.stringify(value)} …`);
  });
  const lines = members.length > 0 ? members : isJson ? filled(text.split(/(?<=,)/), FULL_LINE) : [text];
  return [...[first, ...fields].map(onOneLine), ...lines].filter((line) => line !== '');
}

function onOneLine(text: string): string {
  return cut(visible(text.replace(/\s+/g, ' ').trim()), LONGEST_LINE);
}
