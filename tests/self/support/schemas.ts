/** The published schemas, and documents that differ in one place from one that fits. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import Ajv2020, { type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { ROOT } from './whole-runs';

export type Json = Record<string, unknown>;

export const SCHEMAS = join(ROOT, 'schemas');

/** By the name of the file. */
export const schemas = new Map(
  readdirSync(SCHEMAS)
    .filter((file) => file.endsWith('.schema.json'))
    .map((file) => [file, JSON.parse(readFileSync(join(SCHEMAS, file), 'utf8')) as Json]),
);

export function newAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true, ...options });
  addFormats(ajv);
  return ajv;
}

export function* everyObject(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const member of Object.values(value)) yield* everyObject(member);
}

/** What a JSON pointer leads to. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, token) => (value as Json | undefined)?.[token], document);
}

/** An example with its `${VAR}` replaced, as is done before a target file is checked. */
export function withVariables(example: unknown): unknown {
  return JSON.parse(JSON.stringify(example).replace(/\$\{[A-Z0-9_]+\}/g, 'value-of-variable'));
}

/**
 * The places where a document is at fault, in order. `if` only says that another error has a condition, and below
 * `contains` each item says why it is not the one that was wanted.
 */
export function faultyPlaces(validate: ValidateFunction, document: unknown): string[] {
  validate(document);
  const errors = (validate.errors ?? []).filter(
    ({ keyword, schemaPath }) => keyword !== 'if' && !schemaPath.includes('/contains/'),
  );
  return [...new Set(errors.map(placeOf))].sort();
}

type Malformed = readonly [what: string, document: unknown, place: string];

export function expectFaulty(validate: ValidateFunction, malformed: Malformed[]): void {
  expect(malformed.map(([what, document]) => [what, ...faultyPlaces(validate, document)])).toEqual(
    malformed.map(([what, , place]) => [what, place]),
  );
}

/** The document without each of its members, one at a time, but for those directly below `optional`. */
export function* withGaps(document: unknown, optional?: string): Generator<Malformed> {
  for (const [place, value] of everyPlace(document)) {
    if (!isObject(value) || place === optional) continue;
    for (const member of Object.keys(value)) {
      const { [member]: _, ...rest } = value;
      yield [`a lack of ${place}/${member}`, replacedAt(document, place, rest), `${place}/${member}`];
    }
  }
}

/** The document with one more member in each of its objects, one at a time, its value fit for none. */
export function* withStrangers(document: unknown): Generator<Malformed> {
  for (const [place, value] of everyPlace(document)) {
    if (isObject(value))
      yield [
        `a stranger in ${place || 'the document'}`,
        replacedAt(document, place, { ...value, stranger: 1 }),
        `${place}/stranger`,
      ];
  }
}

/** The document with each of its values, one at a time, made an object, or an array where it is one. */
export function* withWrongTypes(document: unknown): Generator<Malformed> {
  for (const [place, value] of everyPlace(document)) {
    const wrong = isObject(value) ? [] : {};
    yield [`${JSON.stringify(wrong)} for ${place || 'the document'}`, replacedAt(document, place, wrong), place];
  }
}

function* everyPlace(value: unknown, place = ''): Generator<[place: string, value: unknown]> {
  yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* everyPlace(member, `${place}/${name}`);
}

export function replacedAt(document: unknown, pointer: string, value: unknown): unknown {
  if (pointer === '') return value;
  const copy = structuredClone(document);
  const [, parent = '', name = ''] = /^(.*)\/([^/]*)$/.exec(pointer) ?? [];
  (valueAt(copy, parent) as Json)[name] = value;
  return copy;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a document is at fault: for a member that is missing or too many, that member's place. */
export function placeOf({ instancePath, params }: ErrorObject): string {
  const member = params.missingProperty ?? params.additionalProperty;
  return member === undefined ? instancePath : `${instancePath}/${member}`;
}

/** Whether a value fits the published schema of results; its `errors` say what does not. */
export const isResult = newAjv().compile(schemas.get('conformance.schema.json') as Json);
