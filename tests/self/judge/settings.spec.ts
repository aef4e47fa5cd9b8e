/**
 * What the rules of the settings, and of secrets in answers, find in small evidence: one row for each edge. Which document
 * breaks which of them, `contract/settings.spec.ts` shows.
 */
import { expect, test } from '@playwright/test';
import { accountsNamed, at, BASE, evidenceOf, found, keyless, type Sketch, serving } from '../support/evidence-of';

type Found = string[] | string;
const NEVER = 'GET /webhooks was never accepted, so there is no document to judge: fix auth.accepted first';
const NO_WEBHOOK = 'No document has `webhook`: fix settings.envelope first.';

for (const [clause, what, bodies, expected] of [
  ['settings.envelope', 'none', [], NEVER],
  ['settings.envelope', 'no JSON', ['<'], 'No document is JSON: fix settings.json first.'],
  ['settings.envelope', 'one good', ['{"webhook":{}}'], []],
  ['settings.envelope', 'null', ['null'], ['the answer: null instead of an object']],
  ['settings.envelope', 'a list', ['[]'], ['the answer: an array instead of an object']],
  ['settings.envelope', 'a list within', ['{"webhook":[]}'], ['webhook: an array']],
  ['settings.envelope', 'empty', ['{}'], ['webhook: missing']],
  ['settings.kinds', 'none', [], NEVER],
  ['settings.kinds', 'no webhook', ['{}'], NO_WEBHOOK],
  ['settings.json', 'empty', [''], ['the answer: an empty body']],
  [
    'settings.json',
    'a byte order mark',
    ['\uFEFF{}'],
    ['the answer: a body that begins with a byte order mark, which is not JSON'],
  ],
  ['settings.json', 'a byte order mark within', ['{"a":"\uFEFF"}'], []],
  ['settings.stable', 'a document without settings', ['{"webhook":{"auth":{}}}', '{}', '{"webhook":{"auth":{}}}'], []],
  [
    'settings.stable',
    'another one',
    ['{"webhook":{"auth":{}}}', '{"webhook":{"auth":1}}'],
    ['alice: other settings than those of entry 0, its first read'],
  ],
] as ReadonlyArray<[string, string, string[], Found]>) {
  test(`${clause}: ${what}`, () => {
    expect(found(clause, evidenceOf(bodies.map((body) => ({ body }))))).toEqual(expected);
  });
}

const part = (auth: unknown) => ({ auth });
const basic = (members: unknown) => part({ basic: members });

for (const [clause, webhook, expected] of [
  ['settings.kinds', { start: {}, submission: {}, updates: [] }, ['updates: []']],
  ['settings.kind-status', { start: { status: true }, updates: {} }, ['updates.status: missing']],
  ['settings.kind-status', { start: [] }, 'No document has an object at `webhook.start`: fix settings.kinds first.'],
  ['settings.kind-url', { start: { url: ['https://a.example/'] } }, ['start.url: ["https://a.example/"]']],
  ['settings.auth-type', part(null), 'No document has an object at `webhook.auth`: fix settings.auth-status first.'],
  ['settings.auth-type', part({ type: '' }), ['auth.type: ""']],
  ['settings.username', basic({ username: { name: 'a' } }), ['auth.basic.username: {"name":"a"}']],
  ['settings.username', basic({}), 'No document has `webhook.auth.basic.username`: fix settings.basic first.'],
  ['settings.password-null', basic({ password: '***' }), ['auth.basic.password: a string where null belongs']],
  [
    'settings.has-password-type',
    basic({}),
    'No document has `webhook.auth.basic.hasPassword`: fix settings.basic first.',
  ],
  [
    'settings.apikey-unused',
    part({ type: 'basic' }),
    'No document has `webhook.auth.apikey`: fix settings.apikey first.',
  ],
  ['settings.no-extra', basic({ hint: 1 }), ['auth.basic.hint: a member that the description does not name']],
] as ReadonlyArray<[string, unknown, Found]>) {
  test(`${clause}: ${JSON.stringify(webhook)}`, () =>
    expect(found(clause, evidenceOf([serving(webhook)]))).toEqual(expected));
}

for (const [types, expected] of [
  [[], ['Content-Type: absent']],
  [['application/json'], []],
  [['Text/JSON ; charset=utf-8'], []],
  [['application/problem+json'], []],
  [['text/html'], ['Content-Type: text/html']],
  [['application/json', 'application/json'], ['Content-Type: application/json, application/json']],
  [['x/y/z+json'], ['Content-Type: x/y/z+json']],
] as ReadonlyArray<[string[], string[]]>) {
  test(`the media type of settings: ${types.join(' and ') || 'none'}`, () => {
    const headers = types.map((type): [string, string] => ['Content-Type', type]);
    expect(found('settings.content-type', evidenceOf([{ headers }]))).toEqual(expected);
  });
}

test('a body that is not UTF-8 is no JSON', () => {
  expect(found('settings.json', evidenceOf([bytes('{}')]))).toEqual(['the answer: a body that is not UTF-8']);
});

for (const [stored, declarations, served, expected] of [
  [true, [true], true, []],
  [true, [true], false, ['auth.basic.hasPassword: false for alice, which is declared to have a password stored']],
  [false, [false], true, ['auth.basic.hasPassword: true for alice, which is declared to have no password stored']],
  [
    true,
    [true],
    'yes',
    'No document has true or false at `auth.basic.hasPassword`: fix settings.has-password-type first.',
  ],
  [
    true,
    [false],
    false,
    'Declare an account with `hasPassword: true` in the target file: one that has a password stored.',
  ],
  [true, [false, true], false, NEVER],
] as ReadonlyArray<[boolean, boolean[], unknown, Found]>) {
  test(`a password is ${stored ? '' : 'not '}stored: ${declarations} declared, ${served} served`, () => {
    const accounts = declarations.map((hasPassword, i) => ({
      name: ['alice', 'bob'][i] ?? '',
      passwordDeclared: false,
      hasPassword,
    }));
    const evidence = evidenceOf([serving(basic({ hasPassword: served }))], { accounts });
    expect(found(`settings.has-password-${stored ? '' : 'not-'}stored`, evidence)).toEqual(expected);
  });
}

test('a long value is cut', () => {
  const kind = (length: number) =>
    found('settings.kind-url', evidenceOf([serving({ start: { url: 'x'.repeat(length) } })]));
  expect(kind(78)).toEqual([`start.url: "${'x'.repeat(78)}"`]);
  expect(kind(79)).toEqual([`start.url: "${'x'.repeat(78)}…`]);
});

const apikey = (type: string, header: unknown) => serving({ auth: { type, apikey: { header } } });
const declared = (settings: Record<string, unknown>) => ({
  accounts: [{ name: 'alice', passwordDeclared: false, settings }],
});

for (const [what, sketches, settings, expected] of [
  ['served as basic', [apikey('basic', 'X')], {}, ['auth.apikey.header: "X", although the scheme is "basic"']],
  [
    'declared as basic',
    [apikey('other', 'X')],
    { auth: { type: 'basic' } },
    ['auth.apikey.header: "X", although the scheme is "basic"'],
  ],
  [
    'another scheme',
    [apikey('other', 'X')],
    {},
    'Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".',
  ],
  ['no read', [], {}, NEVER],
  ['unused', [apikey('basic', null)], {}, []],
  ['missing, which is for another clause', [apikey('basic', undefined)], {}, []],
] as ReadonlyArray<[string, Sketch[], Record<string, unknown>, Found]>) {
  test(`an API key while the scheme is basic: ${what}`, () => {
    expect(found('settings.apikey-unused', evidenceOf(sketches, declared(settings)))).toEqual(expected);
  });
}

for (const [what, settings, webhook, expected] of [
  ['no document', { auth: {} }, undefined, NO_WEBHOOK],
  [
    'a header instead of none',
    { auth: { apikey: { header: null } } },
    { auth: { type: 'key', apikey: { header: 'X' } } },
    ['auth.apikey.header: "X" for alice, declared as null'],
  ],
  [
    'a header that has no business there',
    { auth: { apikey: { header: null } } },
    { auth: { type: 'basic', apikey: { header: 'X' } } },
    [],
  ],
  [
    'no header instead of one',
    { auth: { apikey: { header: 'X' } } },
    { auth: { type: 'basic', apikey: { header: null } } },
    ['auth.apikey.header: null for alice, declared as "X"'],
  ],
  [
    'a header that is missing',
    { auth: { apikey: { header: 'X' } } },
    { auth: { type: 'key', apikey: {} } },
    ['auth.apikey.header: missing for alice, declared as "X"'],
  ],
  [
    'a skeleton',
    { start: { url: 'https://a.example/' }, auth: { basic: { username: 'alice' } } },
    { start: {} },
    [
      'start.url: missing for alice, declared as "https://a.example/"',
      'auth: missing for alice, declared as {"basic":{"username":"alice"}}',
    ],
  ],
  [
    'another user',
    { auth: { basic: { username: 'alice' } } },
    { auth: { basic: { username: 'bob' } } },
    ['auth.basic.username: "bob" for alice, declared as "alice"'],
  ],
  ['a user that is a number', { auth: { basic: { username: 'alice' } } }, { auth: { basic: { username: 7 } } }, []],
  ['a mask for a password', { auth: { basic: { password: null } } }, { auth: { basic: { password: '***' } } }, []],
  [
    'a password that is kept back',
    { auth: { basic: { password: 'word' } } },
    { auth: { basic: { password: null } } },
    ['auth.basic.password: null for alice, declared as "word"'],
  ],
  ['a member that is not described', { extra: 1 }, { extra: 2 }, ['extra: 2 for alice, declared as 1']],
  [
    'a name that every object inherits',
    { constructor: 1 },
    { constructor: 2 },
    ['constructor: 2 for alice, declared as 1'],
  ],
  [
    'several at once',
    { start: { status: false }, auth: { type: 'basic' } },
    { start: { status: true }, auth: { type: 'apikey' } },
    ['start.status: true for alice, declared as false', 'auth.type: "apikey" for alice, declared as "basic"'],
  ],
  ['an object that is no object', { start: { url: 'https://a.example/' } }, { start: 'on' }, []],
  ['an empty type', { auth: { type: 'basic' } }, { auth: { type: '' } }, []],
] as ReadonlyArray<[string, Record<string, unknown>, unknown, Found]>) {
  test(`served otherwise than declared: ${what}`, () => {
    expect(found('settings.as-configured', evidenceOf([serving(webhook)], declared(settings)))).toEqual(expected);
  });
}

test('only accounts with declared settings are compared', () => {
  const accounts = [{ name: 'alice', passwordDeclared: false, settings: { extra: 1 } }, ...accountsNamed('bob')];
  const [alice, bob] = [at(0, 'alice', serving({ extra: 2 })), at(5, 'bob', serving({ extra: 2 }))];
  expect(found('settings.as-configured', evidenceOf([bob], { accounts }))).toBe(NEVER);
  expect(found('settings.as-configured', evidenceOf([alice, bob], { accounts }))).toHaveLength(1);
  expect(found('settings.as-configured', evidenceOf([bob], { accounts: accountsNamed('bob') }))).toMatch(
    /^Declare `settings`/,
  );
});

test('the form of settings is judged on every read, what they should hold on the account’s own', () => {
  const accounts = ['alice', 'bob'].map((name) => ({
    name,
    passwordDeclared: false,
    settings: { start: { url: `https://hooks.example/${name}` }, auth: { basic: { password: null } } },
  }));
  const of = (name: string) =>
    serving({ start: { url: `https://hooks.example/${name}` }, auth: { basic: { password: '***' } } });
  const swapped = evidenceOf([at(0, 'alice', of('bob')), at(5, 'bob', of('alice'))], { accounts });
  expect(found('auth.own-settings', swapped)).toEqual([
    'to the key of alice: the settings of bob',
    'to the key of bob: the settings of alice',
  ]);
  expect(found('settings.password-null', swapped)).toHaveLength(2);
  expect(found('settings.as-configured', swapped)).toBe(
    'no read returned the settings of its own account: fix auth.own-settings first',
  );
  const own = evidenceOf([at(0, 'alice', of('alice')), at(5, 'bob', of('bob'))], { accounts });
  expect(found('auth.own-settings', own)).toEqual([]);
});

for (const [what, served, isForeign] of [
  ['all texts of the other', { start: 'b', updates: 'b' }, true],
  ['one text of the other beside an own one', { start: 'b', updates: 'a' }, false],
  ['one text of the other beside a strange one', { start: 'b', updates: 'c' }, true],
  ['nothing of the other', { start: 'c', updates: 'c' }, false],
] as const) {
  test(`whose settings are these, by what is declared of both: ${what}`, () => {
    const urls = (names: Record<string, string>) =>
      Object.fromEntries(Object.entries(names).map(([kind, name]) => [kind, { url: `https://hooks.example/${name}` }]));
    const accounts = ['a', 'b'].map((name) => ({
      name,
      passwordDeclared: false,
      settings: urls({ start: name, updates: name }),
    }));
    const reads = [
      at(0, 'a', serving(urls(served))),
      at(5, 'b', serving({ ...urls({ start: 'b', updates: 'b' }), auth: {} })),
    ];
    expect(found('auth.own-settings', evidenceOf(reads, { accounts }))).toHaveLength(isForeign ? 1 : 0);
  });
}

const urlOf = (name: string) => ({ start: { url: `https://hooks.example/${name}` } });
const declaring = (settings: Record<string, Record<string, unknown>>) => ({
  accounts: Object.entries(settings).map(([name, settings]) => ({ name, passwordDeclared: false, settings })),
});

test('a document without what is declared is nobody’s settings', () => {
  const skeleton = serving({ start: {}, submission: {}, updates: {} });
  const both = [at(0, 'a', skeleton), at(5, 'b', skeleton)];
  const evidence = evidenceOf(both, declaring({ a: urlOf('a'), b: urlOf('b') }));
  expect(found('auth.own-settings', evidence)).toMatch(/^All accounts gave the same settings/);
  expect(found('settings.as-configured', evidence)).toHaveLength(2);
});

test('settings are those of the account that has equal ones, not of the first that shares a text with them', () => {
  const auth = (type: string) => ({ auth: { type } });
  const c = { ...urlOf('c'), ...auth('basic') };
  const accounts = declaring({ a: { ...urlOf('a'), ...auth('apikey') }, b: { ...urlOf('b'), ...auth('basic') }, c });
  const reads = [at(0, 'a', serving(c)), at(5, 'c', serving(c))];
  expect(found('auth.own-settings', evidenceOf(reads, accounts))).toEqual(['to the key of a: the settings of c']);
});

const PASSWORD = '[secret:password:alice]';
const UNDECLARED =
  'Declare the stored `password` of an account in the target file: it is looked for in every response.';
const named = (username: string, more: Sketch = {}) => serving({ auth: { basic: { username } } }, more);
const keyed = (type: string) => serving({ auth: { type, apikey: { apikey: PASSWORD } } });
const inHeader: Sketch = { headers: [['X-Debug', PASSWORD]] };

for (const [what, sketches, expected] of [
  ['nothing whole', [{ fault: { kind: 'reset', message: '' }, response: null }], 'Nothing was answered.'],
  ['nothing found', [{}], UNDECLARED],
  ['in a header', [inHeader], ['X-Debug: the stored password of alice']],
  ['a key in a header, which is for another clause', [{ headers: [['X-Debug', '[secret:apiKey:alice]']] }], UNDECLARED],
  ['in a text', [{ body: `oops ${PASSWORD}` }], ['the answer: the stored password of alice in the body']],
  ['a user of that name in a text', [{ body: `username=${PASSWORD}` }], UNDECLARED],
  ['in bytes', [bytes(PASSWORD)], ['the answer: the stored password of alice in the body']],
  ['as a user', [named(PASSWORD)], UNDECLARED],
  ['as a user, and in a header', [named(PASSWORD, inHeader)], UNDECLARED],
  ["as a receiver's key", [keyed('apiKey')], UNDECLARED],
  ["as a receiver's key that is not used", [keyed('basic')], ['auth.apikey.apikey: the stored password of alice']],
  ['as a user, and in an error', [named(PASSWORD), { status: 404, body: `{"error":"${PASSWORD}"}` }], UNDECLARED],
  [
    'as a part of a user, and in a header',
    [named(`x ${PASSWORD}`, inHeader)],
    ['X-Debug: the stored password of alice'],
  ],
  [
    'encoded in a header, though a user has that name',
    [named(PASSWORD, { headers: [['X', '[secret:password:alice:base64]']] })],
    ['X: the stored password of alice'],
  ],
  [
    'in a member that a later one hides',
    [{ body: `{"a":"${PASSWORD}","a":"x"}` }],
    ['the answer: a stored password in a member name, or in a member that a later one of the same name hides'],
  ],
  [
    'in the name of a member',
    [{ body: `{"${PASSWORD}":"${PASSWORD}"}` }],
    [`${PASSWORD}: the stored password of alice`],
  ],
  [
    'a member that speaks of a secret',
    [{ body: '{"passphrase":"x"}' }],
    ['passphrase: a string, where the name speaks of a secret'],
  ],
  [
    'the described password, which is for another clause',
    [serving({ auth: { basic: { password: 'x' } } })],
    UNDECLARED,
  ],
  [
    'a word in its place that nobody declared, which is for another clause too',
    [serving({ auth: { basic: { password: '[secret:password:(undeclared)]' } } })],
    UNDECLARED,
  ],
] as ReadonlyArray<[string, Sketch[], Found]>) {
  test(`a stored password: ${what}`, () =>
    expect(found('settings.password-absent', evidenceOf(sketches))).toEqual(expected));
}

function bytes(text: string): Sketch {
  return { body: Buffer.from(`\xFF${text}`, 'latin1').toString('base64'), bodyEncoding: 'base64' };
}

test('whether a user may be called like a password is for the declarations', () => {
  const settings = (username: string) => ({ auth: { basic: { username } } });
  const accounts = (alice: string | null, bob: string | null) =>
    [['alice', alice] as const, ['bob', bob] as const].map(([name, username]) => ({
      ...{ name, passwordDeclared: true },
      ...(username !== null && { settings: settings(username) }),
    }));
  const read = (account: string | null, alice: string | null, bob: string | null) =>
    found(
      'settings.password-absent',
      evidenceOf([{ account, ...named(PASSWORD) }], { accounts: accounts(alice, bob) }),
    );
  const leak = ['auth.basic.username: the declared password of alice'];
  expect(read('alice', null, null)).toEqual([]);
  expect(read('alice', 'carol', null)).toEqual(leak);
  expect(read('alice', PASSWORD, 'carol')).toEqual([]);
  expect(read('bob', 'carol', PASSWORD)).toEqual([]);
  expect(read('bob', PASSWORD, 'carol')).toEqual([]);
  expect(read('bob', 'carol', 'carol')).toEqual(leak);
  expect(read(null, 'carol', PASSWORD)).toEqual([]);
  expect(read('alice', 'carol', PASSWORD)).toEqual(leak);
});

test('a password of one account is enough to look for', () => {
  const accounts = [...accountsNamed('alice'), { name: 'bob', passwordDeclared: true }];
  expect(found('settings.password-absent', evidenceOf([{}], { accounts }))).toEqual([]);
});

test('a password that nobody declared is called stored', () => {
  const evidence = evidenceOf([{ headers: [['X', '[secret:password:zoe]']] }]);
  expect(found('settings.password-absent', evidence)).toEqual(['X: the stored password of zoe']);
});

const head = { request: { method: 'HEAD', url: `${BASE}/webhooks`, headers: [] } };
const rejected = (body: string) => keyless('missing-key', 401, { body });
const telling = (url: string, username: string) => serving({ start: { url }, auth: { basic: { username } } });
const USER = ["the answer: 401 with the receiver's user name in its body"];
const ADDRESS = ['the answer: 401 with the receiver\'s address for "start" in its body'];

for (const [url, username, body, expected] of [
  ['http://a.io', '', 'sent to http://a.io', ADDRESS],
  ['http://a.b', '', 'sent to http://a.b', []],
  ['https://hooks.example/a', '', 'https://hooks.example/a. Sorry', ADDRESS],
  ['https://hooks.example/a', '', '"https://hooks.example/a"', ADDRESS],
  ['https://hooks.example/a', '', 'https://hooks.example/a-b', []],
  ['https://hooks.example/a', '', 'https://hooks.example/a/b', []],
  ['https://hooks.example/a', '', 'https://hooks.example/a.b', []],
  ['https://hooks.example/a', '', 'https://hooks.example/a: no', ADDRESS],
  ['https://hooks.example/a', '', '"https://hooks.example/a": no', ADDRESS],
  ['', 'abc', '"abc"', []],
  ['', 'abcd', '"abcd"', USER],
  ['', 'abcd', 'abcd', []],
  ['', 'abcd', '{"abcd" : 1}', []],
  ['', 'abcd', '{"abcd":"abcd"}', USER],
  ['', 'abcdef', 'the user abcdef', []],
  ['', 'ab_12', 'the user ab_12', []],
  ['', 'ab_12', 'the user "ab_12"', USER],
  ['', 'abc_12', 'the user abc_12', USER],
  ['', 'abc_12', 'abc_12 failed', USER],
  ['', 'abc_12', 'a abc_12', USER],
  ['', 'abc_12', 'xabc_12', []],
  ['', 'abc_12', 'abc_12x', []],
  ['', 'abc_12', 'abc_12-x', []],
  ['', 'abc_12', 'xabc_12 abc_12', USER],
  ['', 'abc_12', 'abc_12: unknown', USER],
  ['', 'abc_12', 'no user', []],
] as ReadonlyArray<[string, string, string, Found]>) {
  test(`a rejection says: ${body} (of ${url || username})`, () => {
    const evidence = evidenceOf([telling(url, username), rejected('sorry'), rejected(body)]);
    expect(found('auth.rejection-discloses-nothing', evidence)).toEqual(expected);
  });
}

for (const [what, username, bodies, count] of [
  ['a word of the server', 'assessment', ['{"service":"assessment"}', '{"service":"assessment","id":2}'], 0],
  ['a path of the server', 'api-docs', ['see /api-docs', 'see /api-docs'], 0],
  ['such a word, told as a user’s', 'assessment', ['{"user":"assessment"}', '{"user":"assessment"}'], 2],
  ['a user name beside it', 'api-docs', ['/api-docs', '/api-docs: no such login: api-docs'], 1],
  ['a user of that name, in a page', 'api-docs', ['<td>User ID</td> <td>api-docs</td>'], 0],
  ['a user of that name, in a line', 'api-docs', ['user_name="api-docs"'], 1],
  ['a word of some rejections alone', 'assessment', ['{"service":"assessment"}', '{"hint":"an account"}'], 1],
] as ReadonlyArray<[string, string, string[], number]>) {
  test(`a user name in every rejection is a word of the server: ${what}`, () => {
    const others = [keyless('every-path', 404, { body: 'nothing' }), { ...rejected(''), ...head }];
    const evidence = evidenceOf([telling('', username), ...bodies.map(rejected), ...others]);
    expect(found('auth.rejection-discloses-nothing', evidence)).toHaveLength(count);
  });
}

test('what a rejection discloses besides', () => {
  const says = (...sketches: Sketch[]) => found('auth.rejection-discloses-nothing', evidenceOf(sketches));
  expect(says({}, rejected('[secret:receiverKey:alice]'))).toEqual([
    "the answer: 401 with a receiver's key in its body",
  ]);
  expect(says({}, rejected(PASSWORD))).toEqual(['the answer: 401 with the stored password of alice in its body']);
  expect(says(telling('', PASSWORD), rejected(`{"error":"${PASSWORD}"}`))).toEqual([]);
  expect(says({}, rejected('[secret:apiKey:alice]'))).toEqual([]);
  expect(says({}, rejected('{"webhook":{"start":{"status":true,"url":"https://a.example/"},"auth":{}}}'))).toEqual([
    'the answer: 401 with webhook settings in its body',
  ]);
  expect(
    says({ body: '{}' }, keyless('empty-key', 200, telling('', 'abc_12')), rejected('sorry'), rejected('abc_12')),
  ).toEqual([]);
  expect(says(keyless('empty-key', 200))).toBe('no request without a valid key was rejected');
  expect(says({ ...telling('', 'abc_12'), status: 500 }, rejected('sorry'), rejected('abc_12'))).toEqual([]);
});
