/** When each account was asked, and what came of it: drawn, and as a table. */

import type { Evidence, Exchange, KeyHolder } from '../../evidence/exchange';
import { valuesOf } from '../../evidence/headers';
import { markup } from '../markup';
import type { ReportInput } from '../model';
import { duration, momentInWords, plural, said } from '../words';
import { drawLanes, type Lane, type Mark } from './drawing';
import type { Section } from './sections';
import { answerOf, type MarkKind, outcomeOf, SIGN, symbol } from './signs';

/** A lane for each account, one for requests without a valid key, and one for notifications; none is empty. */
function lanesOf(evidence: Evidence): Lane[] {
  const { target, exchanges, deliveries } = evidence;
  const accounts = [...target.accounts.map(({ name }) => name), ...exchanges.flatMap(({ account }) => account ?? [])];
  const lane = (name: string, holder: KeyHolder) => {
    const marks = exchanges.filter(({ account }) => account === holder).map((exchange) => markOf(exchange, evidence));
    return { name, marks };
  };
  const arrivals = deliveries.map(({ index, method, path, receivedAtMs: atMs }): Mark => {
    return { index, kind: 'delivery', fromMs: atMs, toMs: atMs, label: `${index}: ${method} ${path}`, isBelow: false };
  });
  return [
    ...[...new Set(accounts)].map((name) => lane(name, name)),
    lane('without a valid key', null),
    { name: 'notifications received', marks: arrivals },
  ].filter(({ marks }) => marks.length > 0);
}

function markOf(exchange: Exchange, evidence: Evidence): Mark {
  const { index, account, request, sentAtMs, receivedAtMs } = exchange;
  const kind = outcomeOf(exchange, evidence);
  const headers = ['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map((name) => {
    const values = valuesOf(exchange, name);
    return values.length > 0 && `${name}: ${values.join(', ')}`;
  });
  const answer = `${answerOf(exchange)} at ${momentInWords(receivedAtMs)} after ${duration(receivedAtMs - sentAtMs)}`;
  const label = said(`${index}: ${request.method} ${request.url}`, answer, ...headers).join('\n');
  return { index, kind, fromMs: sentAtMs, toMs: receivedAtMs, label, isBelow: account !== null && kind !== 'accepted' };
}

/** When each account was asked, and what came of it; `null` where nothing was sent. */
export function timeline({ evidence }: ReportInput): Section | null {
  if (evidence.exchanges.length === 0) return null;
  const lanes = lanesOf(evidence);
  const { requests, seconds } = evidence.target.rate;
  const drawn = new Set(lanes.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const kinds = (Object.keys(SIGN) as MarkKind[]).filter((kind) => drawn.has(kind));
  const legend = kinds.map((kind) => markup`<li>${symbol(kind)} <b>${SIGN[kind].word}</b> ${SIGN[kind].means}</li>`);
  const body = markup`
    <figure class="timeline">\n
      <figcaption>
        <p>
          Each mark is a request, at the moment when its answer arrived; the tail of a mark is the time that the answer\n
          took. Above the line of an account stands what was accepted, below it everything else. A column is as wide as\n
          one window of the rate limit, ${seconds} s, which admits ${plural(requests, 'request')} of each account. The\n
          server’s own windows may begin elsewhere, so one column can rightly hold requests of two windows.
        </p>\n
        <ul class="legend">${legend}</ul>
      </figcaption>\n
      <div class="scroll" tabindex="0" role="region" aria-label="Drawing of the run; the evidence lists the same">
        ${drawLanes(lanes, seconds * 1000)}
      </div>\n
    </figure>`;
  return { id: 'timeline', title: 'Timeline', body };
}
