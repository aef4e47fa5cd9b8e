/** Files of strangers: plain ones only, and their size is looked at before they are read. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../usage-error';

const MEBIBYTE = 1024 * 1024;

/**
 * The bytes of a plain file.
 * @param most how many bytes it may have
 * @throws UsageError where it is missing, a link, no plain file, too large, or cannot be read
 */
export function readBounded(file: string, most: number): Buffer {
  try {
    const found = lstatSync(file);
    if (found.isSymbolicLink()) throw new UsageError(`${file} is a link: only plain files are read.`);
    if (!found.isFile()) throw new UsageError(`${file} is no plain file.`);
    return contentOf(file, most);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT' || code === 'ENOTDIR' ? `${file} is missing.` : `${file} cannot be read (${code}).`,
    );
  }
}

function contentOf(file: string, most: number): Buffer {
  // What was looked at before may have been replaced by a link meanwhile.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(descriptor);
    if (size > most)
      throw new UsageError(
        `${file} has ${Math.ceil(size / MEBIBYTE)} MiB, more than the ${Math.ceil(most / MEBIBYTE)} MiB that are read.`,
      );
    const content = Buffer.alloc(size);
    let length = 0;
    for (let read = -1; read !== 0 && length < size; length += read)
      read = readSync(descriptor, content, length, size - length, length);
    return content.subarray(0, length);
  } finally {
    closeSync(descriptor);
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
