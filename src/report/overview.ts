/** Many targets in one view: who breaks what, and the way to each report. */

import { clauseTexts } from '../contract/clauses';
import type { Verdict } from '../contract/result';
import { renderSuites } from './junit';
import type { FleetTarget } from './model';
import { type Markup, markup, prose } from './page/markup';
import { shell } from './page/shell';
import { code, heading, inline, table } from './summary';
import { countVerdicts, duration, plural, RUN_VERDICT, targetsByVerdict, VERDICT } from './words';

const NOT_FINISHED = 'The run of this target left no result: it was not finished.';

/** The overview as a page in HTML, as Markdown, and as JUnit's XML. */
export function renderOverview(fleet: readonly FleetTarget[]): { page: string; summary: string; junit: string } {
  const targets = [...fleet].sort(
    (a, b) => rank(a) - rank(b) || b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1),
  );
  const broken = brokenClauses(targets);
  return {
    page: renderMatrix(targets, broken),
    summary: renderTable(targets, broken),
    junit: renderCases(targets),
  };
}

const rank = ({ verdict }: FleetTarget) => Object.keys(RUN_VERDICT).indexOf(verdict);

const linkTo = (name: string) => `${encodeURIComponent(name)}/index.html`;

/** What kept a target from being judged, if anything did. */
function errorOf({ conformance }: FleetTarget): string | null {
  return conformance === null ? NOT_FINISHED : conformance.error;
}

function verdictOf({ conformance }: FleetTarget, id: string): Verdict | null {
  return conformance?.clauses.find((clause) => clause.id === id)?.verdict ?? null;
}

interface BrokenClause {
  id: string;
  statement: string;
  failing: FleetTarget[];
  warned: FleetTarget[];
}

/** Clauses that some target does not pass though it was tested, the most broken first. */
function brokenClauses(targets: FleetTarget[]): BrokenClause[] {
  return clauseTexts
    .map(({ id, statement }) => ({
      id,
      statement,
      failing: targets.filter((target) => verdictOf(target, id) === 'fail'),
      warned: targets.filter((target) => ['warn', 'waived'].includes(verdictOf(target, id) ?? '')),
    }))
    .filter(({ failing, warned }) => failing.length + warned.length > 0)
    .sort((a, b) => b.failing.length - a.failing.length || b.warned.length - a.warned.length);
}

const inShort = (targets: FleetTarget[]) =>
  targetsByVerdict(targets)
    .map(([verdict, some]) => `${some.length} ${RUN_VERDICT[verdict].word.toLowerCase()}`)
    .join(', ');

function renderMatrix(targets: FleetTarget[], broken: BrokenClause[]): string {
  const suite = targets.find((target) => target.conformance)?.conformance?.suite;
  const title = `${plural(targets.length, 'target')}: ${inShort(targets)}`;
  const errors = targets.filter((target) => errorOf(target) !== null);
  return shell(
    title,
    markup`<div class="page wide"><header><p class="kicker">Conformance overview</p><h1>${plural(targets.length, 'target')}</h1>
<dl class="figures">${targetsByVerdict(targets).map(([verdict, some]) => markup`<div class="run-${verdict}"><dt>${RUN_VERDICT[verdict].word.toLowerCase()}</dt><dd><strong>${some.length}</strong></dd></div>`)}</dl></header>
<main id="content">
<section aria-labelledby="matrix"><h2 id="matrix">Targets and what they break</h2>
<p>${broken.length > 0 ? 'A column for each clause that somebody does not pass, the most broken first; all other clauses hold wherever they were tested.' : 'Every clause holds wherever it was tested.'}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Matrix of targets by clauses"><table class="matrix"><thead><tr><th scope="col">Target</th><th scope="col">Verdict</th><th scope="col">Failed</th><th scope="col">Not tested</th><th scope="col">Took</th>${broken.map(({ id }) => markup`<th scope="col" class="turned"><span>${id}</span></th>`)}</tr></thead>
<tbody>${targets.map((target) => renderRow(target, broken))}</tbody></table></div></section>
${errors.length > 0 && markup`<section aria-labelledby="errors"><h2 id="errors">Not judged</h2><dl class="untested">${errors.map((target) => markup`<dt>${reportLink(target)}</dt><dd>${prose(errorOf(target) ?? '')}</dd>`)}</dl></section>`}
${broken.length > 0 && markup`<section aria-labelledby="broken"><h2 id="broken">Clause by clause</h2><ul class="mend">${broken.map(renderBroken)}</ul></section>`}
</main><footer><p>Machines read <code>fleet.json</code> and <code>junit.xml</code>.${suite && ` Written by ${suite.name} ${suite.version}.`}</p></footer></div>`,
  );
}

function reportLink({ name, conformance }: FleetTarget, id?: string): Markup {
  if (conformance === null) return markup`${name}`;
  return markup`<a href="${linkTo(name)}${id && `#${id}`}">${name}</a>`;
}

function renderRow(target: FleetTarget, broken: BrokenClause[]): Markup {
  const { conformance, failed, durationMs, verdict } = target;
  const cells = broken.map(({ id }) => {
    const found = verdictOf(target, id);
    if (found === null) return markup`<td></td>`;
    const { glyph, word } = VERDICT[found];
    const sign = markup`<span aria-hidden="true">${glyph}</span><span class="sr">${word}</span>`;
    const told = found !== 'pass' && found !== 'not-tested' && conformance !== null;
    return markup`<td class="is-${found} v-${found}">${told ? markup`<a href="${linkTo(target.name)}#${id}" title="${id}: ${word}">${sign}</a>` : sign}</td>`;
  });
  const untested = conformance ? countVerdicts(conformance.clauses)['not-tested'] : null;
  return markup`<tr><th scope="row">${reportLink(target)}</th><td class="run-${verdict}"><strong>${RUN_VERDICT[verdict].word}</strong></td><td>${failed.length || ''}</td><td>${untested || ''}</td><td>${duration(durationMs)}</td>${cells}</tr>`;
}

function renderBroken({ id, statement, failing, warned }: BrokenClause): Markup {
  const names = (targets: FleetTarget[]) =>
    targets.map((target, i) => markup`${i > 0 && ', '}${reportLink(target, id)}`);
  return markup`<li><code class="id">${id}</code> <p>${prose(statement)}</p>${
    failing.length > 0 && markup`<p><span class="v-fail">Broken by ${failing.length}:</span> ${names(failing)}</p>`
  }${warned.length > 0 && markup`<p><span class="v-warn">Warned of or waived at ${warned.length}:</span> ${names(warned)}</p>`}</li>`;
}

function renderTable(targets: FleetTarget[], broken: BrokenClause[]): string {
  const rows = targets.map((target) => {
    const what = errorOf(target) === null ? target.failed.map(code).join(', ') : inline(errorOf(target) ?? '');
    const name = target.conformance ? `[${inline(target.name)}](${linkTo(target.name)})` : inline(target.name);
    return [name, heading(target.verdict), what, duration(target.durationMs)];
  });
  const most = broken.filter(({ failing }) => failing.length > 0);
  const list = most.map(
    ({ id, failing }) =>
      `- ${code(id)}, ${plural(failing.length, 'target')}: ${failing.map((t) => inline(t.name)).join(', ')}`,
  );
  const details = `<details><summary>${plural(most.length, 'clause')} broken by somebody</summary>\n\n${list.join('\n')}\n\n</details>`;
  const parts = [
    `## ${plural(targets.length, 'target')}: ${inShort(targets)}`,
    table(['Target', 'Verdict', 'What', 'Took'], rows),
  ];
  return `${[...parts, ...(most.length > 0 ? [details] : [])].join('\n\n')}\n`;
}

function renderCases(targets: FleetTarget[]): string {
  const suites = targets.map((target) => ({
    name: target.name,
    clauses: target.conformance?.clauses ?? [],
    seconds: target.durationMs / 1000,
    error: errorOf(target),
  }));
  return renderSuites('conformance', suites, { seconds: suites.reduce((sum, suite) => sum + suite.seconds, 0) });
}
