/** The shape of `conformance.json`, the suite's public result, and reading it back: schemas/conformance.schema.json is its schema. */
import type { ErrorObject } from 'ajv/dist/2020';
import type { Clause, Conformance, Found } from '#schemas/conformance.d.ts';
import schema from '#schemas/conformance.schema.json';
import { UsageError } from '../common/errors';
import { errorsAgainst, wholeJsonIn } from '../common/json';
import { clauseTexts } from './clauses';

export type {
  Change,
  Clause as ClauseResult,
  Conformance,
  DeclaredAccount,
  Found,
  Limits,
  OwnTest,
} from '#schemas/conformance.d.ts';

export type Level = Clause['level'];
export type Verdict = Clause['verdict'];
export type RunVerdict = Conformance['verdict'];

/** What a flaw is about. Flaws of several clauses in one header or member may have one cause. */
export type Subject = Found['subject'];
/** What is wrong, in members. judge/finding makes the sentences of it. */
export type Flaw = Omit<Found, 'evidence'>;

const errorsIn = errorsAgainst(schema);

/** Returns a result that fits its schema. @throws UsageError that names the wrong member and `file`, but no value */
export function resultIn(text: string, file: string): Conformance {
  const result = wholeJsonIn(text, file);
  const [error] = errorsIn(result);
  if (!error) return result as Conformance;
  throw new UsageError(
    `${file} is not the result of a run of this suite: its ${misfitOf(error, result)} is not as a run writes it.`,
  );
}

/** Returns the member that does not fit. A clause is called by its id. */
function misfitOf({ instancePath, params }: ErrorObject, result: unknown): string {
  const [, index, member = ''] = /^\/clauses\/(\d+)(.*)$/.exec(instancePath) ?? [];
  const clause = index === undefined ? undefined : (result as Partial<Conformance>).clauses?.[Number(index)];
  const id = clauseTexts.find((known) => known.id === clause?.id)?.id;
  const path = id === undefined ? instancePath : `/${id}${member}`;
  const missing = params.missingProperty === undefined ? '' : `/${params.missingProperty}`;
  return (path + missing).slice(1).replaceAll('/', '.') || 'content';
}
