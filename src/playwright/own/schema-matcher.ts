import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorsAgainst } from '../../common/json-schema';
import { MOST_BYTES, textIn } from '../../common/plain-file';
import { root } from '../../common/suite';

const MOST_PROBLEMS = 10;

/**
 * Returns what is wrong with a document, a line for each place; none if it fits. For the matcher of own tests.
 * @param text the document as JSON
 * @param file path of the schema: absolute, from the root of this project, or from the working directory
 * @throws if there is no such schema
 */
export function problemsWith(text: string, file: string): string[] {
  const path = [resolve(root, file), resolve(file)].find(existsSync);
  if (path === undefined) throw new Error(`There is no schema ${file}: its path starts at the root of this project.`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return ['it is no JSON'];
  }
  // The user's schema may itself be wrong, so it is checked, too.
  const schema = JSON.parse(textIn(path, MOST_BYTES.schema));
  const errorsIn = errorsAgainst(schema, { allErrors: true, strict: false, validateSchema: true });
  const problems = errorsIn(document).map(({ instancePath, message, params }) => {
    const also = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${instancePath || 'the document'}: ${message}${also}`;
  });
  return [...new Set(problems)].slice(0, MOST_PROBLEMS);
}
