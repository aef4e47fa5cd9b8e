/** Paths and directories that the user names. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { UsageError } from '../common/usage-error';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'it is a file and not a directory (a single target file goes into TARGET)',
};

/** Resolves a path against the working directory. A leading `~`, as `.env` may hold it, is the home directory. */
export function pathOf(value: string): string {
  return resolve(value.replace(/^~(?=\/|$)/, homedir()));
}

/**
 * Returns the names of a directory's entries.
 * @param name the variable that names it, for the message
 * @throws UsageError if it cannot be read
 */
export function readNames(name: string, directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name}: ${directory} cannot be read: ${REASONS[code] ?? code}.`);
  }
}
