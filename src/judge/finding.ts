/** A rule judges one clause: evidence in, finding out. Rules are pure. */

import type { Need } from '../catalogue/probe';
import type { Delivery, Evidence, Exchange } from '../evidence/model';
import { isWhole } from '../evidence/responder/classify';

/** One occasion on which a clause was broken. */
export interface Breach {
  /** The exchanges that prove it. A message shows the last one. */
  exchanges: Exchange[];
  /** The deliveries that prove it. A message shows the first one. */
  deliveries?: Delivery[];
  /** What came, as a sentence without a full stop: `200 without a key`. */
  came: string;
}

export interface Finding {
  breaches: Breach[];
  /** Entries of the evidence that were judged. */
  evidence: number[];
  /** Why nothing could be judged, as a sentence that a person can act on; `null` where something was judged. */
  notTested: string | null;
  /** What this server never did, although the run provoked it as often as on every server: the clause has no subject here. */
  inapplicable?: string;
  /** Breaches that are only a warning, even of a MUST. */
  warnings?: Breach[];
}

/** How one clause is judged. */
export interface Rule {
  /** The groups of probes whose exchanges it judges. */
  needs: readonly Need[];
  /** Set where the rule is judged on the whole run, outages and bans included. */
  ofTheWholeRun?: true;
  /** Set where it speaks of a limit that is kept: where none is, there is nothing to judge. */
  ofAKeptLimit?: true;
  /** Set where a pass says that no body, or no body of an accepted answer, holds something: none may have been withheld. */
  ofBodies?: 'all' | 'accepted';
  /** Pure: the same evidence gives the same finding. */
  judge(evidence: Evidence): Finding;
}

/** Rules by the ids of their clauses. */
export type Rules = Readonly<Record<string, Rule>>;

/**
 * A finding without a judgement.
 * @param reason a sentence that a person can act on
 */
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

/**
 * The finding, unless it has no breach and something kept the run from seeing more: then it is not tested.
 * @param why a sentence that a person can act on; `null` where nothing kept it
 * @param evidence the entries that show it
 */
export function unlessUnseen(finding: Finding, why: string | null, evidence = finding.evidence): Finding {
  return why === null || finding.breaches.length > 0 ? finding : { ...notTested(why), evidence };
}

/** A finding on entries of the evidence, with what broke the clause. */
export function judged(entries: ReadonlyArray<Exchange | Delivery>, breaches: Breach[]): Finding {
  return { breaches, evidence: [...new Set(entries.map(({ index }) => index))], notTested: null };
}

/**
 * Judges each exchange by itself. Broken answers are left to transport.complete.
 * @param none why nothing was judged, where there is no exchange
 * @param check what came, where it breaks the clause; else `null`
 */
export function each(
  exchanges: readonly Exchange[],
  none: string,
  check: (exchange: Exchange) => string | null,
): Finding {
  const whole = exchanges.filter(isWhole);
  if (whole.length === 0) return notTested(exchanges.length > 0 ? BROKEN : none);
  return judged(whole, breachesIn(whole, check));
}

/** A breach for each exchange that breaks a clause. @param check what came, where it does; else `null` */
export function breachesIn(exchanges: readonly Exchange[], check: (exchange: Exchange) => string | null): Breach[] {
  return exchanges.flatMap((exchange) => {
    const came = check(exchange);
    return came === null ? [] : [{ exchanges: [exchange], came }];
  });
}

/** Why nothing was judged, where every answer is broken. */
export const BROKEN = 'no answer to this arrived whole: fix transport.complete first';
