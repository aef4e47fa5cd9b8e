/** When each account was asked, and what came of it: drawn, and as a table. */

import type { Rate } from '../../evidence/exchange';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { plural } from '../words';
import { drawLanes } from './drawing';
import { type Lane, lanesOf, type Mark } from './lanes';
import type { Section } from './sections';
import { type MarkKind, SIGN, symbol } from './signs';

export function timeline({ evidence }: ReportInput): Section | null {
  if (evidence.exchanges.length === 0) return null;
  const lanes = lanesOf(evidence);
  const windowMs = evidence.target.rate.seconds * 1000;
  const body = markup`
    <figure class="timeline">\n
      <figcaption>${renderCaption(evidence.target.rate)}\n${renderLegend(lanes)}</figcaption>\n
      <div class="scroll" tabindex="0" role="region"\n
        aria-label="Drawing of the run; a table with the same content follows">
        ${drawLanes(lanes, windowMs)}
      </div>\n
      <details class="alternative">
        <summary>The same as a table, window by window</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Requests by window">
          ${tabulate(lanes, windowMs)}
        </div>
      </details>\n
    </figure>`;
  return { id: 'timeline', title: 'Timeline', body };
}

function renderCaption({ requests, seconds }: Rate): Markup {
  return markup`
    <p>
      Each mark is a request, at the moment when its answer arrived; the tail of a mark is the time that the answer\n
      took. Above the line of an account stands what was accepted, below it everything else. A column is as wide as\n
      one window of the rate limit, ${seconds} s, which admits ${plural(requests, 'request')} of each account. The\n
      server’s own windows may begin elsewhere, so one column can rightly hold requests of two windows.
    </p>`;
}

function renderLegend(lanes: Lane[]): Markup {
  const drawn = new Set(lanes.flatMap((lane) => lane.marks.map((mark) => mark.kind)));
  const kinds = (Object.keys(SIGN) as MarkKind[]).filter((kind) => drawn.has(kind));
  const items = kinds.map((kind) => markup`<li>${symbol(kind)} <b>${SIGN[kind].word}</b> ${SIGN[kind].means}</li>`);
  return markup`<ul class="legend">${items}</ul>`;
}

function tabulate(lanes: Lane[], windowMs: number): Markup {
  const windowOf = (mark: Mark) => Math.floor(mark.toMs / windowMs);
  const windows = [...new Set(lanes.flatMap((lane) => lane.marks.map(windowOf)))].sort((a, b) => a - b);
  const at = (window: number) => Math.round((window * windowMs) / 10) / 100;
  const row = (window: number) => {
    const cells = lanes.map((lane) => countsOf(lane.marks.filter((mark) => windowOf(mark) === window)));
    return markup`
      <tr>
        <th scope="row">${at(window)} to ${at(window + 1)} s</th>
        ${cells.map((cell) => markup`<td>${cell}</td>`)}
      </tr>`;
  };
  return markup`
    <table>
      <thead>
        <tr><th scope="col">Window</th>${lanes.map(({ name }) => markup`<th scope="col">${name}</th>`)}</tr>
      </thead>\n
      <tbody>${windows.map(row)}</tbody>
    </table>`;
}

/** "2 accepted, 1 refused" */
function countsOf(marks: Mark[]): string {
  return (Object.keys(SIGN) as MarkKind[])
    .map((kind) => [marks.filter((mark) => mark.kind === kind).length, SIGN[kind].word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}
