/** A configuration with secrets, and the message of a mistake in one: it holds none of them. */
import { expect } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { stackLines } from './whole-runs';

export const KEY = 'k3y-Sekret-4711-abcdef';
export const OTHER_KEY = 'oth3r-Sekret-0815-ghijkl';
export const PASSWORD = 'pa55-Sekret/ü"word';
export const GATE = 'gat3-Sekret-2342';
export const SECRETS = [KEY, OTHER_KEY, PASSWORD, GATE, 'Sekret'];
export const BASE = 'https://staging.acme.example/api/v2';

/** The message of the error that a function throws, which must hold no secret. */
export function messageOf(action: () => unknown): string {
  let thrown: unknown = null;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown, 'a message for the user, and no crash').toBeInstanceOf(UsageError);
  const { message, stack } = thrown as UsageError;
  expect(stack).toBe(message);
  expect(stackLines(message)).toEqual([]);
  for (const secret of SECRETS) expect(message).not.toContain(secret);
  return message;
}

export const ACCOUNT = `  - name: alice\n    apiKey: ${KEY}\n`;
/** A target file up to its accounts, up to the members of an account, and one that has nothing wrong. */
export const HEAD = `baseURL: ${BASE}\naccounts:\n`;
export const ALICE = `${HEAD}  - name: alice\n    `;
export const WHOLE = `${HEAD}${ACCOUNT}`;
