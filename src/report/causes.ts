/** The causes of what needs to be acted on, and their headlines. */
import { clauseText } from '../contract/clauses';
import type { Cause } from '../judge/causes';
import { HARM } from '../judge/verdict';
import { having } from './format';
import type { ReportInput } from './model';

/** Returns the causes of what needs to be acted on, by the verdict of each cause's first clause, with a heading. */
export function causesByVerdict({ conformance: { clauses }, causes }: ReportInput) {
  const isBroken = ({ clauses: [first] }: Cause) => having(clauses, 'fail').some(({ id }) => id === first);
  const waived = having(clauses, 'waived').map(({ id, reason, evidence: [telling = null] }): Cause => {
    return { clauses: [id], reason: reason ?? '', telling, fields: new Set(), harm: HARM.other };
  });
  return [
    { verdict: 'fail', title: 'What to fix', causes: causes.filter(isBroken) },
    { verdict: 'warn', title: 'Warnings', causes: causes.filter((cause) => !isBroken(cause)) },
    { verdict: 'waived', title: 'Waived', causes: waived },
  ] as const;
}

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};

/** Returns the headline of a cause, which is that of its first clause, for readers who know no header fields. */
export function headlineOf({ clauses: [first = ''], harm }: Cause): string {
  return clauseText(first).headline ?? WITHOUT_KEY[harm] ?? 'Callers without a valid key are not turned away properly';
}
