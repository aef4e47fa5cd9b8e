/** Reads files from others: only plain files, and only after a look at their size. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { UsageError } from '../common/usage-error';

/** Do not follow a link, and do not wait for a pipe. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is missing.',
  ENOTDIR: 'is missing.',
  ELOOP: 'is a link: only plain files are read.',
};

/**
 * Returns the bytes of a plain file.
 * @param most how many bytes it may have
 * @throws UsageError if it is missing, a link, no plain file, too large, or cannot be read
 */
export function readBounded(file: string, most: number): Buffer {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, FLAGS);
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new UsageError(`${file} is no plain file.`);
    if (found.size > most)
      throw new UsageError(`${file} has ${inMiB(found.size)}, more than the ${inMiB(most)} that are read.`);
    return readFileSync(descriptor);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} ${REASONS[code] ?? `cannot be read (${code}).`}`);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/** Returns a file's content as text. @throws UsageError if it is not UTF-8 */
export function textIn(content: Buffer, file: string): string {
  if (!isUtf8(content)) throw new UsageError(`${file} is not UTF-8.`);
  return content.toString();
}

/** Returns the value of a file's JSON text. @throws UsageError if it is no whole JSON */
export function jsonIn(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not whole JSON.`);
  }
}
