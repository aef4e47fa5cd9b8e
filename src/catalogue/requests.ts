/** The requests of probes, each as the catalogue says. */
import { catalogue, type Group, groups, type Need } from './catalogue';
import { nameOf, type Probe, probe, probeAs, standsFor } from './probe';
import type { Asked, Form, Holder, Keys } from './record';

export interface ProbeRequest extends Asked {
  probe: Probe;
  /** The account whose valid key stands in the `apiKey` header, and whose budget is used. */
  account: string | null;
  path: string;
  /** Sent unchanged: markers in it are not replaced. */
  body?: Buffer | null;
}

const MOST_OF_EACH = 60;
const NOBODY: Holder = { name: '', apiKey: '' };

/** Returns the request of a probe; `null` where the key or the address has no such form. @param form or the probe's */
export function requestOf(sentFor: Probe, keys: Keys, form?: string): ProbeRequest | null {
  const { group, account, form: named } = standsFor(sentFor);
  const { key, forms } = catalogue[group];
  const holder = keys.accounts.find(({ name }) => name === account) ?? NOBODY;
  const asked = forms[form ?? named]?.sends(keys, holder);
  return asked
    ? { probe: sentFor, account: key === 'valid' ? account : null, path: '/webhooks', headers: [], ...asked }
    : null;
}

/** Returns the requests of all forms of a group: of one account, where the probe is about one. */
export function formsOf(group: Group, keys: Keys, account: string, which = (_: Form) => true): ProbeRequest[] {
  const { parts, forms } = catalogue[group];
  return Object.entries(forms).flatMap(([form, record]) => {
    const about = parts.includes('account') ? { account, form } : { form };
    return (which(record) && requestOf(probe(group, about), keys)) || [];
  });
}

/** Returns the planned requests without a valid key that are sent once, the most telling first: a guard may follow. */
export function plannedWrongKeys(keys: Keys, planned: ReadonlySet<Need>, riskyProbes: boolean): ProbeRequest[] {
  const [first] = keys.accounts;
  const once = groups.filter(
    (group) => catalogue[group].sent === 'once' && catalogue[group].key === 'none' && planned.has(group as Need),
  );
  return once
    .flatMap((group) => {
      const about = catalogue[group].parts.includes('account') ? keys.accounts : [first ?? NOBODY];
      return about.flatMap(({ name }) => formsOf(group, keys, name, ({ isRisky }) => riskyProbes || !isRisky));
    })
    .sort((a, b) => rankOf(a.probe, first?.name) - rankOf(b.probe, first?.name));
}

/** The plain rejection comes first, then what careless servers accept most often. @param first an account */
function rankOf({ group, account, form }: Probe, first: string | undefined): number {
  const { rank, forms } = catalogue[group];
  if (account !== null && account === first && forms[form]?.isTelling) return 1;
  return rank ?? (account === null || account === first ? 3 : 4);
}

/**
 * Returns a flood: as many requests of each kind without a valid key as would use up a budget, namely without a key,
 * with made-up keys, and with keys so near to an account's that it may be charged for them.
 * @param near the accounts whose near misses are sent
 * @param letIn the groups that were let in: they use up budgets as valid keys do, and the auth clauses judge that
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
    return { ...request, probe: probeAs('flood', { account: 'all', trial, form }) };
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

/** Returns a GET /webhooks without a key, for a probe that shows who answers. */
export function withoutKey(sentFor: Probe): ProbeRequest {
  return { probe: sentFor, account: null, path: '/webhooks', headers: [] };
}
