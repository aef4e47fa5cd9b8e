/** What is told of one target of many. */
import { groupedBy } from '../common/grouped';
import { causesByVerdict, headlineOf } from './causes';
import { having } from './format';
import type { ReportInput } from './model';
import { OUTCOME, type Outcome, outcomeOf } from './outcome';

export type FleetTarget = ReturnType<typeof fleetTargetOf>;

/** Returns what is told of one target of many. @param name also that of the directory with its own results */
export function fleetTargetOf(name: string, input: ReportInput | null) {
  const clauses = input?.conformance.clauses ?? [];
  return {
    name,
    verdict: input?.conformance.verdict ?? 'error',
    failed: having(clauses, 'fail').map(({ id }) => id),
    /** What broke them, the most harmful first: in plain words, with the clauses. */
    causes: (input ? causesByVerdict(input)[0].causes : []).map((cause) => {
      return { headline: headlineOf(cause), clauses: cause.clauses };
    }),
    durationMs: input?.conformance.durationMs ?? 0,
    failures: input?.failures ?? [],
    /** `null` if the run of the target left no result. */
    conformance: input?.conformance ?? null,
  };
}

/** Returns targets by their outcomes, the worst first. An outcome that no target has is left out. */
export function targetsByOutcome(targets: readonly FleetTarget[]): Array<[Outcome, FleetTarget[]]> {
  const order = Object.keys(OUTCOME);
  return [...groupedBy(targets, outcomeOf)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

/** Returns why a target could not be judged; `null` if it was. */
export function errorOf({ conformance }: FleetTarget): string | null {
  return conformance === null ? 'The run of this target was not finished, so it left no result.' : conformance.error;
}
