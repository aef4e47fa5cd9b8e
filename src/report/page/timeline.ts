/** When each account was asked, and what came of it: drawn, and as a table. */

import type { Evidence, Exchange } from '../../evidence/exchange';
import { valuesOf } from '../../evidence/headers';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { duration, momentInWords, plural } from '../words';
import { drawLanes, type Lane, type Mark } from './drawing';
import type { Section } from './sections';
import { answerOf, type MarkKind, outcomeOf, SIGN, symbol } from './signs';

/** A lane for each account, one for requests without a valid key, and one for notifications; none is empty. */
function lanesOf(evidence: Evidence): Lane[] {
  const { target, exchanges, deliveries } = evidence;
  const names = new Set([
    ...target.accounts.map(({ name }) => name),
    ...exchanges.flatMap(({ account }) => account ?? []),
  ]);
  const marksOf = (name: string | null): Mark[] =>
    exchanges
      .filter(({ account }) => account === name)
      .map((exchange) => {
        const { index, sentAtMs: fromMs, receivedAtMs: toMs } = exchange;
        return { index, kind: outcomeOf(exchange, evidence), fromMs, toMs, label: markLabel(exchange) };
      });
  const arrivals = deliveries.map(({ index, method, path, receivedAtMs: atMs }): Mark => {
    return { index, kind: 'delivery', fromMs: atMs, toMs: atMs, label: `${index}: ${method} ${path}` };
  });
  return [
    ...[...names].map((name) => ({ name, divided: true, marks: marksOf(name) })),
    { name: 'without a valid key', divided: false, marks: marksOf(null) },
    { name: 'notifications received', divided: false, marks: arrivals },
  ].filter((lane) => lane.marks.length > 0);
}

/** What a browser shows over a mark. */
function markLabel(exchange: Exchange): string {
  const { index, request, sentAtMs, receivedAtMs } = exchange;
  const headers = ['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].flatMap((name) => {
    const values = valuesOf(exchange, name);
    return values.length > 0 ? [`${name}: ${values.join(', ')}`] : [];
  });
  const answer = `${answerOf(exchange)} at ${momentInWords(receivedAtMs)} after ${duration(receivedAtMs - sentAtMs)}`;
  return [`${index}: ${request.method} ${request.url}`, answer, ...headers].join('\n');
}

export function timeline({ evidence }: ReportInput): Section | null {
  if (evidence.exchanges.length === 0) return null;
  const lanes = lanesOf(evidence);
  const { requests, seconds } = evidence.target.rate;
  const body = markup`
    <figure class="timeline">\n
      <figcaption>
        <p>
          Each mark is a request, at the moment when its answer arrived; the tail of a mark is the time that the answer\n
          took. Above the line of an account stands what was accepted, below it everything else. A column is as wide as\n
          one window of the rate limit, ${seconds} s, which admits ${plural(requests, 'request')} of each account. The\n
          server’s own windows may begin elsewhere, so one column can rightly hold requests of two windows.
        </p>\n
        ${renderLegend(lanes)}
      </figcaption>\n
      <div class="scroll" tabindex="0" role="region" aria-label="Drawing of the run; the evidence lists the same">
        ${drawLanes(lanes, seconds * 1000)}
      </div>\n
    </figure>`;
  return { id: 'timeline', title: 'Timeline', body };
}

function renderLegend(lanes: Lane[]): Markup {
  const drawn = new Set(lanes.flatMap((lane) => lane.marks.map((mark) => mark.kind)));
  const kinds = (Object.keys(SIGN) as MarkKind[]).filter((kind) => drawn.has(kind));
  const items = kinds.map((kind) => markup`<li>${symbol(kind)} <b>${SIGN[kind].word}</b> ${SIGN[kind].means}</li>`);
  return markup`<ul class="legend">${items}</ul>`;
}
