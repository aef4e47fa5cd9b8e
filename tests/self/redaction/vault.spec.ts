/** What masking leaves of a text: no secret, everything else, and nothing that could be taken for a marker of ours. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { formsOf } from '../../../src/redaction/encodings';
import { MARKER, markersIn } from '../../../src/redaction/markers';
import { Vault } from '../../../src/redaction/vault';

const KEY = 'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD';
const ALICE = '[secret:apiKey:alice]';

function vaultOf(secrets: Record<string, string>): Vault {
  const vault = new Vault();
  for (const [name, secret] of Object.entries(secrets)) vault.add(`[secret:${name}]`, secret);
  return vault;
}
const base64 = (text: string) => Buffer.from(text).toString('base64');

// A secret of fewer than eight characters, or of letters and hyphens alone, may be any word.
const SHORT = { 'password:red': 'red', 'password:admin': 'admin', 'password:4711': '4711', 'header:X-Gate': '1' };
const LETTERS = { 'password:w': 'swordfish', 'password:b': 'basic', 'password:k': 'keep-alive' };
const DIGITS = { 'password:n': '12345678' };
const [HALF, END] = [KEY.slice(0, 16), KEY.slice(16)];
const PARTS = { 'apiKey:alice': KEY, 'apiKey:bob': `${KEY}x`, 'apiKey:half': HALF, 'apiKey:end': END };
const WITHIN = { 'apiKey:a': 'abcd_fgh', 'apiKey:b': '12abcd_fgh-34' };
const ACROSS = { 'apiKey:a': 'abcd_fgh', 'apiKey:b': '_fghijkl' };
const OWN = { 'apiKey:alice': KEY };

for (const [what, secrets, text, left = text] of [
  ['a short one, a whole string', SHORT, '["red", "see red"]', '["[secret:password:red:word]", "see red"]'],
  ['one in what Python writes', SHORT, `{'a': 'red', 'b': 1}`, `{'a': '[secret:password:red:word]', 'b': 1}`],
  ['a word in a string', SHORT, '{"a":"see red, admin"}'],
  ['a name of a member', SHORT, '{"admin":1.5,"x":"y"}'],
  ['a number', SHORT, '{"a":[1, 4711]}'],
  ['a field', SHORT, 'password=admin&x=1', 'password=[secret:password:admin:word]&x=[secret:header:X-Gate:word]'],
  ['a word of a text', SHORT, 'ask the admin'],
  ['a part of a word', SHORT, 'administrators'],
  ['base64', SHORT, 'see YWRtaW4= now'],
  ['a short one, escaped', SHORT, '{"a":"\\u0061dmin"}', '{"a":"[secret:password:admin:word]"}'],
  ['letters alone', LETTERS, '["swordfish", "my swordfish"]', '["[secret:password:w:word]", "my swordfish"]'],
  ['letters with a hyphen', LETTERS, 'Connection is keep-alive.'],
  ['letters in another case', LETTERS, '["Swordfish"]'],
  ['a number becomes a string', DIGITS, '{"n":-12345678.5,"m":1}', '{"n":"[secret:password:n]","m":1}'],
  ['digits in a string stay there', DIGITS, '{"n":"a: 12345678, b"}', '{"n":"a: [secret:password:n], b"}'],
  ['what every server sends', LETTERS, '{"type":"basic"}'],
  ['letters, encoded', LETTERS, `a ${base64('swordfish')}`, 'a [secret:password:w:base64]'],
  ['a key in another case', OWN, KEY.toLowerCase(), '[secret:apiKey:alice:other-case]'],
  ['the longest of several', PARTS, `${KEY}, ${KEY}x, ${HALF}`, `${ALICE}, [secret:apiKey:bob], [secret:apiKey:half]`],
  ['one behind another', PARTS, `${KEY}${END}`, `${ALICE}[secret:apiKey:end]`],
  ['one within the beginning of another', WITHIN, 'x 12abcd_fgh y', 'x 12[secret:apiKey:a] y'],
  ['one across another', ACROSS, 'x abcd_fghijkl y', 'x [secret:apiKey:a] y'],
  ['what looks like a marker', OWN, 'see [secret:apiKey:alice]', 'see [said:secret:apiKey:alice]'],
  ['one that is escaped', OWN, '{"a":"[\\u0073ecret:apiKey:alice]"}', '{"a":"[said:secret:apiKey:alice]"}'],
  ['one in a URL', OWN, '%5Bsecret:apiKey:alice%5D', '[said:secret:apiKey:alice%5D'],
  ['one with a secret in it', OWN, `[secret:apiKey:${KEY}]`, `[said:secret:apiKey:${ALICE}]`],
  ['what was said before', OWN, '[said:secret:apiKey:alice]'],
] as const)
  test(`what is left of a text: ${what}`, () => {
    const vault = vaultOf(secrets);
    expect(vault.maskText(text)).toBe(left);
    expect(vault.reveal(left)).toBe(
      left.replace(MARKER, (marker, kind, name, form) =>
        form ? marker : ((secrets as Record<string, string>)[`${kind}:${name}`] ?? ''),
      ),
    );
    if (secrets === SHORT) expect(vault.maskText(text, true)).toBe(text);
  });

test('base64 is seen through over the line breaks of PEM and MIME, and in any place of a text', () => {
  const vault = vaultOf({ 'apiKey:alice': KEY });
  for (const [length, end, before] of [
    [64, '\n', 30],
    [76, '\r\n', 41],
    [60, '\n', 52],
  ] as const) {
    const lines = base64(`${'.'.repeat(before)}${KEY}${'.'.repeat(80)}`).match(new RegExp(`.{1,${length}}`, 'g'));
    const text = (lines ?? []).join(end);
    for (const shown of [text, JSON.stringify({ text })])
      expect(vault.maskText(shown)).toContain('[secret:apiKey:alice:base64]');
  }
});

test('secrets that are learnt one by one are looked for from then on, however many there are', () => {
  const vault = new Vault();
  const keys = Array.from({ length: 60 }, () => randomBytes(12).toString('hex'));
  for (const [i, key] of keys.entries()) {
    expect(vault.maskText(`a ${key}`)).toBe(`a ${key}`);
    vault.add(`[secret:apiKey:a${i}]`, key);
    expect(vault.maskText(`a ${key} ${keys[0]}`)).toBe(`a [secret:apiKey:a${i}] [secret:apiKey:a0]`);
  }
});

test('of what is learnt under one marker, each value after the first one has a number', () => {
  const vault = new Vault();
  const keys = ['first-4711', 'second-4711', 'first-4711', 'third-4711'];
  for (const key of keys) vault.learn('[secret:receiverKey:bob]', key);
  const masked = keys.map((key) => vault.maskText(key));
  expect(masked).toEqual(['', '#2', '', '#3'].map((number) => `[secret:receiverKey:bob${number}]`));
});

test('a key of 30,000 characters is masked as any other, and so are those of few letters', () => {
  for (const secret of [randomBytes(15_000).toString('hex'), 'a'.repeat(20_000)]) {
    const text = JSON.stringify([secret, base64(secret)]);
    expect(markersIn(vaultOf({ 'apiKey:a': secret }).maskText(text))).toHaveLength(2);
  }
  expect(vaultOf({ 'apiKey:a': 'a'.repeat(20_000) }).maskText('a'.repeat(500_000)).length).toBeLessThan(100);
  const two = vaultOf({ 'receiverKey:a': 'ab'.repeat(4000), 'receiverKey:b': 'ba'.repeat(4000) });
  expect(two.maskText('ab'.repeat(250_000))).toBe('[secret:receiverKey:a]');
});

test('what is made of a secret is bounded, and of all that a server shows', () => {
  const charactersOf = (secret: string) => [...formsOf(secret).keys()].join('').length;
  const secrets = [8, 1000, 1001].flatMap((length) =>
    ['+/ö€"<', 'a1'].map((kind) => kind.repeat(length).slice(0, length)),
  );
  for (const secret of secrets)
    expect(charactersOf(secret)).toBeLessThan(Buffer.byteLength(secret) * (secret.length > 1000 ? 80 : 600));
  const vault = new Vault();
  const shown = Array.from({ length: 200 }, () => randomBytes(300).toString('hex'));
  const areLearnt = shown.map((key, i) => vault.learn(`[secret:receiverKey:a${i}]`, key));
  const texts = [shown[0], shown[199], base64(shown[0] ?? ''), base64(shown[199] ?? '')];
  const found = texts.map((text = '') => markersIn(vault.maskText(text)).length);
  expect([areLearnt[0], areLearnt[199], found]).toEqual([true, false, [1, 0, 1, 0]]);
  const other = new Vault();
  const long = Array.from({ length: 100 }, (_, i) => other.learn('[secret:receiverKey:b]', `${i}`.repeat(8192)));
  expect([long[0], long[99], vault.learn('[secret:receiverKey:c]', 'x'.repeat(25_001))]).toEqual([true, false, false]);
});

test('the forms of a secret are made once, and none for what is only planned', () => {
  expect(formsOf(KEY)).toBe(formsOf(KEY));
  const vault = new Vault();
  vault.reserve(ALICE, KEY);
  expect(vault.maskText(KEY)).toBe(KEY);
  expect(vault.reveal(`a ${ALICE}`)).toBe(`a ${KEY}`);
  expect(vault.maskText(KEY)).toBe(ALICE);
});

/** What ordinary servers send; nothing in it is anybody's secret. */
const ordinary = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc.lorem({ maxCount: 200 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.json(),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const words = fc.constantFrom(...['admin', 'secret', 'webhook', 'start', '1', 'hunter2', 'Qx7', 'true', 'null']);
const longer = fc.oneof(fc.uuid(), fc.stringMatching(/^[A-Za-z0-9]{20,40}$/), fc.constantFrom('Sommer2026!'));

test('what holds no secret stays byte for byte what it is', () => {
  fc.assert(
    fc.property(fc.array(ordinary, { minLength: 1, maxLength: 6 }), words, longer, (parts, word, secret) => {
      const text = parts.join('\n');
      fc.pre(![word, secret].some((hidden) => unescape(text).toLowerCase().includes(hidden.toLowerCase())));
      const bytes = Buffer.from(text);
      assert.deepEqual(vaultOf({ 'apiKey:alice': secret, 'password:alice': word }).mask(bytes), bytes);
    }),
    { numRuns: 200, seed: 20_261_121 },
  );
});
