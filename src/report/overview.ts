/** Many targets in one view: the verdict of each and what it breaks, with a link to its report. */
import { compact, plural } from '../common/text';
import { renderFleetJUnit } from './ci/junit';
import { tableIn } from './ci/markdown';
import { markup } from './markup';
import { renderSection, shell, tableSection } from './page/parts';
import type { Cell, Table } from './tables';
import { duration, type FleetTarget, OUTCOME, runOutcomeOf, targetsByOutcome } from './words';

/** Returns the overview as a page in HTML, as Markdown, and as JUnit XML with a suite for each target. */
export function renderOverview(fleet: readonly FleetTarget[]): { page: string; summary: string; junit: string } {
  const byOutcome = targetsByOutcome(fleet);
  const targets = byOutcome.flatMap(([, some]) =>
    some.sort((a, b) => b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1)),
  );
  const counts = byOutcome.map(([outcome, some]) => `${some.length} ${OUTCOME[outcome].word.toLowerCase()}`);
  const title = `${plural(targets.length, 'target')}: ${counts.join(', ')}`;
  const head = ['Target', 'Verdict', 'What to fix', 'Took'];
  const table = { id: 'targets', title: 'Targets', head, rows: targets.map(rowOf) };
  const summary = `${compact(`## ${title}`, tableIn(table)).join('\n\n')}\n`;
  return { page: renderPage(title, table), summary, junit: renderFleetJUnit(targets) };
}

/** Returns a target with what it breaks by cause, or why it could not be judged. */
function rowOf(target: FleetTarget): Cell[] {
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

function renderPage(title: string, table: Table): string {
  const section = tableSection(table);
  return shell(
    title,
    markup`
      <div class="page fleet">
        <header>
          <p class="kicker">Conformance overview</p>
          <h1>${title}</h1>
        </header>\n
        <main id="content">${section && renderSection(section)}</main>
        <footer><p>Machines read <code>fleet.json</code> and <code>junit.xml</code>.</p></footer>
      </div>`,
  );
}
