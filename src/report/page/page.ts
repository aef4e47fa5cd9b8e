/** index.html: one run for people, on one page that needs nothing else. */
import { observationTexts, sections as sectionTexts } from '../../contract/clauses';
import type { Conformance } from '../../contract/result';
import { said, valueInWords } from '../format';
import { foundationLines } from '../foundation';
import { markup } from '../markup';
import type { ReportInput } from '../model';
import { outcomeWord } from '../outcome';
import { changesTable, nightsTable, ownTable, type Table, untestedTable } from '../tables';
import { clauseList } from './clause-list';
import { evidenceList } from './evidence-list';
import { fixList } from './fix-list';
import { renderFoot, renderHead } from './head';
import { limitersTable } from './limiters';
import { linkToSection, listOf, renderSection, renderTable, type Section, tableSection } from './sections';
import { shell } from './shell';
import { symbols } from './signs';
import { timeline } from './timeline';

export function renderPage(input: ReportInput): string {
  const { target } = input.conformance;
  const shown = sectionsOf(input).filter((section) => section !== null);
  const links = shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`);
  return shell(
    said(outcomeWord(input), target.baseURL && target.name).join(': '),
    markup`
      ${symbols}
      <div class="page">
        <header>
          ${input.overview && markup`<p class="back"><a href="${input.overview}">All targets</a></p>`}
          ${renderHead(input)}
        </header>\n
        ${links.length > 0 && markup`<nav aria-label="Sections">${links}</nav>`}\n
        <main id="content">${shown.map(renderSection)}</main>\n
        <footer>${renderFoot(input)}</footer>
      </div>`,
  );
}

/** Returns the sections in the order of the page; `null` for one that has nothing to say. */
function sectionsOf(input: ReportInput): Array<Section | null> {
  const { conformance, history } = input;
  // If the run could not be done, the other sections would only repeat that for each clause.
  if (conformance.verdict === 'error')
    return [whatToDo(input), fixList(input), nightsSection(history, false), evidenceList(input)];
  const changes = tableSection(changesTable(conformance));
  return [
    // Who looks at a run night after night wants to know first what is new.
    changes,
    fixList(input),
    tableSection(untestedTable(conformance)),
    nightsSection(history),
    clauseList(input),
    limitersTable(input),
    tableSection(ownTable(conformance)),
    timeline(input),
    tableSection(observationsTable(conformance)),
    description(),
    { id: 'rests-on', title: 'What the verdict rests on', body: listOf(foundationLines(conformance)) },
    evidenceList(input),
  ];
}

function nightsSection(history: ReportInput['history'], isLinked = true): Section | null {
  const table = nightsTable(history, isLinked);
  if (history === null || history.nights.length < 2) return tableSection(table);
  const body = markup`<p>${table.intro}</p>\n<p>No clause changed or failed in these runs.</p>`;
  return tableSection(table) ?? { id: table.id, title: table.title, body };
}

/** Returns what to check if the run could not be done; `null` if nothing was sent: then the error says what to fix. */
function whatToDo({ evidence: { exchanges } }: ReportInput): Section | null {
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

function observationsTable({ observations }: Conformance): Table {
  return {
    id: 'observations',
    title: 'Observations',
    intro: 'The API description does not say how these should be, so they are reported and not judged.',
    head: ['Left open', 'Seen in this run', 'Section'],
    rows: Object.entries(observations).map(([id, values]) => {
      const text = observationTexts.find((observation) => observation.id === id);
      const others = values.filter((value) => id !== 'auth.type.values' || value !== 'basic');
      const seen = others.length > 0 ? others.map((value) => ({ code: valueInWords(value) })) : 'nothing seen';
      return [[text?.what ?? id, { code: id }], seen, text ? linkToSection(text.section) : ''];
    }),
  };
}

function description(): Section {
  const rows = Object.entries(sectionTexts).map(([heading, says]) => [
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
