/** What `init` asks in a terminal. A key is not shown while it is typed. */
import { problemsIn } from '../../src/config/declaration';
import type { Variables } from '../../src/config/environment';
import type { NamedKey, Survey } from './survey';

/** What is wrong with an answer, as the target file would be refused for it; `true` where nothing is. */
function checked(answer: { baseURL?: string; name?: string; apiKey?: string }): string | true {
  const { baseURL = 'https://api.example/v2', name = 'a', apiKey = 'a-key-of-any-kind' } = answer;
  return problemsIn({ baseURL, accounts: [{ name, apiKey }] })[0]?.text ?? true;
}

/** Asks for the address of the API. */
export async function askAddress(before?: string): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  return input({
    message: 'Address of the API, with its version:',
    ...(before !== undefined && { default: before }),
    validate: (text) => checked({ baseURL: text.trim() }),
  });
}

/** Asks whether address and keys are to be given again, after some were found to be wrong. */
export async function askWhetherAgain(): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message: 'Try again with another address or other keys?', default: true });
}

/** Asks again for each key that was not accepted. One that stands in the environment or in .env is mended there. */
export async function askRejectedKeys(
  keys: readonly NamedKey[],
  { accounts }: Survey,
  variables: Variables,
): Promise<NamedKey[]> {
  const asked: NamedKey[] = [];
  for (const [i, key] of keys.entries()) {
    const isTyped = variables[key.variable] === undefined;
    if (!accounts[i]?.isRejected) asked.push(key);
    else if (isTyped) asked.push({ ...key, apiKey: await askKey(`The key of ${key.name}, again (goes to .env):`) });
    else {
      console.log(`  The key of ${key.name} stands in ${key.variable}, in the environment or in .env: mend it there.`);
      asked.push(key);
    }
  }
  return asked;
}

async function askKey(message: string): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  return (await password({ message, mask: true, validate: (text) => checked({ apiKey: text.trim() }) })).trim();
}

/** Asks for accounts until there are enough: the name of each, the variable of its key, and the key where it is not set. */
export async function askKeys(variables: Variables): Promise<NamedKey[]> {
  const { confirm, input } = await import('@inquirer/prompts');
  const keys: NamedKey[] = [];
  do {
    const isTaken = (text: string) => keys.some((key) => key.name === text || key.variable === text);
    const name = await input({
      message: 'Name of an account, for the report:',
      default: `account-${keys.length + 1}`,
      validate: (text) => (isTaken(text) ? 'Another account is called so' : checked({ name: text })),
    });
    const variable = await input({
      message: 'Environment variable for its key:',
      default: `${name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_KEY`,
      validate: (text) =>
        isTaken(text)
          ? 'It holds the key of another account'
          : /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) || 'Letters, digits and _ only, no digit first',
    });
    const known = variables[variable];
    if (known !== undefined)
      console.log(`  ${variable} is set already, in the environment or in .env: its value is used.`);
    keys.push({ name, variable, apiKey: known ?? (await askKey('Its key (goes to .env):')) });
  } while (await confirm({ message: 'Another account? It makes more clauses testable.', default: keys.length < 2 }));
  return keys;
}
