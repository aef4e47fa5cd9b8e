/** Escapes of JSON, JavaScript, URLs and HTML stand for what their standards say, wherever in a text they begin. */
import { expect, test } from '@playwright/test';
import { type Reading, readingsOf } from '../../../src/redaction/encodings';

const readings = (text: string) => [...readingsOf(Buffer.from(text, 'latin1'))];
const textsIn = (text: string) => readings(text).map(({ bytes }) => bytes.toString('latin1'));
const placesIn = (reading?: Reading) =>
  reading ? Array.from({ length: reading.bytes.length + 1 }, (_, i) => reading.placeOf(i)) : [];

/** Each: an escape, what stands behind it in brackets, and the bytes that it stands for in hexadecimal. */
const ESCAPES = String.raw`
  %41=41 %41(42)=41 %fF=ff \u0041=41 \U0041=41 \u{41}=41 \u{000041}=41 \u{1F600}=f09f9880 \x41=41 \x41(42)=41
  \"=22 \\=5c \/=2f \'=27 \b=08 \f=0c \n=0a \r=0d \t=09 \v=0b
  \u007f=7f \u0080=c280 \u07ff=dfbf \u0800=e0a080 \uffff=efbfbf \u{10000}=f0908080
  \ud83d\ude00=f09f9880 \ud800\udc00=f0908080 \udbff\udfff=f48fbfbf
  \ud83d(\xde00)=efbfbd \ud83d(\u0041)=efbfbd \ud83d(\ude0)=efbfbd \ud800(\udbff)=efbfbd \ud800(\ue000)=efbfbd
  \udc00(\udc00)=efbfbd \ud7ff(\udc00)=ed9fbf
  &#65;=41 &#65=41 &#65(x)=41 &#4(a;)=04 &#x4a;=4a &#X4a(g)=4a &#1114111;=f48fbfbf &#1114112;=
  &amp;=26 &lt;(&gt;)=3c &quot;=22 &nbsp;=c2a0 &auml;=c3a4 &yuml;=c3bf &euro;=e282ac`;
const NO_ESCAPES = String.raw`A % %4 %4g %g4 %u0041 %x41 \ \q \X41 \101 \9 \x \x4 \xg1 \u \u004 \u{} \u{41 \u{0000041} \u{g}
  & &; &amp &# &#; &#x; &#xg; &#a; &nosuchname; &am; #65;`;

for (const before of ['', 'x', '%'])
  test(`an escape is read where it begins, after "${before}"`, () => {
    for (const row of ESCAPES.trim().split(/\s+/)) {
      const [, written = '', behind = '', bytes = 'none'] = /^(.+?)(?:\((.+)\))?=(.*)$/.exec(row) ?? [];
      const [, once] = readings(before + written + behind);
      const to = placesIn(once).indexOf(before.length + written.length);
      expect(once?.bytes.toString('hex', before.length, to), row).toBe(bytes);
    }
    expect(NO_ESCAPES.split(/\s+/).filter((text) => readings(before + text).length > 1)).toEqual([]);
  });

const LINE = 'QUJD'.repeat(16);

test('a text is read as it stands, with its escapes, and with those that it has then', () => {
  for (const [text, ...more] of [
    ['plain'],
    ['100 % of a&b'],
    ['x%41y%42z', 'xAyBz'],
    ['%252541', '%2541', '%41', 'A'],
    ['\\u0025&#52;1', '%41', 'A'],
    ['caf%C3%A9', 'caf\u00c3\u00a9'],
    [`${LINE}\r\nQQ==`, `${LINE}QQ==`],
    ['QUJD\nQQ=='],
  ] as const)
    expect(textsIn(text)).toEqual([text, ...more]);
});

test('of each character of a reading the place in the source is known', () => {
  const [, , twice] = readings('a%2541%42');
  expect([String(twice?.bytes), placesIn(twice)]).toEqual(['aAB', [0, 1, 6, 9]]);
  const [, once] = readings('a&euro;b');
  expect(placesIn(once)).toEqual([0, 1, 1, 1, 7, 8]);
});
