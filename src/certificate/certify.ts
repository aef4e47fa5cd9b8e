/** Makes a package of a run's results, if the run can be certified. */

import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { suite } from '../common/suite';
import { UsageError } from '../common/usage-error';
import type { Conformance } from '../contract/result';
import { renderPage } from '../report/page/page';
import { areFine } from './check';
import { signedEnvelope } from './envelope';
import { isOfThisSuite } from './judged-again';
import { ATTESTATION, type Contents, digestsOf, readFiles, strangersIn, writeFiles } from './package';
import { readResult, resultChecks } from './result-checks';
import { PAYLOAD_TYPE, statementOf } from './statement';

/**
 * Writes the package of a run.
 * @param results the directory that the run left
 * @param out where the package goes; other files must not be there
 * @param key private
 * @returns the result that it is about
 * @throws UsageError with every reason why the run cannot be certified, or why the package cannot be written
 */
export function certify(results: string, out: string, key: KeyObject): Conformance {
  const found = readFiles(results, 'conformance.json', 'evidence.har');
  const read = readResult(found['conformance.json'], found['evidence.har']);
  if (!isOfThisSuite(read.told))
    throw new UsageError(
      `${results} was made by version ${read.told.suite.version} of the suite, and this is ${suite.version}: certify with that version, or run again.`,
    );
  const checks = resultChecks(read);
  if (!areFine(checks)) {
    const reasons = checks.flatMap(({ name, problems }) => problems.map((problem) => `  ${name}: ${problem}`));
    throw new UsageError(`${results} cannot be certified:\n${reasons.join('\n')}`);
  }
  const strangers = existsSync(out) ? strangersIn(out) : [];
  if (strangers.length > 0)
    throw new UsageError(`${out} holds other files (${strangers[0]}): give --out a directory of its own.`);
  const contents: Contents = { ...found, 'index.html': Buffer.from(renderPage(read.again)) };
  const statement = statementOf(read.told, digestsOf(contents));
  const envelope = signedEnvelope(PAYLOAD_TYPE, Buffer.from(JSON.stringify(statement)), key);
  writeFiles(out, { ...contents, [ATTESTATION]: `${JSON.stringify(envelope, null, 2)}\n` });
  return read.told;
}
