/** No secret survives masking, however it is encoded, and nothing else is lost by it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { MARKER, markerOf } from '../../../../src/evidence/markers';
import { Vault } from '../../../../src/recorder/redaction/vault';

const PASSWORD = markerOf('password', 'alice');

/** Characters that JSON, URLs, HTML, base64 and regular expressions all treat in their own ways. */
const AWKWARD = [...'"\\/%+&<>=?#\';:{}[]().*^$|- ~_,\n\t\u0000\u007fäÿ€😀'];
const letters = fc.constantFrom(...'abcxyzABCXYZ0189');

/** Beginning and end are what no trimming takes away. */
const wordLike = (inner: fc.Arbitrary<string>) =>
  fc.tuple(letters, fc.array(inner, { minLength: 6, maxLength: 20 }), letters).map(([a, b, c]) => a + b.join('') + c);

const secrets = fc.oneof(
  wordLike(letters),
  wordLike(fc.constantFrom(...AWKWARD)),
  wordLike(fc.oneof(letters, fc.constantFrom(...AWKWARD))),
  fc
    .string({ unit: 'grapheme', minLength: 8, maxLength: 24 })
    .filter((text) => text.trim() === text && text.length >= 8),
  fc.array(fc.constantFrom(...'0123456789'), { minLength: 8, maxLength: 16 }).map((digits) => `7${digits.join('')}`),
);

const unitsOf = (text: string) => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

/** How a server may write a text into another, without quotes around it. */
const encodings: Record<string, (secret: string) => string> = {
  'as it is': (secret) => secret,
  'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'in JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'in \\u escapes': (secret) =>
    unitsOf(secret)
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  'in \\U escapes of capitals': (secret) =>
    unitsOf(secret)
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0').toUpperCase()}`)
      .join(''),
  'in a URL': encodeURIComponent,
  'in a URL, in small letters': (secret) => encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
  'in a form': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'in HTML': (secret) =>
    secret.replace(
      /[&<>"']/g,
      (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c,
    ),
  'in base64': base64,
  'in base64url': (secret) => Buffer.from(secret, 'utf8').toString('base64url'),
  'in Basic credentials': (secret) => base64(`alice:${secret}`),
  'in more base64': (secret) => base64(`{"user":"x","note":"${secret}","more":1}`),
  'in base64 in a URL': (secret) => encodeURIComponent(base64(secret)),
  'in JSON in a URL': (secret) => encodeURIComponent(JSON.stringify({ password: secret })),
  'in a URL in a URL': (secret) => encodeURIComponent(encodeURIComponent(secret)),
};

/** Encodings that may stand in a JSON string as they are. */
const inJson = Object.entries(encodings).filter(([how]) => !['as it is', 'in HTML'].includes(how));
const anyEncoding = fc.constantFrom(...Object.entries(encodings));
const anyJsonEncoding = fc.constantFrom(...inJson);

function vaultOf(...entries: Array<[marker: string, secret: string]>): Vault {
  const vault = new Vault();
  for (const [marker, secret] of entries) vault.add(marker, secret);
  return vault;
}

/** Ways in which a masked text still gives the secret away. */
function leaksIn(text: string, secret: string): string[] {
  return Object.entries(encodings).flatMap(([how, encode]) => {
    const encoded = encode(secret).replace(/=+$/, '');
    return text.includes(encoded) ? [how] : [];
  });
}

function countMarkers(text: string): number {
  return [...text.matchAll(MARKER)].length;
}

/** What stands around a secret in a text; none of it can be taken for a part of it. */
const around = fc.constantFrom('', ' ', '\n', 'was ', '(', '=', '?next=', '"', '<b>', 'é ', ', ');

test('a secret in a text, in any encoding, becomes its marker, once and for all', () => {
  fc.assert(
    fc.property(secrets, anyEncoding, around, around, (secret, [, encode], before, after) => {
      const vault = vaultOf([PASSWORD, secret]);
      const masked = vault.maskText(`Wrong key ${before}${encode(secret)}${after} again`);
      assert.deepEqual(leaksIn(masked, secret), []);
      assert.ok(countMarkers(masked) >= 1);
      assert.match(masked, /^Wrong key .* again$/s);
      assert.equal(vault.maskText(masked), masked);
    }),
    { numRuns: 300 },
  );
});

interface Settings {
  webhook: { auth: { basic: Record<string, unknown> } } & Record<string, unknown>;
}

const settingsFiles = readdirSync(join(__dirname, '..', '..', '..', '..', 'fixtures', 'settings', 'valid'));
const settingsTexts = settingsFiles.map((file) =>
  readFileSync(join(__dirname, '..', '..', '..', '..', 'fixtures', 'settings', 'valid', file), 'utf8'),
);
const settings = fc.constantFrom(...settingsTexts);

test('a secret in the settings, in any encoding, becomes its marker, and the rest stays what it is', () => {
  const places = fc.constantFrom('username', 'password', 'note', 'passwordHint');
  const indents = fc.constantFrom(0, 2);
  fc.assert(
    fc.property(
      secrets,
      anyJsonEncoding,
      settings,
      places,
      around,
      indents,
      (secret, [, encode], text, place, before, indent) => {
        const vault = vaultOf([PASSWORD, secret]);
        const document = JSON.parse(text) as Settings;
        document.webhook.auth.basic[place] = '\u0001';
        const put = JSON.stringify(before).slice(1, -1) + encode(secret);
        const served = JSON.stringify(document, null, indent).replace('\\u0001', () => put);
        assert.ok(JSON.parse(served));
        const masked = vault.maskText(served);
        assert.deepEqual(leaksIn(masked, secret), []);
        const read = JSON.parse(masked) as Settings;
        assert.match(String(read.webhook.auth.basic[place]), /\[secret:password:alice/);
        read.webhook.auth.basic[place] = '\u0001';
        assert.deepEqual(read, document);
        assert.equal(vault.maskText(masked), masked);
      },
    ),
    { numRuns: 300 },
  );
});

/** Passwords that are also words of the interface or of JSON. */
const WORDS = [
  ...['webhook', 'start', 'submission', 'updates', 'status', 'url', 'auth', 'type', 'basic', 'username', 'password'],
  ...['hasPassword', 'apikey', 'header', 'true', 'false', 'null', 'https', 'secret', 'example', 'assessment'],
];

test('a password that is a word of the interface leaves the names of members and the literals alone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...WORDS), settings, fc.constantFrom(0, 2), (word, text, indent) => {
      const vault = vaultOf([PASSWORD, word]);
      // A stranger's member may be named with it: then the name goes too.
      fc.pre(!new RegExp(`"(?:[^"]+${word}|${word}[^"]+)":`).test(text));
      const document = JSON.parse(text) as Settings;
      document.webhook.auth.basic.note = word;
      const masked = vault.maskText(JSON.stringify(document, null, indent));
      const read = JSON.parse(masked) as Settings;
      assert.equal(read.webhook.auth.basic.note, PASSWORD);
      // What holds the word as a whole or, where it is long enough, in a part is taken for the password.
      const withoutIt = (value: unknown): unknown =>
        typeof value === 'string' &&
        (value === word || (word.length >= 8 && value.includes(word)) || value.includes(PASSWORD))
          ? null
          : value;
      const comparable = (value: Settings) => JSON.stringify(value, (_, inner) => withoutIt(inner));
      assert.equal(comparable(read), comparable(document));
      assert.equal(vault.maskText(masked), masked);
    }),
    { numRuns: 250 },
  );
});

test('digits are masked as a number too', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10_000_000, max: 2 ** 50 }), fc.constantFrom('', ' '), (number, space) => {
      const masked = vaultOf([PASSWORD, String(number)]).maskText(
        `{"pin":${space}${number}${space},"more":[${number}]}`,
      );
      assert.deepEqual(JSON.parse(masked), { pin: PASSWORD, more: [PASSWORD] });
    }),
  );
});

test('what holds no secret stays byte for byte what it is', () => {
  fc.assert(
    fc.property(secrets, fc.oneof(settings, fc.string({ unit: 'binary' }), fc.json()), (secret, text) => {
      fc.pre(leaksIn(text, secret).length === 0);
      const bytes = Buffer.from(text, 'utf8');
      assert.deepEqual(
        vaultOf([PASSWORD, secret], [markerOf('apiKey', 'alice'), 'ouBYTb8jTRxF9PAv']).mask(bytes),
        bytes,
      );
    }),
    { numRuns: 250 },
  );
  fc.assert(
    fc.property(secrets, fc.uint8Array({ maxLength: 200 }), (secret, bytes) => {
      assert.deepEqual(vaultOf([PASSWORD, secret]).mask(Buffer.from(bytes)), Buffer.from(bytes));
    }),
  );
});

test('of several secrets none survives, not even where one holds another', () => {
  fc.assert(
    fc.property(secrets, secrets, anyEncoding, anyEncoding, (first, second, [, encodeFirst], [, encodeSecond]) => {
      const longer = `${first}-${second}`;
      const vault = vaultOf(
        [PASSWORD, first],
        [markerOf('apiKey', 'alice'), second],
        [markerOf('apiKey', 'bob'), longer],
        [markerOf('password', 'alice', 'basic'), `alice:${first}`],
      );
      const masked = vault.maskText([encodeFirst(longer), encodeSecond(second), encodeSecond(first)].join(' | '));
      assert.deepEqual(leaksIn(masked, first), []);
      assert.deepEqual(leaksIn(masked, second), []);
      assert.equal(vault.maskText(longer), markerOf('apiKey', 'bob'));
      assert.equal(vault.maskText(masked), masked);
    }),
    { numRuns: 250 },
  );
});

test('what was masked is revealed as it was', () => {
  fc.assert(
    fc.property(secrets, around, around, (secret, before, after) => {
      const vault = vaultOf([PASSWORD, secret]);
      assert.equal(
        vault.reveal(`${before}${PASSWORD}${after}[secret:password:bob]`),
        `${before}${secret}${after}[secret:password:bob]`,
      );
      assert.equal(vault.reveal(vault.maskText(`x ${secret} y`)), `x ${secret} y`);
    }),
  );
});

/** Bodies that make careless searches slow. They have about twice the given number of characters. */
const hostile: Record<string, (half: number) => string> = {
  'a string that never ends': (half) => `{"a":"${'\\"'.repeat(half)}`,
  'a string that never ends, after a secret': (half) => `{"b":"pass%2522word%252Bof","a":"${'\\"'.repeat(half)}`,
  'lone backslashes at line ends': (half) => `{"b":"pass%2522word%252Bof"${',"\\\n'.repeat(half / 2)}`,
  'quotes alone': (half) => `{${'"'.repeat(2 * half)}`,
  'backslashes alone': (half) => '\\'.repeat(2 * half),
  'escapes of escapes': (half) => '%2525'.repeat(half / 3),
  'entities without an end': (half) => '&#0000'.repeat(half / 3),
  'base64 without an end': (half) => 'QUJD'.repeat(half / 2),
  'nearly the secret again and again': (half) => 'pass"word+o'.repeat(half / 5),
  'markers without an end': (half) => '[secret:password:'.repeat(half / 8),
  'gaps after members': (half) => `{${`"password"${' '.repeat(1000)}`.repeat(half / 500)}`,
  'gaps after colons': (half) => `{${`:${' '.repeat(1000)}truest`.repeat(half / 500)}`,
  'words of one letter': (half) => 'p '.repeat(half),
};

const SHARE = 10;
/** A time shorter than this is too short to compare. */
const LEAST_MS = 20;

for (const [what, textOf] of Object.entries(hostile)) {
  test(`masks ${what} in a time that grows with the length alone`, () => {
    const vault = vaultOf(
      [PASSWORD, 'pass"word+of'],
      [markerOf('apiKey', 'alice'), 'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD'],
    );
    const cpuMsFor = (half: number) => {
      const text = textOf(half);
      const before = process.cpuUsage();
      vault.maskText(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const part = cpuMsFor(500_000 / SHARE);
    // A search of quadratic time takes the square of this ratio.
    expect(cpuMsFor(500_000)).toBeLessThan(4 * SHARE * Math.max(part, LEAST_MS));
  });
}

test('a short secret in a text is a whole value or a word by chance, and nothing in what the protocol says', () => {
  const vault = new Vault();
  vault.add('[secret:password:alice]', 'admin');
  vault.add('[secret:header:X-Gate]', '1');
  const masked = (text: string) => vault.maskText(text);
  for (const whole of ['admin', 'password=admin', 'stored: admin\n', "user='admin'", '<td>admin</td>', 'a%3Dadmin'])
    expect(masked(whole), whole).toBe(whole.replace('admin', '[secret:password:alice]'));
  expect(masked('Ask your admin for a key')).toBe('Ask your [secret:password:alice:part] for a key');
  expect(masked('administrators')).toBe('administrators');
  expect([masked('1'), masked('gate=1'), masked('1 of 11')]).toEqual([
    '[secret:header:X-Gate]',
    'gate=[secret:header:X-Gate]',
    '1 of 11',
  ]);
  expect(vault.mask(Buffer.from('1'), true).toString()).toBe('1');
  expect(vault.mask(Buffer.from('admin'), true).toString()).toBe('admin');
});
