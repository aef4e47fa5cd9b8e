/** What may still be why requests of an account that had room were refused. Experiments go on while several causes are left. */
import type { Evidence } from '../evidence/model';
import { otherClients } from './another-client';
import { refusedTooOften } from './longer-limit';
import { refusedWithRoom } from './room';

export type Cause = 'a longer limit' | 'another client' | 'chance';

/** Returns the causes that nothing of the evidence contradicts. */
export function causesLeft(evidence: Evidence, account: string): ReadonlySet<Cause> {
  if (otherClients(evidence).has(account)) return new Set(['another client']);
  const left = new Set<Cause>(['a longer limit', 'another client', 'chance']);
  if (isOtherRefused(evidence, account)) left.delete('another client');
  if (refusedTooOften(evidence).size > 0) left.delete('chance');
  return left;
}

/** Whether another account was refused although it had room: another client of one key does not explain it. */
export function isOtherRefused(evidence: Evidence, account: string): boolean {
  const names = evidence.target.accounts.map(({ name }) => name);
  return names.some((name) => name !== account && refusedWithRoom(evidence, name, { besideOthers: true }).length > 0);
}
