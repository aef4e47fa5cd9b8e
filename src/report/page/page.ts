/** index.html: one run for people, on one page that needs nothing else. */

import { plural } from '../../common/text';
import { observationTexts, sections as sectionTexts } from '../../contract/clauses';
import type { Conformance, DeclaredAccount } from '../../contract/result';
import { compact, valueInWords } from '../format';
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

export function renderPage(input: ReportInput): string {
  const { target } = input.conformance;
  const shown = sectionsOf(input).filter((section) => section !== null);
  const links = shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`);
  return shell(
    compact(outcomeWord(input), target.baseURL && target.name).join(': '),
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
  const { conformance, history } = input;
  // If the run could not be done, the other sections would only repeat that for each clause.
  if (conformance.verdict === 'error')
    return [whatToDo(input), fixList(input), tableSection(nightsTable(history, false)), evidenceList(input)];
  const changes = tableSection(changesTable(conformance));
  return [
    // Who looks at a run night after night wants to know first what is new.
    changes,
    fixList(input),
    tableSection(untestedTable(conformance)),
    tableSection(nightsTable(history)),
    clauseList(input),
    folded(limitersTable(input)),
    tableSection(ownTable(conformance)),
    folded(tableSection(observationsTable(conformance))),
    description(),
    foundation(conformance),
    evidenceList(input),
  ];
}

function folded(section: Section | null): Section | null {
  return section && { ...section, isFolded: true };
}

/** Returns what to check if the run could not be done; `null` if nothing was sent: then the error says what to fix. */
function whatToDo({ evidence: { exchanges } }: ReportInput): Section | null {
  if (exchanges.length === 0) return null;
  const isUnreachable = exchanges.every(({ fault }) => fault?.kind === 'unreachable');
  const questions = [
    'Is the address right, with its scheme, port and version? Can it be reached from the machine that ran the suite?',
    isUnreachable
      ? 'Is there a proxy or a private certificate authority in between? The suite honours `HTTPS_PROXY`, `NO_PROXY` and `NODE_EXTRA_CA_CERTS`.'
      : 'Is each key set, still valid, and issued for this server?',
  ];
  const body = markup`<p>The server was not judged. Check these first:</p>\n${listOf(questions)}`;
  return { id: 'error', title: 'What to do', body };
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
    <p>What each section says, in our own words. A section of an RFC links to the RFC.</p>\n
    ${renderTable(['Section', 'What it says'], rows)}`;
  return { id: 'description', title: 'The API description in short', body, isFolded: true };
}

/** Returns what the verdict rests on: what was declared and chosen. Code stands between backticks. */
function foundation({ declared: { accounts }, options }: Conformance): Section {
  const { riskyProbes, insecureTls, limits } = options;
  const withPassword = namesOf(accounts.filter(({ password }) => password));
  const unsearched = namesOf(accounts.filter(({ password, hasPassword }) => !password && hasPassword !== false));
  const lines = compact(
    ...accounts.map(declaredOf),
    // Nobody outside can tell whether a declared password is the stored one.
    withPassword &&
      `\`settings.password-absent\` searched every response for the declared passwords of ${withPassword}. Only their owner knows whether these are the stored ones.`,
    unsearched &&
      `No stored password is declared for ${unsearched}. There \`settings.password-absent\` looks at the names of members only.`,
    riskyProbes
      ? 'Risky probes were sent: unsafe methods without a key, and a valid key in a URL.'
      : 'Risky probes were not sent (`RISKY_PROBES`).',
    insecureTls
      ? 'The server’s certificate was not verified (`INSECURE_TLS`), so another server may have answered.'
      : 'With https, the server’s certificate was verified.',
    `Each answer was allowed ${limits.timeoutSeconds} s and ${limits.bodyBytes.toLocaleString('en')} bytes. A burst was ${plural(limits.burst, 'request')}.`,
  );
  return { id: 'rests-on', title: 'What the verdict rests on', body: listOf(lines), isFolded: true };
}

function namesOf(accounts: readonly DeclaredAccount[]): string {
  return accounts.map(({ name }) => `\`${name}\``).join(', ');
}

function declaredOf({ name, password, hasPassword, settings }: DeclaredAccount): string {
  const facts = compact(
    hasPassword !== null && (hasPassword ? 'a password is stored' : 'no password is stored'),
    password && 'the stored password',
    settings.length > 0 && `settings (${settings.map((member) => `\`${member}\``).join(', ')})`,
  );
  return `Declared for \`${name}\`: ${facts.join(', ') || 'only its key'}.`;
}
