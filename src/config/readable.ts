/** Reads files and directories that the user names. An error says which one cannot be read, and why. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { UsageError } from '../common/usage-error';

/** No file that a run writes is larger. */
const MOST_BYTES = 256 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory (one of target files goes into TARGETS)',
  ENOTDIR: 'it is a file and not a directory (a single target file goes into TARGET)',
  EFBIG: 'it is larger than anything that a run leaves',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
};

/** Resolves a path against the working directory. A leading `~`, as `.env` may hold it, is the home directory. */
export function pathOf(value: string): string {
  return resolve(value.replace(/^~(?=\/|$)/, homedir()));
}

/**
 * Returns the text of a file, without a byte order mark.
 * @param name how the message calls the file, such as the variable that names it
 * @throws UsageError if the file cannot be read, is too large or is not UTF-8
 */
export function readText(name: string, file: string): string {
  return readable(name, file, () => {
    const { size } = statSync(file);
    if (size > MOST_BYTES) throw Object.assign(new Error(), { code: 'EFBIG' });
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  });
}

/** Returns the names of a directory's entries. @param name as in `readText` @throws UsageError if it cannot be read */
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
