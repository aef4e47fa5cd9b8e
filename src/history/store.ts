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
  for (const name of namesOrNote(directory, past)) {
    try {
      const content = JSON.parse(readText('HISTORY', join(directory, name))) as Conformance;
      if (name.endsWith('.gap.json')) past.gaps.push(content.startedAt);
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
  const name = startedAt.replaceAll(':', '-');
  makeDirectory(directory);
  if (error === null) writeWhole(join(directory, `${name}.json`), `${JSON.stringify(result)}\n`);
  else writeWhole(join(directory, `${name}.gap.json`), `${JSON.stringify({ startedAt, error })}\n`);
  const names = namesIn(directory);
  const oldest = names.filter((file) => !file.endsWith('.gap.json')).at(-KEPT);
  for (const file of names) if (oldest !== undefined && file < oldest) rmSync(join(directory, file), { force: true });
}

function namesOrNote(directory: string, { notes }: Past): string[] {
  try {
    return namesIn(directory);
  } catch (error) {
    notes.push(`HISTORY: ${directory} cannot be read (${(error as NodeJS.ErrnoException).code}): nothing is compared.`);
    return [];
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => FILE.test(name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
