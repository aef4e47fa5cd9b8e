/** Accepted reads of the webhook settings, and whose settings they hold. */
import { isMemberPath, MEMBERS, type MemberPath } from '../contract/settings';
import type { AccountFacts, Evidence, Exchange } from './exchange';
import { isObject, type Json, type JsonObject, settingsIn } from './json';
import { onceFor } from './once';
import { isAccepted, isRefused } from './outcome';

/** Every accepted GET /webhooks of the run that bore a valid key. */
export function readsOf(evidence: Evidence): Exchange[] {
  const url = `${evidence.target.baseURL}/webhooks`;
  return evidence.exchanges.filter(
    (one) =>
      one.account !== null &&
      one.request.method === 'GET' &&
      one.request.url === url &&
      isAccepted(one) &&
      !isRefused(one, evidence),
  );
}

/** The members the API description names, in one order, as a text to compare; `null` where no settings were served. */
export function describedOf(exchange: Exchange): string | null {
  const webhook = settingsIn(exchange.response?.body ?? '');
  return webhook && JSON.stringify(describedBelow(webhook, ''));
}

function describedBelow(value: JsonObject, path: MemberPath): Json {
  return MEMBERS[path].map((member) => {
    const inner = value[member] ?? null;
    const below = path === '' ? member : `${path}.${member}`;
    return isMemberPath(below) && isObject(inner) ? describedBelow(inner, below) : inner;
  });
}

/** What an account's reads mostly hold: its own settings, if the server mixes nothing up all the time. */
export function usualSettings(evidence: Evidence, account: string): string | null {
  const counts = new Map<string, number>();
  const facts = evidence.target.accounts.find((one) => one.name === account);
  for (const read of readsOf(evidence).filter((one) => one.account === account)) {
    const settings = describedOf(read);
    if (settings === null) continue;
    // A read that contradicts what is declared never outweighs one that does not.
    const weight = facts && contradicts(read, facts) ? 1 : 1000;
    counts.set(settings, (counts.get(settings) ?? 0) + weight);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/**
 * Reads that hold another account's settings: they equal what that account usually gets, and are not what
 * their own account usually gets, or contradict what is declared of it.
 * @returns by exchange index, the account whose settings they are.
 */
export function foreignReads(evidence: Evidence): ReadonlyMap<number, string> {
  return onceFor(evidence, findForeignReads);
}

function findForeignReads(evidence: Evidence): ReadonlyMap<number, string> {
  const { accounts } = evidence.target;
  const usual = new Map(accounts.map((account) => [account.name, usualSettings(evidence, account.name)]));
  const foreign = new Map<number, string>();
  for (const read of readsOf(evidence)) {
    const settings = describedOf(read);
    const facts = accounts.find((account) => account.name === read.account);
    if (settings === null || !facts) continue;
    if (settings === usual.get(facts.name) && !contradicts(read, facts)) continue;
    const owner = accounts.find(
      (other) => other.name !== facts.name && usual.get(other.name) === settings && !contradicts(read, other),
    );
    if (owner) foreign.set(read.index, owner.name);
  }
  return foreign;
}

/** Reads that hold their own account's settings: what the settings clauses are judged on. */
export function ownReads(evidence: Evidence): Exchange[] {
  const foreign = foreignReads(evidence);
  return readsOf(evidence).filter((one) => !foreign.has(one.index));
}

function contradicts(read: Exchange, facts: AccountFacts): boolean {
  return facts.settings !== undefined && differences(facts.settings, settingsIn(read.response?.body ?? '')).length > 0;
}

export interface Difference {
  /** Member names joined by dots. */
  path: string;
  declared: unknown;
  served: unknown;
}

/** Where declared members are not served with the declared value. */
export function differences(declared: unknown, served: unknown, path = ''): Difference[] {
  if (isObject(declared)) {
    return Object.entries(declared).flatMap(([member, inner]) =>
      differences(inner, isObject(served) ? served[member] : undefined, path ? `${path}.${member}` : member),
    );
  }
  return JSON.stringify(declared) === JSON.stringify(served) ? [] : [{ path, declared, served }];
}
