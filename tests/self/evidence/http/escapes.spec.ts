/** Escapes of JSON, JavaScript, URLs and HTML stand for what their standards say, wherever in a text they begin. */
import { expect, test } from '@playwright/test';
import { type Reading, readingsOf } from '../../../../src/evidence/http/escapes';

const readings = (text: string) => [...readingsOf(Buffer.from(text, 'latin1'))];
const placesIn = (reading?: Reading) =>
  reading ? Array.from({ length: reading.bytes.length + 1 }, (_, i) => reading.placeOf(i)) : [];

/** Each: a text, how many of its first characters are an escape, and the bytes it stands for in hexadecimal. */
const ESCAPES: ReadonlyArray<readonly [text: string, length: number, bytes: string]> = [
  ['%41', 3, '41'],
  ['%4142', 3, '41'],
  ['%fF', 3, 'ff'],
  ['\\u0041', 6, '41'],
  ['\\u{41}', 6, '41'],
  ['\\u{000041}', 10, '41'],
  ['\\u{1F600}', 9, 'f09f9880'],
  ['\\x41', 4, '41'],
  ['\\x4142', 4, '41'],
  ['\\"', 2, '22'],
  ['\\\\', 2, '5c'],
  ['\\/', 2, '2f'],
  ["\\'", 2, '27'],
  ['\\b', 2, '08'],
  ['\\f', 2, '0c'],
  ['\\n', 2, '0a'],
  ['\\r', 2, '0d'],
  ['\\t', 2, '09'],
  ['\\v', 2, '0b'],
  ['\\u007f', 6, '7f'],
  ['\\u0080', 6, 'c280'],
  ['\\u07ff', 6, 'dfbf'],
  ['\\u0800', 6, 'e0a080'],
  ['\\u1234', 6, 'e188b4'],
  ['\\uffff', 6, 'efbfbf'],
  ['\\u{10000}', 9, 'f0908080'],
  // The halves of one character.
  ['\\ud83d\\ude00', 12, 'f09f9880'],
  ['\\ud800\\udc00', 12, 'f0908080'],
  ['\\udbff\\udfff', 12, 'f48fbfbf'],
  ['\\ud83d\\xde00', 6, 'efbfbd'],
  ['\\ud83d\\u0041', 6, 'efbfbd'],
  ['\\ud83d\\ude0', 6, 'efbfbd'],
  ['\\ud800\\udbff', 6, 'efbfbd'],
  ['\\ud800\\ue000', 6, 'efbfbd'],
  ['\\udc00\\udc00', 6, 'efbfbd'],
  ['\\ud7ff\\udc00', 6, 'ed9fbf'],
  ['&#65;', 5, '41'],
  ['&#65', 4, '41'],
  ['&#65x', 4, '41'],
  ['&#4a;', 3, '04'],
  ['&#x4a;', 6, '4a'],
  ['&#X4ag', 5, '4a'],
  ['&#1114111;', 10, 'f48fbfbf'],
  ['&#1114112;', 10, ''],
  ['&amp;', 5, '26'],
  ['&lt;&gt;', 4, '3c'],
  ['&quot;', 6, '22'],
  ['&UnderBar;', 10, '5f'],
  ['&nbsp;', 6, 'c2a0'],
  ['&auml;', 6, 'c3a4'],
  ['&yuml;', 6, 'c3bf'],
  ['&euro;', 6, 'e282ac'],
  ['\\U0041', 6, '41'],
];

const NO_ESCAPES = [
  ...['', 'A', '%', '%4', '%4g', '%g4', '%u0041', '%x41', '\\', '\\q', '\\X41', '\\101', '\\9', '\\x', '\\x4', '\\xg1'],
  ...['\\u', '\\u004', '\\u{}', '\\u{41', '\\u{0000041}', '\\u{g}', '&', '&;', '&amp', '&#', '&#;', '&#x;', '&#xg;'],
  ...['&#a;', '&nosuchname;', '&am;', '#65;'],
];

for (const before of ['', 'x', '%'])
  test(`an escape is read where it begins, after "${before}"`, () => {
    const read = (text: string, length: number) => {
      const [, once] = readings(before + text);
      const to = placesIn(once).indexOf(before.length + length);
      return once?.bytes.toString('hex', before.length, to) ?? '';
    };
    expect(ESCAPES.map(([text, length]) => [text, length, read(text, length)])).toEqual(ESCAPES);
    expect(NO_ESCAPES.filter((text) => readings(before + text).length > 1)).toEqual([]);
  });

for (const [text, all] of [
  ['plain', ['plain']],
  ['100 % of a&b', ['100 % of a&b']],
  ['x%41y%42z', ['x%41y%42z', 'xAyBz']],
  ['%252541', ['%252541', '%2541', '%41']],
  ['\\u0025&#52;1', ['\\u0025&#52;1', '%&#52;1', '%41', '\\u002541', '%41']],
  ['caf%C3%A9', ['caf%C3%A9', 'caf\u00c3\u00a9']],
  [`${'QUJD'.repeat(16)}\r\nQQ==`, [`${'QUJD'.repeat(16)}\r\nQQ==`, `${'QUJD'.repeat(16)}QQ==`]],
  ['QUJD\nQQ==', ['QUJD\nQQ==']],
] as const) {
  test(`the readings of ${text}`, () => {
    expect(readings(text).map(({ bytes }) => bytes.toString('latin1'))).toEqual(all);
  });
}

test('of each character of a reading the place in the source is known', () => {
  const [, , twice] = readings('a%2541%42');
  expect([String(twice?.bytes), placesIn(twice)]).toEqual(['aAB', [0, 1, 6, 9]]);
  const [, once] = readings('a&euro;b');
  expect(placesIn(once)).toEqual([0, 1, 1, 1, 7, 8]);
});
