/** Where `toMatchSchema` finds a schema, and what it takes and says. */
import { join, relative } from 'node:path';
import { test } from '@playwright/test';
import { expect } from '../../../src/own';
import { directoryWith, ROOT } from '../support/whole-runs';

const SETTINGS = 'schemas/webhook-settings.schema.json';
const PUBLISHED = `assessment-api-conformance/${SETTINGS}`;
const document = JSON.parse('{ "webhook": "none" }');

/** What the matcher says of a value that does not fit, or of a schema that it cannot use. */
async function said(value: unknown, schema: string | object): Promise<string> {
  const failure = await expect(value)
    .toMatchSchema(schema)
    .catch((error: Error) => error);
  return failure?.message ?? 'nothing';
}

test('a path is looked for beside the test and in the working directory; the package’s own schemas by their published name', async () => {
  const places = [relative(__dirname, join(ROOT, SETTINGS)), relative('', join(ROOT, SETTINGS)), join(ROOT, SETTINGS)];
  for (const path of [...places, PUBLISHED]) expect(await said({}, path), path).toContain('webhook');
  const missing = await said({}, 'no/such.json');
  for (const base of [__dirname, process.cwd()]) expect(missing).toContain(join(base, 'no/such.json'));
  expect(missing).toContain(PUBLISHED);
  expect(await said({}, PUBLISHED.replace('settings', 'nothing'))).toContain('There is no schema assessment-api-');
  // Nowhere else, in the root of this package least of all: a team has a file of the same name.
  const directory = process.cwd();
  process.chdir(directoryWith({}));
  expect(await said({}, SETTINGS)).toContain(`There is no schema ${SETTINGS}`);
  process.chdir(directory);
});

test('it takes an object, a value whose type is any, and a promise', async () => {
  const schema = { type: 'object', properties: { webhook: { type: 'object' } } };
  expect(await said(document, schema)).toBe('It does not fit the schema:\n  /webhook: must be object');
  // TypeScript compiles these only if `any` has the matcher, too.
  await expect(document).not.toMatchSchema(schema);
  await expect(document.webhook, 'it is a text').toMatchSchema({ const: 'none' });
  expect(await said(Promise.resolve(document), schema)).toContain('/webhook: must be object');
});

test('what is no JSON, and a schema that is none, is one sentence', async () => {
  expect(await said(undefined, {})).toBe('It does not fit the schema:\n  it is no JSON');
  expect(await said({}, { type: 'thing' })).toMatch(/^The schema cannot be used: schema is invalid: data\/type/);
  expect(await said({}, { $ref: 'other.json' })).toMatch(/^The schema cannot be used: can't resolve reference/);
  const file = join(directoryWith({ 'schema.json': '{' }), 'schema.json');
  expect(await said({}, file)).toBe(`The schema ${file} is no JSON object.`);
});
