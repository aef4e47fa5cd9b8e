/** Deals out what any account can send, one request in each window; and the trials at the limit that take windows more. */
import { catalogue, groupsWhere, type Need } from '../catalogue/catalogue';
import type { Keys } from '../catalogue/record';
import { formsOf, type ProbeRequest } from '../catalogue/requests';
import type { Rate } from '../contract/bounds';

/** The last request of a sequence comes this many windows after its first. */
const LATER_WINDOWS = 1.65;

/** How the requests are dealt out, each account's in the order of sending. */
export interface Dealt {
  singles: ProbeRequest[];
  /** By account, the request that begins its sequence in place of a plain read, so it needs no window of its own. */
  openers: ReadonlyMap<string, ProbeRequest>;
}

/**
 * Deals the requests out. Each account's sequence begins with another form of those that may open one. Accounts with
 * less other work get more of the requests that are sent alone, but what may tell a stored password is asked by an account
 * that has one.
 */
export function dealtAmong(keys: Keys, rate: Rate, planned: ReadonlySet<Need>, open: readonly string[]): Dealt {
  const [first] = open;
  if (first === undefined) return { openers: new Map(), singles: [] };
  const made = (account: string) =>
    groupsWhere(({ sent }) => sent === 'dealt')
      .filter((group) => planned.has(group as Need))
      .flatMap((group) => formsOf(group, keys, account));
  const groups = made(first).map(({ probe: { group } }) => catalogue[group]);
  const mayOpen = groups.map((group) => group.mayOpen === true);
  const opening = planned.has('sequence') ? [...mayOpen.keys()].filter((i) => mayOpen[i]).slice(0, open.length) : [];
  const openers = opening.flatMap((at, i) => {
    const account = open[i] ?? first;
    const request = made(account)[at];
    return request ? [[account, request] as const] : [];
  });
  const busy = open.map((account) => {
    const { later, recovery } = shareOf(account, open);
    return { account, windows: Number(later) * LATER_WINDOWS + Number(recovery) };
  });
  const hasPassword = (account: string) =>
    keys.accounts.some(({ name, password }) => name === account && password !== undefined);
  const singles = [...mayOpen.keys()]
    .filter((i) => !opening.includes(i))
    .flatMap((i) => {
      const telling = groups[i]?.mayTell ? busy.filter(({ account }) => hasPassword(account)) : [];
      const lanes = telling.length > 0 ? telling : busy;
      const least = lanes.reduce((sofar, lane) => (lane.windows <= sofar.windows ? lane : sofar));
      least.windows += 1 / rate.requests;
      return made(least.account)[i] ?? [];
    });
  return { openers: new Map(openers), singles };
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
