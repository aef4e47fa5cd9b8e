/** `npm run verify -- PACKAGE [--key PUBLIC] [--json]`: one line for each check, exit status 0 or 1. */
import { parseArgs } from 'node:util';
import { verifyingKey } from '../src/certificate/keys';
import { verifyPackage } from '../src/certificate/verify';
import { UsageError } from '../src/usage-error';
import { visible } from '../src/visible';
import { command } from './command';

const USAGE = 'Usage: npm run verify -- PACKAGE [--key PUBLIC] [--json]';

command(USAGE, () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: 'string', multiple: true }, json: { type: 'boolean' } },
  });
  const [directory, ...more] = positionals;
  if (!directory || more.length > 0) throw new UsageError(USAGE);
  const { conformance: _, ...verification } = verifyPackage(directory, (values.key ?? []).map(verifyingKey));
  if (values.json) console.log(JSON.stringify(verification, null, 2));
  else for (const { name, verdict, says } of verification.checks) console.log(line(verdict, name, says));
  return verification.isFine;
});

/** On one line, and with nothing that a terminal would obey: a package holds strangers' texts. */
function line(verdict: string, name: string, says: string): string {
  return `${verdict.padEnd(9)}  ${name.padEnd(11)}  ${visible(says).replaceAll('\n', ' ')}`;
}
