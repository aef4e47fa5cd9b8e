/** `register PACKAGES --out DIR --key PUBLIC=VENDOR …`: the list of certified servers as a static page. */
import { vendorKey } from '../src/certificate/keys';
import { register } from '../src/certificate/register';
import { plural } from '../src/common/plural';
import { UsageError } from '../src/common/usage-error';
import { visible } from '../src/common/visible';
import { type Command, called, TEXT, TEXTS, wordsIn } from './command';

export const registerCommand: Command = {
  usage: `Usage: ${called('register')} PACKAGES --out DIR --key PUBLIC=VENDOR …`,
  run(words) {
    const { values, positionals } = wordsIn(words, { out: TEXT, key: TEXTS });
    if (positionals.length === 0 || !values.out) throw new UsageError('');
    const { servers, refused } = register(positionals, values.out, (values.key ?? []).map(vendorKey));
    const say = (line: string) => console.log(visible(line).replaceAll('\n', ' '));
    say(`${values.out}: ${plural(servers.length, 'certified server')}.`);
    for (const { package: name, reasons } of refused) say(`  ${name} is not listed: ${reasons[0]}`);
    return 0;
  },
};
