/** A package: one directory with a run's result, its evidence, its page and the attestation of these. */
import { join } from 'node:path';
import { bytesIn, MOST_BYTES, namesIn } from '../common/plain-file';
import { AS_USUAL, makeDirectory, writeWhole, written } from '../common/writable';
import { sha256Of } from '../contract/digest';

export const ATTESTATION = 'attestation.json';
/** The files that the attestation covers. */
export const ATTESTED = ['conformance.json', 'evidence.har', 'index.html'] as const;
/** The files of a package. */
const FILES: readonly string[] = [...ATTESTED, ATTESTATION];

export type Contents = Record<(typeof ATTESTED)[number], Buffer>;

/** Returns the bytes of some files of a package. @throws UsageError if one cannot be read */
export function readFiles<Name extends (typeof ATTESTED)[number] | typeof ATTESTATION>(
  directory: string,
  ...names: Name[]
): Record<Name, Buffer> {
  const read = names.map((name) => [name, bytesIn(join(directory, name), MOST_BYTES.file, { mayBeLink: false })]);
  return Object.fromEntries(read) as Record<Name, Buffer>;
}

/** Returns the names in a directory that do not belong to a package. */
export function strangersIn(directory: string): string[] {
  return namesIn(directory).filter((name) => !FILES.includes(name));
}

/** Returns the SHA-256 of each attested file. */
export function digestsOf(contents: Contents): Array<readonly [name: string, sha256: string]> {
  return ATTESTED.map((name) => [name, sha256Of(contents[name])] as const);
}

/** Writes files into a directory, and makes it if needed. @throws UsageError if they cannot be written */
export function writeFiles(directory: string, files: Readonly<Record<string, string | Buffer>>): void {
  const advice = 'choose another directory with --out';
  written(directory, advice, () => makeDirectory(directory));
  for (const [name, content] of Object.entries(files)) {
    const file = join(directory, name);
    written(file, advice, () => writeWhole(file, content, AS_USUAL));
  }
}
