import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../common/errors';
import type { Conformance } from '../contract/result';
import { renderPage } from '../report/page/page';
import { signedEnvelope, statementOf } from './attestation';
import { ATTESTATION, type Contents, digestsOf, readFiles, strangersIn, writeFiles } from './package';
import { readResult, resultChecks } from './result-checks';

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
