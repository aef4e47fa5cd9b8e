/** The JSON reader never throws, and finds duplicate member names, which JSON.parse ignores. */

import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import {
  duplicateMembers,
  holdsSettings,
  outlined,
  parsed,
  settingsIn,
  stringsIn,
} from '../../../../src/evidence/http/json';

/** A JSON value whose members are a list, so that it can have one name more than once. */
type Tree = { scalar: string } | { items: Tree[] } | { members: Array<[name: string, value: Tree]> };

/** A few names, so that duplicates are likely, and names that every object inherits. */
const memberNames = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('webhook', 'password', 'a', '', '"', '\\', '{', ']', '":', 'ä', '😀', '\n') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'length') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .oneof(
        fc.constantFrom(null, true, false, 0, -1.5, 1e21),
        fc.constantFrom('{"a":1,"a":2}', '"', '\\', '"a":'),
        fc.string(),
      )
      .map((scalar) => ({ scalar: JSON.stringify(scalar) })),
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => ({ items })),
    fc.array(fc.tuple(memberNames, tie('tree')), { maxLength: 6 }).map((members) => ({ members })),
  ),
}));

interface Spelling {
  space: () => string;
  isEscaped: () => boolean;
}

const spellings: fc.Arbitrary<Spelling> = fc
  .tuple(fc.infiniteStream(fc.constantFrom('', '', ' ', '\n', '\t \r\n')), fc.infiniteStream(fc.boolean()))
  .map(([spaces, escaped]) => ({ space: () => spaces.next().value, isEscaped: () => escaped.next().value }));

function written(value: Tree, spelling: Spelling): string {
  const { space } = spelling;
  const around = (text: string) => space() + text + space();
  if ('scalar' in value) return around(value.scalar);
  if ('items' in value) return around(`[${value.items.map((item) => written(item, spelling)).join(',') || space()}]`);
  const members = value.members.map(
    ([name, inner]) => `${around(spelt(name, spelling.isEscaped))}:${written(inner, spelling)}`,
  );
  return around(`{${members.join(',') || space()}}`);
}

/** A name with some of its characters escaped, each in the form that any character has. */
function spelt(name: string, isEscaped: () => boolean): string {
  const units = Array.from({ length: name.length }, (_, i) => name.charAt(i));
  const inner = units.map((unit) =>
    isEscaped() ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(unit).slice(1, -1),
  );
  return `"${inner.join('')}"`;
}

/** The duplicate names of a tree, in the order in which a reader of its text meets them. */
function twiceIn(value: Tree): string[] {
  if ('scalar' in value) return [];
  if ('items' in value) return value.items.flatMap(twiceIn);
  return value.members.flatMap(([name, inner], i) => [
    ...(value.members.findIndex(([other]) => other === name) < i ? [name] : []),
    ...twiceIn(inner),
  ]);
}

/** The value that JSON.parse gives: the last one of a duplicate name wins. */
function keptOf(value: Tree): unknown {
  if ('scalar' in value) return JSON.parse(value.scalar);
  if ('items' in value) return value.items.map(keptOf);
  const object = {};
  for (const [name, inner] of value.members)
    Object.defineProperty(object, name, { value: keptOf(inner), configurable: true, enumerable: true, writable: true });
  return object;
}

test('a member that stands twice is found, however it is spelt and whatever surrounds it', () => {
  let some = 0;
  fc.assert(
    fc.property(tree, spellings, (value, spelling) => {
      const text = written(value, spelling);
      assert.deepEqual(parsed(text), keptOf(value));
      assert.deepEqual(duplicateMembers(text), twiceIn(value));
      if (twiceIn(value).length > 0) some += 1;
    }),
    { numRuns: 2000 },
  );
  expect(some).toBeGreaterThan(100);
});

test('every string is found, with the members on its way', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const found = [...stringsIn(value as Parameters<typeof stringsIn>[0])].map(({ text }) => text);
      const all: string[] = [];
      JSON.stringify(value, (_, inner) => {
        if (typeof inner === 'string') all.push(inner);
        return inner;
      });
      assert.deepEqual(found, all);
    }),
  );
});

test('no text at all is an error', () => {
  const broken = fc
    .tuple(tree, spellings, fc.nat(), fc.nat({ max: 5 }), fc.constantFrom('', '"', '\\', '{', '}', '[', ':', '\u0000'))
    .map(([value, spelling, at, cut, put]) => {
      const text = written(value, spelling);
      return text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut);
    });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), broken), (text) => {
      duplicateMembers(text);
      settingsIn(text);
      if (parsed(text) === undefined) assert.throws(() => JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});

test('of a body of many members, a hundred names and its settings are kept, and it is read once for all rules', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, 1]));
  const names = Object.keys(outlined(JSON.stringify(many)) as object);
  expect(names).toHaveLength(100);
  const settings = outlined(JSON.stringify({ ...many, webhook: { start: { url: 'x' } } }));
  expect(Object.keys(settings as object)).toHaveLength(101);
  expect(settings).toMatchObject({ webhook: { start: { url: 'x' } } });
  const bodies = Array.from({ length: 40 }, (_, i) => JSON.stringify({ ...many, i }));
  const { parse } = JSON;
  let times = 0;
  JSON.parse = (...given: Parameters<typeof parse>) => {
    times += 1;
    return parse(...given);
  };
  try {
    for (let rule = 0; rule < 3; rule += 1) for (const body of bodies) outlined(body);
  } finally {
    JSON.parse = parse;
  }
  expect(times).toBe(40);
  expect([`{"a":{"url":"x","start":{"url":"y"}}}`, '{"\\u0068asPassword":true}', '{"a":1}'].map(holdsSettings)).toEqual(
    [true, true, false],
  );
});
