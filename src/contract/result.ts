/** The types of `conformance.json`, the public result (schemas/conformance.schema.json), and how it is read back. */
import type { Clause, Conformance, Found } from '#schemas/conformance.d.ts';
import schema from '#schemas/conformance.schema.json';
import { UsageError } from '../common/errors';
import { errorsAgainst, wholeJsonIn } from '../common/json';

export type * from '#schemas/conformance.d.ts';
export type ClauseResult = Clause;
export type Verdict = Clause['verdict'];
export type RunVerdict = Conformance['verdict'];

/** What a flaw is about. */
export type Subject = Found['subject'];
/** What is wrong. judge/finding makes sentences of it. */
export type Flaw = Omit<Found, 'evidence'>;

const errorsIn = errorsAgainst(schema);

/** Returns a result that fits its schema. @throws UsageError that names `file` */
export function resultIn(text: string, file: string): Conformance {
  const result = wholeJsonIn(text, file);
  if (errorsIn(result).length === 0) return result as Conformance;
  throw new UsageError(`${file} is not the result of a run of this suite.`);
}
