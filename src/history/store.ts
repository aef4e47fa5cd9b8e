/** The directory that `HISTORY` names: the results of earlier runs against one target, and the nights without one. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, writeWhole } from '../common/writable';
import { type Conformance, NOT_SELECTED } from '../contract/result';
import { readText } from '../target/readable';

/** So many judged runs are kept. */
const KEPT = 90;
/** One file for each run, called by its start; a run that could not be done is a gap. */
const FILE = /^\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z(?:\.gap)?\.json$/;

/** What is known of earlier runs, the oldest first. */
export interface Past {
  runs: Conformance[];
  /** When runs started that could not be done. */
  gaps: string[];
  /** Files that could not be used, one sentence each. */
  notes: string[];
}

/**
 * Reads what earlier runs left.
 * @param directory need not be there yet; what cannot be read of it becomes a note
 */
export function readPast(directory: string): Past {
  const past: Past = { runs: [], gaps: [], notes: [] };
  let names: string[] = [];
  try {
    names = namesIn(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') past.notes.push(`HISTORY: ${directory} cannot be read (${code}): nothing is compared.`);
  }
  for (const name of names) {
    try {
      const content = JSON.parse(readText('HISTORY', join(directory, name))) as Conformance;
      if (isGap(name)) past.gaps.push(content.startedAt);
      else if (Array.isArray(content.clauses)) past.runs.push(content);
    } catch {
      past.notes.push(`HISTORY: ${join(directory, name)} is not whole and was left out.`);
    }
  }
  return past;
}

/**
 * Keeps the result of a whole run, or that there was none, and removes what is older than the last 90 judged runs.
 * @throws the system's error where it cannot be written
 */
export function keep(directory: string, result: Conformance): void {
  const { startedAt, error, clauses } = result;
  if (clauses.some(({ reason }) => reason === NOT_SELECTED)) return;
  const [ending, content] = error === null ? ['', result] : ['.gap', { startedAt, error }];
  makeDirectory(directory);
  writeWhole(join(directory, `${startedAt.replaceAll(':', '-')}${ending}.json`), `${JSON.stringify(content)}\n`);
  const names = namesIn(directory);
  const oldest = names.filter((name) => !isGap(name)).at(-KEPT) ?? '';
  for (const name of names) if (name < oldest) rmSync(join(directory, name), { force: true });
}

function isGap(name: string): boolean {
  return name.endsWith('.gap.json');
}

/** The files of the directory, the oldest first. */
function namesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => FILE.test(name))
    .sort();
}
