/** What judging a clause yields. Judges are pure: evidence in, finding out. */

import type { Delivery, Evidence, Exchange } from '../evidence/exchange';
import { isWhole } from '../evidence/outcome';
import type { Need } from '../evidence/probe';

export interface Breach {
  /** The exchanges that show it, the telling one first. */
  exchanges: Exchange[];
  /** What arrived at the suite's own receiver and shows it, the telling one first. */
  deliveries?: Delivery[];
  /** What came back, as a sentence without its full stop: `200, although no key was sent`. */
  came: string;
}

export interface Finding {
  breaches: Breach[];
  /** Entries of the evidence that were judged. */
  evidence: number[];
  /** Why nothing could be judged: one sentence that a person can act on. `null` where something was. */
  notTested: string | null;
  /** What the run provoked as often as for every server and never saw, so that the clause speaks of nothing here. */
  inapplicable?: string;
  /** Breaches that are only worth a warning, whatever the clause's level. */
  warnings?: Breach[];
}

/** How one clause is judged. */
export interface Rule {
  /** What must have been sent. */
  needs: readonly Need[];
  /** Whether it is judged on all that was sent, what came during an outage or a ban included. */
  ofTheWholeRun?: true;
  /** Pure: the same evidence gives the same finding. */
  judge(evidence: Evidence): Finding;
}

/** Rules by the ids of their clauses. */
export type Rules = Readonly<Record<string, Rule>>;

/** A finding that nothing could be judged. */
export function notTested(reason: string): Finding {
  return { breaches: [], evidence: [], notTested: reason };
}

/**
 * A finding that the clause speaks of something this server does not do.
 * @param exchanges what would have provoked it
 */
export function inapplicable(exchanges: readonly Exchange[], reason: string): Finding {
  return { ...judged(exchanges, []), inapplicable: reason };
}

/** A finding over exchanges that were judged. */
export function judged(exchanges: readonly Exchange[], breaches: Breach[]): Finding {
  return { breaches, evidence: exchanges.map((one) => one.index), notTested: null };
}

/**
 * Judges each of some exchanges by itself.
 * @param check what came back, where it breaks the clause, else `null`.
 * @param none why nothing was judged, if there is no whole exchange.
 */
export function each(
  exchanges: readonly Exchange[],
  none: string,
  check: (exchange: Exchange) => string | null,
): Finding {
  const whole = exchanges.filter(isWhole);
  if (whole.length === 0) return notTested(exchanges.length > 0 ? BROKEN : none);
  const breaches = whole.flatMap((exchange) => {
    const came = check(exchange);
    return came === null ? [] : [{ exchanges: [exchange], came }];
  });
  return judged(whole, breaches);
}

export const BROKEN = 'no answer to this arrived whole: mend transport.complete first';
