/** What is kept of answers and deliveries without the secrets in them, edge by edge. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { Account } from '../../../src/config/target';
import type { HeaderLines } from '../../../src/evidence/model';
import { cookiesFrom, Masking } from '../../../src/recorder/masking';
import { withoutUndeclared } from '../../../src/redaction/undeclared';
import { BROKEN, deliveryOf, outcomeOf } from '../support/raw-messages';

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

test('a username of a receiver is told only once settings have named it, and its credentials are known from then on', () => {
  const all = masking([{ ...alice, password: 'pw1' }]);
  const sent = { headers: [['Authorization', basic('carol:unknown-4711')]] as HeaderLines };
  expect(delivered(sent, all).basic).toEqual([{ username: null, password: UNDECLARED }]);
  kept(settings({ basic: { username: 'carol' } }), {}, all);
  expect(delivered({ ...sent, body: Buffer.from('"unknown-4711"') }, all)).toMatchObject({
    basic: [{ username: 'carol', password: UNDECLARED }],
    body: `"${UNDECLARED}"`,
  });
  const ours = { headers: [['Authorization', basic('[secret:password:alice]:x')]] as HeaderLines };
  expect(delivered(ours, all).basic).toEqual([{ username: null, password: UNDECLARED }]);
  // A short password alone is not looked for in it.
  expect(all.maskText(`see ${basic('carol:pw1')}`)).toContain('[secret:password:alice:basic');
});

for (const apikey of ['retired', 'Ab3$x', 'receivers-key-4711', 12_345])
  test(`an answer that learns of a receiver’s key is kept as those that come later: ${apikey}`, () => {
    const all = masking();
    const bodies = [1, 2].map(() => kept(settings({ apikey: { header: 'X-Key', apikey } }), {}, all).body);
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).toContain('[secret:receiverKey:alice');
  });

for (const [who, url] of [
  ['a declared password', 'https://carol:pass%20word%2F4711@hooks.example/start'],
  ['a password that nobody declared', 'https://ops:hook%2F4711@hooks.example/start'],
  ['a short one', 'https://u:p@hooks.example/start'],
] as const)
  test(`an address with a user and ${who} is kept alike in every answer, without either`, () => {
    const all = masking([{ ...alice, password: 'pass word/4711' }]);
    const document = JSON.stringify({ webhook: { start: { url }, auth: { basic: { username: 'carol' } } } });
    const bodies = [1, 2].map(() => kept(document, {}, all).body);
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).toMatch(
      /"https:\/\/\[secret:(?:password:alice:basic|receiverKey:alice)\](?:@hooks.example)?\/start"/,
    );
  });

/** « and » stand around what becomes the marker. */
for (const [name, marked, marker = PART] of [
  ['X-Password', '«pw-1234»'],
  ['X-Debug', 'user=a; password="«pw-1234»"'],
  ['X-Has-Password', 'true'],
  ['Location', '/x?password=«pw-1234»&a=b'],
  ['WWW-Authenticate', 'Basic realm="x", password="«pw-1234»"'],
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
    // Only answers set cookies, and only deliveries hold credentials.
    if (!/^(?:proxy-)?auth/i.test(name)) expect(masking().lines([[name, came]])).toEqual([[name, left]]);
    if (!/^set-/i.test(name)) expect(delivered({ headers: [[name, came]] }).headers).toEqual([[name, left]]);
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

test('the beginning of a secret is left out where an answer broke, or what was sent is cut', () => {
  const cut = `{"you":"${KEY.slice(0, 12)}`;
  expect([kept(cut, BROKEN).body, kept(cut).body]).toEqual(['{"you":"', cut]);
  const whole = 'x'.repeat(65_536 - KEY.length) + KEY;
  expect(masking().sentBody(Buffer.from(whole)).body).toMatch(/x\[secret:apiKey:alice\]$/);
  expect(masking().sentBody(Buffer.from(`xxxxx${whole}`)).body).toMatch(/^x{65522}$/);
});

test('a body that was sent is kept decoded, and nothing of one that cannot be', () => {
  const body = Buffer.from(`{"you":"${KEY}"}`);
  const sent = (bytes: Buffer, coding: string) => masking().sentBody(bytes, [['Content-Encoding', coding]]).body;
  for (const [coding, encoded] of [
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['gzip, gzip', gzipSync(gzipSync(body))],
  ] as const)
    expect(sent(encoded, coding), coding).toBe(`{"you":"${ALICE}"}`);
  expect([sent(body, 'gzip'), sent(gzipSync(Buffer.alloc(2 ** 25)), 'gzip')]).toEqual(['', '']);
});

/** Each: what an answer says, and whether it is looked for in what comes later. */
for (const [what, answer, said, isLookedFor] of [
  ['a receiver’s key', settings({ apikey: { apikey: 'receiver-4711' } }), 'receiver-4711', true],
  ['one that is a number', settings({ apikey: { apikey: 471_147_114_711 } }), '471147114711', true],
  ['one in a list', settings({ apikey: { apikey: ['x', 'receiver-4711'] } }), 'receiver-4711', true],
  ['one in an object', settings({ apikey: { apikey: { key: { value: 'rec-4711' } } } }), 'rec-4711', true],
  ['no key', settings({ apikey: { apikey: null } }), 'null', false],
  ['a password of eight characters', '{"password":"12345678"}', '12345678', true],
  ['one of seven', '{"password":"1234567"}', '1234567', false],
  ['one of letters', '{"password":"letters only"}', 'letters only', false],
  ['a hint', '{"passwordHint":"12345678"}', '12345678', false],
] as const)
  test(`what an answer tells is ${isLookedFor ? '' : 'not '}looked for later: ${what}`, () => {
    const all = masking();
    kept(answer, {}, all);
    const marker = what.includes('password') ? UNDECLARED : RECEIVER_KEY;
    expect(all.maskText(`<${said}>`)).toBe(isLookedFor ? `<${marker}>` : `<${said}>`);
  });

test("a receiver's key is looked for from the start where it is declared, and in the answer that tells it", () => {
  const apikey = { header: 'X-K', apikey: 'receiver-4711' };
  const declared: Account = { ...alice, settings: { auth: { apikey } } as never };
  expect(masking([declared]).maskText('<receiver-4711>')).toBe(`<${RECEIVER_KEY}>`);
  const told = JSON.stringify({ debug: 'receiver-4711', webhook: { auth: { apikey } } });
  expect(kept(told).body).toBe(told.replaceAll('receiver-4711', RECEIVER_KEY));
});

/** « and » stand around a password, ‹ and › around a receiver's key. */
for (const marked of [
  '{"apikey":{"apikey":"‹K-4711-a›","apikey":"‹K-4711-b›"}}',
  '{"apikey":{"header":"X-K","apikey":"‹K-4711-a›',
  '{"apikey":{"apikey":"basic"}}',
  '{"url":"https://‹ops:hook@4711›@hooks.example/a:b@c","b":["HTTPS://‹ops:hook-4711›@hooks.example"]}',
  '{"start":{"url":"https://‹ops:hook-4711›@hooks.example/a',
  '{"url":"https://ops@hooks.example/a:b@c"}',
  // Where a header is sent back.
  '{"headers":{"apikey":"K-4711-a"}}',
  '{"password":{"a":"«pw-1»"},"b":"pw-2"}',
  '{"password":["«pw-1»"],"b":["pw-2"]}',
  '{"password":«4711»,"n":4711}',
  '{"passwordHint":"«pw-1»"}',
  '{"storedPassword":"«pw-1»"}',
  '{"hasPassword":"«pw-1»"}',
  '{"password":"«pw-1»","password":null}',
  // JSON that is cut, and behind something.
  '{"a":{"password":"«my own pw»',
  'while(1);{"pass\\u0077ord":"«my own»"}',
  // Forms.
  'user=a&password=«pw-1»&x=y',
  "user=a&password=«my,pass;<word>'s»&x=y",
  'auth[basic][password]=«pw-1»&x=y',
  "auth%5Bpassword%5D=«my,pass;<word>'s»&x=y",
  `password=«${'Long4711'.repeat(40)}»&x=y`,
  // Elsewhere nothing is promised.
  '{"n":"{\\"password\\":\\"pw-1\\"}"}',
  'Content-Disposition: form-data; name="password"\r\n\r\npw-1\r\n--x',
  '<password>pw-1</password>',
  'password: pw-1\n',
  '{"password"=>"pw-1"}',
  '[db]\npassword = "pw-1"',
  // None at all.
  '{"password":471}',
  '{"passwordHint":4711}',
  '{"password":"xxxxxxxx"}',
  '{"password":"null"}',
  '{"password":null,"hasPassword":true}',
  '{"password":"********"}',
  '{"password":null,"hasPassword":"true"}',
  '{"passwordSet":"No","password":""}',
  '{"basic":{"hasPassword":false,"password":null}},',
  'hasPassword=true&x=1',
  'Basic [secret:password:with-password:base64]\n',
  'Send a password\r\n\r\nThen wait.',
])
  test(`what nobody declared is known by its name: ${JSON.stringify(marked.slice(0, 90))}`, () => {
    const left = marked.replace(/«\d+»/g, `"${PART}"`).replace(/«.*»/g, PART).replace(/‹.*?›/g, RECEIVER_KEY);
    const { text } = withoutUndeclared(marked.replace(/[«»‹›]/g, ''), 'alice');
    expect(text.replaceAll(UNDECLARED, PART)).toBe(left);
  });
