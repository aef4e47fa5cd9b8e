/** Holds a document against a JSON Schema, for the matcher of own tests. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** So many problems are told. */
const MOST_PROBLEMS = 10;

/**
 * What is wrong with a document, a line for each place; none where it fits.
 * @param text the document as JSON
 * @param file path of the schema: absolute, from the root of this project, or from the working directory
 * @throws where there is no such schema
 */
export function problemsWith(text: string, file: string): string[] {
  const path = [resolve(ROOT, file), resolve(file)].find(existsSync);
  if (path === undefined) throw new Error(`There is no schema ${file}: its path starts at the root of this project.`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return ['it is no JSON'];
  }
  // Only tests that hold something against a schema load what it takes.
  const { Ajv2020 } = require('ajv/dist/2020') as typeof import('ajv/dist/2020');
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
  const validate = addFormats(new Ajv2020({ allErrors: true, strict: false })).compile(
    JSON.parse(readFileSync(path, 'utf8')),
  );
  if (validate(document)) return [];
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const also = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${instancePath || 'the document'}: ${message}${also}`;
  });
  return [...new Set(problems)].slice(0, MOST_PROBLEMS);
}
