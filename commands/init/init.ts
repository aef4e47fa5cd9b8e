/**
 * `init`: asks for the address and the keys, or takes them as flags, reads once with each key, says what came, and
 * writes a target file.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../src/common/errors';
import { AS_USUAL, save } from '../../src/common/files';
import { compact, visible } from '../../src/common/text';
import { variablesIn } from '../../src/config/configuration';
import { placeOf, type Variables } from '../../src/config/target';
import { folded, WIDEST } from '../../src/report/terminal';
import { type Command, called, RUN, TEXT, TEXTS, wordsIn } from '../command';
import { remember } from './env-file';
import { askAddress, askKeys, askRejectedKeys, askWhether, problemWith } from './questions';
import { type NamedKey, type Survey, survey, unseen, whySilent } from './survey';
import { targetText } from './target-text';

const HELP = `Usage: ${called('init')} [--base-url URL] [--key NAME=VARIABLE]... [--file FILE]

Reads the webhook settings once with each key and writes a target file. What is missing is asked for.

  --base-url URL       address of the API with its version, such as https://staging.example.com/api/v2
  --key NAME=VARIABLE  an account and the environment variable (or line of .env) with its key; repeat it for more
  --file FILE          where to write (default: target.yaml)`;

export const init: Command = {
  usage: HELP,
  async run(words) {
    const { values, positionals } = wordsIn(words, { 'base-url': TEXT, key: TEXTS, file: TEXT });
    if (positionals.length > 0) throw new UsageError('');
    const { file: named = 'target.yaml' } = values;
    const file = resolve(named);
    if (existsSync(file)) throw new UsageError(`${named} is there already: choose another with --file.`);
    const variables = variablesIn(process.cwd());
    const canAsk = process.stdin.isTTY === true;
    const given = values.key?.map((word, i) => keyFrom(word, i, variables));
    const place = await addressOf(values['base-url'] ?? variables.BASE_URL ?? '', variables, canAsk);
    const keys = given ?? (await otherKeys(variables, canAsk));
    if (keys.length === 0) throw new UsageError('Which keys? Give each as --key NAME=VARIABLE.');
    const declared = await declaredBy(place, keys, variables, canAsk);
    if (declared === null) {
      say('\nNothing was written. Correct what is wrong, and start again.');
      return 2;
    }
    for (const { variable, apiKey } of declared.keys) if (variables[variable] === undefined) remember(variable, apiKey);
    const { baseURL, found } = declared;
    save(file, targetText(new URL(baseURL).host, baseURL, found), 'choose another with --file', AS_USUAL);
    say(`\nWrote ${named}. Read its comments, then run:\n\n  TARGET=${named} ${RUN}\n`);
    return 0;
  },
};

/** Prints lines, broken between words. */
function say(text: string): void {
  // A terminal that does not know its width says 0.
  const width = Math.min(WIDEST, process.stdout.columns || WIDEST);
  console.log(folded(text, width));
}

interface Place {
  baseURL: string;
  /** Whether a server answers there. If none does, the user wants the file all the same. */
  isUp: boolean;
}

/** Finds out the address, and whether a server answers there, before anybody types a key. @throws UsageError if it is wrong */
async function addressOf(given: string, variables: Variables, canAsk: boolean): Promise<Place> {
  const mayBe = bare(given);
  const baseURL = canAsk && problemWith(mayBe, []) ? bare(await askAddress(mayBe || undefined)) : mayBe;
  if (baseURL === '') throw new UsageError('Which address? Give it as --base-url.');
  refuseWrong(baseURL, []);
  const silence = await whySilent(baseURL, variables);
  if (silence === null) return { baseURL, isUp: true };
  say(visible(silence));
  if (!canAsk) say('The target file is written all the same, unchecked, for when the server is up.');
  if (!canAsk || (await askWhether('Is it not running yet? Then the file is written unchecked.', false)))
    return { baseURL, isUp: false };
  return addressOf(await askAddress(baseURL), variables, canAsk);
}

/** Reads with each key, and asks again for what is wrong. @returns what to write; `null` if nothing is to be written */
async function declaredBy({ baseURL, isUp }: Place, keys: readonly NamedKey[], variables: Variables, canAsk: boolean) {
  refuseWrong(baseURL, keys);
  if (!isUp) return { baseURL, keys, found: unseen(baseURL, keys) };
  const found = await survey(baseURL, keys, variables);
  say(report(found));
  const isRejected = found.accounts.some((account) => account.isRejected);
  if (!isRejected && (found.problem === null || !canAsk)) return { baseURL, keys, found };
  if (!canAsk) return null;
  if (!(await askWhether('Try again with another address or other keys?', true)))
    return (await askWhether('Write the file as it is?', true)) ? { baseURL, keys, found } : null;
  const place =
    found.problem === null ? { baseURL, isUp } : await addressOf(await askAddress(baseURL), variables, canAsk);
  // What was typed for a wrong address may be right at another one.
  const isElsewhere = place.baseURL !== baseURL;
  return declaredBy(place, isElsewhere ? keys : await askRejectedKeys(keys, found, variables), variables, canAsk);
}

function bare(address: string): string {
  return address.trim().replace(/\/+$/, '');
}

/** @throws UsageError if a target file would be refused for an address or for keys */
function refuseWrong(baseURL: string, keys: readonly NamedKey[]): void {
  const problem = problemWith(baseURL, keys);
  if (problem) throw new UsageError(`${placeOf(problem.path)}: ${problem.text}`);
}

/** Keys that no flag names: that of `API_KEY`, or those that the user is asked for. */
async function otherKeys(variables: Variables, canAsk: boolean): Promise<NamedKey[]> {
  const { API_KEY: apiKey } = variables;
  if (!canAsk) return apiKey ? [{ name: 'default', variable: 'API_KEY', apiKey }] : [];
  return askKeys(variables);
}

function keyFrom(word: string, i: number, variables: Variables): NamedKey {
  const [, name = '', variable = ''] = /^([^=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(word) ?? [];
  const apiKey = variables[variable];
  // The word may hold a key: it is not repeated.
  if (apiKey === undefined)
    throw new UsageError(
      `--key number ${i + 1} is not NAME=VARIABLE with a variable that is set in the environment or in .env. VARIABLE is its name, not the key.`,
    );
  return { name, variable, apiKey };
}

function report({ accounts, problem }: Survey): string {
  const lines = accounts.map(({ name, isAccepted, answer, hasPassword, sameAs }) => {
    const details = compact(
      hasPassword !== null && (hasPassword ? 'a password is stored' : 'no password is stored'),
      sameAs.length > 0 && `the same settings as ${sameAs.join(', ')}: accounts with other settings make more testable`,
    );
    const what = isAccepted ? `accepted (${answer})` : `not accepted (${answer})`;
    return visible(`  ${name}: ${[what, ...details].join('; ')}`);
  });
  return [...lines, ...(problem === null ? [] : ['', visible(problem)])].join('\n');
}
