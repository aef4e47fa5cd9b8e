/** Writes everything that a run leaves, for people and for machines, into one directory. */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, writeWhole, written } from '../common/files';
import { visibleJson } from '../common/text';
import { realPath } from '../config/environment';
import { harParts } from '../evidence/har/write';
import { gatedText } from '../redaction/gate';
import { renderBadge } from './ci/badge';
import { renderJUnit } from './ci/junit';
import { renderSummary } from './ci/markdown';
import type { ReportInput } from './model';
import { renderOverview } from './overview';
import { renderPage } from './page/page';
import type { FleetTarget } from './words';

/** The files of a run against one target. All are always written, so that none is left of an earlier run. */
const RESULTS: Readonly<Record<string, (input: ReportInput) => string | Iterable<string | Buffer>>> = {
  'conformance.json': ({ conformance }) => `${visibleJson(conformance)}\n`,
  // Broken or not, the seal is the one that the result states.
  'evidence.har': ({ conformance, evidence }) =>
    harParts(evidence, { ...conformance, brokenSeal: conformance.digests.seal }),
  'index.html': renderPage,
  'summary.md': renderSummary,
  'junit.xml': renderJUnit,
  'badge.svg': ({ conformance }) => renderBadge(conformance),
};

/**
 * Writes the results of one target.
 * @param stepSummary a file that gets the summary
 * @param given paths of files that the run was given: a run that could not be done leaves them as they are
 * @throws UsageError if it cannot
 */
export function writeResults(
  directory: string,
  input: ReportInput,
  stepSummary?: string,
  given: readonly string[] = [],
): void {
  const isDone = input.conformance.error === null && !input.isInterrupted;
  const files = Object.entries(RESULTS)
    .filter(([name]) => isDone || !given.includes(realPath(join(directory, name))))
    .map(([name, make]) => [name, make(input)]);
  writeFiles(directory, Object.fromEntries(files), stepSummary);
  // An earlier run over many targets may have left it. Its overview has just been replaced.
  rmSync(join(directory, 'fleet.json'), { force: true });
}

/** Writes the overview of many targets: `index.html`, `summary.md`, `junit.xml`, `fleet.json`. As `writeResults`. */
export function writeOverview(directory: string, targets: FleetTarget[], stepSummary?: string): void {
  const { page, summary, junit } = renderOverview(targets);
  const fleet = {
    targets: targets.map(({ name, verdict, failed, durationMs }) => ({ name, verdict, failed, durationMs })),
  };
  const files = { 'fleet.json': `${visibleJson(fleet)}\n`, 'index.html': page, 'junit.xml': junit };
  writeFiles(directory, { ...files, 'summary.md': summary }, stepSummary);
}

/** Removes what an earlier run wrote, and nothing else. @param given files that this run was given: they stay for now */
export function clearResults(directory: string, given: readonly string[]): void {
  for (const file of Object.keys(RESULTS).map((name) => join(directory, name)))
    if (!given.includes(realPath(file))) rmSync(file, { force: true });
}

/** @param files contents by name, a summary among them; a large one comes in parts */
function writeFiles(
  directory: string,
  files: Record<string, string | Iterable<string | Buffer>>,
  stepSummary?: string,
): void {
  const advice = 'set RESULTS_DIR to a directory that can be';
  written(directory, advice, () => makeDirectory(directory));
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name);
    written(file, advice, () => writeWhole(file, text));
  }
  if (stepSummary)
    written(stepSummary, 'GITHUB_STEP_SUMMARY names it', () =>
      appendFileSync(stepSummary, gatedText(`${files['summary.md']}\n`)),
    );
}
