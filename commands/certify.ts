/** `certify RESULTS --out DIR [--key FILE]`: a signed package of a run's results. */
import { signingKey } from '../src/certificate/attestation';
import { certify } from '../src/certificate/package';
import { UsageError } from '../src/common/errors';
import { visible } from '../src/common/text';
import { variablesIn } from '../src/config/configuration';
import { type Command, called, TEXT, wordsIn } from './command';

export const certifyCommand: Command = {
  usage: `Usage: ${called('certify')} RESULTS --out DIR [--key FILE]

Makes a signed package of the results of a run.

  --out DIR    directory to write
  --key FILE   PEM of the private key that signs (default: the variable SIGNING_KEY holds the PEM)`,
  run(words) {
    const { values, positionals } = wordsIn(words, { out: TEXT, key: TEXT });
    const [results, ...more] = positionals;
    if (!results || more.length > 0 || !values.out) throw new UsageError('');
    const key = signingKey(values.key, variablesIn(process.cwd()).SIGNING_KEY);
    const { target } = certify(results, values.out, key);
    const made = `${values.out}: a signed package of the run against ${target.name} (${target.baseURL}).`;
    console.log(visible(made).replaceAll('\n', ' '));
    const missing = (['vendor', 'product', 'version'] as const).filter((member) => target[member] === undefined);
    if (missing.length > 0)
      console.log(
        `The target file declares no ${missing.join(', ')}: nobody who verifies the package sees whose it is.`,
      );
    return 0;
  },
};
