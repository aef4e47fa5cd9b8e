/**
 * `init`: asks for the address and the keys, or takes them as flags, reads once with each key, prints what came, and
 * writes a target file.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'dotenv';
import { MOST_BYTES, textIn } from '../../src/common/plain-file';
import { UsageError } from '../../src/common/usage-error';
import { visible } from '../../src/common/visible';
import { written } from '../../src/common/writable';
import { problemsIn } from '../../src/config/declaration';
import { type Variables, variablesIn } from '../../src/config/environment';
import { compact } from '../../src/report/format';
import { type Command, called, RUN, writeTargetFile } from '../command';
import { askAddress, askKeys, askRejectedKeys, askWhetherAgain } from './questions';
import { type NamedKey, type Survey, survey } from './survey';
import { targetText } from './target-text';

const HELP = `Usage: ${called('init')} [--base-url URL] [--key NAME=VARIABLE]... [--name NAME] [--file FILE] [--force]

Reads the webhook settings once with each key and writes a target file. What is not given is asked for.

  --base-url URL       address of the API with its version, such as https://staging.example.com/api/v2
  --key NAME=VARIABLE  an account and the environment variable that holds its key (or a line of .env); again for more
  --name NAME          how the report is to call the server (default: its host)
  --file FILE          where to write (default: target.yaml)
  --force              write over a file that is there`;

export const init: Command = {
  usage: HELP,
  mistakeStatus: 2,
  async run(words) {
    const { values } = parseArgs({
      args: words,
      options: {
        'base-url': { type: 'string' },
        key: { type: 'string', multiple: true },
        name: { type: 'string' },
        file: { type: 'string', default: 'target.yaml' },
        force: { type: 'boolean', default: false },
      },
    });
    const file = resolve(values.file);
    if (existsSync(file) && !values.force)
      throw new UsageError(
        `${values.file} is there already: choose another with --file, or write over it with --force.`,
      );
    const variables = variablesIn(process.cwd());
    const canAsk = process.stdin.isTTY === true;
    let baseURL = bare(values['base-url'] ?? variables.BASE_URL ?? (canAsk ? await askAddress() : ''));
    if (baseURL === '') throw new UsageError('Which address? Give it as --base-url.');
    let keys = values.key ? values.key.map((word) => keyFrom(word, variables)) : await otherKeys(variables, canAsk);
    if (keys.length === 0) throw new UsageError('Which keys? Give each as --key NAME=VARIABLE.');

    let found = await surveyed(baseURL, keys, variables);
    // A file with an address or a key that was just found to be wrong would help nobody.
    while (found.problem !== null || found.accounts.some(({ isRejected }) => isRejected)) {
      if (!canAsk || !(await askWhetherAgain())) {
        console.log('\nNothing was written: mend what is wrong, and start again.');
        return 2;
      }
      if (found.problem !== null) baseURL = bare(await askAddress(baseURL));
      keys = await askRejectedKeys(keys, found, variables);
      found = await surveyed(baseURL, keys, variables);
    }
    for (const { variable, apiKey } of keys) if (variables[variable] === undefined) remember(variable, apiKey);
    const text = targetText(values.name ?? new URL(baseURL).host, baseURL, found);
    writeTargetFile(file, text, 'choose another with --file');
    console.log(`\nWrote ${values.file}. Read its comments, then run:\n\n  TARGET=${values.file} ${RUN}\n`);
    return 0;
  },
};

function bare(address: string): string {
  return address.trim().replace(/\/+$/, '');
}

/** Reads once with each key, and prints what came. @throws UsageError where a target file would be refused for them */
async function surveyed(baseURL: string, keys: readonly NamedKey[], variables: Variables): Promise<Survey> {
  const [problem] = problemsIn({ baseURL, accounts: keys.map(({ name, apiKey }) => ({ name, apiKey })) });
  if (problem) {
    const [member, i, part] = problem.path;
    const of = keys[Number(i)];
    throw new UsageError(`${of ? `the ${part === 'name' ? 'name' : 'key'} of ${of.name}` : member}: ${problem.text}`);
  }
  const found = await survey(baseURL, keys, variables);
  console.log(report(found));
  return found;
}

/** Keys that no flag names: that of `API_KEY`, or those that the user is asked for. */
async function otherKeys(variables: Variables, canAsk: boolean): Promise<NamedKey[]> {
  const { API_KEY: apiKey } = variables;
  if (!canAsk) return apiKey ? [{ name: 'default', variable: 'API_KEY', apiKey }] : [];
  return askKeys(variables);
}

function keyFrom(word: string, variables: Variables): NamedKey {
  const [, name = '', variable = ''] = /^([^=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(word) ?? [];
  // The word may hold a key: it is not repeated.
  if (variable === '')
    throw new UsageError('--key is NAME=VARIABLE, where VARIABLE is the name of a variable, not a key.');
  const apiKey = variables[variable];
  if (apiKey === undefined) throw new UsageError(`${variable} is not set: set it in the environment or in .env.`);
  return { name, variable, apiKey };
}

/** Appends a key that was typed to .env, which git ignores. @throws UsageError if it cannot stand there */
function remember(variable: string, value: string): void {
  const text = existsSync('.env') ? textIn('.env', MOST_BYTES.declaration) : '';
  const line = lineOfEnv(variable, value);
  const advice = `set ${variable} in the environment`;
  if (line === null)
    throw new UsageError(`The key of ${variable} has quotes of every kind, so no .env can hold it: ${advice}.`);
  const added = text === '' || text.endsWith('\n') ? line : `\n${line}`;
  written('.env', advice, () => appendFileSync('.env', added, { mode: 0o600 }));
  console.log(`${variable} now stands in .env.`);
}

/** Returns a line of .env that is read as a value, in those quotes that leave it as it is; `null` if none do. */
export function lineOfEnv(variable: string, value: string): string | null {
  const lines = ["'", '"', '`'].map((quote) => `${variable}=${quote}${value}${quote}\n`);
  return lines.find((line) => parse(line)[variable] === value) ?? null;
}

function report({ accounts, headers, problem }: Survey): string {
  const lines = accounts.map(({ name, isAccepted, answer, hasPassword, scheme, sameAs }) => {
    const details = compact(
      scheme !== null && `type ${scheme}`,
      hasPassword !== null && (hasPassword ? 'a password is stored' : 'no password is stored'),
      sameAs.length > 0 && `the same settings as ${sameAs.join(', ')}: to tell accounts apart they must differ`,
    );
    const what = isAccepted ? `accepted (${answer})` : `not accepted (${answer})`;
    return visible(`  ${name}: ${[what, ...details].join('; ')}`);
  });
  const came = headers.length > 0 ? `  rate-limit headers: ${headers.join(', ')}` : '  no rate-limit headers';
  return [...lines, came, ...(problem === null ? [] : ['', visible(problem)])].join('\n');
}
