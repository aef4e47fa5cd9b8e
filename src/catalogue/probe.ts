/** Why a request was sent. In code a probe is a structure; in the evidence file it is a name. */
import { catalogue, type Group, groupAs } from './catalogue';
import type { Part, Role } from './record';

export interface Probe {
  group: Group;
  /** The account that the probe is about. Its valid key need not be in the request. */
  account: string | null;
  /** The number of the trial at the server, counted from 1. A trial that proves nothing is repeated. */
  trial: number;
  /** The variant of the group's request, such as `case-swapped`; empty where there is only one. */
  form: string;
}

type Parts = Partial<Pick<Probe, Part>>;

/** The most characters of an own test's name. */
const LONGEST_SLUG = 64;

/** Returns a title as part of a name: letters and digits of any script in lower case, hyphens for everything else. */
export function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['untitled'];
  return words.join('-').slice(0, LONGEST_SLUG);
}

/** Returns a probe. Parts that are not given: no account, trial 1, no form. */
export function probe(group: Group, parts: Parts = {}): Probe {
  return { group, account: null, trial: 1, form: '', ...parts };
}

/** Returns a probe of the group with a role. */
export function probeAs(role: Role, parts: Parts = {}): Probe {
  return probe(groupAs(role), parts);
}

/** Whether a probe's group has a role. */
export function hasRole({ group }: Probe, role: Role): boolean {
  return catalogue[group].role === role;
}

/** Returns the name in the evidence file, such as `altered-key/alice/first-half`. */
export function nameOf(probe: Probe): string {
  const parts: readonly Part[] = catalogue[probe.group].parts;
  const named = parts.filter((part) => part !== 'form' || probe.form !== '');
  return [probe.group, ...named.map((part) => probe[part])].join('/');
}

/** Returns the name that all requests of a flood share, and the name of any other probe. */
export function sendingOf(probe: Probe): string {
  return nameOf(hasRole(probe, 'flood') ? { ...probe, form: '' } : probe);
}

/** Returns the probe with this name; `null` for any other text. */
export function probeNamed(name: string): Probe | null {
  const [group = '', ...values] = name.split('/');
  if (!Object.hasOwn(catalogue, group)) return null;
  const { parts, role } = catalogue[group as Group];
  const before = parts.filter((part) => part !== 'form').length;
  // What a request of a flood repeats is a name with parts of its own.
  const isFlood = role === 'flood';
  const form = isFlood ? values.slice(before).join('/') : values[before];
  if (values.length < before || (values.length > parts.length && !isFlood)) return null;
  const textOf = (part: Part) => (parts.includes(part) ? values[parts.indexOf(part)] : undefined);
  const trial = Number(textOf('trial') ?? 1);
  if (!Number.isInteger(trial) || trial < 1) return null;
  return { group: group as Group, account: textOf('account') ?? null, trial, form: form ?? '' };
}

/** Returns the probe whose request was sent: of a flood the one it repeats, else the probe itself. */
export function standsFor(probe: Probe): Probe {
  return (hasRole(probe, 'flood') && probeNamed(probe.form)) || probe;
}

/** Whether two probes are the same. All exchanges of a burst share one probe. */
export function isSameProbe(a: Probe, b: Probe): boolean {
  return a.group === b.group && a.account === b.account && a.trial === b.trial && a.form === b.form;
}

/** Returns how a request was asked, in words that complete "401 …". */
export function wordsOf(probe: Probe): string {
  const { group, account, form } = standsFor(probe);
  const { words, forms } = catalogue[group];
  return words?.(account, forms[form]?.words ?? form) ?? 'without a key';
}
