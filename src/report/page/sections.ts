/** The sections of the page that are a table, a list, or a few words. */

import { observationTexts } from '../../contract/clauses';
import type { Conformance } from '../../contract/result';
import { rfcAddress, sections } from '../../contract/sections';
import { foundationLines } from '../foundations';
import { Markup, markup, prose, withPills } from '../markup';
import type { ReportInput } from '../model';
import type { Cell, Table } from '../tables';
import { sectionName, VERDICT, valueInWords } from '../words';
import { entriesOf, renderEntry } from './entry';
import { verdictMark } from './signs';

/** A heading, what stands below it, and the target of a link to it. */
export interface Section {
  /** Unique on the page. */
  id: string;
  title: string;
  body: Markup;
}

export function renderSection({ id, title, body }: Section): Markup {
  return markup`
    <section id="${id}" aria-labelledby="${id}-title">
      <h2 id="${id}-title">${title}</h2>
      ${body}
    </section>\n`;
}

/** What to check where the run could not be done. Where nothing was sent, the error itself says what to fix. */
export function whatToDo({ evidence: { exchanges } }: ReportInput): Section | null {
  if (exchanges.length === 0) return null;
  const isUnreachable = exchanges.every(({ fault }) => fault?.kind === 'unreachable');
  const questions = [
    'Is the address right, with scheme, port and version, and can it be reached from where the suite ran?',
    isUnreachable
      ? 'Is there a proxy, or a certificate authority of your own, in between? `HTTPS_PROXY`, `NO_PROXY` and `NODE_EXTRA_CA_CERTS` are obeyed.'
      : 'Is each key set, still valid, and issued for this installation?',
  ];
  const body = markup`<p>The server was not judged. Check first:</p>\n${listOf(questions)}`;
  return { id: 'error', title: 'What to do', body };
}

function listOf(lines: readonly string[]): Markup {
  return markup`<ul>${lines.map((line) => markup`<li>${prose(line)}</li>\n`)}</ul>`;
}

/** A table as a section, unless it is empty. */
export function tableSection({ id, title, intro, head, rows }: Table): Section | null {
  const body = markup`${intro && markup`<p>${intro}</p>\n`}${renderTable(head, rows)}`;
  return rows.length === 0 ? null : { id, title, body };
}

/** What the API description leaves open, and what this server does. */
export function observationList({ observations }: Conformance): Section | null {
  return tableSection({
    id: 'observations',
    title: 'Observations',
    intro: 'The API description does not say how these should be, so they are reported and not judged.',
    head: ['Left open', 'Seen in this run', 'Section'],
    rows: Object.entries(observations).map(([id, values]) => {
      const text = observationTexts.find((observation) => observation.id === id);
      const seen = values.map((value) => ({ code: valueInWords(value) }));
      return [
        [text?.what ?? id, { code: id }],
        seen.length > 0 ? seen : 'nothing seen',
        text ? linkToSection(text.section) : '',
      ];
    }),
  });
}

/** What the sections say that clauses and observations come from. */
export function description(): Section {
  const rows = Object.entries(sections).map(([heading, says]) => [
    markup`<span id="section-${heading.split(' ', 1)}">§ ${heading}</span>`,
    says,
  ]);
  const body = markup`
    <p>
      What the sections say that the clauses come from, in our own words. Sections of an RFC lead to the RFC itself.
    </p>\n
    ${renderTable(['Section', 'What it says'], rows)}`;
  return { id: 'description', title: 'The API description, in short', body };
}

/**
 * Narrows a list. Only the script shows it, because only the script can obey it.
 * @param items a selector of the items of the list
 * @param areClauses whether some of them passed
 */
export function filterOf(items: string, areClauses: boolean): Markup {
  return markup`
    <form class="filter" hidden data-narrows="${items}">
      ${areClauses && markup`<label><input type="checkbox" name="failed"> only what did not pass</label>\n`}
      <label>with the words <input type="search" name="text" autocomplete="off" spellcheck="false"></label>\n
      <output aria-live="polite"></output>
    </form>`;
}

/** A table whose rows stand below one another where there is no room for columns. */
export function renderTable(head: readonly string[], rows: ReadonlyArray<Array<Cell | Markup>>): Markup {
  const row = ([first, ...others]: Markup[]) => markup`
    <tr><th scope="row">${first}</th>${others.map((cell, i) => markup`<td data-label="${head[i + 1]}">${cell}</td>`)}</tr>\n`;
  return markup`
    <table class="rows">
      <thead><tr>${head.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>\n
      <tbody>${rows.map((cells) => row(cells.map(renderCell)))}</tbody>
    </table>`;
}

export function renderCell(cell: Cell | Markup): Markup {
  if (cell instanceof Markup) return cell;
  if (typeof cell === 'string') return prose(cell);
  if (Array.isArray(cell)) return markup`${cell.map((part) => markup`${renderCell(part)} `)}`;
  if ('code' in cell) return markup`<code>${withPills(cell.code)}</code>`;
  if ('clauses' in cell) return markup`${cell.clauses.map((id) => markup`<a class="id" href="#${id}">${id}</a> `)}`;
  if ('link' in cell) return markup`<a href="${cell.to}">${cell.link}</a>`;
  if ('verdict' in cell) return verdictMark(cell.verdict);
  const cells = cell.nights.map(({ day, verdict }) => {
    const { glyph, word } = verdict === null ? { glyph: '·', word: 'no result' } : VERDICT[verdict];
    return markup`
      <span class="v-${verdict ?? 'none'}" title="${day}: ${word}">
        <span aria-hidden="true">${glyph}</span><span class="sr">${word} </span>
      </span>`;
  });
  return markup`<span class="strip">${cells}</span>`;
}

/** Leads to what the section says: further down on the page, or in the RFC. */
export function linkToSection(section: string): Cell {
  return { link: sectionName(section), to: rfcAddress(section) ?? `#section-${section}` };
}

/** What was declared and chosen before the run, and the digests of what was judged by and on. */
export function restsOn({ conformance }: ReportInput): Section {
  return { id: 'rests-on', title: 'What the verdict rests on', body: listOf(foundationLines(conformance)) };
}

/** Every exchange and delivery of the run, in order. */
export function evidenceList(input: ReportInput): Section | null {
  if (input.evidence.exchanges.length === 0) return null;
  const telling = new Set(input.causes.map((cause) => cause.telling));
  const entries = entriesOf(input).map((entry) => renderEntry(entry, telling.has(entry.index)));
  const body = markup`
    <p>
      Every exchange of the run, in order. A secret is replaced by its name:\n
      <span class="pill">apiKey <b>account</b></span>.\n
      <span class="on-paper">In print: the exchange that shows each cause best.</span>
    </p>\n
    <div class="evidence">${entries}</div>`;
  return { id: 'evidence', title: 'Evidence', body };
}
