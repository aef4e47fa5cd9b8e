/** The drawing of a run: who was asked when, and what came of it. */

import type { Evidence, Exchange } from '../../evidence/exchange';
import { valuesOf } from '../../evidence/headers';
import { duration, plural } from '../words';
import { type Markup, markup } from './markup';
import { answerOf, LEGEND, type MarkKind, OUTCOME, outcomeOf, symbol } from './outcome';

interface Mark {
  index: number;
  kind: MarkKind;
  fromMs: number;
  toMs: number;
  label: string;
}

interface Lane {
  name: string;
  /** An account's: what was accepted and what was not are told apart by their side of the line. */
  divided: boolean;
  marks: Mark[];
}

const WIDTH = 1060;
const NARROWEST_WINDOW = 22;
const WIDEST = 6000;
const MARK = 9;
/** A lane does not grow beyond so many marks on top of one another; what is beyond overlaps. */
const HIGHEST_STACK = 20;

/** All exchanges and deliveries over the windows of the rate limit: drawn, and the same as a table. */
export function renderTimeline(evidence: Evidence): Markup {
  const lanes = lanesOf(evidence);
  const windowMs = evidence.target.rate.seconds * 1000;
  const kinds = (Object.keys(LEGEND) as MarkKind[]).filter((kind) =>
    lanes.some((lane) => lane.marks.some((mark) => mark.kind === kind)),
  );
  const { requests, seconds } = evidence.target.rate;
  return markup`<figure class="timeline">
<figcaption><p>Every request stands where its answer came, trailing the time it waited for it. Above the line of an account is what was accepted, below it what was not. A column is one window of the rate limit, ${seconds} s; it admits ${plural(requests, 'request')} of each account. Where the server’s own windows begin is not known, so two neighbours may share a column.</p>
<ul class="legend">${kinds.map((kind) => markup`<li>${symbol(kind)} <b>${OUTCOME[kind]}</b> ${LEGEND[kind]}</li>`)}</ul></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Drawing of the run; a table with the same content follows">${drawLanes(lanes, windowMs)}</div>
<details class="alternative"><summary>The same as a table, window by window</summary><div class="scroll" tabindex="0" role="region" aria-label="Requests by window">${tabulate(lanes, windowMs)}</div></details>
</figure>`;
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

function markLabel(x: Exchange): string {
  const headers = ['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map((name) => {
    const values = valuesOf(x, name);
    return values.length > 0 ? `\n${name}: ${values.join(', ')}` : '';
  });
  return `${x.index}: ${x.request.method} ${x.request.url}\n${answerOf(x)} at ${seconds(x.receivedAtMs)} after ${duration(x.receivedAtMs - x.sentAtMs)}${headers.join('')}`;
}

/** A moment of the run to the millisecond. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

function drawLanes(lanes: Lane[], windowMs: number): Markup {
  const endMs = Math.max(windowMs, ...lanes.flatMap((lane) => lane.marks.map((mark) => mark.toMs)));
  const windows = Math.ceil(endMs / windowMs + 0.01);
  const column = Math.max(WIDTH / windows, Math.min(NARROWEST_WINDOW, WIDEST / windows));
  const width = Math.ceil(windows * column);
  const x = (ms: number) => round((ms / windowMs) * column);
  let y = 0;
  const drawn = lanes.map((lane) => {
    const [above, below] = [true, false].map((up) =>
      stack(
        lane.marks.filter((mark) => (!lane.divided || mark.kind === 'accepted') === up),
        x,
      ),
    ) as [Stacked, Stacked];
    const baseline = y + 26 + above.height * MARK;
    const height = 26 + (above.height + below.height) * MARK + 10;
    const place = (level: number, up: boolean) => round(baseline + (up ? -1 : 1) * (level + 0.6) * MARK);
    const lines = markup`<text x="4" y="${y + 15}">${lane.name}</text><line class="base" x1="0" x2="${width}" y1="${baseline}" y2="${baseline}"/>${[
      ...above.marks.map((mark) => drawMark(mark, place(mark.level, true), x)),
      ...below.marks.map((mark) => drawMark(mark, place(mark.level, false), x)),
    ]}`;
    y += height;
    return lines;
  });
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((count) => count * column >= 44) ?? windows;
  const grid = Array.from({ length: windows }, (_, i) => {
    const at = round(i * column);
    const label =
      i % step === 0 && markup`<text class="tick" x="${at + 3}" y="${y + 13}">${round((i * windowMs) / 1000)} s</text>`;
    return markup`<line class="grid" x1="${at}" x2="${at}" y1="0" y2="${y + (label ? 16 : 0)}"/>${label}`;
  });
  return markup`<svg class="run" aria-hidden="true" viewBox="0 0 ${width} ${y + 20}" width="${width}" height="${y + 20}">${grid}${drawn}</svg>`;
}

interface Stacked {
  marks: Array<Mark & { level: number }>;
  height: number;
}

/** Marks that would cover one another go on top of one another. */
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
  return markup`<g class="m ${mark.kind}" data-entry="x${mark.index}"><title>${mark.label}</title>${tail}<use href="#m-${mark.kind}" x="${to}" y="${y}"/></g>`;
}

function tabulate(lanes: Lane[], windowMs: number): Markup {
  const windowOf = (mark: Mark) => Math.floor(mark.toMs / windowMs);
  const windows = [...new Set(lanes.flatMap((lane) => lane.marks.map(windowOf)))].sort((a, b) => a - b);
  const cell = (lane: Lane, window: number) => {
    const here = lane.marks.filter((mark) => windowOf(mark) === window);
    return (Object.keys(OUTCOME) as MarkKind[])
      .map((kind) => [here.filter((mark) => mark.kind === kind).length, OUTCOME[kind]] as const)
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', ');
  };
  const at = (window: number) => round((window * windowMs) / 1000);
  return markup`<table><thead><tr><th scope="col">Window</th>${lanes.map((lane) => markup`<th scope="col">${lane.name}</th>`)}</tr></thead>
<tbody>${windows.map((w) => markup`<tr><th scope="row">${at(w)} to ${at(w + 1)} s</th>${lanes.map((lane) => markup`<td>${cell(lane, w)}</td>`)}</tr>`)}</tbody></table>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
