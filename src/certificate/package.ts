/** A package: one directory with a run's result, its evidence, its page and the attestation of these. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../contract/digest';
import { UsageError } from '../usage-error';
import { makeDirectory } from '../writable';
import { readBounded } from './bounded';

const MEBIBYTE = 1024 * 1024;

export const ATTESTATION = 'attestation.json';

/** What is attested, and how many bytes are read of each. */
const MOST_BYTES = {
  'conformance.json': 16 * MEBIBYTE,
  'evidence.har': 256 * MEBIBYTE,
  'index.html': 256 * MEBIBYTE,
} as const;

type Attested = keyof typeof MOST_BYTES;

export const ATTESTED = Object.keys(MOST_BYTES) as Attested[];

export type Contents = Record<Attested, Buffer>;

/** @throws UsageError where one of the files of a run's results cannot be read */
export function readAttested<Name extends Attested>(directory: string, ...names: Name[]): Record<Name, Buffer> {
  const read = names.map((name) => [name, readBounded(join(directory, name), MOST_BYTES[name])] as const);
  return Object.fromEntries(read) as Record<Name, Buffer>;
}

/** @throws UsageError where the attestation of a package cannot be read */
export function readAttestation(directory: string): Buffer {
  return readBounded(join(directory, ATTESTATION), MEBIBYTE);
}

/**
 * The names of what is in a directory.
 * @throws UsageError where it is none
 */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `${directory} is no directory.`
        : `${directory} cannot be read (${code}).`,
    );
  }
}

/** What stands in a package besides its files. */
export function strangersIn(directory: string): string[] {
  const own: string[] = [...ATTESTED, ATTESTATION];
  return namesIn(directory).filter((name) => !own.includes(name));
}

/** The SHA-256 of each attested file. */
export function digestsOf(contents: Contents): Array<readonly [name: string, sha256: string]> {
  return ATTESTED.map((name) => [name, sha256Of(contents[name])] as const);
}

/**
 * Writes files into a directory, which is made if need be.
 * @throws UsageError where they cannot be written
 */
export function writeFiles(directory: string, files: Readonly<Record<string, string | Buffer>>): void {
  try {
    makeDirectory(directory);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  } catch (error) {
    const { code, path = directory } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be written (${code}): choose another directory with --out.`);
  }
}
