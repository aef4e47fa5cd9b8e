/** The overview as a page: a table of targets by clauses, and the clauses that are broken. */

import type { Conformance } from '../../contract/result';
import { type Markup, markup, prose } from '../markup';
import type { FleetTarget } from '../model';
import { shell } from '../page/shell';
import { countVerdicts, duration, plural, RUN_VERDICT, targetsByVerdict, VERDICT } from '../words';
import { type BrokenClause, errorOf, linkTo, type Overview, verdictOf, verdictsInWords } from './overview-model';

export function renderOverviewPage(overview: Overview): string {
  const { targets } = overview;
  const count = plural(targets.length, 'target');
  const suite = targets.find((target) => target.conformance)?.conformance?.suite;
  return shell(
    `${count}: ${verdictsInWords(targets)}`,
    markup`
      <div class="page wide">
        <header>
          <p class="kicker">Conformance overview</p>
          <h1>${count}</h1>\n
          ${renderFigures(targets)}
        </header>\n
        <main id="content">\n
          ${renderMatrix(overview)}\n
          ${renderErrors(targets)}\n
          ${renderClauses(overview)}\n
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

function renderFigures(targets: FleetTarget[]): Markup {
  const figures = targetsByVerdict(targets).map(
    ([verdict, some]) => markup`
      <div class="run-${verdict}">
        <dt>${RUN_VERDICT[verdict].word.toLowerCase()}</dt>
        <dd><strong>${some.length}</strong></dd>
      </div>`,
  );
  return markup`<dl class="figures">${figures}</dl>`;
}

function renderMatrix({ targets, broken }: Overview): Markup {
  const intro =
    broken.length > 0
      ? 'One column for each clause that a target does not pass, the most often broken first. ' +
        'Every other clause passed on all targets that were tested for it.'
      : 'Every clause passed on all targets that were tested for it.';
  const columns = ['Target', 'Verdict', 'Failed', 'Not tested', 'Took'];
  return markup`
    <section aria-labelledby="matrix">
      <h2 id="matrix">Targets and what they break</h2>\n
      <p>${intro}</p>\n
      <div class="scroll" tabindex="0" role="region" aria-label="Matrix of targets by clauses">
        <table class="matrix">
          <thead>
            <tr>
              ${columns.map((title) => markup`<th scope="col">${title}</th>`)}
              ${broken.map(({ id }) => markup`<th scope="col" class="turned"><span>${id}</span></th>`)}
            </tr>
          </thead>\n
          <tbody>${targets.map((target) => renderRow(target, broken))}</tbody>
        </table>
      </div>
    </section>`;
}

function renderRow(target: FleetTarget, broken: BrokenClause[]): Markup {
  const { conformance, failed, durationMs, verdict } = target;
  const untested = conformance ? countVerdicts(conformance.clauses)['not-tested'] : null;
  return markup`
    <tr>
      <th scope="row">${reportLink(target)}${conformance && renderAddress(conformance)}</th>
      <td class="run-${verdict}"><strong>${RUN_VERDICT[verdict].word}</strong></td>
      <td>${failed.length || ''}</td>
      <td>${untested || ''}</td>
      <td>${duration(durationMs)}</td>
      ${broken.map(({ id }) => renderCell(target, id))}
    </tr>`;
}

/** Where and when: two targets may be of one name. */
function renderAddress({ target, startedAt }: Conformance): Markup {
  const when = startedAt.slice(0, 16).replace('T', ' ');
  return markup`<span class="address">${target.baseURL && `${target.baseURL}, `}${when} UTC</span>`;
}

function renderCell(target: FleetTarget, id: string): Markup {
  const verdict = verdictOf(target, id);
  if (verdict === null) return markup`<td class="cell"></td>`;
  const { glyph, word } = VERDICT[verdict];
  const sign = markup`<span aria-hidden="true">${glyph}</span><span class="sr">${word}</span>`;
  const isLinked = verdict !== 'pass' && verdict !== 'not-tested';
  const link = isLinked && markup`<a href="${linkTo(target)}#${id}" title="${id}: ${word}">${sign}</a>`;
  return markup`<td class="cell is-${verdict} v-${verdict}">${link || sign}</td>`;
}

function renderErrors(targets: FleetTarget[]): Markup | null {
  const items = targets.flatMap((target) => {
    const error = errorOf(target);
    return error === null ? [] : [markup`<dt>${reportLink(target)}</dt><dd>${prose(error)}</dd>`];
  });
  if (items.length === 0) return null;
  return markup`
    <section aria-labelledby="errors">
      <h2 id="errors">Errors</h2>
      <dl class="untested">${items}</dl>
    </section>`;
}

function renderClauses({ broken }: Overview): Markup | null {
  if (broken.length === 0) return null;
  return markup`
    <section aria-labelledby="broken">
      <h2 id="broken">Clause by clause</h2>
      <ul class="fixes">${broken.map(renderClause)}</ul>
    </section>`;
}

function renderClause({ id, statement, failing, warned }: BrokenClause): Markup {
  const names = (targets: FleetTarget[]) =>
    targets.map((target, i) => markup`${i > 0 && ', '}${reportLink(target, id)}`);
  const told = (kind: string, what: string, targets: FleetTarget[]) =>
    targets.length > 0 && markup`<p><span class="v-${kind}">${what} ${targets.length}:</span> ${names(targets)}</p>`;
  return markup`
    <li>
      <code class="id">${id}</code>\n
      <p>${prose(statement)}</p>
      ${told('fail', 'Broken by', failing)}
      ${told('warn', 'Warning or waiver for', warned)}
    </li>`;
}

/** The name of a target, as a link where it has a report: to one clause, if one is given. */
function reportLink(target: FleetTarget, id?: string): Markup {
  if (target.conformance === null) return markup`${target.name}`;
  return markup`<a href="${linkTo(target)}${id && `#${id}`}">${target.name}</a>`;
}
