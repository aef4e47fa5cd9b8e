/** Reads files and directories that the user names; an error says which cannot be read, and why. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { UsageError } from '../common/usage-error';

/** What a run leaves is smaller. */
const MOST_BYTES = 256 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory (one of target files goes into TARGETS)',
  ENOTDIR: 'it is a file and not a directory (a single target file goes into TARGET)',
  EFBIG: 'it is larger than anything that a run leaves',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
};

/** The path that a variable names, from where the suite was started. A `~` that no shell expanded, as in `.env`, is home. */
export function pathOf(value: string): string {
  return resolve(value.replace(/^~(?=\/|$)/, homedir()));
}

/**
 * The text of a file, without a byte order mark.
 * @param name what the user knows the file by, such as the variable that names it
 * @throws UsageError where it cannot be read or is not UTF-8
 */
export function readText(name: string, file: string): string {
  return readable(name, file, () => {
    const { size } = statSync(file);
    if (size > MOST_BYTES) throw Object.assign(new Error(), { code: 'EFBIG' });
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  });
}

/**
 * The names of what is in a directory.
 * @param name the variable that names it
 * @throws UsageError where it cannot be read
 */
export function readNames(name: string, directory: string): string[] {
  return readable(name, directory, () => readdirSync(directory));
}

function readable<Content>(name: string, path: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name}: ${path} cannot be read: ${REASONS[code] ?? code}.`);
  }
}
