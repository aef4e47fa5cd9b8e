/** Why a request was sent. In code a probe is a structure; in the evidence file it is a name. */

/** The parts that a probe may have besides its group. */
type Part = 'account' | 'trial' | 'form';

/** Every group of probes, with the parts that follow it in a probe's name, in order. */
const PARTS = {
  /** GET /webhooks with the valid key, once for each account, one right after another. */
  read: ['account'],
  /** A request without the key, on the connection and with the cookies of an accepted read. */
  session: ['account'],
  /** A request without the key, right after an accepted read, over a connection of its own. */
  'after-accepted': ['account'],
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
  /** A read of every account at the same moment, right after `keyless` requests. */
  together: ['account', 'trial'],
  /** Requests without a valid key, right before a `together`. Their account is named `all`. */
  keyless: ['account', 'trial'],
  'header-case': ['account', 'form'],
  'base-accepted': ['account'],
  version: ['account', 'form'],
  /** Requests one after another without a pause, then further apart. */
  sequence: ['account', 'trial'],
  /** Requests sent at the same moment. */
  concurrent: ['account', 'trial'],
  /** One request as soon as the last refusal of a `concurrent` allows it. */
  recovery: ['account', 'trial'],
  /** A read, and another one as soon as the first one's Reset has passed, if that is sooner than a window. */
  promise: ['account', 'trial'],
  /** Reads, and right after them a request to the base path. */
  paths: ['account', 'trial'],
  /** A request of one account while another's budget is used up, with nothing else under way. */
  neighbour: ['account', 'trial'],
  /** Two reads a window apart, with nothing else under way. */
  apart: ['account', 'trial'],
  /** A read now and then, while the valid keys of all accounts are refused after wrong keys. */
  ban: ['account', 'trial'],
  /** A request without a key, to see whether a server that accepts nothing any more still answers. */
  alive: ['trial'],
  /** The first request without a key, sent again to see whether something else answers by now. */
  guard: ['trial'],
  /** A request of the suite's own to the url of a kind, its form. Noted where the way there is closed or not known. */
  'receiver-check': ['account', 'form'],
  /** The trigger of a notification kind. It leads to deliveries, not to exchanges. */
  events: [],
  /** Stands for all probes of an account whose key is not accepted. */
  account: ['account'],
  /** A request of the user's own tests. Its form is the test's title, shortened by `slugOf`. */
  own: ['form'],
} as const satisfies Record<string, readonly Part[]>;

export type Group = keyof typeof PARTS;

/** A group that a clause can need. The other groups are sent together with these. */
export type Need = Exclude<
  Group,
  'keyless' | 'neighbour' | 'apart' | 'ban' | 'alive' | 'guard' | 'receiver-check' | 'account' | 'own'
>;

export interface Probe {
  group: Group;
  /** The account that the probe is about. Its valid key need not be in the request. */
  account: string | null;
  /** The number of the trial at the server, counted from 1. A trial that proves nothing is repeated. */
  trial: number;
  /** The variant of the group's request, such as `case-swapped`; empty where there is only one. */
  form: string;
}

/** The most characters of an own test's name. */
const LONGEST_SLUG = 64;

/** Returns a title as part of a name: letters and digits of any script in lower case, hyphens for everything else. */
export function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['untitled'];
  return words.join('-').slice(0, LONGEST_SLUG);
}

/** Returns a probe. Parts that are not given: no account, look 1, no form. */
export function probe(group: Group, parts: { account?: string; trial?: number; form?: string } = {}): Probe {
  return { group, account: parts.account ?? null, trial: parts.trial ?? 1, form: parts.form ?? '' };
}

/** Returns the name in the evidence file, such as `altered-key/alice/first-half`. */
export function nameOf(probe: Probe): string {
  return [probe.group, ...PARTS[probe.group].map((part) => probe[part])].join('/');
}

/** Returns the probe with this name; `null` for any other text. */
export function probeNamed(name: string): Probe | null {
  const [group = '', ...values] = name.split('/');
  if (!Object.hasOwn(PARTS, group)) return null;
  const parts: readonly Part[] = PARTS[group as Group];
  if (values.length !== parts.length) return null;
  const textOf = (part: Part) => (parts.includes(part) ? values[parts.indexOf(part)] : undefined);
  const trial = Number(textOf('trial') ?? 1);
  if (!Number.isInteger(trial) || trial < 1) return null;
  return { group: group as Group, account: textOf('account') ?? null, trial, form: textOf('form') ?? '' };
}

/** Whether two probes are the same. All exchanges of a burst share one probe. */
export function isSameProbe(a: Probe, b: Probe): boolean {
  return a.group === b.group && a.account === b.account && a.trial === b.trial && a.form === b.form;
}
