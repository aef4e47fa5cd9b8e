/** The drawing of a run: when each account was asked, and what came of it. */

import type { Evidence, Exchange, Rate } from '../../evidence/exchange';
import { valuesOf } from '../../evidence/headers';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { duration, momentInWords, plural } from '../words';
import type { Section } from './section';
import { answerOf, LEGEND, type MarkKind, OUTCOME, outcomeOf, symbol } from './signs';

interface Mark {
  index: number;
  kind: MarkKind;
  fromMs: number;
  toMs: number;
  label: string;
}

interface Lane {
  name: string;
  /** Whether accepted requests stand above the line and all others below it: so for an account. */
  divided: boolean;
  marks: Mark[];
}

/** All in pixels. */
const WIDTH = 1060;
const NARROWEST_WINDOW = 22;
const WIDEST = 6000;
/** The width and the height that a mark takes. */
const MARK = 9;
/** At most so many marks stand on top of one another; any more overlap. */
const HIGHEST_STACK = 20;

/** All exchanges and deliveries over the windows of the rate limit, as a drawing and as a table. */
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
  return { id: 'timeline', title: 'The run in time', body };
}

function renderCaption({ requests, seconds }: Rate): Markup {
  return markup`
    <p>
      Every request stands where its answer came, trailing the time it waited for it. Above the line of an account is\n
      what was accepted, below it what was not. A column is one window of the rate limit, ${seconds} s; it admits\n
      ${plural(requests, 'request')} of each account. Where the server’s own windows begin is not known, so two\n
      neighbours may share a column.
    </p>`;
}

function renderLegend(lanes: Lane[]): Markup {
  const drawn = new Set(lanes.flatMap((lane) => lane.marks.map((mark) => mark.kind)));
  const kinds = (Object.keys(LEGEND) as MarkKind[]).filter((kind) => drawn.has(kind));
  const items = kinds.map((kind) => markup`<li>${symbol(kind)} <b>${OUTCOME[kind]}</b> ${LEGEND[kind]}</li>`);
  return markup`<ul class="legend">${items}</ul>`;
}

function lanesOf(evidence: Evidence): Lane[] {
  const { target, exchanges, deliveries } = evidence;
  const names = new Set([...target.accounts.map((account) => account.name), ...exchanges.map((x) => x.account)]);
  names.delete(null);
  const marksOf = (account: string | null) =>
    exchanges
      .filter((x) => x.account === account)
      .map((x) => ({
        index: x.index,
        kind: outcomeOf(x, evidence),
        fromMs: x.sentAtMs,
        toMs: x.receivedAtMs,
        label: markLabel(x),
      }));
  const arrivals = deliveries.map(({ index, method, path, receivedAtMs }) => {
    const label = `${index}: ${method} ${path}`;
    return { index, kind: 'delivery' as const, fromMs: receivedAtMs, toMs: receivedAtMs, label };
  });
  return [
    ...[...names].map((name) => ({ name: `${name}`, divided: true, marks: marksOf(name) })),
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

function drawLanes(lanes: Lane[], windowMs: number): Markup {
  const endMs = Math.max(windowMs, ...lanes.flatMap((lane) => lane.marks.map((mark) => mark.toMs)));
  const windows = Math.ceil(endMs / windowMs + 0.01);
  const column = Math.max(WIDTH / windows, Math.min(NARROWEST_WINDOW, WIDEST / windows));
  const width = Math.ceil(windows * column);
  const x = (ms: number) => round((ms / windowMs) * column);
  let y = 0;
  const drawn = lanes.map((lane) => {
    const { markup: lines, height } = drawLane(lane, y, width, x);
    y += height;
    return lines;
  });
  const grid = drawGrid(windows, column, windowMs, y);
  const height = y + 20;
  return markup`
    <svg class="run" aria-hidden="true" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
      ${grid}${drawn}
    </svg>`;
}

function drawLane(lane: Lane, top: number, width: number, x: (ms: number) => number) {
  const isAbove = (mark: Mark) => !lane.divided || mark.kind === 'accepted';
  const above = stack(lane.marks.filter(isAbove), x);
  const below = stack(
    lane.marks.filter((mark) => !isAbove(mark)),
    x,
  );
  const baseline = top + 26 + above.height * MARK;
  const place = (level: number, direction: 1 | -1) => round(baseline + direction * (level + 0.6) * MARK);
  return {
    height: 26 + (above.height + below.height) * MARK + 10,
    markup: markup`
      <text x="4" y="${top + 15}">${lane.name}</text>
      <line class="base" x1="0" x2="${width}" y1="${baseline}" y2="${baseline}"/>
      ${above.marks.map((mark) => drawMark(mark, place(mark.level, -1), x))}
      ${below.marks.map((mark) => drawMark(mark, place(mark.level, 1), x))}`,
  };
}

/** A line where each window begins, and the time at as many of them as there is room for. */
function drawGrid(windows: number, column: number, windowMs: number, height: number): Markup[] {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((count) => count * column >= 44) ?? windows;
  return Array.from({ length: windows }, (_, i) => {
    const x = round(i * column);
    const time = `${round((i * windowMs) / 1000)} s`;
    const label = i % step === 0 && markup`<text class="tick" x="${x + 3}" y="${height + 13}">${time}</text>`;
    return markup`<line class="grid" x1="${x}" x2="${x}" y1="0" y2="${height + (label ? 16 : 0)}"/>${label}`;
  });
}

interface Stacked {
  marks: Array<Mark & { level: number }>;
  height: number;
}

/** Marks that would cover one another stand on top of one another. */
function stack(marks: Mark[], x: (ms: number) => number): Stacked {
  const levels: number[] = [];
  const placed = [...marks]
    .sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)
    .map((mark) => {
      const free = levels.findIndex((end) => end <= x(mark.fromMs) - MARK / 2);
      const level = free < 0 ? Math.min(levels.length, HIGHEST_STACK - 1) : free;
      levels[level] = x(mark.toMs) + MARK / 2;
      return { ...mark, level };
    });
  return { marks: placed, height: levels.length };
}

function drawMark(mark: Mark & { level: number }, y: number, x: (ms: number) => number): Markup {
  const [from, to] = [x(mark.fromMs), x(mark.toMs)];
  const tail = to - from > 3 && markup`<line class="tail" x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>`;
  return markup`
    <g class="m ${mark.kind}" data-entry="x${mark.index}">
      <title>${mark.label}</title>${tail}<use href="#m-${mark.kind}" x="${to}" y="${y}"/>
    </g>`;
}

function tabulate(lanes: Lane[], windowMs: number): Markup {
  const windowOf = (mark: Mark) => Math.floor(mark.toMs / windowMs);
  const windows = [...new Set(lanes.flatMap((lane) => lane.marks.map(windowOf)))].sort((a, b) => a - b);
  const at = (window: number) => round((window * windowMs) / 1000);
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
      <thead><tr><th scope="col">Window</th>${lanes.map(({ name }) => markup`<th scope="col">${name}</th>`)}</tr></thead>\n
      <tbody>${windows.map(row)}</tbody>
    </table>`;
}

/** "2 accepted, 1 refused" */
function countsOf(marks: Mark[]): string {
  return (Object.keys(OUTCOME) as MarkKind[])
    .map((kind) => [marks.filter((mark) => mark.kind === kind).length, OUTCOME[kind]] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
