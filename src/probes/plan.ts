/** What must be sent for a clause: a group of probes brings along the groups that it builds on. */
import type { Need } from '../evidence/probe';

const BUILDS_ON: Partial<Record<Need, Need>> = {
  session: 'read',
  'after-accepted': 'read',
  together: 'read',
  'header-case': 'read',
  'base-accepted': 'read',
  version: 'read',
  sequence: 'read',
  // Whether the server queues shows in a sequence, and decides the size of a burst.
  concurrent: 'sequence',
  recovery: 'concurrent',
  promise: 'read',
  paths: 'base-accepted',
  events: 'read',
};

/** The groups asked for and all that they build on. */
export function planOf(needs: Iterable<Need>): Set<Need> {
  const plan = new Set<Need>();
  for (const need of needs)
    for (let next: Need | undefined = need; next !== undefined; next = BUILDS_ON[next]) plan.add(next);
  return plan;
}

/** What of the looks at the limit falls to an account, besides a sequence, a burst and a read of the other path. */
export interface Share {
  /** Requests that span the windows after a sequence, and what an accepted response promises. */
  later: boolean;
  /** What a refusal promises. */
  recovery: boolean;
}

/**
 * A limiter is the same program for all accounts: each is asked more than it may be, but what takes windows more is dealt out.
 * @param open the accounts whose key was accepted
 */
export function shareOf(account: string, open: readonly string[]): Share {
  return { later: account === open[0], recovery: account === open.at(-1) };
}
