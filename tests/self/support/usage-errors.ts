/** The message of a `UsageError`: one that a user reads, without a stack. */
import { expect } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { stackLines } from './whole-runs';

/** What work says that fails as a user is told of it; empty if it does not fail. */
export async function problemOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    return told(error);
  }
}

/** The message of work that fails at once. */
export function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return told(error);
  }
  throw new Error('Nothing was thrown.');
}

function told(error: unknown): string {
  expect(error, 'a message for the user, and no crash').toBeInstanceOf(UsageError);
  const { message, stack } = error as UsageError;
  expect(stack).toBe(message);
  expect(stackLines(message)).toEqual([]);
  return message;
}
