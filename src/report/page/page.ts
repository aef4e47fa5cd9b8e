/** index.html: one run for people, on one page that needs nothing else. */

import { markup } from '../markup';
import type { ReportInput } from '../model';
import { changesTable, nightsTable, ownTable, untestedTable } from '../tables';
import { said, verdictWord } from '../words';
import { clauseList } from './clause-list';
import { fixList } from './fix-list';
import { glossary, renderFoot, renderHead } from './head';
import { description, evidenceList, observationList, renderSection, restsOn, tableSection, whatToDo } from './sections';
import { shell } from './shell';
import { symbols } from './signs';
import { timeline } from './timeline';

/** The sections in the order of the page; each is left out where it has nothing to say. */
function sectionsOf(input: ReportInput) {
  const { conformance, history } = input;
  // Where the run could not be done, the rest would only say so once more, clause by clause.
  if (conformance.verdict === 'error') return [whatToDo(input), fixList(input), evidenceList(input)];
  return [
    fixList(input),
    tableSection(untestedTable(conformance)),
    tableSection(changesTable(conformance)),
    tableSection(nightsTable(history)),
    clauseList(input),
    tableSection(ownTable(conformance)),
    timeline(input),
    observationList(conformance),
    description(),
    restsOn(input),
    evidenceList(input),
  ];
}

/** The page of one run, as HTML. */
export function renderPage(input: ReportInput): string {
  const { target } = input.conformance;
  const shown = sectionsOf(input).filter((section) => section !== null);
  const links = shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`);
  return shell(
    said(verdictWord(input), target.baseURL && target.name).join(': '),
    markup`
      ${symbols}
      <div class="page">
        <header>
          ${input.overview && markup`<p class="back"><a href="${input.overview}">All targets</a></p>`}
          ${renderHead(input)}
          ${glossary()}
        </header>\n
        ${links.length > 0 && markup`<nav aria-label="Sections">${links}</nav>`}\n
        <main id="content">${shown.map(renderSection)}</main>\n
        <footer>${renderFoot(input)}</footer>
      </div>`,
  );
}
