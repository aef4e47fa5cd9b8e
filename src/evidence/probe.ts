/** What a request was sent for. A probe is a structure in code, and one name in the evidence file. */

/** The parts of a probe besides its group, in the order of its name. */
type Part = 'account' | 'look' | 'form';

/** Every group of probes, and which parts its probes have. */
const PARTS = {
  /** GET /webhooks with the valid key, once for each account, one right after another. */
  read: ['account'],
  /** The connection and the cookies of an accepted read again, without the key. */
  session: ['account'],
  'missing-key': [],
  'empty-key': [],
  'unknown-key': ['form'],
  'altered-key': ['account', 'form'],
  'other-carrier': ['account', 'form'],
  /** Risky: a valid key in a URL may be logged. */
  'key-in-url': ['account'],
  'base-rejected': ['form'],
  'every-path': [],
  /** HEAD, and with RISKY_PROBES the unsafe methods; OPTIONS is only observed. */
  'every-method': ['form'],
  /** A read of every account at the same moment, right after requests without a valid key. */
  together: ['account', 'look'],
  /** The requests without a valid key that a `together` follows; their account is `all`. */
  keyless: ['account', 'look'],
  'header-case': ['account', 'form'],
  'base-accepted': ['account'],
  version: ['account', 'form'],
  /** Requests as fast as they answer, then further apart. */
  sequence: ['account', 'look'],
  /** Requests at one moment. */
  concurrent: ['account', 'look'],
  /** One request when the last refusal of a `concurrent` allows it. */
  recovery: ['account', 'look'],
  /** Reads, and a request to the base path right after them. */
  paths: ['account', 'look'],
  /** One account used up, and another one asked, with nothing else going on. */
  neighbour: ['account', 'look'],
  /** Two reads a window apart, with nothing else going on. */
  apart: ['account', 'look'],
  /** A notification kind, triggered. Its exchanges are deliveries. */
  events: [],
  /** All that an account whose key is not accepted would have been asked. */
  account: ['account'],
  /** A request of the user's own tests; its form is the title of the test, as `slugOf` makes it a name. */
  own: ['form'],
} as const satisfies Record<string, readonly Part[]>;

/** The closed list of groups. */
export type Group = keyof typeof PARTS;

/** The groups that a clause can need; the others are sent along with these. */
export type Need = Exclude<Group, 'keyless' | 'neighbour' | 'apart' | 'account' | 'own'>;

export interface Probe {
  group: Group;
  /** The account it is about; its valid key need not be in the request. */
  account: string | null;
  /** Which look at the server it is part of, counted from 1. */
  look: number;
  /** Which variant of the group's request it is, such as `case-swapped`; empty where there is only one. */
  form: string;
}

/** Characters that the name of an own test keeps. */
const LONGEST_SLUG = 64;

/** A title as part of a name: letters and digits of any script in lower case, everything else a hyphen. */
export function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['untitled'];
  return words.join('-').slice(0, LONGEST_SLUG);
}

/** A probe of a group; parts that the group does not have are left out. */
export function probe(group: Group, parts: { account?: string; look?: number; form?: string } = {}): Probe {
  return { group, account: parts.account ?? null, look: parts.look ?? 1, form: parts.form ?? '' };
}

/** The name in the evidence file, such as `altered-key/alice/first-half`. */
export function nameOf(probe: Probe): string {
  return [probe.group, ...PARTS[probe.group].map((part) => probe[part])].join('/');
}

/** The probe of such a name; `null` for anything else. */
export function probeNamed(name: string): Probe | null {
  const [group = '', ...values] = name.split('/');
  if (!Object.hasOwn(PARTS, group)) return null;
  const parts: readonly Part[] = PARTS[group as Group];
  if (values.length !== parts.length) return null;
  const textOf = (part: Part) => (parts.includes(part) ? values[parts.indexOf(part)] : undefined);
  const look = Number(textOf('look') ?? 1);
  if (!Number.isInteger(look) || look < 1) return null;
  return { group: group as Group, account: textOf('account') ?? null, look, form: textOf('form') ?? '' };
}

/** Whether two probes are the same one: all exchanges of a burst share their probe. */
export function isSameProbe(a: Probe, b: Probe): boolean {
  return a.group === b.group && a.account === b.account && a.look === b.look && a.form === b.form;
}
