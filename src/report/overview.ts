/** Many targets in one view: which of them break what, with a link to the report of each. */
import { plural } from '../common/text';
import { clauseTexts } from '../contract/clauses';
import type { Verdict } from '../contract/result';
import { renderFleetJUnit } from './ci/junit';
import { tableIn } from './ci/markdown';
import { compact, duration, having, isSelected, VERDICT } from './format';
import { type Markup, markup } from './markup';
import { type FleetTarget, OUTCOME, outcomeOf, targetsByOutcome } from './outcome';
import { renderCell, renderSection, type Section, tableSection } from './page/sections';
import { shell } from './page/shell';
import type { Cell, Table } from './tables';

/** Returns the overview as a page in HTML, as Markdown, and as JUnit XML with a suite for each target. */
export function renderOverview(fleet: readonly FleetTarget[]): { page: string; summary: string; junit: string } {
  const byOutcome = targetsByOutcome(fleet);
  const targets = byOutcome.flatMap(([, some]) =>
    some.sort((a, b) => b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1)),
  );
  const counts = byOutcome.map(([outcome, some]) => `${some.length} ${OUTCOME[outcome].word.toLowerCase()}`);
  const title = `${plural(targets.length, 'target')}: ${counts.join(', ')}`;
  const broken = brokenClauses(targets);
  const tables = [targetsTable(targets), brokenTable(broken)];
  const summary = `${compact(`## ${title}`, ...tables.map(tableIn)).join('\n\n')}\n`;
  return { page: renderPage(title, targets, broken), summary, junit: renderFleetJUnit(targets) };
}

type BrokenClause = ReturnType<typeof brokenClauses>[number];

/** Returns the clauses that a target fails, or has a warning or waiver for; those that most targets fail come first. */
function brokenClauses(targets: FleetTarget[]) {
  return clauseTexts
    .map(({ id, statement }) => {
      const withVerdict = (...verdicts: Array<Verdict | null>) =>
        targets.filter((target) => verdicts.includes(verdictOf(target, id)));
      return { id, statement, failing: withVerdict('fail'), warned: withVerdict('warn', 'waived') };
    })
    .filter(({ failing, warned }) => failing.length + warned.length > 0)
    .sort((a, b) => b.failing.length - a.failing.length || b.warned.length - a.warned.length);
}

/** Returns the verdict of one clause; `null` if the target has no result. */
function verdictOf({ conformance }: FleetTarget, id: string): Verdict | null {
  return conformance?.clauses.find((clause) => clause.id === id)?.verdict ?? null;
}

function addressOf({ name }: FleetTarget, hash = ''): string {
  return `${encodeURIComponent(name)}/index.html${hash}`;
}

/** Returns the name of a target, as a link if it has a report. */
function linkTo(target: FleetTarget, hash?: string): Cell {
  return target.conformance === null ? target.name : { link: target.name, to: addressOf(target, hash) };
}

function targetsTable(targets: FleetTarget[]): Table {
  return {
    id: 'targets',
    title: 'Targets',
    head: ['Target', 'Verdict', 'What', 'Took'],
    rows: targets.map((target) => {
      const { glyph, word } = OUTCOME[outcomeOf(target)];
      const what = target.error ?? target.causes.map(({ headline }) => `${headline}.`);
      return [linkTo(target), `${glyph} ${word}`.trim(), what, duration(target.durationMs)];
    }),
  };
}

/** Returns what breaks each target, by its causes, or why it could not be judged. */
function causesTable(targets: FleetTarget[]): Table {
  const rows = targets.flatMap((target): Cell[][] => {
    if (target.error !== null) return [[linkTo(target), target.error, '']];
    const link = linkTo(target, '#fix');
    return target.causes.map(({ headline, clauses }) => [link, headline, clauses.map((id) => ({ code: id }))]);
  });
  return { id: 'causes', title: 'What to fix, target by target', head: ['Target', 'What', 'Clauses'], rows };
}

function brokenTable(broken: BrokenClause[]): Table {
  return {
    id: 'broken',
    title: 'Clause by clause',
    head: ['Clause', 'Broken by', 'Warning or waiver for'],
    rows: broken.map(({ id, statement, failing, warned }) => {
      const named = (some: FleetTarget[]): Cell => some.map((target) => linkTo(target, `#${id}`));
      return [[{ code: id }, statement], named(failing), named(warned)];
    }),
  };
}

function renderPage(title: string, targets: FleetTarget[], broken: BrokenClause[]): string {
  const suite = targets.find((target) => target.conformance)?.conformance?.suite;
  const figures = targetsByOutcome(targets).map(
    ([outcome, some]) => markup`
      <div class="run-${outcome}">
        <dt>${OUTCOME[outcome].word.toLowerCase()}</dt>
        <dd><strong>${some.length}</strong></dd>
      </div>`,
  );
  const sections = [matrix(targets, broken), tableSection(causesTable(targets)), tableSection(brokenTable(broken))];
  return shell(
    title,
    markup`
      <div class="page wide">
        <header>
          <p class="kicker">Conformance overview</p>
          <h1>${plural(targets.length, 'target')}</h1>
          <dl class="figures">${figures}</dl>
        </header>\n
        <main id="content">${sections.map((section) => section && renderSection(section))}</main>
        <footer>
          <p>
            Machines read <code>fleet.json</code> and <code>junit.xml</code>.
            ${suite && ` Written by ${suite.name} ${suite.version}.`}
          </p>
        </footer>
      </div>`,
  );
}

function matrix(targets: FleetTarget[], broken: BrokenClause[]): Section {
  const columns = ['Target', 'Verdict', 'Failed', 'Not tested', 'Took'];
  const body = markup`
    <p>Every clause that a target breaks is named on this page.</p>\n
    <div class="scroll" tabindex="0" role="region" aria-label="Matrix of targets by clauses">
      <table class="matrix">
        <thead>
          <tr>
            ${columns.map((column) => markup`<th scope="col">${column}</th>`)}
            ${broken.map(({ id }) => markup`<th scope="col" class="turned"><span>${id}</span></th>`)}
          </tr>
        </thead>\n
        <tbody>${targets.map((target) => renderRow(target, broken))}</tbody>
      </table>
    </div>`;
  return { id: 'matrix', title: 'Targets and what they break', body };
}

function renderRow(target: FleetTarget, broken: BrokenClause[]): Markup {
  const { conformance, failed, durationMs } = target;
  const outcome = outcomeOf(target);
  const when = conformance?.startedAt.slice(0, 16).replace('T', ' ');
  // Targets with the same name differ in their addresses.
  const place = markup`
    <span class="address">${conformance?.target.baseURL}</span> <span class="address">${when} UTC</span>`;
  return markup`
    <tr>
      <th scope="row">${renderCell(linkTo(target))}${conformance && place}</th>
      <td class="run-${outcome}"><strong>${OUTCOME[outcome].word}</strong></td>
      <td>${failed.length || ''}</td>
      <td>${having(conformance?.clauses.filter(isSelected) ?? [], 'not-tested').length || ''}</td>
      <td>${duration(durationMs)}</td>
      ${broken.map(({ id }) => renderMark(target, id))}
    </tr>`;
}

function renderMark(target: FleetTarget, id: string): Markup {
  const verdict = verdictOf(target, id);
  if (verdict === null) return markup`<td></td>`;
  const { glyph, word } = VERDICT[verdict];
  const sign = markup`<span aria-hidden="true">${glyph}</span><span class="sr">${word}</span>`;
  const isLinked = verdict !== 'pass' && verdict !== 'not-tested';
  return markup`
    <td class="is-${verdict} v-${verdict}">
      ${isLinked ? markup`<a href="${addressOf(target, `#${id}`)}" title="${id}: ${word}">${sign}</a>` : sign}
    </td>`;
}
