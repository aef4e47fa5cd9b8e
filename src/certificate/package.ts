/** A package: one directory with a run's result, its evidence, its page and the attestation of these. */

import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../common/errors';
import { bytesIn, MOST_BYTES, namesIn } from '../common/plain-file';
import { AS_USUAL, makeDirectory, writeWhole, written } from '../common/writable';
import { sha256Of } from '../contract/digest';
import type { Conformance } from '../contract/result';
import { renderPage } from '../report/page/page';
import { signedEnvelope, statementOf } from './attestation';
import { readResult, resultChecks } from './result-checks';

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

/**
 * Writes the package of a run's results, if the run can be certified.
 * @param out where the package goes; it must hold no other files
 * @param key private
 * @returns the result that the package is about
 * @throws UsageError with every reason why the run cannot be certified, or why the package cannot be written
 */
export function certify(results: string, out: string, key: KeyObject, overwrites = false): Conformance {
  const found = readFiles(results, 'conformance.json', 'evidence.har');
  const read = readResult(found['conformance.json'], found['evidence.har']);
  const reasons = resultChecks(read).flatMap(({ name, problems }) =>
    problems.map((problem) => `\n  ${name === 'certifiable' ? '' : `${name}: `}${problem}`),
  );
  if (reasons.length > 0) throw new UsageError(`${results} cannot be certified:${reasons.join('')}`);
  const [stranger] = existsSync(out) ? strangersIn(out) : [];
  if (stranger !== undefined)
    throw new UsageError(`${out} holds other files (${stranger}): give --out a directory of its own.`);
  if (!overwrites && existsSync(join(out, ATTESTATION)))
    throw new UsageError(`${out} holds a package already: give --out another name, or write over it with --force.`);
  const contents: Contents = { ...found, 'index.html': Buffer.from(renderPage(read.again)) };
  const statement = statementOf(read.given, digestsOf(contents));
  const envelope = signedEnvelope(statement, key);
  writeFiles(out, { ...contents, [ATTESTATION]: `${JSON.stringify(envelope, null, 2)}\n` });
  return read.given;
}
