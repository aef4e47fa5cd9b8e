/** What `npm run init` asks in a terminal. A key is not shown while it is typed. */
import type { Variables } from '../../src/target/environment';
import type { NamedKey } from './survey';

/** Asks for the address of the API. */
export async function askAddress(): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  return input({
    message: 'Address of the API, with its version:',
    validate: (text) => URL.canParse(text.trim()) || 'Such as https://staging.example.com/api/v2',
  });
}

/** Asks for accounts until there are enough: the name of each, the variable of its key, and the key where it is not set. */
export async function askKeys(variables: Variables): Promise<NamedKey[]> {
  const { confirm, input, password } = await import('@inquirer/prompts');
  const keys: NamedKey[] = [];
  do {
    const name = await input({ message: 'Name of an account, for the report:', default: `account-${keys.length + 1}` });
    const variable = await input({
      message: 'Environment variable for its key:',
      default: `${name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_KEY`,
      validate: (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) || 'Letters, digits and _ only',
    });
    const apiKey = variables[variable] ?? (await password({ message: 'Its key (goes to .env):', mask: true }));
    keys.push({ name, variable, apiKey });
  } while (await confirm({ message: 'Another account? It makes more clauses testable.', default: keys.length < 2 }));
  return keys;
}
