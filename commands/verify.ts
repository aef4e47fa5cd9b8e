/**
 * `verify PACKAGE [--key PUBLIC] [--json]`: one line for each check, exit status 0 or 1.
 * `--target FILE` writes a target file for a run of one's own, if the package is fine.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { verifyingKey } from '../src/certificate/keys';
import { verifyPackage } from '../src/certificate/verify';
import { UsageError } from '../src/common/usage-error';
import { visible } from '../src/common/visible';
import { makeDirectory } from '../src/common/writable';
import { placeOf, problemsIn } from '../src/config/declaration';
import type { TargetFacts } from '../src/evidence/model';
import type { Command } from './command';

export const verifyCommand: Command = {
  usage: 'PACKAGE [--key PUBLIC] [--json] [--target FILE]',
  run(words) {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { key: { type: 'string', multiple: true }, json: { type: 'boolean' }, target: { type: 'string' } },
    });
    const [directory, ...more] = positionals;
    if (!directory || more.length > 0) throw new UsageError('');
    if (values.target && existsSync(values.target))
      throw new UsageError(`${values.target} is there already: give --target another name.`);
    const { conformance: _, again, ...verification } = verifyPackage(directory, (values.key ?? []).map(verifyingKey));
    if (values.json) console.log(JSON.stringify(verification, null, 2));
    else for (const { name, verdict, says } of verification.checks) console.log(line(verdict, name, says));
    if (values.target && verification.isFine && again) write(values.target, targetFileFor(again.evidence.target));
    return verification.isFine ? 0 : 1;
  },
};

/** Writes a new file. @throws UsageError if it cannot be written */
function write(file: string, text: string): void {
  try {
    makeDirectory(dirname(file));
    // Nothing is written over, and nothing is written through a link.
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be written (${code}): give --target another name.`);
  }
}

/** On one line, and with nothing that a terminal would obey: a package holds strangers' texts. */
function line(verdict: string, name: string, says: string): string {
  return `${verdict.padEnd(9)}  ${name.padEnd(11)}  ${visible(says).replaceAll('\n', ' ')}`;
}

/**
 * The text of a target file: address, rate and accounts of the package, with a variable in place of each secret. What
 * was declared of settings is left out, because accounts of one's own have their own.
 * @throws UsageError if a name of the package would be taken for a variable of whoever uses the target file, or if the
 *   package declares what no target file may
 */
export function targetFileFor({ name, vendor, product, version, baseURL, accounts, rate }: TargetFacts): string {
  const declared = {
    name,
    vendor,
    product,
    version,
    baseURL,
    accounts: accounts.map(({ name: account, hasPassword, passwordDeclared }, i) => ({
      name: account,
      apiKey: `\${API_KEY_${i + 1}}`,
      ...(hasPassword !== undefined && { hasPassword }),
      ...(passwordDeclared && { password: `\${PASSWORD_${i + 1}}` }),
    })),
    rate,
  };
  const text = stringify(declared);
  const due = declared.accounts.flatMap(({ apiKey, password }) => [apiKey, ...(password ? [password] : [])]);
  const [problem] = problemsIn(JSON.parse(JSON.stringify(declared)));
  if ((text.match(/\$\{/g) ?? []).length !== due.length)
    throw new UsageError('The package has a name or an address with `${` in it: no target file was written.');
  if (problem) throw new UsageError(`No target file was written: ${placeOf(problem.path)}: ${problem.text}`);
  return `# Set the variables to keys and stored passwords of your own, and declare the settings of your accounts.\n${text}`;
}
