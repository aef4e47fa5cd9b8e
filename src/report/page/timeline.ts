/** The drawing of when each account was asked, and of what came. */
import { plural } from '../../common/text';
import { valuesOf } from '../../evidence/http/headers';
import type { Evidence, Exchange, KeyHolder } from '../../evidence/model';
import { compact, duration, momentInWords } from '../format';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { tellingEntries } from './limiters';
import type { Section } from './sections';
import { answerOf, type MarkKind, markKindOf, SIGN, symbol } from './signs';

/** What stands in the drawing for a request, or for a notification. */
type Mark = ReturnType<typeof markOf>;
type Lane = { name: string; marks: Mark[] };

/** All in pixels. */
const WIDTH = 1060;
const NARROWEST_WINDOW = 22;
const WIDEST = 6000;
const MARK = 9;
/** At most this many marks are stacked. More of them overlap. */
const HIGHEST_STACK = 20;

/** Where a moment stands, in pixels from the left. */
type Scale = (ms: number) => number;

/** Returns a lane for each account, one for requests without a valid key, and one for notifications; none is empty. */
function lanesOf(evidence: Evidence, telling: ReadonlySet<number>): Lane[] {
  const { target, exchanges, deliveries } = evidence;
  const accounts = [...target.accounts.map(({ name }) => name), ...exchanges.flatMap(({ account }) => account ?? [])];
  const lane = (name: string, holder: KeyHolder) => {
    const own = exchanges.filter(({ account }) => account === holder);
    return { name, marks: own.map((exchange) => markOf(exchange, evidence, telling)) };
  };
  const arrivals = deliveries.map(({ index, method, path, receivedAtMs: atMs }): Mark => {
    const label = `${index}: ${method} ${path}`;
    return { index, kind: 'delivery', fromMs: atMs, toMs: atMs, label, isBelow: false, isTelling: false };
  });
  return [
    ...[...new Set(accounts)].map((name) => lane(name, name)),
    lane('without a valid key', null),
    { name: 'notifications received', marks: arrivals },
  ].filter(({ marks }) => marks.length > 0);
}

function markOf(exchange: Exchange, evidence: Evidence, telling: ReadonlySet<number>) {
  const { index, account, request, sentAtMs: fromMs, receivedAtMs: toMs } = exchange;
  const kind = markKindOf(exchange, evidence);
  const headers = ['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map((name) => {
    const values = valuesOf(exchange, name);
    return values.length > 0 && `${name}: ${values.join(', ')}`;
  });
  const answer = `${answerOf(exchange)} at ${momentInWords(toMs)} after ${duration(toMs - fromMs)}`;
  const label = compact(`${index}: ${request.method} ${request.url}`, answer, ...headers).join('\n');
  const isBelow = account !== null && kind !== 'accepted';
  const isTelling = telling.has(index);
  return { index, kind: kind as MarkKind, fromMs, toMs, label, isBelow, isTelling };
}

export function timeline(input: ReportInput): Section | null {
  const { evidence } = input;
  if (evidence.exchanges.length === 0) return null;
  const telling = tellingEntries(input);
  const lanes = lanesOf(evidence, telling);
  const { requests, seconds } = evidence.target.rate;
  const drawn = new Set(lanes.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const kinds = (Object.keys(SIGN) as MarkKind[]).filter((kind) => drawn.has(kind));
  const legend = kinds.map((kind) => markup`<li>${symbol(kind)} <b>${SIGN[kind].word}</b> ${SIGN[kind].means}</li>`);
  const body = markup`
    <figure class="timeline">\n
      <figcaption>
        <p>
          A mark is a request, drawn where its answer arrived; its tail is the time that the answer took. Accepted\n
          requests stand above the line of their account, all others below. A column is one window of the rate limit:\n
          ${seconds} s, ${plural(requests, 'request')} for each account. The server’s windows may begin at other\n
          moments, so a column can rightly hold requests of two windows.\n
          ${telling.size > 0 && 'A circle marks what no conforming limiter can have decided.'}
        </p>\n
        <ul class="legend">${legend}</ul>
      </figcaption>\n
      <p class="sideways">The drawing is wider than this screen: scroll it sideways.</p>\n
      <div class="scroll" tabindex="0" role="region" aria-label="Drawing of the run; the evidence lists the same">
        ${drawLanes(lanes, seconds * 1000)}
      </div>\n
    </figure>`;
  return { id: 'timeline', title: 'Timeline', body, isFolded: true };
}

function drawLanes(lanes: Lane[], windowMs: number): Markup {
  const endMs = Math.max(windowMs, ...lanes.flatMap(({ marks }) => marks.map(({ toMs }) => toMs)));
  const windows = Math.ceil(endMs / windowMs + 0.01);
  const column = Math.max(WIDTH / windows, Math.min(NARROWEST_WINDOW, WIDEST / windows));
  const width = Math.ceil(windows * column);
  const x: Scale = (ms) => round((ms / windowMs) * column);
  let bottom = 0;
  const drawn = lanes.map(({ name, marks }) => {
    const [above, below] = [stacked(marks, false, x), stacked(marks, true, x)];
    const top = bottom;
    const baseline = top + 26 + heightOf(above);
    bottom = baseline + 10 + heightOf(below);
    return markup`
      <text x="4" y="${top + 15}">${name}</text>
      <line class="base" x1="0" x2="${width}" y1="${baseline}" y2="${baseline}"/>
      ${above.map((mark) => drawMark(mark, baseline - (mark.level + 0.6) * MARK, x))}
      ${below.map((mark) => drawMark(mark, baseline + (mark.level + 0.6) * MARK, x))}`;
  });
  const height = bottom + 20;
  return markup`
    <svg class="run" aria-hidden="true" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
      ${drawGrid(windows, column, windowMs, bottom)}${drawn}
    </svg>`;
}

/** Draws a line where each window begins, and the time at as many of them as there is room for. */
function drawGrid(windows: number, column: number, windowMs: number, height: number): Markup[] {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((count) => count * column >= 44) ?? windows;
  return Array.from({ length: windows }, (_, i) => {
    const x = round(i * column);
    const time = `${round((i * windowMs) / 1000)} s`;
    const label = i % step === 0 && markup`<text class="tick" x="${x + 3}" y="${height + 13}">${time}</text>`;
    return markup`<line class="grid" x1="${x}" x2="${x}" y1="0" y2="${height + (label ? 16 : 0)}"/>${label}`;
  });
}

type Placed = Mark & { level: number };

/** Returns the marks on one side of the line. Marks that would cover one another are stacked. */
function stacked(marks: Mark[], below: boolean, x: Scale): Placed[] {
  const ends: number[] = [];
  return marks
    .filter(({ isBelow }) => isBelow === below)
    .sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)
    .map((mark) => {
      const free = ends.findIndex((end) => end <= x(mark.fromMs) - MARK / 2);
      const level = free < 0 ? Math.min(ends.length, HIGHEST_STACK - 1) : free;
      ends[level] = x(mark.toMs) + MARK / 2;
      return { ...mark, level };
    });
}

function heightOf(stack: Placed[]): number {
  return Math.max(0, ...stack.map(({ level }) => level + 1)) * MARK;
}

function drawMark({ index, kind, fromMs, toMs, label, isTelling }: Mark, height: number, x: Scale): Markup {
  const [from, to, y] = [x(fromMs), x(toMs), round(height)];
  return markup`
    <g class="m ${kind}" data-entry="x${index}">
      <title>${label}</title>
      ${to - from > 3 && markup`<line class="tail" x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>`}
      <use href="#m-${kind}" x="${to}" y="${y}"/>
      ${isTelling && markup`<circle class="telling" cx="${to}" cy="${y}" r="${MARK * 0.6}"/>`}
    </g>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
