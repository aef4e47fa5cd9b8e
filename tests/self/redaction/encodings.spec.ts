/** What SECURITY.md promises of secrets: each encoding of its list is masked in every place; escapes are read as their standards say. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import { utf8OrLatin1 } from '../../../src/common/text';
import type { RecordedBody } from '../../../src/evidence/model';
import { Masking } from '../../../src/recorder/masking';
import { type Reading, readingsOf } from '../../../src/redaction/encodings';
import { markersIn } from '../../../src/redaction/markers';
import { tagsOf } from '../level';
import { deliveryOf, outcomeOf } from '../support/evidence-of';
import { formsOf } from '../support/leaks';

/** Characters that JSON, HTML, URLs, base64 and regular expressions treat differently; digits; eight letters. */
const SECRETS = [
  'k3y/of+Alice_4711=ÄöQx-78~Zz',
  'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD',
  `pä55/Sek "0815"<ü>&?='\\~`,
  '12345678',
  'pass%41&amp;\\n+"q"/u0041',
  '</script>{"k":"v"}',
];

const read = probe('read', { account: 'alice' });
const bytesOf = ({ body, bodyEncoding }: RecordedBody) => Buffer.from(body, bodyEncoding);
const joined = (...parts: Array<string | Buffer>) => Buffer.concat(parts.map((part) => Buffer.from(part)));
const lines = (of: ReadonlyArray<readonly [string, string]>) => Buffer.from(of.flat().join('\n'), 'latin1');

/** What is kept of a form in a place; `null` if it cannot stand there. */
const PLACES: Record<string, (masking: Masking, form: Buffer, name: string) => Buffer | null> = {
  body: (masking, form) => bytesOf(masking.answerBody(outcomeOf(joined('Wrong: ', form, ' .')), read, 'alice')),
  'within a word': (masking, form) =>
    bytesOf(masking.answerBody(outcomeOf(joined('abcABC', form, 'abcABC')), read, null)),
  'with a byte order mark': (masking, form) =>
    bytesOf(masking.answerBody(outcomeOf(joined(Buffer.from('\ufeff', 'utf16le'), form)), read, null)),
  form: (masking, form) => bytesOf(masking.sentBody(joined('a=b&c=', form, '&d'))),
  // JSON is the second of two encodings.
  JSON: (masking, form, name) => {
    const text = form.toString();
    if (name.includes(' of ') || !Buffer.from(text).equals(form)) return null;
    const [inValue, inName] = [{ error: { hint: [text] }, n: 1 }, { [`x ${text}`]: 1 }].map((told) =>
      bytesOf(masking.answerBody(outcomeOf(JSON.stringify(told)), read, 'alice')),
    );
    return inName && inValue && markersIn(String(inName)).length > 0 ? inValue : Buffer.from('');
  },
  'value of a header': (masking, form) => lines(masking.lines([['X-Echo', form.toString('latin1')]])),
  'word of the protocol': (masking, form) => lines(masking.lines([['Server', form.toString('latin1')]])),
  'name of a header': (masking, form) => lines(masking.lines([[`X-${form.toString('latin1')}`, '1']])),
  // No line of a head holds a NUL.
  'reason phrase': (masking, form) => (form.includes(0) ? null : Buffer.from(masking.maskText(utf8OrLatin1(form)))),
  'path of a delivery': (masking, form) =>
    Buffer.from(masking.delivery(deliveryOf({ path: `/a?b=${form.toString('latin1')}` })).path),
  'header of a delivery': (masking, form) =>
    lines(masking.delivery(deliveryOf({ headers: [['X-A', form.toString('latin1')]] })).headers),
  'body of a delivery': (masking, form) => bytesOf(masking.delivery(deliveryOf({ body: form }))),
};

const tag = tagsOf(SECRETS, 2);
for (const secret of SECRETS)
  test(`of ${secret} every form is masked in every place, also two encodings in a row`, { tag: tag(secret) }, () => {
    const masking = new Masking([{ name: 'alice', apiKey: secret }], []);
    const left = [...formsOf(secret, 2)].flatMap(([name, form]) =>
      Object.entries(PLACES).flatMap(([place, kept]) => {
        const told = kept(masking, form, name);
        const isMarked = markersIn(String(told?.toString('latin1'))).length > 0;
        return told && (told.includes(form) || !isMarked) ? [`${name}: ${place}`] : [];
      }),
    );
    expect(left).toEqual([]);
  });

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
  &amp;=26 &AMP;=26 &lt;(&gt;)=3c &quot;=22`;
const NO_ESCAPES = String.raw`A % %4 %4g %g4 %u0041 %x41 \ \q \X41 \101 \9 \x \x4 \xg1 \u \u004 \u{} \u{41 \u{0000041} \u{g}
  & &; &amp &# &#; &#x; &#xg; &#a; &auml; &am; #65;`;

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
  const [, once] = readings('a&#8364;b');
  expect(placesIn(once)).toEqual([0, 1, 1, 1, 8, 9]);
});
