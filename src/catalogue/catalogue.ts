/** Every group of probes: what is sent, what it builds on, which answer conforms, its words. Nothing else says this. */
import type { GroupRecord } from './record';
import { diagnoses, validKeys } from './valid-keys';
import { watches, wrongKeys } from './wrong-keys';

/** The groups that a clause can need. */
const needed = { ...wrongKeys, ...validKeys };
const all = { ...needed, ...watches, ...diagnoses };

/** A group that a clause can need. The other groups are sent together with these. */
export type Need = keyof typeof needed;
export type Group = keyof typeof all;

export const catalogue: Readonly<Record<Group, GroupRecord>> = all;
export const groups = Object.keys(all) as Group[];
export const needs = Object.keys(needed) as Need[];

/** Returns the groups of which the catalogue says so. */
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
