/** What SECURITY.md promises of secrets: in every place, each encoding of its list, and each of each, becomes a marker. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import { utf8OrLatin1 } from '../../../src/common/text';
import type { RecordedBody } from '../../../src/evidence/model';
import { Masking } from '../../../src/recorder/masking';
import { markersIn } from '../../../src/redaction/markers';
import { formsOf } from '../support/leaks';
import { deliveryOf, outcomeOf } from '../support/raw-messages';

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

for (const secret of SECRETS)
  test(`of ${secret} every form is masked in every place, also two encodings in a row`, () => {
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
