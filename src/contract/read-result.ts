/** Reads the result of a run back from the text of its `conformance.json`. */
import schema from '#schemas/conformance.schema.json';
import { errorsAgainst } from '../common/json-schema';
import { wholeJsonIn } from '../common/json-text';
import { UsageError } from '../common/usage-error';
import type { Conformance } from './result';

const errorsIn = errorsAgainst(schema);

/**
 * Returns a result that fits schemas/conformance.schema.json.
 * @param file the name of the file in messages
 * @throws UsageError whose message names the member that is wrong, but no value
 */
export function resultIn(text: string, file: string): Conformance {
  const result = wholeJsonIn(text, file);
  const [error] = errorsIn(result);
  if (!error) return result as Conformance;
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'it';
  throw new UsageError(`${file} is not the result of a run of this suite: ${place} ${error.message}.`);
}
