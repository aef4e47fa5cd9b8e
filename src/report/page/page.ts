/** index.html: one run for people, on one page that needs nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../common/suite';
import { compact, plural } from '../../common/text';
import { observationTexts } from '../../contract/clauses';
import type { Conformance } from '../../contract/result';
import { runAgain } from '../breach/curl';
import { type Markup, markup, prose } from '../markup';
import { type Table, tablesOf } from '../tables';
import {
  bannerOf,
  certificateInWords,
  countsInWords,
  partOf,
  type ReportInput,
  rateInWords,
  sectionName,
  valueInWords,
} from '../words';
import { clauseList, evidenceList, fixList } from './clauses';
import { listOf, renderSection, type Section, shell, tableSection } from './parts';

export function renderPage(input: ReportInput): string {
  const shown = sectionsOf(input).filter((section) => section !== null);
  const links = shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`);
  const { word, name } = bannerOf(input);
  return shell(
    compact(word, name).join(': '),
    markup`
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
  const { conformance, evidence } = input;
  // If the run could not be done, the other sections would only repeat that for each clause.
  if (conformance.verdict === 'error') return [fixList(input), evidenceList(evidence)];
  const { changes, untested, history, own } = tablesOf(input);
  return [
    // Who looks at a run night after night wants to know first what is new.
    tableSection(changes),
    fixList(input),
    tableSection(untested),
    tableSection(history),
    clauseList(input),
    tableSection(own),
    tableSection(observationsTable(conformance), true),
    evidenceList(evidence),
  ];
}

function observationsTable({ observations }: Conformance): Table {
  return {
    id: 'observations',
    title: 'Observations',
    intro: 'The API description leaves these open, so they are reported and not judged.',
    head: ['What', 'Seen in this run', 'Section'],
    rows: Object.entries(observations).map(([id, values]) => {
      const text = observationTexts.find((observation) => observation.id === id);
      const others = values.filter((value) => id !== 'auth.type.values' || value !== 'basic');
      const seen = others.length > 0 ? others.map((value) => ({ code: valueInWords(value) })) : 'nothing';
      return [[text?.what ?? id, { code: id }], seen, text ? sectionName(text.section) : ''];
    }),
  };
}

function renderHead(input: ReportInput): Markup {
  const { conformance, evidence } = input;
  const { target, verdict, requests, clauses, notes } = conformance;
  const { outcome, glyph, word, sentence, figures } = bannerOf(input);
  // An error may list several mistakes, a line each.
  const [first = '', ...details] = sentence.split('\n');
  return markup`
    <p class="kicker">Conformance report</p>\n
    <h1>${target.baseURL === '' ? 'No target' : target.name}</h1>\n
    ${target.baseURL !== '' && renderTarget(conformance)}\n
    <div class="verdict run-${outcome}">
      <p>
        <strong><span aria-hidden="true">${glyph}</span> ${word}</strong>\n
        ${prose(first)}
      </p>\n
      ${details.length > 0 && listOf(details)}
      ${verdict !== 'error' && markup`<p class="certificate">${certificateInWords(conformance)}</p>`}
    </div>\n
    ${requests > 0 && markup`<p class="figures">${compact(verdict !== 'error' && countsInWords(clauses), figures).join('; ')}.</p>`}\n
    ${notes.length > 0 && listOf(notes, 'notes')}\n
    ${evidence.exchanges.length > 0 && GLOSSARY}`;
}

function renderTarget({ target, startedAt }: Conformance): Markup {
  const { baseURL, embedded, accounts } = target;
  return markup`
    <p class="target"><code>${baseURL}</code>${embedded && ' (embedded)'}\n
      <span>${plural(accounts.length, 'account')}: ${accounts.join(', ')}</span>\n
      <span>limit: ${rateInWords(target)}</span>\n
      <time datetime="${startedAt}">${startedAt.slice(0, 19).replace('T', ', ')} UTC</time>
    </p>`;
}

/** Each word of the glossary with its meaning, behind the heads of the columns. */
const [, ...WORDS] = readFileSync(join(root, 'docs', 'glossary.md'), 'utf8').matchAll(/^\| (.+?) \| (.+) \|$/gm);
const ITEMS = WORDS.map(([, word = '', meaning = '']) => markup`<dt>${word}</dt><dd>${prose(meaning)}</dd>`);
const GLOSSARY = markup`<details class="glossary"><summary>Glossary</summary><dl>${ITEMS}</dl></details>`;

function renderFoot({ conformance, evidence }: ReportInput): Markup {
  const { name, version } = conformance.suite;
  const { selected, isPart } = partOf(conformance);
  const again = markup`
    <h2>Run it again</h2>\n
    <pre class="curl">${runAgain(evidence, isPart ? selected.map(({ id }) => id) : [])}</pre>\n`;
  return markup`
    ${evidence.exchanges.length > 0 && again}
    <p>Written by ${name} ${version}.</p>`;
}
