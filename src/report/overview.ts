/** Many targets in one view: the verdict of each and what it breaks, with a link to its report. */
import { plural } from '../common/text';
import { renderFleetJUnit } from './ci/junit';
import { tableIn } from './ci/markdown';
import { compact, duration } from './format';
import { markup } from './markup';
import { type FleetTarget, OUTCOME, runOutcomeOf, targetsByOutcome } from './outcome';
import { renderSection, renderTable, shell } from './page/parts';
import type { Cell, Table } from './tables';

/** Returns the overview as a page in HTML, as Markdown, and as JUnit XML with a suite for each target. */
export function renderOverview(fleet: readonly FleetTarget[]): { page: string; summary: string; junit: string } {
  const byOutcome = targetsByOutcome(fleet);
  const targets = byOutcome.flatMap(([, some]) =>
    some.sort((a, b) => b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1)),
  );
  const counts = byOutcome.map(([outcome, some]) => `${some.length} ${OUTCOME[outcome].word.toLowerCase()}`);
  const title = `${plural(targets.length, 'target')}: ${counts.join(', ')}`;
  const summary = `${compact(`## ${title}`, tableIn(targetsTable(targets))).join('\n\n')}\n`;
  return { page: renderPage(title, targets), summary, junit: renderFleetJUnit(targets) };
}

/** Returns the targets, with what each breaks by cause, or why it could not be judged. */
function targetsTable(targets: readonly FleetTarget[]): Table {
  const head = ['Target', 'Verdict', 'What to fix', 'Took'];
  return { id: 'targets', title: 'Targets', head, rows: targets.map(rowOf) };
}

function rowOf(target: FleetTarget): [place: Cell, verdict: string, what: Cell, took: string] {
  const { name, conformance, durationMs, error, causes } = target;
  const { glyph, word } = OUTCOME[runOutcomeOf(target)];
  const page = `${encodeURIComponent(name)}/index.html`;
  const broken = causes.map(
    ({ headline, clauses }): Cell => [`${headline}:`, ...clauses.map((id) => ({ link: id, to: `${page}#${id}` }))],
  );
  // Targets with the same name differ in their addresses.
  const place: Cell = conformance
    ? [{ link: name, to: page }, { code: conformance.target.baseURL }, momentOf(conformance.startedAt)]
    : name;
  return [place, `${glyph} ${word}`.trim(), error ?? broken, duration(durationMs)];
}

/** Such as "2026-11-20 10:00 UTC". */
function momentOf(startedAt: string): string {
  return `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
}

function renderPage(heading: string, targets: readonly FleetTarget[]): string {
  const suite = targets.find((target) => target.conformance)?.conformance?.suite;
  const figures = targetsByOutcome(targets).map(
    ([outcome, some]) => markup`
      <div class="run-${outcome}">
        <dt>${OUTCOME[outcome].word.toLowerCase()}</dt>
        <dd><strong>${some.length}</strong></dd>
      </div>`,
  );
  const { id, title, head } = targetsTable(targets);
  const rows = targets.map((target) => {
    const [place, verdict, ...others] = rowOf(target);
    return [place, markup`<span class="run-${runOutcomeOf(target)}"><strong>${verdict}</strong></span>`, ...others];
  });
  return shell(
    heading,
    markup`
      <div class="page fleet">
        <header>
          <p class="kicker">Conformance overview</p>
          <h1>${plural(targets.length, 'target')}</h1>
          <dl class="figures">${figures}</dl>
        </header>\n
        <main id="content">${renderSection({ id, title, body: renderTable(head, rows) })}</main>
        <footer>
          <p>
            Machines read <code>fleet.json</code> and <code>junit.xml</code>.
            ${suite && ` Written by ${suite.name} ${suite.version}.`}
          </p>
        </footer>
      </div>`,
  );
}
