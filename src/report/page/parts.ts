/** What every page is made of: its frame with policy, style and script; sections, tables, cells and links. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../common/suite';
import { plural } from '../../common/text';
import type { Verdict } from '../../contract/result';
import { Markup, markup, prose, withPills } from '../markup';
import type { Cell, Table } from '../tables';
import { MOST_IDS, VERDICT } from '../words';

const asset = (name: string) => `\n${readFileSync(join(root, 'assets', name), 'utf8')}`;
/** Colour is never the only sign of a verdict or an outcome: each has a sign and a word as well. */
const STYLE = asset('page.css');
/** Opens what a link leads to, and gives commands a button that copies them. Without scripts, all can still be read. */
const SCRIPT = asset('page.js');

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, and only the style and the script of the page itself apply. */
const POLICY = [
  "default-src 'none'",
  'img-src data:',
  `style-src ${sha256(STYLE)}`,
  `script-src ${sha256(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Returns a page that needs nothing else, as HTML. */
export function shell(title: string, body: Markup): string {
  return markup`
    <!doctype html>\n
    <html lang="en">\n
      <head>\n
        <meta charset="utf-8">\n
        <meta http-equiv="Content-Security-Policy" content="${POLICY}">\n
        <meta name="viewport" content="width=device-width, initial-scale=1">\n
        <meta name="color-scheme" content="light dark">\n
        <title>${title}</title>\n
        <link rel="icon" href="data:,">\n
        <style>${new Markup(STYLE)}</style>\n
      </head>\n
      <body>\n
        <a class="skip" href="#content">Skip to the content</a>\n
        ${body}\n
        <script>${new Markup(SCRIPT)}</script>\n
      </body>\n
    </html>\n`.source;
}

/** A heading, what stands below it, and the target of a link to it. */
export interface Section {
  id: string;
  title: string;
  body: Markup;
  /** Whether only the heading is shown until a click. Default: false. */
  isFolded?: boolean;
}

export function renderSection({ id, title, body, isFolded = false }: Section): Markup {
  const heading = markup`<h2 id="${id}-title">${title}</h2>`;
  return markup`
    <section id="${id}" aria-labelledby="${id}-title">
      ${isFolded ? markup`<details class="chapter"><summary>${heading}</summary>${body}</details>` : [heading, body]}
    </section>\n`;
}

/** Returns a list of sentences. @param kind its class in the style */
export function listOf(lines: readonly string[], kind: 'notes' | null = null): Markup {
  return markup`<ul${kind && markup` class="${kind}"`}>${lines.map((line) => markup`<li>${prose(line)}</li>\n`)}</ul>`;
}

/** Returns a table as a section; `null` if it is empty. */
export function tableSection({ id, title, intro, head, rows }: Table, isFolded = false): Section | null {
  const body = markup`${intro && markup`<p>${intro}</p>\n`}${renderTable(head, rows)}`;
  return rows.length === 0 ? null : { id, title, body, isFolded };
}

/** Returns a table. If there is no room for columns, the cells of a row stand below one another. */
function renderTable(head: readonly string[], rows: readonly Cell[][]): Markup {
  const row = ([first, ...others]: Markup[]) => markup`
    <tr><th scope="row">${first}</th>${others.map((cell, i) => markup`<td data-label="${head[i + 1]}">${cell}</td>`)}</tr>\n`;
  return markup`
    <table class="rows">
      <thead><tr>${head.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>\n
      <tbody>${rows.map((cells) => row(cells.map(renderCell)))}</tbody>
    </table>`;
}

/** Returns a cell as the page shows it: with links and signs. */
export function renderCell(cell: Cell): Markup {
  if (typeof cell === 'string') return prose(cell);
  if (Array.isArray(cell))
    return markup`${cell.map((part) => markup`${renderCell(part)}${Array.isArray(part) ? markup`<br>` : ' '}`)}`;
  if ('code' in cell) return markup`<code>${withPills(cell.code)}</code>`;
  if ('clauses' in cell) {
    const links = cell.clauses.map((id) => markup`<a class="id" href="#${id}">${id}</a> `);
    if (links.length <= MOST_IDS) return markup`${links}`;
    return markup`<details class="folded"><summary>${plural(links.length, 'clause')}</summary>${links}</details>`;
  }
  if ('link' in cell) return markup`<a href="${cell.to}">${cell.link}</a>`;
  return verdictMark(cell.verdict);
}

export function verdictMark(verdict: Verdict): Markup {
  const { glyph, word } = VERDICT[verdict];
  return markup`<span class="mark v-${verdict}"><span aria-hidden="true">${glyph}</span> ${word}</span>`;
}
