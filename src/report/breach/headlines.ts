/** A headline in plain words for each cause, for readers who know no header fields. */

import { textOf } from '../../contract/clauses';
import type { Cause } from '../../judge/causes';
import { HARM } from '../../judge/verdict';
import { causesByVerdict } from '../format';
import type { ReportInput } from '../model';

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};
const NOT_TURNED_AWAY = 'Callers without a valid key are not turned away properly';

/** Returns what broke a run, the most harmful first. */
export function headlinesOf(input: ReportInput): Array<{ headline: string; clauses: string[] }> {
  const [{ causes }] = causesByVerdict(input);
  return causes.map((cause) => ({ headline: headlineOf(cause), clauses: cause.clauses }));
}

/** Returns the headline of a cause, which is that of its first clause. */
export function headlineOf({ clauses: [first = ''], harm }: Cause): string {
  return textOf(first).headline ?? WITHOUT_KEY[harm] ?? NOT_TURNED_AWAY;
}
