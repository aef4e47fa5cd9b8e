/** index.html: one run for people, on one page that needs nothing else. */

import { markup } from '../markup';
import type { ReportInput } from '../model';
import { changesTable, nightsTable, observationsTable, ownTable } from '../tables';
import { verdictWord } from '../words';
import { clauseList } from './clause-list';
import { fixList } from './fix-list';
import { glossary, renderFoot, renderHead } from './head';
import { evidenceList, isJudged, restsOn, type Section, tableSection, untestedList, whatToDo } from './sections';
import { shell } from './shell';
import { symbols } from './signs';
import { timeline } from './timeline';

/** The sections in the order of the page; each is left out where it has nothing to say. */
const SECTIONS: ReadonlyArray<(input: ReportInput) => Section | null> = [
  whatToDo,
  fixList,
  untestedList,
  ({ conformance }) => tableSection(changesTable(conformance)),
  (input) => tableSection(nightsTable(input)),
  clauseList,
  ({ conformance }) => tableSection(ownTable(conformance)),
  timeline,
  ({ conformance }) => (isJudged(conformance) ? tableSection(observationsTable(conformance)) : null),
  restsOn,
  evidenceList,
];

/** The page of one run, as HTML. */
export function renderPage(input: ReportInput): string {
  const { target } = input.conformance;
  const shown = SECTIONS.map((section) => section(input)).filter((section) => section !== null);
  const sections = shown.map(
    ({ id, title, body }) => markup`
      <section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title">${title}</h2>
        ${body}
      </section>\n`,
  );
  return shell(
    [verdictWord(input), target.name].filter(Boolean).join(': '),
    markup`
      ${symbols}
      <div class="page">
        <header>
          ${input.overview && markup`<p class="back"><a href="${input.overview}">All targets</a></p>`}
          ${renderHead(input)}
          ${glossary()}
        </header>\n
        <nav aria-label="Sections">${shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`)}</nav>\n
        <main id="content">${sections}</main>\n
        <footer>${renderFoot(input)}</footer>
      </div>`,
  );
}
