/**
 * `npm run bench`: how long runs take, and what they take of the machine, as Markdown tables. Each figure is of a whole
 * `playwright test`; the servers run in a process of their own. Needs Linux and bash.
 *
 *     npm run bench                        conformant servers, broken servers, replays
 *     npm run bench -- accounts            one of these tables: accounts, broken, replay or waits
 *     npm run bench -- broken limiter      only the broken servers whose names hold a word; waits takes words, too
 *     npm run bench -- --targets 1,8,24    many targets at once
 */
import { benchAccounts, benchBroken, benchReplay } from './single';
import { benchTargets } from './targets';
import { benchWaits } from './waits';

const [table = '', ...words] = process.argv.slice(2);

async function main(): Promise<void> {
  if (table === '--targets') {
    const counts = (words[0] ?? '').split(',').map(Number);
    if (!counts.every((count) => Number.isInteger(count) && count > 0))
      throw new Error('--targets wants numbers, such as 1,8,24');
    await benchTargets(counts);
    return;
  }
  if (!['', 'accounts', 'broken', 'replay', 'waits'].includes(table))
    throw new Error(`There is no table ${table}: choose accounts, broken, replay or waits.`);
  if (table === '' || table === 'accounts') await benchAccounts();
  if (table === '' || table === 'broken') await benchBroken(words);
  if (table === '' || table === 'replay') await benchReplay();
  if (table === '' || table === 'waits') await benchWaits(words);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
