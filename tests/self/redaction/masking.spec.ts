/** What is kept of answers and deliveries without the secrets in them, edge by edge. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import type { Account } from '../../../src/config/target';
import type { HeaderLines } from '../../../src/evidence/model';
import { cookiesFrom, Masking } from '../../../src/recorder/masking';
import { withoutUndeclared } from '../../../src/redaction/undeclared';
import { deliveryOf, outcomeOf } from '../support/evidence-of';

const KEY = 'masking-key-4711-Aa';
const alice: Account = { name: 'alice', apiKey: KEY };
const UNDECLARED = '[secret:password:(undeclared)]';
const PART = '[secret:password:(undeclared):part]';
const RECEIVER_KEY = '[secret:receiverKey:alice]';
const ALICE = '[secret:apiKey:alice]';

const masking = (accounts: Account[] = [alice]) => new Masking(accounts, [['X-Gate', 'gate-secret-4711']]);
const read = probe('read', { account: 'alice' });
const kept = (body: string | Buffer, more: Parameters<typeof outcomeOf>[1] = {}, all = masking()) =>
  all.answerBody(outcomeOf(body, more), read, 'alice');
const settings = (auth: unknown) => JSON.stringify({ webhook: { auth } });

const delivered = (more: Parameters<typeof deliveryOf>[0], all = masking()) => all.delivery(deliveryOf(more));
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('a username of a receiver is recorded only once settings have named it', () => {
  const all = masking();
  const sent = { headers: [['Authorization', basic('carol:unknown-4711')]] as HeaderLines };
  expect(delivered(sent, all).basic).toEqual([{ username: null, password: UNDECLARED }]);
  kept(settings({ basic: { username: 'carol' } }), {}, all);
  expect(delivered(sent, all).basic).toEqual([{ username: 'carol', password: UNDECLARED }]);
  const ours = { headers: [['Authorization', basic('[secret:password:alice]:x')]] as HeaderLines };
  expect(delivered(ours, all).basic).toEqual([{ username: null, password: UNDECLARED }]);
});

const PASSWORD = 'pass:wörd-4711';
const inLatin1 = (text: string) => `bAsIc  ${Buffer.from(text, 'latin1').toString('base64')}`;
/** Each as `user:password`, where `alice` and `?` stand for the declared password and for another one. */
for (const [what, lines, recorded] of [
  ['a declared password', [basic(`bob:${PASSWORD}`)], ['bob:alice', 'bob:?']],
  ['in Latin-1', [inLatin1(`bob:${PASSWORD}`)], ['bob:alice', 'bob:?']],
  ['after a username with a colon', [basic(`b:c:${PASSWORD}`)], ['b:c:alice', 'b:?']],
  ['the ending of another', [basic(`bobx${PASSWORD}`)], ['bobxpass:?']],
  ['a key for a username', [basic(`${KEY}:x`)], [`${ALICE}:?`]],
  ['none', [basic('bob:')], ['bob:']],
  ['one that is none', [basic('bob:[object Object]')], ['bob:[object Object]']],
  ['no username', [basic(':12345678')], [':?']],
  ['no colon', [basic('bob')], []],
  ['base64 that is cut', ['Basic Ym9iOmE'], []],
  ['another scheme', [basic('bob:12345678').replace('Basic', 'Bearer')], []],
  ['two lines', [basic('bob:a'), basic('bob:a')], []],
] as const)
  test(`Basic credentials with ${what}`, () => {
    const all = masking([{ ...alice, password: PASSWORD }]);
    for (const username of ['bob', 'b:c', 'b', 'bobxpass', KEY]) kept(settings({ basic: { username } }), {}, all);
    const headers = [['Host', 'x'] as const, ...lines.map((line) => ['AUTHORIZATION', line] as const)];
    const shown: Record<string, string> = { '[secret:password:alice]': 'alice', [UNDECLARED]: '?' };
    expect(
      delivered({ headers }, all).basic.map(({ username, password }) => `${username}:${shown[password] ?? password}`),
    ).toEqual(recorded);
  });

for (const apikey of ['retired', 'Ab3$x', 'receivers-key-4711', 12_345_678])
  test(`an answer that learns of a receiver’s key is kept as those that come later: ${apikey}`, () => {
    const all = masking();
    const bodies = [1, 2].map(() => kept(settings({ apikey: { header: 'X-Key', apikey } }), {}, all).body);
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).toContain('[secret:receiverKey:alice');
  });

for (const [who, url] of [
  ['a password', 'https://ops:hook%2F4711@hooks.example/start'],
  ['a short one', 'https://u:p@hooks.example/start'],
] as const)
  test(`an address with a user and ${who} is kept alike in every answer, without either`, () => {
    const all = masking();
    const document = JSON.stringify({ webhook: { start: { url }, auth: { basic: { username: 'carol' } } } });
    const bodies = [1, 2].map(() => kept(document, {}, all).body);
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).toMatch(/"https:\/\/\[secret:receiverKey:alice\](?:@hooks.example)?\/start"/);
  });

for (const [password, sent, left] of [
  ['pass:wörd-4711', 'pass%3Aw%C3%B6rd-4711', 'ops:[secret:password:alice]@hooks.example'],
  ['close', 'close', '[secret:receiverKey:alice]@hooks.example'],
] as const)
  test(`a declared password in an address stays one where it is more than a word: ${password}`, () => {
    const all = masking([{ ...alice, password }]);
    const document = JSON.stringify({ webhook: { start: { url: `https://ops:${sent}@hooks.example/start` } } });
    expect(kept(document, {}, all).body).toContain(`"https://${left}/start"`);
  });

/** « and » stand around what becomes the marker. */
for (const [name, marked, marker = PART] of [
  ['X-Password', '«pw-1234»'],
  ['X-Has-Password', 'true'],
  ['Location', '/x?password=«pw-1234»&a=b'],
  ['Access-Control-Allow-Headers', 'Password, X-Password'],
  ['Cookie-Like', 'sid=12345678; Path=/'],
  ['X-Authorization', 'abc'],
  ['X-Echo', `a «${KEY}» b`, ALICE],
  ['X-Echo', '«gate-secret-4711»', '[secret:header:X-Gate]'],
  // What looks like a marker is never one of ours.
  ['X-T', '«[secret:»receiverKey:alpha]', '[said:secret:'],
  ['Set-Cookie', 'sid=«12345678»; Path=/', '[secret:cookie:sid]'],
  ['set-cookie', 'sid=1234567; Path=/'],
  ['Set-Cookie', `sid=«${KEY}»; Path=/`, ALICE],
  ['Set-Cookie', 'sid =« 12345678»; Path=/', '[secret:cookie:sid]'],
  ['Set-Cookie', '=«12345678»', '[secret:cookie:nameless]'],
  ['Set-Cookie', '«12345678»; a=b', '[secret:cookie:nameless]'],
  ['Authorization', 'Basic «Ym9iOmE=»', UNDECLARED],
  ['Proxy-Authorization', 'Bearer «abc»', '[secret:receiverKey:(undeclared)]'],
  ['authorization', '«abc»', '[secret:receiverKey:(undeclared)]'],
  ['Authorization', 'bearer'],
  ['Authorization', ' Basic'],
  ['Authorization', '  '],
  ['Authorization', `Bearer «${KEY}»`, ALICE],
] as const)
  test(`of the header line ${name}: ${marked} is kept`, () => {
    const [came, left] = [marked.replace(/[«»]/g, ''), marked.replace(/«.*?»/g, marker)];
    expect(masking().lines([[name, came]])).toEqual([[name, left]]);
    expect(delivered({ headers: [[name, came]] }).headers).toEqual([[name, left]]);
  });

test('a word of the protocol that equals a password stays where the protocol has it', () => {
  const all = masking([{ ...alice, password: 'close' }]);
  expect(
    all.lines([
      ['Connection', 'close'],
      ['close', 'x'],
      ['X-Any', 'close'],
    ]),
  ).toEqual([
    ['Connection', 'close'],
    ['close', 'x'],
    ['X-Any', '[secret:password:alice:word]'],
  ]);
});

test('nothing that comes is read as a marker', () => {
  expect(kept('{"a":"[secret:password:alice]"}').body).toBe('{"a":"[said:secret:password:alice]"}');
  const sent = delivered({
    path: '/[secret:a:b][secret:a:b]',
    headers: [['X-[secret:a:b]', '1']],
    body: Buffer.from('"[secret:password:alice]"'),
  });
  expect(sent).toMatchObject({
    path: '/[said:secret:a:b][said:secret:a:b]',
    headers: [['X-[said:secret:a:b]', '1']],
    body: '"[said:secret:password:alice]"',
  });
});

test('an answer with more than can be looked for is left out', () => {
  expect(kept(settings({ apikey: { apikey: 'x1'.repeat(12_501) } })).body).toBe('');
});

test('a body that is no UTF-8 is kept as base64, masked', () => {
  const body = Buffer.from(`{"naïve":"${KEY}","password":"pw-1234"}`, 'latin1');
  for (const recorded of [kept(body), delivered({ body })]) {
    expect(recorded.bodyEncoding).toBe('base64');
    const text = Buffer.from(recorded.body, 'base64').toString('latin1');
    expect(text).toBe(`{"naïve":"${ALICE}","password":"${UNDECLARED}"}`);
  }
});

test('the cookies that an answer sets are sent back, all of them, and shown nowhere', () => {
  const all = masking();
  const headers: HeaderLines = [
    ['Set-Cookie', 'a=first-4711; Path=/'],
    ['Date', 'x=y'],
    ['SET-COOKIE', 'b=second'],
  ];
  kept('{}', { head: { status: 200, statusText: '', headers } }, all);
  expect(all.reveal(cookiesFrom(read))).toBe('a=first-4711; b=second');
  expect(masking().reveal(cookiesFrom(read))).toBe(cookiesFrom(read));
});

test('a body that was sent is kept decoded, and nothing of one that cannot be or is long', () => {
  const body = Buffer.from(`{"you":"${KEY}"}`);
  const sent = (bytes: Buffer, coding: string) => masking().sentBody(bytes, [['Content-Encoding', coding]]).body;
  for (const [coding, encoded] of [
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['gzip, gzip', gzipSync(gzipSync(body))],
  ] as const)
    expect(sent(encoded, coding), coding).toBe(`{"you":"${ALICE}"}`);
  expect([body, gzipSync(Buffer.alloc(65_537))].map((bytes) => sent(bytes, 'gzip'))).toEqual(['', '']);
  expect([65_536, 65_537].map((length) => sent(Buffer.alloc(length, 'x'), '').length)).toEqual([65_536, 0]);
});

/** Each: what an answer says, and whether it is looked for in what comes later. */
for (const [what, answer, said, isLookedFor] of [
  ['a receiver’s key', settings({ apikey: { apikey: 'receiver-4711' } }), 'receiver-4711', true],
  ['one in a list', settings({ apikey: { apikey: ['x', 'receiver-4711'] } }), 'receiver-4711', true],
  ['one in an object', settings({ apikey: { apikey: { key: { value: 'rec-4711' } } } }), 'rec-4711', true],
  ['one without an envelope', '{"apikey":{"apikey":"receiver-4711"}}', 'receiver-4711', true],
  ['where a header is sent back', '{"headers":{"apikey":"receiver-4711"}}', 'receiver-4711', false],
  ['no key', settings({ apikey: { apikey: null } }), 'null', false],
  ['a type', settings({ apikey: { apikey: 'string' } }), 'string', false],
  ['a user of an address', '{"url":["HTTPS://ops:hook@4711@hooks.example/a:b@c"]}', 'ops:hook@4711', true],
  ['one without a password', '{"url":"https://ops@hooks.example/a:b@c"}', 'ops@hooks.example', false],
  ['a password', '{"password":"12345678"}', '12345678', false],
] as const)
  test(`what an answer shows is ${isLookedFor ? '' : 'not '}looked for: ${what}`, () => {
    const all = masking();
    const { body } = kept(answer, {}, all);
    expect(all.maskText(`<${said}>`)).toBe(isLookedFor ? `<${RECEIVER_KEY}>` : `<${said}>`);
    if (isLookedFor) expect(body).toContain(RECEIVER_KEY);
  });

test('a header that every request carries is masked wherever it comes back, unless every server sends what it holds', () => {
  const all = new Masking(
    [alice],
    [
      ['X-Gate', 'gate-secret-4711'],
      ['Accept', 'application/json'],
    ],
  );
  expect(all.maskText('gate-secret-4711')).toBe('[secret:header:X-Gate]');
  for (const type of ['application/json', 'Application/JSON; charset=utf-8']) expect(all.maskText(type)).toBe(type);
});

test("a receiver's key is looked for from the start where it is declared, and in the answer that shows it", () => {
  const apikey = { header: 'X-K', apikey: 'receiver-4711' };
  const declared: Account = { ...alice, settings: { auth: { apikey } } as never };
  expect(masking([declared]).maskText('<receiver-4711>')).toBe(`<${RECEIVER_KEY}>`);
  const shown = JSON.stringify({ debug: 'receiver-4711', webhook: { auth: { apikey } } });
  expect(kept(shown).body).toBe(shown.replaceAll('receiver-4711', RECEIVER_KEY));
});

/** « and » stand around what is masked, ‹ and › around what counts as a password. */
for (const marked of [
  '{"password":["‹pw-1›","‹pw-2›"],"b":["pw-3"]}',
  '{"password":{"a":"pw-1"},"b":"pw-2"}',
  '{"password":«4711»,"n":4711}',
  '{"passwordHint":"«pw-1»"}',
  '{"storedPassword":"‹pw-1›"}',
  '{"hasPassword":"«pw-1»"}',
  '{"password":"‹pw-1›","password":null}',
  'while(1);{"pass\\u0077ord":"«my own»"}',
  // Forms.
  'user=a&password=«pw-1»&x=y',
  "user=a&password=«my,pass;<word>'s»&x=y",
  'auth[basic][password]=«pw-1»&x=y',
  "auth%5Bpassword%5D=«my,pass;<word>'s»&x=y",
  `password=«${'Long4711'.repeat(40)}»&x=y`,
  // Elsewhere nothing is promised.
  '{"n":"{\\"password\\":\\"pw-1\\"}"}',
  '<password>pw-1</password>',
  'password: pw-1\n',
  '[db]\npassword = "pw-1"',
  // None at all.
  '{"password":"[secret:password:alice]"}',
  '{"password":471}',
  '{"passwordHint":4711}',
  '{"password":"xxxxxxxx"}',
  '{"password":"null"}',
  '{"password":null,"hasPassword":true}',
  '{"password":null,"hasPassword":"true"}',
  '{"passwordSet":"No","password":""}',
  'hasPassword=true&x=1',
])
  test(`what nobody declared is known by its name: ${JSON.stringify(marked.slice(0, 90))}`, () => {
    const left = marked
      .replace(/«\d+»/g, `"${PART}"`)
      .replace(/«[^»]*»/g, PART)
      .replace(/‹[^›]*›/g, UNDECLARED);
    expect(withoutUndeclared(marked.replace(/[«»‹›]/g, ''))).toBe(left);
  });
