/**
 * `npm run bench`: how long runs take, and what they take of the machine, as Markdown tables. Needs Linux and bash.
 *
 *     npm run bench                        conformant servers, by the number of accounts
 *     npm run bench -- --targets 1,8,24    many targets at once
 *     npm run bench -- waits [WORDS]       what runs wait for, simulated; only the servers whose names hold a word
 */
import { benchAccounts, benchTargets } from './runs';
import { benchWaits } from './waits';

const [table = '', ...words] = process.argv.slice(2);

async function main(): Promise<void> {
  if (table === 'waits') return benchWaits(words);
  if (table !== '--targets') return benchAccounts();
  const counts = (words[0] ?? '').split(',').map(Number);
  if (!counts.every((count) => Number.isInteger(count) && count > 0))
    throw new Error('--targets wants numbers, such as 1,8,24');
  await benchTargets(counts);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
