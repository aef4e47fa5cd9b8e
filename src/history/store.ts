/** The directory that `HISTORY` names. It keeps the results of earlier runs against one target, and gaps. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../common/errors';
import { MOST_BYTES, namesIn, textIn } from '../common/plain-file';
import { visibleJson } from '../common/text';
import { makeDirectory, writeWhole, written } from '../common/writable';
import { resultIn } from '../contract/read-result';
import type { Conformance } from '../contract/result';

const KEPT = 90;
/** The most bytes of all that are read, the latest first: once parsed they take more. A result has a tenth of a mebibyte. */
const MOST_READ = 32 * 1024 * 1024;
/** Each run has one file, named after its start. A run that could not be done leaves a gap. */
const FILE = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)(\.gap)?\.json$/;

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
  const noting = (end: string, read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      past.notes.push(`${error.message.replace(/\.$/, '')}${end}`);
    }
  };
  noting(', so nothing is compared.', () => {
    const files = existsSync(directory) ? filesIn(directory) : [];
    past.gaps = files.flatMap(({ gap }) => gap ?? []).slice(-KEPT);
    let room = MOST_READ;
    for (const { name } of files
      .filter(({ gap }) => gap === null)
      .slice(-KEPT)
      .reverse()) {
      const file = `HISTORY: ${join(directory, name)}`;
      noting(', and was left out.', () => {
        const text = textIn(join(directory, name), MOST_BYTES.file, { named: 'HISTORY: ' });
        room -= text.length;
        if (room < 0) throw new UsageError(`${file} and what is older have more than ${MOST_READ} bytes together`);
        past.runs.unshift(resultIn(text, file));
      });
      if (room < 0) break;
    }
  });
  past.notes.reverse();
  return past;
}

/** Returns what is earlier than a result and of the same target, by name and address. */
export function pastOf({ runs, gaps, notes }: Past, { target, startedAt }: Conformance): Past {
  const isSame = ({ target: { name, baseURL, embedded } }: Conformance) =>
    // The embedded server has another port each time.
    name === target.name && (baseURL === target.baseURL || (embedded && target.embedded));
  const other = runs.findLast((run) => !isSame(run))?.target;
  return {
    runs: runs.filter((run) => isSame(run) && run.startedAt < startedAt),
    gaps,
    notes: other
      ? [
          ...notes,
          `HISTORY also holds runs of another target, ${other.name} (${other.baseURL}), with which nothing is compared: give each target a directory of its own.`,
        ]
      : notes,
  };
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
  written(`HISTORY: ${file}`, 'this run is not kept', () => {
    makeDirectory(directory);
    writeWhole(file, `${visibleJson(content, 0)}\n`);
  });
  const files = filesIn(directory);
  const oldest = files.filter(({ gap }) => gap === null).at(-KEPT)?.name ?? '';
  written(`HISTORY: ${directory}`, 'older runs stay there', () => {
    for (const { name } of files) if (name < oldest) rmSync(join(directory, name), { force: true });
  });
}

/** Returns the files of runs, the oldest first; `gap` is the start of a run that could not be done. */
function filesIn(directory: string): Array<{ name: string; gap: string | null }> {
  return namesIn(directory, 'HISTORY: ').flatMap((name) => {
    const [, day, hour, minute, second, ending] = FILE.exec(name) ?? [];
    return day === undefined ? [] : [{ name, gap: ending ? `${day}T${hour}:${minute}:${second}` : null }];
  });
}
