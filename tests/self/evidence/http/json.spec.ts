/** The JSON reader never throws, and finds duplicate member names, which JSON.parse ignores. */

import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { duplicateMembers, holdsSettings, parsed, settingsIn, stringsIn } from '../../../../src/evidence/http/json';
import { rowsOf } from '../../support/table';

// JSON.parse of Node 24 and newer takes the name "\"" for another one in a text that it reads again.
for (const [text = '', twice = ''] of rowsOf(String.raw`
  {"a":1,"b":{"a":2}}              |
  {"a":1,"a":2}                    | a
  [{"a":1},{"a":2}]                |
  {"b":[{"a":1,"a":2,"a":3}]}      | a a
  {"a":{"b":1,"b":2},"a":3}        | b a
  { "a" :1 ,	"\u0061": 2 }          | a
  {"\"a":1,"\u0022a":2,"\\":3,"\\\\":4} | "a
  {"😀":1,"\ud83d\ude00":2}         | 😀
  {"__proto__":1,"constructor":2,"__proto__":3,"constructor":4} | __proto__ constructor
  {"a":"{\"b\":1,\"b\":2}","c":"\",\"a\":"} |
  {"a":"}","]":"{","a":"["}        | a
  {"a":1,"A":2," a":3}             |
`))
  test(`members that stand twice are found, however they are spelt: ${text}`, () => {
    expect(duplicateMembers(text)).toEqual(twice.split(' ').filter((name) => name !== ''));
    expect(parsed({ body: text })).toEqual(JSON.parse(text));
  });

const values = fc.jsonValue({ maxDepth: 4 });

test('a value is read whatever surrounds it, none of its members twice, and every string of it is found', () => {
  fc.assert(
    fc.property(values, fc.constantFrom('', ' ', '\n', '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      assert.deepEqual(parsed({ body: text }), JSON.parse(text));
      assert.deepEqual(duplicateMembers(text), []);
      const found = [...stringsIn(value as Parameters<typeof stringsIn>[0])].map((each) => each.text);
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
    .tuple(values, fc.nat(), fc.nat({ max: 5 }), fc.constantFrom('', '"', '\\', '{', '}', '[', ':', '\u0000'))
    .map(([value, at, cut, put]) => {
      const text = JSON.stringify(value);
      return text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut);
    });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), broken), (text) => {
      duplicateMembers(text);
      settingsIn({ body: text });
      if (parsed({ body: text }) === undefined) assert.throws(() => JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});

test('a body is read once for all rules, and whether it holds settings is known', () => {
  const bodies = Array.from({ length: 40 }, (_, i) => ({ body: JSON.stringify({ i }) }));
  const { parse } = JSON;
  let times = 0;
  JSON.parse = (...given: Parameters<typeof parse>) => {
    times += 1;
    return parse(...given);
  };
  try {
    for (let rule = 0; rule < 3; rule += 1) for (const body of bodies) parsed(body);
  } finally {
    JSON.parse = parse;
  }
  expect(times).toBe(40);
  const texts = [`{"a":{"url":"x","start":{"url":"y"}}}`, '{"\\u0068asPassword":true}', '{"a":1}'];
  expect(texts.map((body) => holdsSettings({ body }))).toEqual([true, true, false]);
});
