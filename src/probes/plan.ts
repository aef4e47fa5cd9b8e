/** What can be sent, in groups that clauses ask for by name; a group brings along what it builds on. */

const needs = {
  /** GET /webhooks with the valid key, once for each account, one right after another. */
  read: [],
  /** The same connection and cookies again, without the key. */
  session: ['read'],
  'missing-key': [],
  'empty-key': [],
  'unknown-key': [],
  'altered-key': [],
  'other-carrier': [],
  /** Risky: a valid key in a URL may be logged. */
  'key-in-url': [],
  'base-rejected': [],
  'every-path': [],
  /** HEAD, and with RISKY_PROBES the unsafe methods; OPTIONS is only observed. */
  'every-method': [],
  /** Requests without a valid key, and at once a read of every account at the same moment. */
  together: ['read'],
  'header-case': ['read'],
  'base-accepted': ['read'],
  version: ['read'],
  /** Requests as fast as they answer, then further apart. */
  sequence: ['read'],
  /** Requests at one moment; needs to know whether the server queues. */
  concurrent: ['sequence'],
  /** One request when the last refusal of the concurrent ones said so, and one to the base path right after. */
  recovery: ['concurrent'],
  paths: ['base-accepted'],
  /** Each notification kind of the listed accounts, triggered once; takes nothing of anybody's budget. */
  events: ['read'],
} as const satisfies Record<string, readonly string[]>;

export type Group = keyof typeof needs;

/** The groups asked for and all they build on. */
export function withNeeds(groups: Iterable<Group>): Set<Group> {
  const all = new Set<Group>();
  const add = (group: Group): void => {
    if (all.has(group)) return;
    all.add(group);
    for (const needed of needs[group]) add(needed);
  };
  for (const group of groups) add(group);
  return all;
}

/** The group a probe belongs to: the first part of its name. */
export function groupOf(probe: string): string {
  return probe.split('/')[0] ?? probe;
}

/** The account that stands in a probe's name, its second part. */
export function subjectOf(probe: string): string {
  return probe.split('/')[1] ?? '';
}

/** Which look at the server a probe was part of, counted from 1: its third part. */
export function lookOf(probe: string): number {
  return Number(probe.split('/')[2] ?? 1);
}
