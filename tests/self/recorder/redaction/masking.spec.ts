/** What is kept of answers and deliveries without the secrets in them, edge by edge. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import type { RawDelivery } from '../../../../src/config/receiver';
import type { Account } from '../../../../src/config/target';
import type { HeaderLines } from '../../../../src/evidence/model';
import { cookiesFrom, Masking } from '../../../../src/recorder/redaction/masking';
import { withoutUndeclared } from '../../../../src/recorder/redaction/undeclared';
import type { WireOutcome } from '../../../../src/recorder/transport/wire';
import { evidenceOf, found } from '../../support/evidence-of';
import { filesBelow, ROOT } from '../../support/whole-runs';

const KEY = 'masking-key-4711-Aa';
const PASSWORD = 'pass:wörd-4711';
const alice: Account = { name: 'alice', apiKey: KEY, password: PASSWORD };
const UNDECLARED = '[secret:password:(undeclared)]';
const PART = '[secret:password:(undeclared):part]';
const RECEIVER_KEY = '[secret:receiverKey:alice]';

const masking = (accounts: Account[] = [alice]) => new Masking(accounts, [['X-Gate', 'gate-secret-4711']]);
const read = probe('read', { account: 'alice' });
const broken = { fault: { kind: 'truncated', message: '' } } as const;

function outcomeOf(body: string | Buffer, more: Partial<WireOutcome> = {}): WireOutcome {
  const head = { status: 200, statusText: 'OK', headers: [] };
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  return { ...times, head, aside: [], body: Buffer.from(body), fault: null, resent: false, ...more };
}
const kept = (body: string | Buffer, more: Partial<WireOutcome> = {}, all = masking()) =>
  all.answerBody(outcomeOf(body, more), read, 'alice');
const settings = (auth: unknown) => JSON.stringify({ webhook: { auth } });

const delivered = (more: Partial<RawDelivery>, all = masking()) =>
  all.delivery({ method: 'POST', path: '/hook', headers: [], body: Buffer.from(''), truncated: false, ...more });
const basic = (text: string, encoding: BufferEncoding = 'utf8') =>
  `Basic ${Buffer.from(text, encoding).toString('base64')}`;

/** Each: lines `Authorization`, as `user:account` what they may tell, and what is looked for in the body from then on. */
for (const [what, lines, told, soughtWord = ''] of [
  ['a declared password', [basic(`bob:${PASSWORD}`)], ['bob:alice', 'bob:?']],
  ['in Latin-1', [basic(`bob:${PASSWORD}`, 'latin1').replace('Basic ', 'bAsIc  ')], ['bob:alice', 'bob:?']],
  ['after a username with a colon', [basic(`b:c:${PASSWORD}`)], ['b:c:alice', 'b:?']],
  ['a username in Latin-1', [basic('böb:secret', 'latin1')], ['böb:?']],
  ['the ending of another', [basic(`bobx${PASSWORD}`)], ['bobxpass:?'], 'wörd-4711'],
  ['one of eight bytes', [basic('bob:12345678')], ['bob:?'], '12345678'],
  ['one of seven', [basic('bob:1234567')], ['bob:?']],
  ['none', [basic('bob:')], ['bob:']],
  ['one that is none', [basic('bob:[object Object]')], ['bob:[object Object]']],
  ['no username', [basic(':12345678')], [':?'], '12345678'],
  ['no colon', [basic('bob')], []],
  ['base64 that is cut', ['Basic Ym9iOmE'], []],
  ['another scheme', [basic('bob:12345678').replace('Basic', 'Bearer')], []],
  ['two lines', [basic('bob:a'), basic('bob:a')], []],
  ['a marker of ours as its username', [basic('[secret:password:alice]:x')], ['null:?']],
] as ReadonlyArray<[string, string[], string[], string?]>)
  test(`Basic credentials with ${what}`, () => {
    const all = masking([alice, { name: 'zoe', apiKey: 'x' }]);
    for (const username of ['bob', 'b:c', 'b', 'böb', 'bobxpass']) kept(settings({ basic: { username } }), {}, all);
    const body = '"wörd-4711" "12345678" "1234567"';
    const headers: HeaderLines = [['Host', 'x'], ...lines.map((line) => ['AUTHORIZATION', line] as const)];
    const delivery = delivered({ headers, body: Buffer.from(body) }, all);
    const passwords: Record<string, string> = { '[secret:password:alice]': 'alice', [UNDECLARED]: '?' };
    expect(delivery.basic.map(({ username, password }) => `${username}:${passwords[password] ?? password}`)).toEqual(
      told,
    );
    expect(delivery.body).toBe(soughtWord ? body.replace(soughtWord, UNDECLARED) : body);
  });

test('a username of a receiver is told only once settings have named it, and its credentials are known from then on', () => {
  const all = masking([{ ...alice, password: 'pw1' }]);
  const sent = { headers: [['Authorization', basic('carol:unknown-4711')]] as HeaderLines };
  expect(delivered(sent, all).basic).toEqual([{ username: null, password: UNDECLARED }]);
  kept(settings({ basic: { username: 'carol' } }), {}, all);
  expect(delivered(sent, all).basic).toEqual([{ username: 'carol', password: UNDECLARED }]);
  // A short password alone is not looked for in it.
  expect(all.maskText(`see ${basic('carol:pw1')}`)).toContain('[secret:password:alice:basic');
});

/** Each: what a stranger sends to the receiver, and what is kept of it. */
for (const [name, value, left = value] of [
  ['Authorization', 'Basic Ym9iOmE=', `Basic ${UNDECLARED}`],
  ['Proxy-Authorization', 'Bearer abc', 'Bearer [secret:receiverKey:(undeclared)]'],
  ['authorization', 'abc', '[secret:receiverKey:(undeclared)]'],
  ['Authorization', 'bearer'],
  ['Authorization', ' Basic'],
  ['Authorization', '  '],
  ['Authorization', `Bearer ${KEY}`, 'Bearer [secret:apiKey:alice]'],
  ['X-Authorization', 'abc'],
  ['X-Password', 'pw-1234', PART],
  ['X-Debug', 'a=b; password=pw-1234', `a=b; password=${PART}`],
  // What looks like a marker is never one of ours.
  ['X-T', '[secret:receiverKey:alpha]', '[said:secret:receiverKey:alpha]'],
  ['X-[secret:a:b]', '1'],
  ['path', '/[secret:a:b][secret:a:b]', '/[said:secret:a:b][said:secret:a:b]'],
  ['body', '"[secret:password:alice]"', '"[said:secret:password:alice]"'],
  ['body', '{"naïve":"Zoë","password":"pw-1234"}', `{"naïve":"Zoë","password":"${UNDECLARED}"}`],
] as ReadonlyArray<[string, string, string?]>)
  test(`of a delivery with ${value} as its ${name} is kept: ${left}`, () => {
    const part = { path: value, body: Buffer.from(value, 'latin1') }[name];
    const { path, body, bodyEncoding, headers } = delivered(part ? { [name]: part } : { headers: [[name, value]] });
    const parts: Record<string, string> = { path, body: Buffer.from(body, bodyEncoding).toString('latin1') };
    expect(parts[name] ?? headers[0]).toEqual(part ? left : [name.replace('[secret', '[said:secret'), left]);
  });

test('a username that reads like a marker accuses nobody', () => {
  const recorded = kept(settings({ basic: { username: '[secret:password:alice]' } }));
  expect(recorded.body).toContain('[said:secret:password:alice]');
  const evidence = evidenceOf([{ account: 'alice', ...recorded }], {
    accounts: [{ name: 'alice', passwordDeclared: true }],
  });
  expect(found('settings.password-absent', evidence)).toEqual([]);
});

test('nothing is decompressed on trial: only declared codings are read, and entries of traces', () => {
  const sources = filesBelow(join(ROOT, 'src')).filter((name) =>
    /from '(?:node:zlib|fflate)'/.test(readFileSync(join(ROOT, 'src', name), 'utf8')),
  );
  expect(sources.sort()).toEqual(['playwright/own/zip.ts', 'recorder/transport/content-coding.ts']);
});

for (const [name, value, left] of [
  ['Set-Cookie', 'sid=12345678; Path=/', 'sid=[secret:cookie:sid]; Path=/'],
  ['set-cookie', 'sid=1234567; Path=/', 'sid=1234567; Path=/'],
  ['Set-Cookie', `sid=${KEY}; Path=/`, 'sid=[secret:apiKey:alice]; Path=/'],
  ['Cookie-Like', 'sid=12345678; Path=/', 'sid=12345678; Path=/'],
  ['X-Echo', `a ${KEY} b`, 'a [secret:apiKey:alice] b'],
  ['X-Echo', 'gate-secret-4711', '[secret:header:X-Gate]'],
  [`X-${KEY}`, 'a', 'a'],
  ['X-Password', 'pw-1234', PART],
  ['X-Debug', 'user=a; password="pw-1234"', `user=a; password="${PART}"`],
  ['X-Debug', '{"password":"pw-1234"}', `{"password":"${PART}"}`],
  ['X-Has-Password', 'true', 'true'],
  ['Location', '/x?a=%22password%22%3A%22pw-1234%22', `/x?a=%22password%22%3A%22${PART}%22`],
  // Headers of the protocol.
  ['WWW-Authenticate', 'Basic realm="x", password="pw-1234"', `Basic realm="x", password="${PART}"`],
  ['Access-Control-Allow-Headers', 'Password, X-Password', 'Password, X-Password'],
  // Cookies.
  ['Set-Cookie', 'sid = 12345678; Path=/', 'sid =[secret:cookie:sid]; Path=/'],
  ['Set-Cookie', '=12345678', '=[secret:cookie:nameless]'],
  ['Set-Cookie', '12345678; a=b', '[secret:cookie:nameless]; a=b'],
] as const)
  test(`of the header line ${name}: ${value.replace(KEY, 'KEY')} the value is kept as ${left}`, () => {
    const lines = masking().lines([[name, value]]);
    expect(lines).toEqual([[name.replace(KEY, '[secret:apiKey:alice]'), left]]);
  });

test('what was masked is masked again once another secret is known', () => {
  const all = masking();
  const later = 'later-secret-4711';
  const recorded = (text: string) => ({
    ...{ body: text, bodyEncoding: 'utf8' as const, path: `/${text}`, statusText: text },
    ...{ headers: [['X-Echo', text]] as HeaderLines, aside: [['A', text]] as HeaderLines },
  });
  expect(all.again(recorded(later))).toEqual(recorded(later));
  for (let i = 0; i < 2; i += 1) all.add(RECEIVER_KEY, later);
  expect(all.size).toBe(masking().size + 1);
  expect(all.again(recorded(later))).toEqual(recorded(RECEIVER_KEY));
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
  expect([kept(cut, broken).body, kept(cut).body]).toEqual(['{"you":"', cut]);
  const whole = 'x'.repeat(65_536 - KEY.length) + KEY;
  expect(masking().sentBody(Buffer.from(whole)).body).toMatch(/x\[secret:apiKey:alice\]$/);
  expect(masking().sentBody(Buffer.from(`xxxxx${whole}`)).body).toMatch(/^x{65522}$/);
});

test('a body that is no text is kept as base64, masked', () => {
  const { body, bodyEncoding } = kept(Buffer.concat([Buffer.from([0xff]), Buffer.from(KEY)]));
  expect([bodyEncoding, Buffer.from(body, 'base64').toString('latin1')]).toEqual([
    'base64',
    '\xff[secret:apiKey:alice]',
  ]);
});

const LONGEST = 'k4711'.repeat(1000).slice(0, 4096);
const hundred = Array.from({ length: 100 }, (_, i) => `x${i}`);

/** Each: what an answer says, and whether it is looked for in what comes later. */
for (const [what, answer, said, isLookedFor] of [
  ['a receiver’s key', settings({ apikey: { apikey: 'receiver-4711' } }), 'receiver-4711', true],
  ['one that is a number', settings({ apikey: { apikey: 471_147_114_711 } }), '471147114711', true],
  ['one in a list', settings({ apikey: { apikey: [...hundred.slice(1), 'receiver-4711'] } }), 'receiver-4711', true],
  ['after a hundred', settings({ apikey: { apikey: [...hundred, 'receiver-4711'] } }), 'receiver-4711', false],
  ['one in an object', settings({ apikey: { apikey: { key: { value: 'rec-4711' } } } }), 'rec-4711', true],
  ['no key', settings({ apikey: { apikey: null } }), 'null', false],
  ['one as long as it may be', settings({ apikey: { apikey: LONGEST } }), LONGEST, true],
  ['a longer one', settings({ apikey: { apikey: `${LONGEST}x` } }), `${LONGEST}x`, false],
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

/** « and » stand around what is masked. */
for (const marked of [
  '{"password":{"a":"«pw-1»"},"b":"pw-2"}',
  '{"password":["«pw-1»"],"b":["pw-2"]}',
  '{"password":«4711»,"n":4711}',
  '{"passwordHint":"«pw-1»"}',
  '{"storedPassword":"«pw-1»"}',
  '{"hasPassword":"«pw-1»"}',
  '{"password":"«pw-1»","password":null}',
  // JSON that is cut, behind something, within a string, and a string.
  '{"a":{"password":"«my own pw»',
  'while(1);{"pass\\u0077ord":"«my own»"}',
  '{"n":"{\\"password\\":\\"«pw-1»\\"}"}',
  '"{\\"password\\":\\"«pw-1»\\"}"',
  // Forms.
  'user=a&password=«pw-1»&x=y',
  "user=a&password=«my,pass;<word>'s»&x=y",
  'auth[basic][password]=«pw-1»&x=y',
  'auth%5Bpassword%5D=«pw-1»&x=y',
  "auth%5Bpassword%5D=«my,pass;<word>'s»",
  '<input name="password" type="text" value="«pw-1»">',
  '<input name="password" value="«my pass word»">',
  '--x\r\nContent-Disposition: form-data; name="password"\r\nContent-Type: text/plain\r\n\r\n«pw-1»\r\n--x',
  `Content-Disposition: form-data; name="password"\r\n\r\n«my "pass', word»\r\n--x`,
  `password=«${'Long4711'.repeat(40)}»&x=y`,
  // Elements.
  '<password>«pw-1»</password>',
  '<password>«my pass word»</password>',
  '<a:password xml:lang="en">«pw-1»</a:password>',
  '<password><![CDATA[«pw-1»]]></password>',
  '<password><![CDATA[«my <pass> word»]]></password>',
  '<pre>{&quot;password&quot;: &quot;«pw-1»&quot;}</pre>',
  '&quot;password&quot;: &quot;«my pass word»&quot;}',
  // Lines and code.
  'password: «pw-1»\n',
  `password: «${'Long4711'.repeat(40)}»\n`,
  '{"password": "«my pass word»"',
  '{"password"=>"«pw-1»"}',
  '{:password => "«pw-1»"}',
  '[password] => «pw-1»\n',
  `password='«my "pass" word»'\n`,
  '[db]\npassword = "«a \\" quoted word»" ; of it',
  "a=b; password='«my, pass; word»'; c=d",
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
  '<label>Password:</label>',
  'Wrong password',
  '<p class="password">\n\nNone</p>',
  '<a href="/password" class="x">Forgotten</a>',
  '<input name="password" type="password">',
  'Send a password\r\n\r\nThen wait.',
])
  test(`a password that nobody declared is known by its name: ${JSON.stringify(marked.slice(0, 90))}`, () => {
    const masked = marked.replace(/«\d+»/g, `"${PART}"`).replace(/«.*»/g, PART);
    expect(withoutUndeclared(marked.replace(/[«»]/g, '')).text.replaceAll(UNDECLARED, PART)).toBe(masked);
  });

/** « and » stand around what is masked. */
for (const [what, marked, more = {}] of [
  ['a member twice', '{"apikey":{"apikey":"«K-4711-a»","apikey":"«K-4711-b»"}}'],
  ['an answer that breaks off', '{"apikey":{"header":"X-K","apikey":"«K-4711-a»', broken],
  ['JSON within JSON', '["{\\"apikey\\":{\\"apikey\\":\\"«K-4711-a»\\"}}"]'],
  ['a long member', `{"apikey":"«${'k4'.repeat(33)}»"}`],
  ['not a short one', `{"apikey":"${'k4'.repeat(32)}"}`],
  ['not where a header is sent back', '{"headers":{"apikey":"K-4711-a"}}'],
] as ReadonlyArray<[string, string, Partial<WireOutcome>?]>)
  test(`a receiver’s key is known by its member: ${what}`, () => {
    expect(kept(marked.replace(/[«»]/g, ''), more).body).toBe(marked.replace(/«.*?»/g, RECEIVER_KEY));
  });

test('so many strings are read as JSON, and no more: it costs too much to find that one is none', () => {
  const { text } = withoutUndeclared(JSON.stringify(Array(1001).fill('{"password":"pw-1"}')));
  expect([text.split(UNDECLARED).length - 1, text.split(PART).length - 1]).toEqual([1000, 1]);
});
