/** The published schemas: what they are, and that they describe themselves. */

import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { declarations } from '../../../scripts/types';
import { everyObject, type Json, newAjv, schemas, valueAt, withVariables } from '../support/schemas';

test('the published schemas are those that users and reports rely on', () => {
  expect([...schemas.keys()].sort()).toEqual([
    'conformance.schema.json',
    'evidence.schema.json',
    'fleet.schema.json',
    'target.schema.json',
    'webhook-settings.schema.json',
  ]);
});

for (const [file, schema] of schemas) {
  test.describe(file, () => {
    test('says of itself and of every definition and member what it is, with examples', () => {
      const silent = describedPlaces(schema).flatMap(([place, subschema]) =>
        ['title', 'description', 'examples']
          .filter((word) => !saysSomething(resolveLocal(schema, subschema)[word]))
          .map((word) => `${place} has no ${word}`),
      );
      expect(silent).toEqual([]);
    });

    test('accepts the examples that it gives, at every place', () => {
      const ajv = newAjv();
      ajv.addSchema(schema);
      const rejected = describedPlaces(schema).flatMap(([place, subschema]) => {
        const validate = ajv.compile({ $ref: `${schema.$id}${place}` });
        return ((subschema.examples ?? []) as unknown[])
          .filter((example) => !validate(withVariables(example)))
          .map((example) => `${place}: ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`);
      });
      expect(rejected).toEqual([]);
    });

    test('bounds text with patterns that any validator can run', () => {
      // Look-around and back references are unknown to RE2, which many validators use; \d, \w and \s differ in range.
      const exotic = patternsOf(schema).filter((pattern) => /\(\?(?!:)|\\[dDwWsbBkpP1-9]/.test(pattern));
      expect(exotic).toEqual([]);
    });
  });
}

/** The schema itself, its definitions, and the members that any of them defines, as JSON pointers with `#`. */
function describedPlaces(schema: Json, place = '#'): Array<[place: string, subschema: Json]> {
  const members = ['properties', '$defs'].flatMap((word) =>
    Object.entries((schema[word] ?? {}) as Record<string, Json>).flatMap(([name, subschema]) =>
      describedPlaces(subschema, `${place}/${word}/${name}`),
    ),
  );
  return [[place, schema], ...members];
}

/** A subschema merged with the definition that it refers to; its own keywords win. */
function resolveLocal(schema: Json, subschema: Json): Json {
  if (typeof subschema.$ref !== 'string') return subschema;
  return { ...(valueAt(schema, subschema.$ref.slice(1)) as Json), ...subschema };
}

function saysSomething(words: unknown): boolean {
  return typeof words === 'string' ? words.trim() !== '' : Array.isArray(words) && words.length > 0;
}

function patternsOf(schema: Json): string[] {
  return [...everyObject(schema)].flatMap((object) => [
    ...(typeof object.pattern === 'string' ? [object.pattern] : []),
    ...Object.keys((object.patternProperties ?? {}) as Json),
  ]);
}

test('the types of the schemas are those that the schemas give: `npm run types` writes them', () => {
  expect(declarations().size).toBe(3);
  for (const [file, text] of declarations()) expect(readFileSync(file, 'utf8'), file).toBe(text);
});
