/** What SECURITY.md promises of secrets: no encoding of its list leaves one readable, and nothing else becomes a marker. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { isTheSecret, MARKER, markerOf, markersIn } from '../../../src/evidence/markers';
import { Vault } from '../../../src/recorder/redaction/vault';

const KEY = markerOf('apiKey', 'alice');
const ALICE = 'k3y/of+Alice_4711=ÄöQx-78~Zz';
const PLAIN = 'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD';

const bytesOf = (text: string) => [...Buffer.from(text)];
const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
const each = (text: string, write: (byte: number) => string) => bytesOf(text).map(write).join('');
const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const jwt = (content: object) =>
  [{ alg: 'none' }, content].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
const percent = (text: string) => each(text, (byte) => `%${hex(byte)}`);

function base32(text: string): string {
  const bits = each(text, (byte) => byte.toString(2).padStart(8, '0'));
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

const quotedPrintable = (text: string) =>
  each(text, (byte) => (byte > 0x7e || byte === 0x3d ? `=${hex(byte).toUpperCase()}` : String.fromCharCode(byte)));
const swapped = (text: string) => text.replace(/[a-z]/gi, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase()));
const backwards = (text: string) => [...text].reverse().join('');

/** Each is what a server might write into a text or into a string of JSON. */
const ENCODINGS: Record<string, (secret: string) => string> = {
  hex: (secret) => each(secret, hex),
  'hex in capitals': (secret) => each(secret, hex).toUpperCase(),
  'hex with colons': (secret) => bytesOf(secret).map(hex).join(':'),
  'hex dump': (secret) => bytesOf(secret).map(hex).join(' '),
  '0x and commas': (secret) =>
    bytesOf(secret)
      .map((byte) => `0x${hex(byte)}`)
      .join(', '),
  'base64 twice': (secret) => base64(base64(secret)),
  'base64 of base64 of a sentence': (secret) => base64(`x${base64(`it is ${secret}!`)}`),
  'base64 five times': (secret) => base64(base64(base64(base64(base64(secret))))),
  'base64 with line breaks': (secret) =>
    base64(`${'.'.repeat(50)}${secret}${'.'.repeat(70)}`).replace(/.{76}/g, '$&\r\n'),
  'base64 without its last characters': (secret) => base64(secret).replace(/=+$/, '').slice(0, -1),
  'base64 from the second byte on': (secret) => base64(`..${secret}`).slice(3),
  'base64 from the middle of the first byte on': (secret) => base64(`.${secret}`).slice(2),
  'base64 in short lines': (secret) => base64(secret).replace(/.{5}/g, '$&\n'),
  JWT: (secret) => jwt({ key: secret }),
  'JWT in JWT': (secret) => jwt({ inner: jwt({ key: secret }) }),
  'base64 of gzip': (secret) => base64(gzipSync(`the key is ${secret}`)),
  'base64 of zlib': (secret) => base64(deflateSync(`the key is ${secret}`)),
  'base64 of deflate': (secret) => base64(deflateRawSync(`the key is ${secret}`)),
  'base64 of brotli': (secret) => base64(brotliCompressSync(`the key is ${secret}`)),
  'base64 of gzip of gzip': (secret) => base64(gzipSync(gzipSync(secret))),
  'base64 of UTF-16 LE': (secret) => base64(Buffer.from(secret, 'utf16le')),
  'base64 of UTF-16 BE': (secret) => base64(utf16be(secret)),
  'base64 of Latin-1': (secret) => base64(Buffer.from(secret, 'latin1')),
  '\\x escapes': (secret) => each(secret, (byte) => `\\x${hex(byte)}`),
  'octal escapes': (secret) => each(secret, (byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  '\\u{} escapes': (secret) => [...secret].map((c) => `\\u{${c.codePointAt(0)?.toString(16)}}`).join(''),
  '%u escapes': (secret) => [...secret].map((c) => `%u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'entities without a semicolon': (secret) => [...secret].map((c) => `&#${c.codePointAt(0)}`).join(''),
  'hexadecimal entities': (secret) => [...secret].map((c) => `&#x${c.codePointAt(0)?.toString(16)};`).join(''),
  'named entities': (secret) =>
    secret.replace(
      /[/+_=~Äö]/g,
      (c) => ({ '/': '&sol;', '+': '&plus;', _: '&lowbar;', '=': '&equals;', Ä: '&Auml;', ö: '&ouml;' })[c] ?? c,
    ),
  'quoted-printable': quotedPrintable,
  'quoted-printable throughout': (secret) => each(secret, (byte) => `=${hex(byte).toUpperCase()}`),
  'quoted-printable with soft breaks': (secret) => quotedPrintable(secret).replace(/.{9}/, '$&=\r\n'),
  // Read as digits too, the numbers are no text.
  'quoted-printable in hex, beside numbers': (secret) =>
    `${each(quotedPrintable(secret).replace(/.{9}/, '$&=\r\n'), hex)} 188,0,220,0,99,0,156,0,122,0,190,0,156,0,57,0,189`,
  'percent four times': (secret) => [1, 2, 3].reduce((text) => text.replaceAll('%', '%25'), percent(secret)),
  'percent forty times': (secret) => percent(secret).replaceAll('%', `%${'25'.repeat(40)}`),
  'percent and Latin-1': (secret) => [...Buffer.from(secret, 'latin1')].map((byte) => `%${hex(byte)}`).join(''),
  base32,
  'base32 in small letters': (secret) => base32(secret).toLowerCase(),
  'base32 in base64': (secret) => base64(base32(secret)),
  'hex in base64': (secret) => base64(each(secret, hex)),
  'a list of numbers': (secret) => bytesOf(secret).join(', '),
  'a list of numbers in brackets': (secret) => `[${bytesOf(secret).join(',')}]`,
  reversed: backwards,
  'reversed, in base64': (secret) => base64(backwards(secret)),
  'base64, reversed': (secret) => backwards(base64(secret)),
  'other letter case': swapped,
  capitals: (secret) => secret.toUpperCase(),
  'small letters in base64': (secret) => base64(secret.toLowerCase()),
};

function vaultOf(...secrets: string[]): Vault {
  const vault = new Vault();
  for (const [i, secret] of secrets.entries()) vault.add(i === 0 ? KEY : markerOf('apiKey', `other${i}`), secret);
  return vault;
}

for (const [how, encode] of Object.entries(ENCODINGS)) {
  test(`a key as ${how} is masked in a text, in JSON, and in JSON in a string`, () => {
    for (const secret of [ALICE, PLAIN]) {
      const vault = vaultOf(secret);
      const written = encode(secret);
      const document = JSON.stringify({ error: { hint: written }, n: 1 });
      const texts = {
        text: `Wrong: ${written} .`,
        header: written,
        JSON: document,
        nested: JSON.stringify({ d: document }),
      };
      for (const [where, text] of Object.entries(texts)) {
        const masked = vault.maskText(text);
        expect(
          markersIn(masked).map(({ kind, name }) => `${kind}:${name}`),
          `${where}: ${masked}`,
        ).toContain('apiKey:alice');
        expect(masked).not.toContain(written);
        expect(vault.maskText(masked), where).toBe(masked);
        if (where === 'JSON')
          expect(JSON.parse(masked)).toMatchObject({ error: { hint: expect.stringMatching(MARKER) }, n: 1 });
      }
    }
  });
}

/** Whole bodies, none of them a text. */
const BODIES: Record<string, (secret: string) => Buffer> = {
  'UTF-16 LE': (secret) => Buffer.from(`{"key":"${secret}"}`, 'utf16le'),
  'UTF-16 BE with a mark': (secret) => Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be(`{"key":"${secret}"}`)]),
  'Latin-1': (secret) => Buffer.from(`{"key":"${secret}"}`, 'latin1'),
  'gzip that no header names': (secret) => gzipSync(`{"key":"${secret}"}`),
  'gzip twice': (secret) => gzipSync(gzipSync(`{"key":"${secret}"}`)),
  'deflate that no header names': (secret) => deflateRawSync(`{"key":"${secret}"}`),
  'brotli that no header names': (secret) => brotliCompressSync(`{"key":"${secret}"}`),
  'gzip that was cut': (secret) => gzipSync(`{"key":"${secret}"}${randomBytes(300).toString('hex')}`).subarray(0, -40),
  'numbers of JSON': (secret) => Buffer.from(JSON.stringify({ key: Buffer.from(secret) })),
  'numbers of JSON by position': (secret) => Buffer.from(JSON.stringify({ key: new Uint8Array(Buffer.from(secret)) })),
  'code points of JSON': (secret) => Buffer.from(JSON.stringify([...secret].map((c) => c.codePointAt(0)))),
  'letters of JSON': (secret) => Buffer.from(JSON.stringify([...secret])),
};

for (const [how, encode] of Object.entries(BODIES)) {
  test(`a key in a body of ${how} is masked`, () => {
    for (const secret of [ALICE, PLAIN]) {
      const masked = vaultOf(secret).mask(encode(secret));
      const text = masked.toString('latin1');
      expect(text).toContain('[secret:apiKey:alice');
      if (how.includes('JSON')) expect(() => JSON.parse(text)).not.toThrow();
    }
  });
}

test('what is encoded beyond the bound of work is withheld, with its size and digest', () => {
  const fixed = (text: string, times: number): string => (times === 0 ? text : fixed(base64(text), times - 1));
  const bomb = base64(gzipSync(Buffer.alloc(30_000_000)));
  for (const body of [bomb, fixed('sixteen letters and more', 20), JSON.stringify({ bomb })]) {
    const masked = vaultOf(PLAIN).maskText(body);
    const digest = createHash('sha256').update(body).digest('hex');
    expect(masked).toBe(`[withheld: ${body.length} bytes, sha256:${digest}]`);
    expect(vaultOf(PLAIN).maskText(masked)).toBe(masked);
  }
});

test('a key of 30,000 characters is masked as any other, and none of it stands in an error', () => {
  const long = randomBytes(15_000).toString('hex');
  const awkward = `${'\\"('.repeat(500)}Z9`;
  const vault = vaultOf(long, awkward, 'a'.repeat(20_000));
  for (const secret of [long, awkward]) {
    const written = JSON.stringify({ a: secret, b: base64(secret), c: [encodeURIComponent(secret)] });
    const masked = vault.maskText(written);
    expect(masked.length).toBeLessThan(300);
    expect(markersIn(masked).length).toBe(3);
  }
  expect(vault.maskText('a'.repeat(500_000)).length).toBeLessThan(100);
});

test('what ends in the beginning of a key is cut before it', () => {
  const vault = vaultOf(PLAIN);
  for (const encode of [(text: string) => text, percent, base64, (text: string) => each(text, hex)]) {
    const written = encode(PLAIN);
    for (let length = 12; length < written.length; length += 1) {
      const kept = vault.maskCut(Buffer.from(`{"a": "${written.slice(0, length)}`)).toString();
      expect(kept, `${length} of ${written}`).not.toContain(written.slice(0, 12));
      expect(kept.startsWith('{"a":')).toBe(true);
    }
  }
});

test('of two keys the longer one is named, encoded or not', () => {
  const vault = vaultOf(PLAIN, PLAIN.slice(0, 16), `${PLAIN}x`);
  for (const [written, form] of [
    [PLAIN, ''],
    [base64(`key ${PLAIN} ends`), ':base64'],
    [Buffer.from(PLAIN).toString('base64url'), ':base64'],
  ])
    expect(vault.maskText(`was ${written} .`)).toBe(`was [secret:apiKey:alice${form}] .`);
});

test('of a key in another letter case it is said that it is not the key itself', () => {
  const [marker] = markersIn(vaultOf(PLAIN).maskText(PLAIN.toLowerCase()));
  expect(marker?.form).toBe('other-case');
  expect([undefined, 'base64', 'hex:reversed', 'other-case', 'case-swapped'].map(isTheSecret)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

/** What ordinary servers send; nothing in it is anybody's secret. */
const ordinary = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }).map((bytes) => base64(Buffer.from(bytes))),
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc.array(fc.uuid(), { maxLength: 60 }).map((ids) => ids.join('\n')),
  fc.lorem({ maxCount: 200 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 500 }).map((list) => list.join(', ')),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);
const words = fc.constantFrom(
  'admin',
  'secret',
  'webhook',
  'start',
  '1',
  'hunter2',
  'basic',
  'Qx7',
  'abcdef',
  '1234567',
);
const longer = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[A-Za-z0-9]{20,40}$/),
  fc.constantFrom('correct-horse', 'password', 'Sommer2026!'),
);

test('no ordinary body gets a marker by chance, nor is it withheld', () => {
  fc.assert(
    fc.property(
      fc.array(ordinary, { minLength: 1, maxLength: 6 }),
      words,
      longer,
      fc.boolean(),
      (parts, word, secret, isJson) => {
        const text = isJson ? JSON.stringify({ parts, n: [1, 2, 3], ok: true }) : parts.join('\n');
        const vault = vaultOf(secret);
        vault.add(markerOf('password', 'alice'), word);
        // Where it stands in the text, escaped or not, it is not there by chance.
        fc.pre(
          ![word, secret].some((hidden) =>
            decodeURIComponent(text.replace(/%/g, '%25')).toLowerCase().includes(hidden.toLowerCase()),
          ),
        );
        const masked = vault.maskText(text);
        assert.equal(masked, Buffer.from(text).toString());
      },
    ),
    { numRuns: 120, seed: 20261121 },
  );
});

test('a large ordinary body is not withheld', () => {
  const picture = randomBytes(600_000).toString('base64');
  const list = Array.from({ length: 8000 }, (_, i) => ({
    id: randomBytes(16).toString('hex'),
    token: randomBytes(24).toString('base64'),
    i,
  }));
  for (const body of [
    JSON.stringify({ picture }),
    JSON.stringify(list),
    randomBytes(900_000),
    Buffer.alloc(500_000, 'lorem ipsum dolor '),
  ]) {
    const bytes = Buffer.from(body);
    assert.ok(vaultOf(PLAIN, ALICE).mask(bytes).equals(bytes));
  }
});
