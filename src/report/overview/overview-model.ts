/** What the forms of the overview are made from. */

import { clauseTexts } from '../../contract/clauses';
import type { Verdict } from '../../contract/result';
import type { FleetTarget } from '../model';
import { RUN_VERDICT, targetsByVerdict } from '../words';

export interface Overview {
  /** The worst first. */
  targets: FleetTarget[];
  /** Clauses that some target was tested for and does not pass, the one that most targets fail first. */
  broken: BrokenClause[];
}

export interface BrokenClause {
  id: string;
  statement: string;
  failing: FleetTarget[];
  /** Targets with a warning or a waiver. */
  warned: FleetTarget[];
}

export function overviewOf(fleet: readonly FleetTarget[]): Overview {
  const targets = [...fleet].sort(
    (a, b) => rank(a) - rank(b) || b.failed.length - a.failed.length || (a.name < b.name ? -1 : 1),
  );
  return { targets, broken: brokenClauses(targets) };
}

function rank({ verdict }: FleetTarget): number {
  return Object.keys(RUN_VERDICT).indexOf(verdict);
}

function brokenClauses(targets: FleetTarget[]): BrokenClause[] {
  return clauseTexts
    .map(({ id, statement }) => ({
      id,
      statement,
      failing: targets.filter((target) => verdictOf(target, id) === 'fail'),
      warned: targets.filter((target) => ['warn', 'waived'].includes(verdictOf(target, id) ?? '')),
    }))
    .filter(({ failing, warned }) => failing.length + warned.length > 0)
    .sort((a, b) => b.failing.length - a.failing.length || b.warned.length - a.warned.length);
}

/** The verdict of one clause; `null` where the target has no result. */
export function verdictOf({ conformance }: FleetTarget, id: string): Verdict | null {
  return conformance?.clauses.find((clause) => clause.id === id)?.verdict ?? null;
}

/** Why a target could not be judged; `null` where it was. */
export function errorOf({ conformance }: FleetTarget): string | null {
  return conformance === null ? 'The run of this target was not finished, so it left no result.' : conformance.error;
}

/** The report of a target, from the directory of the overview. */
export function linkTo({ name }: FleetTarget): string {
  return `${encodeURIComponent(name)}/index.html`;
}

/** "2 non-conformant, 1 conformant" */
export function verdictsInWords(targets: FleetTarget[]): string {
  return targetsByVerdict(targets)
    .map(([verdict, some]) => `${some.length} ${RUN_VERDICT[verdict].word.toLowerCase()}`)
    .join(', ');
}
