/**
 * Writes everything that a run leaves, for people and for machines, into one directory. Makes the badge, and the view of
 * many targets: the verdict of each and what it breaks, with a link to its report.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { appendTo, save, written } from '../common/files';
import { compact, plural, visibleJson } from '../common/text';
import type { Conformance } from '../contract/result';
import { renderFleetJUnit, renderJUnit } from './ci/junit';
import { renderSummary, tableIn } from './ci/markdown';
import { markup } from './markup';
import { renderPage } from './page/page';
import { renderSection, shell, tableSection } from './page/parts';
import type { Cell, Table } from './tables';
import { duration, type FleetTarget, OUTCOME, type ReportInput, runOutcomeOf, targetsByOutcome } from './words';

const EVIDENCE = 'evidence.har';

/** The files of a run against one target. All are written, so that none but evidence is left of an earlier run. */
const RESULTS: Readonly<Record<string, (input: ReportInput) => string | readonly Buffer[]>> = {
  'conformance.json': ({ conformance }) => `${visibleJson(conformance)}\n`,
  [EVIDENCE]: ({ har }) => har,
  'index.html': renderPage,
  'summary.md': renderSummary,
  'junit.xml': renderJUnit,
  'badge.svg': ({ conformance }) => renderBadge(conformance),
};

/**
 * Writes the results of one target. A run that could not be done and sent nothing leaves the evidence of an earlier one.
 * @param stepSummary a file that gets the summary
 * @throws UsageError if it cannot
 */
export function writeResults(directory: string, input: ReportInput, stepSummary?: string): void {
  const { error, requests } = input.conformance;
  const staysAsItIs = error !== null && requests === 0 && existsSync(join(directory, EVIDENCE)) ? EVIDENCE : null;
  const files = Object.entries(RESULTS)
    .filter(([name]) => name !== staysAsItIs)
    .map(([name, make]) => [name, make(input)]);
  writeFiles(directory, Object.fromEntries(files), stepSummary);
  // An earlier run over many targets may have left it. Its overview has just been replaced.
  rmSync(join(directory, 'fleet.json'), { force: true });
}

/** Writes the overview of many targets. As `writeResults`. */
export function writeOverview(directory: string, targets: readonly FleetTarget[], stepSummary?: string): void {
  writeFiles(directory, renderOverview(targets), stepSummary);
}

/** Removes what an earlier run wrote, but for its evidence. @throws UsageError if it cannot */
export function clearResults(directory: string): void {
  for (const name of Object.keys(RESULTS).filter((name) => name !== EVIDENCE)) {
    const file = join(directory, name);
    written(file, ADVICE, () => rmSync(file, { force: true }));
  }
}

const ADVICE = 'set RESULTS_DIR to a directory that can be';

/** @param files contents by name, a summary among them; a large one comes in parts */
function writeFiles(directory: string, files: Record<string, string | readonly Buffer[]>, stepSummary?: string): void {
  for (const [name, text] of Object.entries(files)) save(join(directory, name), text, ADVICE);
  if (stepSummary)
    written(stepSummary, 'GITHUB_STEP_SUMMARY names it', () => appendTo(stepSummary, `${files['summary.md']}\n`));
}

/** Returns the files of the overview of many targets. */
export function renderOverview(fleet: readonly FleetTarget[]) {
  const byOutcome = targetsByOutcome(fleet);
  const targets = byOutcome.flatMap(([, some]) =>
    some.sort((a, b) => b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1)),
  );
  const counts = byOutcome.map(([outcome, some]) => `${some.length} ${OUTCOME[outcome].word.toLowerCase()}`);
  const title = `${plural(targets.length, 'target')}: ${counts.join(', ')}`;
  const head = ['Target', 'Verdict', 'What to fix', 'Took'];
  const table = { id: 'targets', title: 'Targets', head, rows: targets.map(rowOf) };
  const results = fleet.map(({ name, verdict, failed, durationMs }) => ({ name, verdict, failed, durationMs }));
  return {
    'fleet.json': `${visibleJson({ targets: results })}\n`,
    'index.html': overviewPage(title, table),
    'junit.xml': renderFleetJUnit(targets),
    'summary.md': `${compact(`## ${title}`, tableIn(table)).join('\n\n')}\n`,
  };
}

function rowOf(target: FleetTarget): Cell[] {
  const { name, conformance, durationMs, error, causes } = target;
  const { glyph, word } = OUTCOME[runOutcomeOf(target)];
  const page = `${encodeURIComponent(name)}/index.html`;
  const broken = causes.map(
    ({ headline, clauses }): Cell => [`${headline}:`, ...clauses.map((id) => ({ link: id, to: `${page}#${id}` }))],
  );
  // Targets with the same name differ in their addresses.
  const place: Cell = conformance
    ? [
        { link: name, to: page },
        conformance.target.baseURL && { code: conformance.target.baseURL },
        `${conformance.startedAt.slice(0, 16).replace('T', ' ')} UTC`,
      ]
    : name;
  return [place, `${glyph} ${word}`.trim(), error ?? broken, duration(durationMs)];
}

function overviewPage(title: string, table: Table): string {
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

const SUBJECT = 'API conformance';
const SUBJECT_COLOUR = '#3c434c';
/** Width of an average character, in pixels: the reader's font is stretched to it. */
const CHARACTER = 6.25;
const PADDING = 7;

export function renderBadge({ verdict }: Conformance): string {
  const { word, colour } = OUTCOME[verdict];
  const value = word.toLowerCase();
  const left = widthOf(SUBJECT) + 2 * PADDING;
  const right = widthOf(value) + 2 * PADDING;
  const label = (text: string, x: number) => markup`<text x="${x}" y="14" textLength="${widthOf(text)}">${text}</text>`;
  return markup`
    <svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-labelledby="title">
      <title id="title">${SUBJECT}: ${value}</title>
      <clipPath id="round"><rect width="${left + right}" height="20" rx="3"/></clipPath>
      <g clip-path="url(#round)">
        <rect width="${left}" height="20" fill="${SUBJECT_COLOUR}"/>
        <rect x="${left}" width="${right}" height="20" fill="${colour}"/>
      </g>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
        ${label(SUBJECT, PADDING)}${label(value, left + PADDING)}
      </g>
    </svg>\n`.source;
}

function widthOf(text: string): number {
  return Math.round(text.length * CHARACTER);
}
