/** What the matcher `toMatchSchema` of own tests looks at. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MOST_BYTES, textIn } from '../common/files';
import { errorsAgainst } from '../common/json';
import { root, suite } from '../common/suite';

/** How paths of the schemas that this package publishes begin. */
const PUBLISHED = `${suite.name}/schemas/`;
const MOST_PROBLEMS = 10;

/**
 * Reads a JSON Schema.
 * @param path of one that this package publishes, or of a file: beside the test, below the working directory, or absolute
 * @param testFile path of the test's own file
 * @throws Error one sentence, if there is no such file or no JSON object in it
 */
export function schemaAt(path: string, testFile: string): object {
  const places = path.startsWith(PUBLISHED)
    ? [join(root, 'schemas', path.slice(PUBLISHED.length))]
    : [...new Set([resolve(dirname(testFile), path), resolve(path)])];
  const file = places.find(existsSync);
  if (file === undefined) {
    const published = `Those of this package are called ${PUBLISHED}webhook-settings.schema.json and the like.`;
    throw new Error(`There is no schema ${path}: it was looked for at ${places.join(' and ')}. ${published}`);
  }
  const schema = parsed(textIn(file, MOST_BYTES.file));
  if (typeof schema !== 'object' || schema === null) throw new Error(`The schema ${file} is no JSON object.`);
  return schema;
}

/**
 * Returns what is wrong with a document, a line for each place; none if it fits.
 * @param text the document as JSON; `undefined` where a value has no JSON
 * @throws Error one sentence, if the schema is none
 */
export function problemsWith(text: string | undefined, schema: object): string[] {
  const document = parsed(text);
  if (document === undefined) return ['it is no JSON'];
  let errors: ReturnType<ReturnType<typeof errorsAgainst>>;
  try {
    // The user's schema may itself be wrong, so it is checked, too.
    errors = errorsAgainst(schema, { allErrors: true, strict: false, validateSchema: true })(document);
  } catch (error) {
    throw new Error(`The schema cannot be used: ${(error as Error).message}.`);
  }
  const problems = errors.map(({ instancePath, message, params }) => {
    const also = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${instancePath || 'the document'}: ${message}${also}`;
  });
  return [...new Set(problems)].slice(0, MOST_PROBLEMS);
}

/** Returns the value of a JSON text; `undefined` if it is none. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
