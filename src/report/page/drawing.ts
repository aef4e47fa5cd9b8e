/** The lanes of a run as a drawing over the windows of the rate limit. */

import { type Markup, markup } from '../markup';
import type { MarkKind } from './signs';

export interface Mark {
  /** Its entry of the evidence. */
  index: number;
  kind: MarkKind;
  fromMs: number;
  toMs: number;
  label: string;
}

export interface Lane {
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

export function drawLanes(lanes: Lane[], windowMs: number): Markup {
  const endMs = Math.max(windowMs, ...lanes.flatMap((lane) => lane.marks.map((mark) => mark.toMs)));
  const windows = Math.ceil(endMs / windowMs + 0.01);
  const column = Math.max(WIDTH / windows, Math.min(NARROWEST_WINDOW, WIDEST / windows));
  const width = Math.ceil(windows * column);
  const x = (ms: number) => round((ms / windowMs) * column);
  let top = 0;
  const drawn = lanes.map((lane) => {
    const { lines, height } = drawLane(lane, top, width, x);
    top += height;
    return lines;
  });
  const height = top + 20;
  return markup`
    <svg class="run" aria-hidden="true" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
      ${drawGrid(windows, column, windowMs, top)}${drawn}
    </svg>`;
}

function drawLane({ name, divided, marks }: Lane, top: number, width: number, x: (ms: number) => number) {
  const isAbove = ({ kind }: Mark) => !divided || kind === 'accepted';
  const isBelow = (mark: Mark) => !isAbove(mark);
  const above = stack(marks.filter(isAbove), x);
  const below = stack(marks.filter(isBelow), x);
  const baseline = top + 26 + heightOf(above);
  const draw = (placed: Placed[], direction: 1 | -1) =>
    placed.map((mark) => drawMark(mark, round(baseline + direction * (mark.level + 0.6) * MARK), x));
  const lines = markup`
    <text x="4" y="${top + 15}">${name}</text>
    <line class="base" x1="0" x2="${width}" y1="${baseline}" y2="${baseline}"/>
    ${draw(above, -1)}${draw(below, 1)}`;
  return { lines, height: 36 + heightOf(above) + heightOf(below) };
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

type Placed = Mark & { level: number };

/** Marks that would cover one another stand on top of one another. */
function stack(marks: Mark[], x: (ms: number) => number): Placed[] {
  const levels: number[] = [];
  return [...marks]
    .sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)
    .map((mark) => {
      const free = levels.findIndex((end) => end <= x(mark.fromMs) - MARK / 2);
      const level = free < 0 ? Math.min(levels.length, HIGHEST_STACK - 1) : free;
      levels[level] = x(mark.toMs) + MARK / 2;
      return { ...mark, level };
    });
}

function heightOf(placed: Placed[]): number {
  return Math.max(0, ...placed.map(({ level }) => level + 1)) * MARK;
}

function drawMark(mark: Placed, y: number, x: (ms: number) => number): Markup {
  const [from, to] = [x(mark.fromMs), x(mark.toMs)];
  const tail = to - from > 3 && markup`<line class="tail" x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>`;
  return markup`
    <g class="m ${mark.kind}" data-entry="x${mark.index}">
      <title>${mark.label}</title>${tail}<use href="#m-${mark.kind}" x="${to}" y="${y}"/>
    </g>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
