/** Many targets in one view: which of them break what, and the way to the report of each. */

import { clauseTexts, textOf } from '../contract/clauses';
import type { Verdict } from '../contract/result';
import { renderFleetJUnit } from './junit';
import { code, inline, table } from './markdown';
import { type Markup, markup, prose } from './markup';
import type { FleetTarget } from './model';
import { shell } from './page/shell';
import { folded } from './summary';
import { countVerdicts, duration, errorOf, plural, RUN_VERDICT, targetsByVerdict, VERDICT } from './words';

interface Overview {
  /** The worst first. */
  targets: FleetTarget[];
  /** "2 targets: 1 non-conformant, 1 conformant" */
  title: string;
  /** Clauses that some target was tested for and does not pass, the one that most targets fail first. */
  broken: BrokenClause[];
}

interface BrokenClause {
  id: string;
  failing: FleetTarget[];
  /** Targets with a warning or a waiver. */
  warned: FleetTarget[];
}

/** The overview as a page in HTML, as Markdown, and as JUnit XML with a suite for each target. */
export function renderOverview(fleet: readonly FleetTarget[]): { page: string; summary: string; junit: string } {
  const byVerdict = targetsByVerdict(fleet);
  const targets = byVerdict.flatMap(([, some]) =>
    some.sort((a, b) => b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1)),
  );
  const counts = byVerdict.map(([verdict, some]) => `${some.length} ${RUN_VERDICT[verdict].word.toLowerCase()}`);
  const title = `${plural(targets.length, 'target')}: ${counts.join(', ')}`;
  const overview = { targets, title, broken: brokenClauses(targets) };
  return { page: renderPage(overview), summary: renderSummary(overview), junit: renderFleetJUnit(targets) };
}

function brokenClauses(targets: FleetTarget[]): BrokenClause[] {
  return clauseTexts
    .map(({ id }) => {
      const having = (...verdicts: Array<Verdict | null>) =>
        targets.filter((target) => verdicts.includes(verdictOf(target, id)));
      return { id, failing: having('fail'), warned: having('warn', 'waived') };
    })
    .filter(({ failing, warned }) => failing.length + warned.length > 0)
    .sort((a, b) => b.failing.length - a.failing.length || b.warned.length - a.warned.length);
}

/** The verdict of one clause; `null` where the target has no result. */
function verdictOf({ conformance }: FleetTarget, id: string): Verdict | null {
  return conformance?.clauses.find((clause) => clause.id === id)?.verdict ?? null;
}

/** The report of a target, from the directory of the overview. */
function linkTo({ name }: FleetTarget): string {
  return `${encodeURIComponent(name)}/index.html`;
}

function renderPage({ targets, title, broken }: Overview): string {
  const suite = targets.find((target) => target.conformance)?.conformance?.suite;
  const figures = targetsByVerdict(targets).map(
    ([verdict, some]) => markup`
      <div class="run-${verdict}">
        <dt>${RUN_VERDICT[verdict].word.toLowerCase()}</dt>
        <dd><strong>${some.length}</strong></dd>
      </div>`,
  );
  const errors = targets.flatMap((target) => {
    const error = errorOf(target);
    return error === null ? [] : [markup`<dt>${reportLink(target)}</dt><dd>${prose(error)}</dd>`];
  });
  return shell(
    title,
    markup`
      <div class="page wide">
        <header>
          <p class="kicker">Conformance overview</p>
          <h1>${plural(targets.length, 'target')}</h1>\n
          <dl class="figures">${figures}</dl>
        </header>\n
        <main id="content">\n
          ${renderMatrix(targets, broken)}\n
          ${errors.length > 0 && section('errors', 'Errors', markup`<dl class="untested">${errors}</dl>`)}\n
          ${broken.length > 0 && section('broken', 'Clause by clause', markup`<ul class="fixes">${broken.map(renderClause)}</ul>`)}\n
        </main>
        <footer>
          <p>
            Machines read <code>fleet.json</code> and <code>junit.xml</code>.
            ${suite && ` Written by ${suite.name} ${suite.version}.`}
          </p>
        </footer>
      </div>`,
  );
}

function section(id: string, title: string, body: Markup): Markup {
  return markup`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${body}</section>`;
}

function renderMatrix(targets: FleetTarget[], broken: BrokenClause[]): Markup {
  const columns = ['Target', 'Verdict', 'Failed', 'Not tested', 'Took'];
  const intro =
    broken.length > 0
      ? 'One column for each clause that a target does not pass, the most often broken first. Every other clause'
      : 'Every clause';
  const body = markup`
    <p>${intro} passed on all targets that were tested for it.</p>\n
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
  return section('matrix', 'Targets and what they break', body);
}

function renderRow(target: FleetTarget, broken: BrokenClause[]): Markup {
  const { conformance, failed, durationMs, verdict } = target;
  const { target: { baseURL = '' } = {}, startedAt = '' } = conformance ?? {};
  // Two targets may be of one name.
  const place = `${baseURL && `${baseURL}, `}${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return markup`
    <tr>
      <th scope="row">${reportLink(target)}${conformance && markup`<span class="address">${place}</span>`}</th>
      <td class="run-${verdict}"><strong>${RUN_VERDICT[verdict].word}</strong></td>
      <td>${failed.length || ''}</td>
      <td>${(conformance && countVerdicts(conformance.clauses)['not-tested']) || ''}</td>
      <td>${duration(durationMs)}</td>
      ${broken.map(({ id }) => renderCell(target, id))}
    </tr>`;
}

function renderCell(target: FleetTarget, id: string): Markup {
  const verdict = verdictOf(target, id);
  if (verdict === null) return markup`<td></td>`;
  const { glyph, word } = VERDICT[verdict];
  const sign = markup`<span aria-hidden="true">${glyph}</span><span class="sr">${word}</span>`;
  const isLinked = verdict !== 'pass' && verdict !== 'not-tested';
  const link = isLinked && markup`<a href="${linkTo(target)}#${id}" title="${id}: ${word}">${sign}</a>`;
  return markup`<td class="is-${verdict} v-${verdict}">${link || sign}</td>`;
}

function renderClause({ id, failing, warned }: BrokenClause): Markup {
  const told = (kind: string, what: string, targets: FleetTarget[]) =>
    targets.length > 0 &&
    markup`
      <p>
        <span class="v-${kind}">${what} ${targets.length}:</span>\n
        ${targets.map((target, i) => markup`${i > 0 && ', '}${reportLink(target, id)}`)}
      </p>`;
  return markup`
    <li>
      <code class="id">${id}</code>\n
      <p>${prose(textOf(id).statement)}</p>
      ${told('fail', 'Broken by', failing)}
      ${told('warn', 'Warning or waiver for', warned)}
    </li>`;
}

/** The name of a target, as a link where it has a report: to one clause, if one is given. */
function reportLink(target: FleetTarget, id?: string): Markup {
  if (target.conformance === null) return markup`${target.name}`;
  return markup`<a href="${linkTo(target)}${id && `#${id}`}">${target.name}</a>`;
}

function renderSummary({ targets, title, broken }: Overview): string {
  const rows = targets.map((target) => {
    const error = errorOf(target);
    const name = target.conformance ? `[${inline(target.name)}](${linkTo(target)})` : inline(target.name);
    const what = error === null ? target.failed.map(code).join(', ') : inline(error);
    const { glyph, word } = RUN_VERDICT[target.verdict];
    return [name, `${glyph} ${word}`.trim(), what, duration(target.durationMs)];
  });
  const failed = broken.filter(({ failing }) => failing.length > 0);
  const lines = failed.map(({ id, failing }) => {
    const names = failing.map(({ name }) => inline(name)).join(', ');
    return `- ${code(id)}, ${plural(failing.length, 'target')}: ${names}`;
  });
  return `${[
    `## ${title}`,
    table(['Target', 'Verdict', 'What', 'Took'], rows),
    ...(failed.length > 0 ? [folded(`${plural(failed.length, 'clause')} broken by a target`, lines.join('\n'))] : []),
  ].join('\n\n')}\n`;
}
