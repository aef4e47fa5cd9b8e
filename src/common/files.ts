/** Files that users and neighbours name: regular ones are read, up to a size limit, and files are written whole. */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { UsageError } from './errors';

/** How many bytes a file may have. No run writes more, and nobody writes as much by hand. */
export const MOST_BYTES = {
  /** A target file, a file of waivers, `.env`. YAML may take a thousand times as much memory. */
  declaration: 64 * 2 ** 10,
  /** The evidence of a run. */
  evidence: 64 * 2 ** 20,
  /** Any other file, such as a result. */
  file: 16 * 2 ** 20,
  /** A file that the user's own tests leave. It is only searched for secrets. */
  leftByTests: 256 * 2 ** 20,
} as const;

function reasonOf(error: unknown): string {
  const { errno = 0, code = '' } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno)?.[1] ?? code;
}

/**
 * Returns the bytes of a plain file.
 * @param most how many bytes it may have
 * @param named the beginning of a message, such as the variable that names the file
 * @throws UsageError if it is missing, no plain file, too large, or cannot be read
 */
export function bytesIn(file: string, most: number, named = ''): Buffer {
  const unusable = (reason: string) => new UsageError(`${named}${file} cannot be read: ${reason}.`);
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw unusable('it is a directory');
    if (!found.isFile()) throw unusable('it is no plain file');
    if (found.size > most)
      throw unusable(`it has ${sizeInWords(found.size)}, and at most ${sizeInWords(most)} are read`);
    return readFileSync(file);
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(reasonOf(error));
  }
}

function sizeInWords(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/** Returns bytes as UTF-8. @param file their name in the message @throws UsageError if they are not */
export function utf8Of(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${file} cannot be read: it is not UTF-8.`);
  return bytes.toString();
}

/** Returns a plain file's text, without a byte order mark. @throws UsageError as `bytesIn`, and if it is not UTF-8 */
export function textIn(file: string, most: number, named = ''): string {
  return utf8Of(bytesIn(file, most, named), named + file).replace(/^\uFEFF/, '');
}

/** Returns the names in a directory, sorted. @param named as of `bytesIn` @throws UsageError if it cannot be read */
export function namesIn(directory: string, named = ''): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    throw new UsageError(`${named}${directory} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Makes a directory. It may hold evidence, which only its owner may read. @throws the system's error */
export function makeDirectory(directory: string): void {
  // Where a file stands in its place, what is written below it says so.
  if (existsSync(directory)) return;
  // With `recursive`, Node never returns from /proc, and calls a disk that is read-only "no such file".
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another run may have made it meanwhile.
    if (!existsSync(directory)) throw error;
  }
}

/** Makes a directory. Returns whether it can be written to. */
export function isWritable(directory: string): boolean {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // A caller that writes there gets the system's own error.
    return false;
  }
}

/** Writes something. @param what the beginning of the message @throws UsageError that says why it cannot be written */
export function written(what: string, advice: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`${what} cannot be written (${reasonOf(error)}): ${advice}.`);
  }
}

/** The mode of files that are made to be published. */
export const AS_USUAL = 0o666;

let gate = (bytes: Buffer): Buffer => bytes;

/** Sets the gate that all content passes before it is written. */
export function writeThrough(search: typeof gate): void {
  gate = search;
}

/** Appends to a file that the user names. @throws the system's error */
export function appendTo(file: string, text: string): void {
  appendFileSync(file, gate(Buffer.from(text)));
}

/**
 * Writes a file whole or not at all, and makes its directory. A link in its place is replaced and never followed.
 * @param content in parts where it passed the gate in parts
 * @param mode by default only the owner may read it
 * @param named as of `bytesIn`
 * @throws UsageError as `written`
 */
export function save(
  file: string,
  content: string | Buffer | ReadonlyArray<string | Buffer>,
  advice: string,
  mode = 0o600,
  named = '',
): void {
  // A neighbour could put a link there, so the name is random and an existing file is never written to.
  const draft = `${file}.${randomBytes(9).toString('base64url')}.tmp`;
  const parts = [content].flat().map((part) => gate(typeof part === 'string' ? Buffer.from(part) : part));
  written(named + file, advice, () => {
    makeDirectory(dirname(file));
    writeFileSync(draft, '', { mode, flag: 'wx' });
    try {
      writeFileSync(draft, Buffer.concat(parts));
      renameSync(draft, file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  });
}
