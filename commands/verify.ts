/**
 * `verify PACKAGE [--key PUBLIC] [--json]`: one line for each check, exit status 0 or 1.
 * `--target FILE` writes a target file for a run of one's own, if the package is fine.
 */
import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Check } from '../src/certificate/check';
import { verifyingKey } from '../src/certificate/keys';
import { verifyPackage } from '../src/certificate/verify';
import { plural } from '../src/common/plural';
import { UsageError } from '../src/common/usage-error';
import { visible, visibleJson } from '../src/common/visible';
import { placeOf, problemsIn } from '../src/config/declaration';
import type { TargetFacts } from '../src/evidence/model';
import { type Command, called, FLAG, RUN, TEXT, TEXTS, wordsIn, writeTargetFile } from './command';

export const verifyCommand: Command = {
  usage: `Usage: ${called('verify')} PACKAGE [--key PUBLIC] [--json] [--target FILE]`,
  run(words) {
    const { values, positionals } = wordsIn(words, { key: TEXTS, json: FLAG, target: TEXT });
    const [directory, ...more] = positionals;
    if (!directory || more.length > 0) throw new UsageError('');
    if (values.target && existsSync(values.target))
      throw new UsageError(`${values.target} is there already: give --target another name.`);
    const { isFine, checks, again } = verifyPackage(directory, (values.key ?? []).map(verifyingKey));
    if (values.json) console.log(visibleJson({ package: directory, isFine, checks }));
    else {
      // On one line, and with nothing that a terminal would obey: a package holds strangers' texts.
      for (const { name, verdict, says } of checks)
        console.log(`${verdict.padEnd(9)}  ${name.padEnd(11)}  ${visible(says).replaceAll('\n', ' ')}`);
      console.log(`\n${inOneLine(checks)}`);
    }
    if (values.target) {
      const isWritten = isFine && again;
      // Nothing is written over, and nothing is written through a link.
      if (isWritten)
        writeTargetFile(values.target, targetFileFor(again.evidence.target), 'give --target another name', 'wx');
      const told = isWritten
        ? `Wrote ${values.target}: set the variables that it names to keys of your own, then run TARGET=${values.target} RISKY_PROBES=1 REQUIRE_COMPLETE=1 ${RUN}`
        : `${values.target} was not written, because the package does not verify.`;
      console.error(visible(told));
    }
    return isFine ? 0 : 1;
  },
};

function inOneLine(checks: readonly Check[]): string {
  const having = (verdict: Check['verdict']) => checks.filter((each) => each.verdict === verdict);
  const failed = having('failed').length;
  if (failed > 0) return `${failed} of ${checks.length} failed`;
  const open = having('unchecked').map(({ name }) => name);
  const but = open.length > 0 ? ` (not checked: ${open.join(', ')})` : '';
  return `verified: ${plural(checks.length - open.length, 'check')}${but}`;
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
