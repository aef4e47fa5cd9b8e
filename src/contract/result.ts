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
  throw new UsageError(`${file} is not the result of a run of this suite: ${misfitOf(error, result)}.`);
}

/** Keywords of rules about several members, such as a clause's verdict and its reason. */
const OF_SEVERAL = new Set(['not', 'if', 'then', 'else', 'oneOf', 'anyOf', 'contains', 'false schema']);

/** Returns what does not fit, as a sentence without a full stop. A clause is called by its id. */
function misfitOf({ instancePath, keyword, params, message }: ErrorObject, result: unknown): string {
  const [, index, member = ''] = /^\/clauses\/(\d+)\/?(.*)$/.exec(instancePath) ?? [];
  const clause = index === undefined ? undefined : (result as Partial<Conformance>).clauses?.[Number(index)];
  const id = clauseTexts.find((known) => known.id === clause?.id)?.id;
  const path = id === undefined ? instancePath.slice(1) : `${id}${member && `/${member}`}`;
  const place = path.replaceAll('/', '.') || 'it';
  if (keyword === 'required') return `${place} has no ${params.missingProperty}`;
  if (keyword === 'additionalProperties') return `${place} has a member that no result has`;
  if (OF_SEVERAL.has(keyword))
    return `${place} contradicts itself or the rest, as a pass with a reason or a failure in a conformant run would`;
  return `${place} ${message}`;
}
