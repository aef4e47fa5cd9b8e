/** The earlier result that `BASELINE` names. */
import type { Conformance } from '../contract/result';
import { isTooDeep } from '../evidence/json';
import { readText } from '../target/readable';
import { UsageError } from '../usage-error';

/** @throws UsageError where the file is no result of this suite */
export function baselineFrom(file: string): Conformance {
  const text = readText('BASELINE', file);
  const unusable = new UsageError(
    `BASELINE: ${file} is not a conformance.json of this suite: take the one an earlier run left.`,
  );
  if (isTooDeep(text)) throw unusable;
  let result: Conformance;
  try {
    result = JSON.parse(text) as Conformance;
  } catch {
    throw unusable;
  }
  const hasClauses = Array.isArray(result?.clauses) && result.clauses.every((clause) => typeof clause?.id === 'string');
  if (!hasClauses || typeof result.observations !== 'object' || result.observations === null) throw unusable;
  return result;
}
