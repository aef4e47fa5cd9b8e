/** A configuration with secrets, and the message of a mistake in one: it holds none of them. */
import { expect } from '@playwright/test';
import { messageOf as messageOfAny } from './usage-errors';

export const KEY = 'k3y-Sekret-4711-abcdef';
export const OTHER_KEY = 'oth3r-Sekret-0815-ghijkl';
export const PASSWORD = 'pa55-Sekret/ü"word';
export const GATE = 'gat3-Sekret-2342';
export const SECRETS = [KEY, OTHER_KEY, PASSWORD, GATE, 'Sekret'];
export const BASE = 'https://staging.acme.example/api/v2';

/** The message of the error that a function throws, which must hold no secret. */
export function messageOf(action: () => unknown): string {
  const message = messageOfAny(action);
  for (const secret of SECRETS) expect(message).not.toContain(secret);
  return message;
}

export const ACCOUNT = `  - name: alice\n    apiKey: ${KEY}\n`;
/** A target file up to its accounts, up to the members of an account, and one that has nothing wrong. */
export const HEAD = `baseURL: ${BASE}\naccounts:\n`;
export const ALICE = `${HEAD}  - name: alice\n    `;
export const WHOLE = `${HEAD}${ACCOUNT}`;
