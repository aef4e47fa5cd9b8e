/** What must be sent for a clause: a group of probes also needs the groups that it builds on. */
import type { Need } from '../catalogue/probe';

const BUILDS_ON: Partial<Record<Need, Need>> = {
  session: 'read',
  'after-accepted': 'read',
  together: 'read',
  'header-case': 'read',
  'base-accepted': 'read',
  version: 'read',
  sequence: 'read',
  // A sequence shows whether the server queues, and that decides the size of a burst.
  concurrent: 'sequence',
  recovery: 'concurrent',
  promise: 'read',
  paths: 'base-accepted',
  events: 'read',
};

/** Returns the needed groups and all that they build on. */
export function planOf(needs: Iterable<Need>): Set<Need> {
  const plan = new Set<Need>();
  for (const need of needs)
    for (let next: Need | undefined = need; next !== undefined; next = BUILDS_ON[next]) plan.add(next);
  return plan;
}

/** What an account does for the trials at the limit, besides a sequence, a burst and a read of the other path. */
export interface Share {
  /** Requests that span the windows after a sequence, and a test of what an accepted response promises. */
  later: boolean;
  /** A test of what a refusal promises. */
  recovery: boolean;
}

/** Returns an account's share. What takes windows more is dealt out, because all accounts have the same limiter. */
export function shareOf(account: string, open: readonly string[]): Share {
  return { later: account === open[0], recovery: account === open.at(-1) };
}
