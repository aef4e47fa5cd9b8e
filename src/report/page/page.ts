/** index.html: one run for people, on one page that needs nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../common/suite';
import { compact, plural } from '../../common/text';
import { observationTexts } from '../../contract/clauses';
import type { Conformance } from '../../contract/result';
import { runAgain } from '../breach/curl';
import { type Markup, markup, prose } from '../markup';
import { changesTable, historyTable, ownTable, type Table, untestedTable } from '../tables';
import {
  certificateInWords,
  countsInWords,
  figuresInWords,
  isSelected,
  OUTCOME,
  outcomeWord,
  type ReportInput,
  rateInWords,
  runOutcomeOf,
  sectionName,
  titleOf,
  valueInWords,
  verdictSentence,
} from '../words';
import { clauseList, evidenceList, fixList } from './clauses';
import { listOf, renderSection, type Section, shell, tableSection } from './parts';

export function renderPage(input: ReportInput): string {
  const shown = sectionsOf(input).filter((section) => section !== null);
  const links = shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`);
  return shell(
    titleOf(input, outcomeWord(input)),
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
  const { conformance, trends } = input;
  // If the run could not be done, the other sections would only repeat that for each clause.
  if (conformance.verdict === 'error') return [fixList(input), evidenceList(input.evidence)];
  return [
    // Who looks at a run night after night wants to know first what is new.
    tableSection(changesTable(conformance)),
    fixList(input),
    tableSection(untestedTable(conformance)),
    tableSection(historyTable(trends)),
    clauseList(input),
    tableSection(ownTable(conformance)),
    tableSection(observationsTable(conformance), true),
    evidenceList(input.evidence),
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
  const outcome = runOutcomeOf(input);
  // An error may list several mistakes, a line each.
  const [sentence = '', ...details] = verdictSentence(input).split('\n');
  return markup`
    <p class="kicker">Conformance report</p>\n
    <h1>${target.baseURL === '' ? 'No target' : target.name}</h1>\n
    ${target.baseURL !== '' && renderTarget(conformance)}\n
    <div class="verdict run-${outcome}">
      <p>
        <strong><span aria-hidden="true">${OUTCOME[outcome].glyph}</span> ${outcomeWord(input)}</strong>\n
        ${prose(sentence)}
      </p>\n
      ${details.length > 0 && listOf(details)}
      ${verdict !== 'error' && markup`<p class="certificate">${certificateInWords(conformance)}</p>`}
    </div>\n
    ${requests > 0 && markup`<p class="figures">${compact(verdict !== 'error' && countsInWords(clauses), figuresInWords(conformance)).join('; ')}.</p>`}\n
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

function renderFoot({ conformance: { suite, clauses }, evidence }: ReportInput): Markup {
  const selected = clauses.filter(isSelected).map(({ id }) => id);
  const again = markup`
    <h2>Run it again</h2>\n
    <pre class="curl">${runAgain(evidence, selected.length < clauses.length ? selected : [])}</pre>\n`;
  return markup`
    ${evidence.exchanges.length > 0 && again}
    <p>Written by ${suite.name} ${suite.version}.</p>`;
}
