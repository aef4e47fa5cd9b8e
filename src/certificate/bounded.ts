/** Files of strangers: plain ones only, and their size is looked at before they are read. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../common/usage-error';

const MEBIBYTE = 1024 * 1024;

/** Neither a link nor a pipe is waited for or followed, whatever it is replaced by meanwhile. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is missing.',
  ENOTDIR: 'is missing.',
  ELOOP: 'is a link: only plain files are read.',
};

/**
 * The bytes of a plain file.
 * @param most how many bytes it may have
 * @throws UsageError where it is missing, a link, no plain file, too large, or cannot be read
 */
export function readBounded(file: string, most: number): Buffer {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, FLAGS);
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new UsageError(`${file} is no plain file.`);
    if (found.size > most)
      throw new UsageError(
        `${file} has ${Math.ceil(found.size / MEBIBYTE)} MiB, more than the ${Math.ceil(most / MEBIBYTE)} MiB that are read.`,
      );
    const content = Buffer.alloc(found.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < content.length; length += read)
      read = readSync(descriptor, content, length, content.length - length, length);
    return content.subarray(0, length);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} ${REASONS[code] ?? `cannot be read (${code}).`}`);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** @throws UsageError where a file is not UTF-8 */
export function textIn(content: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new UsageError(`${file} is not UTF-8.`);
  }
}

/** @throws UsageError where a text is no whole JSON */
export function jsonIn(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not whole JSON.`);
  }
}
