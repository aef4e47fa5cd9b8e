/** The profiles of the contract. The core knows each as what it registers here, and nothing else of it. */
import { events } from '../events/profile';
import type { Evidence } from '../evidence/model';
import { coreRules } from '../judge/core';
import type { Rules } from '../judge/finding';
import { coreObservations, distinct, type Observations } from '../judge/observations';
import type { Aside } from '../probes/schedule';

export interface Profile {
  /** By the ids of its clauses, which stand with its name in `schemas/clauses.yaml`. */
  rules: Rules;
  /** What it sees besides what it judges. */
  observe(evidence: Evidence): Observations;
  /** What it does beside the requests of the core, if anything. */
  aside?: Aside;
}

export const profiles: readonly Profile[] = [{ rules: coreRules, observe: coreObservations }, events];

/** What the profiles do beside the requests of the core. */
export const asides: readonly Aside[] = profiles.flatMap(({ aside }) => aside ?? []);

/** Observations by their ids in schemas/clauses.yaml: distinct values. An observation without a value is left out. */
export function observationsOf(evidence: Evidence): Observations {
  const all = profiles.flatMap(({ observe }) => Object.entries(observe(evidence)));
  return Object.fromEntries(all.flatMap(([id, values]) => (values.length > 0 ? [[id, distinct(values)]] : [])));
}
