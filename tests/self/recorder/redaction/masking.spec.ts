/** What is kept of answers and deliveries without the secrets in them, edge by edge. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import type { RawDelivery } from '../../../../src/config/receiver';
import type { Account } from '../../../../src/config/target';
import type { BasicCredentials, HeaderLines } from '../../../../src/evidence/model';
import { authorizationKept, basicCredentialsOf } from '../../../../src/recorder/redaction/credentials';
import { cookiesFrom, Masking } from '../../../../src/recorder/redaction/masking';
import { withoutUndeclared } from '../../../../src/recorder/redaction/undeclared';
import type { WireOutcome } from '../../../../src/recorder/transport/wire';

const KEY = 'masking-key-4711-Aa';
const PASSWORD = 'pass:wörd-4711';
const alice: Account = { name: 'alice', apiKey: KEY, password: PASSWORD };
const UNDECLARED = '[secret:password:(undeclared)]';
const PART = '[secret:password:(undeclared):part]';

const masking = (accounts: Account[] = [alice]) => new Masking(accounts, [['X-Gate', 'gate-secret-4711']]);
const read = probe('read', { account: 'alice' });

function outcomeOf(body: string | Buffer, more: Partial<WireOutcome> = {}): WireOutcome {
  const head = { status: 200, statusText: 'OK', headers: [] };
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  return { ...times, head, aside: [], body: Buffer.from(body), fault: null, resent: false, ...more };
}

const delivered = (more: Partial<RawDelivery>, all = masking()) =>
  all.delivery({ method: 'POST', path: '/hook', headers: [], body: Buffer.from(''), truncated: false, ...more });

const basic = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');
const declared = (username: string): BasicCredentials => ({ username, password: '[secret:password:alice]' });
const other = (username: string, password = UNDECLARED): BasicCredentials => ({ username, password });

for (const [what, lines, credentials, undeclared] of [
  ['a declared password', [`Basic ${basic(`bob:${PASSWORD}`)}`], [declared('bob'), other('bob')], null],
  ['in Latin-1', [`bAsIc  ${basic(`bob:${PASSWORD}`, 'latin1')}`], [declared('bob'), other('bob')], null],
  ['after a username with a colon', [`Basic ${basic(`b:c:${PASSWORD}`)}`], [declared('b:c'), other('b')], null],
  ['a username in Latin-1', [`Basic ${basic('böb:secret', 'latin1')}`], [other('böb')], null],
  ['the ending of another', [`Basic ${basic(`bobx${PASSWORD}`)}`], [other('bobxpass')], 'wörd-4711'],
  ['one of eight bytes', [`Basic ${basic('bob:12345678')}`], [other('bob')], '12345678'],
  ['one of seven', [`Basic ${basic('bob:1234567')}`], [other('bob')], null],
  ['none', [`Basic ${basic('bob:')}`], [other('bob', '')], null],
  ['one that is none', [`Basic ${basic('bob:[object Object]')}`], [other('bob', '[object Object]')], null],
  ['no username', [`Basic ${basic(':12345678')}`], [other('')], '12345678'],
  ['no colon', [`Basic ${basic('bob')}`], [], null],
  ['base64 that is cut', ['Basic Ym9iOmE'], [], null],
  ['another scheme', [`Bearer ${basic('bob:12345678')}`], [], null],
  ['two lines', [`Basic ${basic('bob:a')}`, `Basic ${basic('bob:a')}`], [], null],
] as ReadonlyArray<[string, string[], BasicCredentials[], string | null]>)
  test(`Basic credentials with ${what}`, () => {
    const headers: HeaderLines = [['Host', 'x'], ...lines.map((line) => ['AUTHORIZATION', line] as const)];
    expect(basicCredentialsOf(headers, [alice, { name: 'zoe', apiKey: 'x' }])).toEqual({ credentials, undeclared });
  });

for (const [value, kept] of [
  ['Basic Ym9iOmE=', `Basic ${UNDECLARED}`],
  ['Bearer abc', 'Bearer [secret:receiverKey:(undeclared)]'],
  ['abc', '[secret:receiverKey:(undeclared)]'],
  ['bearer', 'bearer'],
  [' Basic', ' Basic'],
  ['  ', '  '],
  ['Bearer [secret:apiKey:alice]', 'Bearer [secret:apiKey:alice]'],
] as const)
  test(`of the credentials ${JSON.stringify(value)} is kept: ${kept}`, () => {
    expect(authorizationKept('authorization', value)).toBe(kept);
    expect(authorizationKept('Proxy-Authorization', value)).toBe(kept);
    expect(authorizationKept('X-Authorization', value)).toBe(value);
  });

for (const [name, value, kept] of [
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
  test(`of the header line ${name}: ${value.replace(KEY, 'KEY')} the value is kept as ${kept}`, () => {
    const lines = masking().answerLines([[name, value]]);
    expect(lines).toEqual([[name.replace(KEY, '[secret:apiKey:alice]'), kept]]);
  });

test('what was masked is masked again once another secret is known', () => {
  const all = masking();
  const [later, marker] = ['later-secret-4711', '[secret:receiverKey:alice]'];
  const kept = (text: string) => ({
    ...{ body: text, bodyEncoding: 'utf8' as const, path: `/${text}`, statusText: text },
    ...{ headers: [['X-Echo', text]] as HeaderLines, aside: [['A', text]] as HeaderLines },
  });
  expect(all.again(kept(later))).toEqual(kept(later));
  const before = all.size;
  for (let i = 0; i < 2; i += 1) all.add(marker, later);
  expect(all.size).toBe(before + 1);
  expect(all.again(kept(later))).toEqual(kept(marker));
});

test('the cookies that an answer sets are sent back, all of them, and shown nowhere', () => {
  const all = masking();
  const headers: HeaderLines = [
    ['Set-Cookie', 'a=first-4711; Path=/'],
    ['Date', 'x=y'],
    ['SET-COOKIE', 'b=second'],
  ];
  all.answerBody(outcomeOf('{}', { head: { status: 200, statusText: '', headers } }), read, 'alice');
  expect(all.reveal(cookiesFrom(read))).toBe('a=first-4711; b=second');
  expect(masking().reveal(cookiesFrom(read))).toBe(cookiesFrom(read));
});

const settings = (auth: unknown) => JSON.stringify({ webhook: { auth } });
const LONGEST = 'k4711'.repeat(1000).slice(0, 4096);

for (const [what, apikey, said, shown] of [
  ['a text', 'receiver-4711', 'receiver-4711', true],
  ['a number', 471_147_114_711, '471147114711', true],
  ['in a list', ['x1', 'receiver-4711'], 'receiver-4711', true],
  ['in an object', { key: { value: 'receiver-4711' } }, 'receiver-4711', true],
  ['nothing', null, 'null', false],
  ['a truth value', true, 'true', false],
  ['the hundredth', [...Array.from({ length: 99 }, (_, i) => `x${i}`), 'receiver-4711'], 'receiver-4711', true],
  ['after a hundred', [...Array.from({ length: 100 }, (_, i) => `x${i}`), 'receiver-4711'], 'receiver-4711', false],
  ['as long as it may be', LONGEST, LONGEST, true],
  ['longer', `${LONGEST}x`, `${LONGEST}x`, false],
] as const)
  test(`a receiver’s key that settings name is ${shown ? '' : 'not '}looked for elsewhere: ${what}`, () => {
    const all = masking();
    all.answerBody(outcomeOf(settings({ apikey: { apikey } })), read, 'alice');
    expect(all.maskText(`<${said}>`)).toBe(shown ? '<[secret:receiverKey:alice]>' : `<${said}>`);
  });

test('a password that nobody declared is masked in the header lines of a delivery too', () => {
  const { headers } = delivered({
    headers: [
      ['X-Password', 'pw-1234'],
      ['X-Debug', 'a=b; password=pw-1234'],
    ],
  });
  expect(headers.map(([, value]) => value)).toEqual([PART, `a=b; password=${PART}`]);
});

test('a password that nobody declared is masked in Latin-1 too, in answers and deliveries', () => {
  const body = Buffer.from('{"naïve":"Zoë","password":"pw-1234"}', 'latin1');
  for (const kept of [masking().answerBody(outcomeOf(body), read, 'alice'), delivered({ body })])
    expect(Buffer.from(kept.body, kept.bodyEncoding).toString('latin1')).toBe(
      `{"naïve":"Zoë","password":"${UNDECLARED}"}`,
    );
});

test('a username of a receiver is told only once settings have named it', () => {
  const all = masking();
  const sent: Partial<RawDelivery> = {
    headers: [['Authorization', `Basic ${basic('carol:unknown-4711')}`]],
    body: Buffer.from('{"echo":"unknown-4711"}'),
  };
  expect(delivered(sent, all)).toEqual({
    path: '/hook',
    headers: [['Authorization', 'Basic [secret:password:(undeclared):base64]']],
    body: `{"echo":"${UNDECLARED}"}`,
    bodyEncoding: 'utf8',
    basic: [{ username: null, password: UNDECLARED }],
  });
  all.answerBody(outcomeOf(settings({ basic: { username: 'carol' } })), read, 'alice');
  expect(delivered(sent, all).basic).toEqual([{ username: 'carol', password: UNDECLARED }]);
  // The account's credentials are known from then on, as one text too: a short password alone is not looked for in it.
  const short = masking([{ ...alice, password: 'pw1' }]);
  short.answerBody(outcomeOf(settings({ basic: { username: 'carol' } })), read, 'alice');
  expect(short.maskText(`see ${basic('carol:pw1')}`)).toContain('[secret:password:alice:basic');
});

test('a body that is no text is kept as base64, masked', () => {
  const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from(KEY)]);
  const { body, bodyEncoding } = masking().answerBody(outcomeOf(bytes), read, 'alice');
  expect(bodyEncoding).toBe('base64');
  expect(Buffer.from(body, 'base64').toString('latin1')).toBe('\xff[secret:apiKey:alice]');
});

test('the beginning of a secret is left out where an answer broke, or what was sent is cut', () => {
  const cut = `{"you":"${KEY.slice(0, 12)}`;
  const fault = { kind: 'truncated', message: '' } as const;
  expect(masking().answerBody(outcomeOf(cut, { fault }), read, 'alice').body).not.toContain('masking-key');
  expect(masking().answerBody(outcomeOf(cut), read, 'alice').body).toBe(cut);
  const whole = 'x'.repeat(65_536 - KEY.length) + KEY;
  expect(masking().sentBody(Buffer.from(whole)).body).toMatch(/x\[secret:apiKey:alice\]$/);
  const { body } = masking().sentBody(Buffer.from(`xxxxx${whole}`));
  expect(body).not.toContain('masking');
  expect(body.length).toBeLessThanOrEqual(65_536);
});

for (const [member, value, isLookedFor] of [
  ['password', '12345678', true],
  ['password', '1234567', false],
  ['password', 'letters only', false],
  ['passwordHint', '12345678', false],
] as const)
  test(`${value} as ${member} is ${isLookedFor ? '' : 'not '}looked for in what comes later`, () => {
    const all = masking();
    const told = { body: `{"${member}":"${member === 'password' ? UNDECLARED : PART}"}` };
    expect(all.answerBody(outcomeOf(JSON.stringify({ [member]: value })), read, 'alice')).toMatchObject(told);
    expect(all.maskText(value)).toBe(isLookedFor ? UNDECLARED : value);
  });

/** « and » stand around what is masked. */
for (const marked of [
  '{"password":{"a":"«pw-1»"},"b":"pw-2"}',
  '{"password":["«pw-1»"],"b":["pw-2"]}',
  '{"password":«4711»,"n":4711}',
  '{"pwd":[[«4711»]],"n":4711}',
  '{"passwordHint":"«pw-1»"}',
  '{"storedPassword":"«pw-1»"}',
  '{"hasPassword":"«pw-1»"}',
  '{"hasPassword":"«pw-1»"}},',
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
  '{"password":null,"hasPassword":true},',
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
for (const [what, marked, fault] of [
  ['twice', '{"apikey":{"apikey":"«K-4711-a»","apikey":"«K-4711-b»"}}', null],
  ['in answers that break off', '{"apikey":{"header":"X-K","apikey":"«K-4711-a»', 'truncated'],
  ['in JSON within JSON', '["{\\"apikey\\":{\\"apikey\\":\\"«K-4711-a»\\"}}"]', null],
  ['not where a header is sent back', '{"headers":{"apikey":"K-4711-a"}}', null],
] as const)
  test(`a receiver’s key is known by its member: ${what}`, () => {
    const answer = outcomeOf(marked.replace(/[«»]/g, ''), { fault: fault && { kind: fault, message: '' } });
    const { body } = masking().answerBody(answer, read, 'alice');
    expect(body).toBe(marked.replace(/«.*?»/g, '[secret:receiverKey:alice]'));
  });

test('so many strings are read as JSON, and no more: it costs too much to find that one is none', () => {
  const { text } = withoutUndeclared(JSON.stringify(Array(1001).fill('{"password":"pw-1"}')));
  expect([text.split(UNDECLARED).length - 1, text.split(PART).length - 1]).toEqual([1000, 1]);
});

test('a receiver’s key of some length is one wherever it stands', () => {
  const told = (length: number) =>
    withoutUndeclared(JSON.stringify({ apikey: 'k4'.repeat(length).slice(0, length) })).text;
  expect(told(65)).toBe('{"apikey":"[secret:receiverKey:(undeclared)]"}');
  expect(told(64)).toContain('k4k4');
});
