/** Reads regular files, up to a size limit, without blocking on pipes. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { UsageError } from './errors';

const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

/** How many bytes are read of a file. No run writes more, and nobody writes as much by hand. */
export const MOST_BYTES = {
  /** A target file, a file of waivers, `.env`. YAML may take a thousand times as much memory. */
  declaration: 64 * KIBIBYTE,
  /** Any other file: the evidence of a run is the largest. */
  file: 64 * MEBIBYTE,
  /** A file that tests of the user's own leave: it is searched for secrets, and nothing is made of it. */
  leftByTests: 256 * MEBIBYTE,
} as const;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'there is no such file or directory',
  ELOOP: 'it is a link, and only plain files are read',
  EISDIR: 'it is a directory',
  ENXIO: 'it is no plain file',
  ENAMETOOLONG: 'no file can have so long a name',
  ERR_INVALID_ARG_VALUE: 'no file can have a name with a NUL in it',
};

/** What a user who named a file in place of a directory, or the other way round, may have meant. */
const MEANT: Readonly<Record<string, string>> = {
  'TARGET: ': ' (one of target files goes into TARGETS)',
  'TARGETS: ': ' (a single target file goes into TARGET)',
};

interface Reading {
  /** What the message begins with, such as the variable that names the file. */
  named?: string;
  /** Whether the file itself may be a link to a plain file; so may those that a user names, and none of a package. */
  mayBeLink?: boolean;
}

/**
 * Returns the bytes of a plain file.
 * @param most how many bytes it may have
 * @throws UsageError if it is missing, no plain file, too large, or cannot be read
 */
export function bytesIn(file: string, most: number, { named = '', mayBeLink = true }: Reading = {}): Buffer {
  const unusable = (reason: string) => new UsageError(`${named}${file} cannot be read: ${reason}.`);
  try {
    const found = mayBeLink ? statSync(file) : lstatSync(file);
    if (found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (found.isSymbolicLink()) throw Object.assign(new Error(), { code: 'ELOOP' });
    if (!found.isFile()) throw Object.assign(new Error(), { code: 'ENXIO' });
    if (found.size > most)
      throw unusable(`it has ${sizeInWords(found.size)}, and at most ${sizeInWords(most)} are read`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw unusable((REASONS[code] ?? `the system says ${code}`) + (code === 'EISDIR' ? (MEANT[named] ?? '') : ''));
  }
}

function sizeInWords(bytes: number): string {
  return bytes < MEBIBYTE ? `${Math.ceil(bytes / KIBIBYTE)} KiB` : `${Math.ceil(bytes / MEBIBYTE)} MiB`;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Returns a plain file's text. @throws UsageError as `utf8In` */
export function textIn(file: string, most: number, reading: Reading = {}): string {
  return utf8In(file, most, reading).toString();
}

/** Returns a plain file's UTF-8 without a byte order mark. @throws UsageError as `bytesIn`, and if it is not UTF-8 */
export function utf8In(file: string, most: number, reading: Reading = {}): Buffer {
  const bytes = whenUtf8(bytesIn(file, most, reading), `${reading.named ?? ''}${file}`);
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;
}

/** Returns the names in a directory, sorted. @param named as in `Reading` @throws UsageError if it cannot be read */
export function namesIn(directory: string, named = ''): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const aFile = `it is a file and not a directory${MEANT[named] ?? ''}`;
    const reason = code === 'ENOTDIR' ? aFile : (REASONS[code] ?? `the system says ${code}`);
    throw new UsageError(`${named}${directory} cannot be read: ${reason}.`);
  }
}

/** Returns bytes as text. @param file its name in the message @throws UsageError if they are not UTF-8 */
export function utf8Of(bytes: Buffer, file: string): string {
  return whenUtf8(bytes, file).toString();
}

/** Returns bytes. @throws UsageError as `utf8Of` */
export function whenUtf8(bytes: Buffer, file: string): Buffer {
  if (!isUtf8(bytes)) throw new UsageError(`${file} cannot be read: it is not UTF-8.`);
  return bytes;
}
