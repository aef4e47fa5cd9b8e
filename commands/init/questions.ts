/** What `init` asks in a terminal. A key is not shown while it is typed. What cannot be right is asked for again. */

import { problemsIn, type Variables } from '../../src/config/target';
import { lineOfEnv } from './env-file';
import type { NamedKey, Survey } from './survey';

const ANY_KEY = { name: 'a', apiKey: 'a-key-of-any-kind' };

/** What a target file would be refused for; `undefined` if nothing. @param keys any, if there are none yet */
export function problemWith(baseURL: string, keys: ReadonlyArray<typeof ANY_KEY>) {
  const accounts = (keys.length > 0 ? keys : [ANY_KEY]).map(({ name, apiKey }) => ({ name, apiKey }));
  return problemsIn({ baseURL, accounts })[0];
}

/** What is wrong with the name or the key of one more account; `true` if nothing is. */
function checked(answer: Partial<typeof ANY_KEY>, others: readonly NamedKey[] = []): string | true {
  return problemWith('https://api.example/v2', [...others, { ...ANY_KEY, ...answer }])?.text ?? true;
}

/** Asks for the address of the API. @param before what the field holds already */
export async function askAddress(before?: string): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  return input({
    message: 'Address of the API, with its version:',
    ...(before !== undefined && { default: before }),
    validate: (text) => problemWith(text.trim(), [])?.text ?? true,
  });
}

export async function askWhether(message: string, isDefault: boolean): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message, default: isDefault });
}

/** Asks again for each key that was not accepted. An empty answer keeps it. A key that was not typed is mended elsewhere. */
export async function askRejectedKeys(
  keys: readonly NamedKey[],
  { accounts }: Survey,
  variables: Variables,
): Promise<NamedKey[]> {
  const asked: NamedKey[] = [];
  for (const [i, key] of keys.entries()) {
    const isTyped = variables[key.variable] === undefined;
    if (!accounts[i]?.isRejected) asked.push(key);
    else if (isTyped) {
      const others = keys.filter((other) => other !== key);
      const apiKey = await askKey(`The key of ${key.name}, again (empty keeps it):`, others, key.apiKey);
      asked.push({ ...key, apiKey });
    } else {
      console.log(
        `  The key of ${key.name} comes from ${key.variable}, in the environment or in .env: correct it there.`,
      );
      asked.push(key);
    }
  }
  return asked;
}

/** @param before what an empty answer stands for */
async function askKey(message: string, others: readonly NamedKey[], before = ''): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const validate = (text: string) => {
    const apiKey = text.trim() || before;
    const isWritable = lineOfEnv('KEY', apiKey) !== null;
    return isWritable
      ? checked({ name: 'the-account-of-this-key', apiKey }, others)
      : 'It has quotes of every kind, so .env cannot hold it';
  };
  return (await password({ message, mask: true, validate })).trim() || before;
}

/** Asks for accounts until there are enough: the name of each, the variable of its key, and the key if it is not set. */
export async function askKeys(variables: Variables): Promise<NamedKey[]> {
  const { input } = await import('@inquirer/prompts');
  const keys: NamedKey[] = [];
  do {
    const isTaken = (text: string) => keys.some((key) => key.name === text || key.variable === text);
    const name = await input({
      message: 'Name of an account, for the report:',
      default: `account-${keys.length + 1}`,
      validate: (text) => (isTaken(text) ? 'Another account has this name' : checked({ name: text })),
    });
    const variable = await input({
      message: 'Environment variable for its key:',
      default: `${name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_KEY`,
      validate: (text) =>
        isTaken(text)
          ? 'It holds the key of another account'
          : /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) || 'Letters, digits and _ only, no digit first',
    });
    const set = variables[variable];
    if (set !== undefined)
      console.log(`  ${variable} is already set, in the environment or in .env. Its value is used.`);
    keys.push({ name, variable, apiKey: set ?? (await askKey('Its key (goes to .env):', keys)) });
  } while (await askWhether('Another account? It makes more clauses testable.', keys.length < 2));
  return keys;
}
