/** The directory that `HISTORY` names. It keeps the results of earlier runs against one target, and gaps. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf } from '../common/json-text';
import { MOST_BYTES, textIn } from '../common/plain-file';
import { UsageError } from '../common/usage-error';
import { makeDirectory, whyUnwritable, writeWhole } from '../common/writable';
import { resultIn } from '../contract/read-result';
import type { Conformance } from '../contract/result';

const KEPT = 90;
/** Each run has one file, named after its start. A run that could not be done leaves a gap. */
const FILE = /^\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z(?:\.gap)?\.json$/;

/** Earlier runs, the oldest first. */
export interface Past {
  runs: Conformance[];
  /** The start of each run that could not be done. */
  gaps: string[];
  /** Files that could not be used, one sentence each. */
  notes: string[];
}

/** Reads what earlier runs left. A file that cannot be read becomes a note. @param directory it may not exist yet */
export function readPast(directory: string): Past {
  const past: Past = { runs: [], gaps: [], notes: [] };
  let names: string[] = [];
  try {
    names = namesIn(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') past.notes.push(`HISTORY: ${directory} cannot be read (${code}): nothing is compared.`);
  }
  for (const name of [...names.filter(isGap).slice(-KEPT), ...names.filter((each) => !isGap(each)).slice(-KEPT)]) {
    const file = join(directory, name);
    try {
      const text = textIn(file, MOST_BYTES.result);
      if (isGap(name)) past.gaps.push(startIn(text, file));
      else past.runs.push(resultIn(text, file));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      past.notes.push(`HISTORY: ${error.message.replace(/\.$/, '')}, and was left out.`);
    }
  }
  return past;
}

/** Returns the start of a run that could not be done, from the text of its gap. @throws UsageError if it has none */
function startIn(text: string, file: string): string {
  const { startedAt } = (jsonOf(text) ?? {}) as Partial<Conformance>;
  if (typeof startedAt === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(startedAt)) return startedAt;
  throw new UsageError(`${file} cannot be read: it is no gap of a history.`);
}

/**
 * Keeps the result of a whole run, or a gap if it could not be done. Removes what is older than the last 90 judged
 * runs.
 * @throws UsageError if it cannot be written
 */
export function keep(directory: string, result: Conformance): void {
  const { startedAt, error, clauses } = result;
  if (clauses.some(({ untested }) => untested === 'not-selected')) return;
  const [ending, content] = error === null ? ['', result] : ['.gap', { startedAt, error }];
  const file = join(directory, `${startedAt.replaceAll(':', '-')}${ending}.json`);
  try {
    makeDirectory(directory);
    writeWhole(file, `${JSON.stringify(content)}\n`);
  } catch (error) {
    throw new UsageError(`HISTORY: ${file} cannot be written (${whyUnwritable(error)}): this run is not kept.`);
  }
  const names = namesIn(directory);
  const oldest = names.filter((name) => !isGap(name)).at(-KEPT) ?? '';
  for (const name of names) if (name < oldest) rmSync(join(directory, name), { force: true });
}

function isGap(name: string): boolean {
  return name.endsWith('.gap.json');
}

/** Returns the names of the runs' files, the oldest first. */
function namesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => FILE.test(name))
    .sort();
}
