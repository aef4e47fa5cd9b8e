/** Every group of probes: what is sent, what it builds on, which answer conforms, and how it is named in sentences. */
import type { Asked, Form, GroupRecord, Holder, Keys, Part } from './record';
import { diagnoses, validKeys } from './valid-keys';
import { watches, wrongKeys } from './wrong-keys';

const needed = { ...wrongKeys, ...validKeys };
const all = { ...needed, ...watches, ...diagnoses };

/** A group that a clause can need. The other groups are sent together with these. */
export type Need = keyof typeof needed;
export type Group = keyof typeof all;

export const catalogue: Readonly<Record<Group, GroupRecord>> = all;
export const groups = Object.keys(all) as Group[];
export const needs = Object.keys(needed) as Need[];

/** Returns the groups whose record passes a test. */
export function groupsWhere(is: (record: GroupRecord) => unknown): Group[] {
  return groups.filter((group) => is(catalogue[group]));
}

/** Returns the needed groups and all that they build on. */
export function planOf(needs: Iterable<Need>): Set<Need> {
  const plan = new Set<Need>();
  for (const need of needs)
    for (let next: Need | undefined = need; next !== undefined; next = catalogue[next].buildsOn as Need | undefined)
      plan.add(next);
  return plan;
}

/** Which request was sent. In code a probe is a structure; in the evidence file it is a name. */
export interface Probe {
  group: Group;
  /** The account that the probe is about. Its valid key need not be in the request. */
  account: string | null;
  /** The number of the trial, counted from 1. A trial that proves nothing is repeated. */
  trial: number;
  /** The variant of the group's request, such as `case-swapped`; empty where there is only one. */
  form: string;
}

const LONGEST_SLUG = 64;

/** Returns a title as part of a name: letters and digits of any script in lower case, joined by hyphens. */
export function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['untitled'];
  return words.join('-').slice(0, LONGEST_SLUG);
}

/** Returns a probe; by default without an account, of trial 1, without a form. */
export function probe(group: Group, parts: Partial<Pick<Probe, Part>> = {}): Probe {
  return { group, account: null, trial: 1, form: '', ...parts };
}

/** Returns the name in the evidence file, such as `altered-key/alice/first-half`. */
export function nameOf(probe: Probe): string {
  const parts: readonly Part[] = catalogue[probe.group].parts;
  const named = parts.filter((part) => part !== 'form' || probe.form !== '');
  return [probe.group, ...named.map((part) => probe[part])].join('/');
}

/** Returns the probe with a name; `null` if there is none. */
export function probeNamed(name: string): Probe | null {
  const [group = '', ...values] = name.split('/');
  if (!Object.hasOwn(catalogue, group)) return null;
  const parts: readonly Part[] = catalogue[group as Group].parts;
  const given = (part: Part) => (parts.includes(part) ? values[parts.indexOf(part)] : undefined);
  // The form of a flood's request is the name of the probe that it repeats.
  const form = group === 'keyless' ? values.slice(parts.length - 1).join('/') : (given('form') ?? '');
  const trial = Number(given('trial') ?? 1);
  const named = probe(group as Group, { account: given('account') ?? null, trial, form });
  return nameOf(named) === name ? named : null;
}

/** Returns the probe that a flood's request repeats, or else the probe itself. */
export function standsFor(probe: Probe): Probe {
  return (probe.group === 'keyless' && probeNamed(probe.form)) || probe;
}

/** Whether two probes are the same. All requests of a burst share one probe. */
export function isSameProbe(a: Probe, b: Probe): boolean {
  return a.group === b.group && a.account === b.account && a.trial === b.trial && a.form === b.form;
}

/** Returns how a request was asked, in words that complete "401 …". */
export function wordsOf(probe: Probe): string {
  const { group, account, form } = standsFor(probe);
  const { words, forms } = catalogue[group];
  return words?.(account, forms[form]?.words ?? form) ?? 'without a key';
}

export interface ProbeRequest extends Asked {
  probe: Probe;
  /** The account whose valid key stands in the `apiKey` header. Its budget is used. */
  account: string | null;
  path: string;
  /** Sent unchanged: markers in it are not replaced. */
  body?: Buffer | null;
}

const MOST_OF_EACH = 60;
const NOBODY: Holder = { name: '', apiKey: '' };

/** Returns the request of a probe; `null` if the key or the address has no such form. @param form default: the probe's */
export function requestOf(sentFor: Probe, keys: Keys, form?: string): ProbeRequest | null {
  const { group, account, form: named } = standsFor(sentFor);
  const { key, forms } = catalogue[group];
  const holder = keys.accounts.find(({ name }) => name === account) ?? NOBODY;
  const asked = forms[form ?? named]?.sends(keys, holder);
  return asked
    ? { probe: sentFor, account: key === 'valid' ? account : null, path: '/webhooks', headers: [], ...asked }
    : null;
}

/** Returns the requests of all forms of a group, for one account. */
export function formsOf(group: Group, keys: Keys, account: string, which = (_: Form) => true): ProbeRequest[] {
  const { parts, forms } = catalogue[group];
  return Object.entries(forms).flatMap(([form, record]) => {
    const about = parts.includes('account') ? { account, form } : { form };
    return (which(record) && requestOf(probe(group, about), keys)) || [];
  });
}

/** Returns the planned requests without a valid key, the most telling first, since a guard may answer later ones. */
export function plannedWrongKeys(keys: Keys, planned: ReadonlySet<Need>): ProbeRequest[] {
  const [first] = keys.accounts;
  const once = groups.filter(
    (group) => catalogue[group].sent === 'once' && catalogue[group].key === 'none' && planned.has(group as Need),
  );
  return once
    .flatMap((group) => {
      const about = catalogue[group].parts.includes('account') ? keys.accounts : [first ?? NOBODY];
      return about.flatMap(({ name }) => formsOf(group, keys, name, ({ isRisky }) => keys.isRiskAllowed || !isRisky));
    })
    .sort((a, b) => rankOf(a.probe, first?.name) - rankOf(b.probe, first?.name));
}

/** Ranks the plain rejection first, then what careless servers accept most often. @param first an account */
function rankOf({ group, account, form }: Probe, first: string | undefined): number {
  const { rank = 3, forms } = catalogue[group];
  return account === null || account === first ? (forms[form]?.rank ?? rank) : 4;
}

/**
 * Returns a flood: as many requests without a key, with a made-up key, and with each near miss as would use up a budget.
 * @param near the accounts whose near misses are sent
 * @param letIn the groups that were accepted: they use up budgets as valid keys do, which the auth clauses judge
 */
export function floodOf(
  keys: Keys,
  near: readonly string[],
  perWindow: number,
  trial: number,
  letIn: ReadonlySet<Group>,
): ProbeRequest[] {
  const ofEach = Math.min(MOST_OF_EACH, perWindow);
  const plain = [probe('unknown-key', { form: '1' }), probe('missing-key')];
  const nearMisses = near.flatMap((account) =>
    groups.flatMap((group) => formsOf(group, keys, account, ({ isNearMiss }) => isNearMiss === true)),
  );
  const again = (request: ProbeRequest): ProbeRequest => {
    const form = nameOf(request.probe);
    return { ...request, probe: probe('keyless', { account: 'all', trial, form }) };
  };
  const isLetIn = ({ group }: Probe) =>
    (group === 'every-carrier' ? (['other-carrier', 'key-in-url'] as const) : [group]).some((each) => letIn.has(each));
  return [
    ...Array.from({ length: ofEach }, () => plain.flatMap((sentFor) => requestOf(sentFor, keys) ?? [])).flat(),
    ...nearMisses.flatMap((request) => Array.from({ length: ofEach }, () => request)),
  ]
    .filter((request) => !isLetIn(request.probe))
    .map(again);
}

/** Returns a GET /webhooks without a key for a probe. */
export function withoutKey(sentFor: Probe): ProbeRequest {
  return { probe: sentFor, account: null, path: '/webhooks', headers: [] };
}
