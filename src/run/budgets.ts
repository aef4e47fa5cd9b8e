/** What targets share that use one key: its budget of requests. */
import { createHash } from 'node:crypto';
import type { Target } from '../target/target';

/** A name for the budget of each account of a target, the same in every run; it tells nothing of the key. */
export function budgetsOf({ accounts, baseURL }: Target): string[] {
  const { href } = new URL(baseURL);
  return accounts.map(({ apiKey }) => createHash('sha256').update(`${href}\n${apiKey}`).digest('hex'));
}
