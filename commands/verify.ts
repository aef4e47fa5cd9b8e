/** `verify PACKAGE... [--key FILE=VENDOR]...`: one line for each package, and a list of them. */
import { vendorKey } from '../src/certificate/attestation';
import { lineOf, markdownOf, verifyPackage } from '../src/certificate/package';
import { UsageError } from '../src/common/errors';
import { AS_USUAL, save } from '../src/common/files';
import { visible, visibleJson } from '../src/common/text';
import { type Command, called, FLAG, TEXT, TEXTS, wordsIn } from './command';

export const verifyCommand: Command = {
  usage: `Usage: ${called('verify')} PACKAGE... [--key FILE=VENDOR]... [--list FILE.md|FILE.json] [--json]

Checks packages, and prints a line for each with who signed it.

  --key FILE=VENDOR          PEM of a public key, and the vendor that it vouches for; again for more
  --list FILE.md|FILE.json   also write the packages as a list
  --json                     print the list as JSON`,
  run(words) {
    const { values, positionals } = wordsIn(words, { key: TEXTS, list: TEXT, json: FLAG });
    const { list, json = false } = values;
    if (positionals.length === 0) throw new UsageError('');
    if (list !== undefined && !/\.(?:md|json)$/.test(list))
      throw new UsageError(`--list writes FILE.md or FILE.json, and ${list} is neither.`);
    const keys = (values.key ?? []).map(vendorKey);
    const entries = positionals.map((directory) => verifyPackage(directory, keys));
    const document = visibleJson({ packages: entries });
    if (json) console.log(document);
    // On one line, and with nothing that a terminal would obey: a package holds strangers' texts.
    else for (const entry of entries) console.log(visible(lineOf(entry)).replaceAll('\n', ' '));
    if (list !== undefined)
      save(
        list,
        list.endsWith('.md') ? markdownOf(entries) : `${document}\n`,
        'choose another file with --list',
        AS_USUAL,
      );
    return entries.every(({ isFine }) => isFine) ? 0 : 1;
  },
};
