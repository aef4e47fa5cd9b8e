/** What the rules of authentication and versions find in small evidence: one row for each edge. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { Evidence } from '../../../src/evidence/model';
import { accountsNamed, at, BASE, evidenceOf, found, keyless, type Sketch, serving } from '../support/evidence-of';

const SETTINGS = { start: { status: true, url: 'https://hooks.example/start' }, auth: { type: 'basic' } };
const REJECTED = keyless('missing-key', 401);
const inBase = { request: { method: 'GET', url: `${BASE}/`, headers: [] } };
const V0 = `${BASE.replace(/v2$/, 'v0')}/webhooks`;
const head = { request: { method: 'HEAD', url: `${BASE}/webhooks`, headers: [] } };
const spelled = (form: string, status = 200): Sketch => ({ probe: probe('header-case', { form }), status });
const waits: Sketch = { headers: [['Retry-After', '5']] };

type Found = string[] | string;
const OF_ALICE = 'to the valid key of alice';

for (const [what, clause, sketches, expected] of [
  ['a refused read accuses of nothing', 'auth.accepted', [{}, { status: 429 }], []],
  ['a read that failed once', 'auth.accepted', [{}, { status: 500 }], ['to the valid key of alice: 500']],
  [
    'a key that is never accepted',
    'auth.accepted',
    [{ status: 429 }],
    [`${OF_ALICE} (are the key and the address right?): 429`],
  ],
  [
    'a refused request accuses no letter case',
    'auth.header-name-case',
    [spelled('APIKEY'), spelled('apikey', 429)],
    'a header named apikey was only refused, or failed as everything did',
  ],
  ['a letter case answered at another time', 'auth.header-name-case', [spelled('APIKEY', 429), spelled('APIKEY')], []],
  [
    'a letter case that fails as all requests do at another time',
    'auth.header-name-case',
    [at(0, 'alice', { group: 'together', status: 500 }), spelled('APIKEY', 500), spelled('apikey')],
    'a header named APIKEY was only refused, or failed as everything did',
  ],
  [
    'the status of the base path that an unknown key gets too',
    'auth.base-path-accepted',
    [
      keyless('missing-key', 401),
      keyless('base-rejected', 404, { form: 'unknown-key' }),
      { ...inBase, status: 404, probe: probe('base-accepted', { account: 'alice' }) },
    ],
    ['warning: to the valid key of alice on the base path: 404'],
  ],
  ['the first half of a success', 'auth.missing-key', [keyless('missing-key', 399)], ['without a key: 399']],
  [
    'what a guard answers is no rejection by a server that failed before',
    'auth.missing-key',
    [keyless('missing-key', 503), keyless('unknown-key', 503), keyless('missing-key', 429, waits)],
    ['without a key: 503'],
  ],
  ['the last client error', 'auth.missing-key', [keyless('missing-key', 499)], []],
  [
    'a redirect is no rejection',
    'auth.no-session',
    [keyless('after-accepted', 302)],
    ['without a key, on a connection of its own, at once after an accepted request of null: 302'],
  ],
] as ReadonlyArray<[string, string, Sketch[], Found]>) {
  test(`${clause}: ${what}`, () => expect(found(clause, evidenceOf(sketches))).toEqual(expected));
}

/** Reads as usual at a second's distance, then a request that was turned away with 500 so long after the last accepted one. */
for (const [what, usual, cameMs, isBlamed] of [
  ['reads were accepted that came no later', [at(1050, 'alice')], 2100, true],
  ['a read was accepted that came later, but none was turned away', [at(3000, 'alice')], 4050, true],
  ['reads were turned away that came no later', [at(1050, 'alice', { status: 500 })], 1150, false],
  [
    'reads were turned away, and accepted only later',
    [at(1050, 'alice', { status: 500 }), at(3000, 'alice')],
    4100,
    false,
  ],
  [
    'reads were turned away, and one was accepted that came no later but for a little',
    [at(1050, 'alice', { status: 500 }), at(2000, 'alice')],
    3900,
    true,
  ],
  ['reads were turned away within a window', [at(500, 'alice', { status: 500 }), at(3000, 'alice')], 4050, true],
  [
    'another version turned reads away',
    [at(1050, 'alice', { group: 'version', status: 404, request: { method: 'GET', url: V0, headers: [] } })],
    1150,
    true,
  ],
  ['another account’s reads were turned away', [at(1050, 'bob', { status: 500 })], 1150, true],
] as ReadonlyArray<[string, Sketch[], number, boolean]>)
  for (const [clause, asked] of [
    ['auth.header-name-case', { probe: probe('header-case', { account: 'alice', form: 'APIKEY' }) }],
    ['auth.base-path-accepted', { ...inBase, probe: probe('base-accepted', { account: 'alice' }) }],
  ] as const)
    test(`${clause} blames a limit that is stricter for nothing: ${what}`, () => {
      const turnedAway = at(cameMs, 'alice', { status: 500, ...asked });
      const evidence = evidenceOf([at(0, 'alice'), ...usual, turnedAway], { accounts: accountsNamed('alice', 'bob') });
      const breaches = found(clause, evidence);
      expect(Array.isArray(breaches) && breaches.length === 1).toBe(isBlamed);
    });

for (const [status, without, expected] of [
  [200, 403, []],
  [401, 403, [`${OF_ALICE} on the base path: 401`]],
  [403, 401, [`${OF_ALICE} on the base path: 403`]],
  [400, 401, ['warning: to the valid key of alice on the base path: 400']],
  [402, 401, ['warning: to the valid key of alice on the base path: 402']],
  [499, 401, ['warning: to the valid key of alice on the base path: 499']],
  [404, 404, [`${OF_ALICE} on the base path: 404`]],
  [500, 401, [`${OF_ALICE} on the base path: 500`]],
  [429, 401, 'no request to the base path was let through'],
] as ReadonlyArray<[number, number, Found]>) {
  test(`the base path answers ${status} to a valid key and ${without} without one`, () => {
    const base = { ...inBase, status, probe: probe('base-accepted', { account: 'alice' }) };
    expect(found('auth.base-path-accepted', evidenceOf([keyless('missing-key', without), base]))).toEqual(expected);
  });
}

for (const [status, challenge, expected] of [
  [401, true, []],
  [401, false, ['WWW-Authenticate: absent from a 401']],
  [402, true, ['without a key: 402']],
  [403, false, []],
  [404, false, ['without a key: 404']],
  [428, false, ['without a key: 428']],
  [430, false, ['without a key: 430']],
  [500, false, 'no request without a valid key was rejected'],
] as ReadonlyArray<[number, boolean, Found]>) {
  test(`a rejection has the status ${status}, ${challenge ? 'with' : 'without'} a challenge`, () => {
    const rejection = keyless('missing-key', status, challenge ? { headers: [['WWW-Authenticate', 'ApiKey']] } : {});
    expect(found('auth.rejection-401-403', evidenceOf([rejection]))).toEqual(expected);
  });
}

test('a flood of wrong keys may be answered with 429', () => {
  expect(found('auth.rejection-401-403', evidenceOf([keyless('missing-key', 429)]))).toEqual([]);
});

for (const [what, sketch, expected] of [
  ['a path that fails', keyless('every-path', 500), ['without a key, at a path that does not exist: 500']],
  ['a gateway that fails', keyless('every-path', 502), ['without a key, at a path that does not exist: 502']],
  ['a method that is not implemented', keyless('every-method', 501), 'no request without a valid key was rejected'],
  ['a path that is not there', keyless('every-path', 499), 'no request without a valid key was rejected'],
  [
    'settings, which are for another clause',
    keyless('missing-key', 200, serving({})),
    'no request without a valid key was rejected',
  ],
  [
    'the base path, let in',
    keyless('base-rejected', 200, { request: { method: 'GET', url: `${BASE}/`, headers: [] } }),
    'no request without a valid key was rejected',
  ],
  ['a success that is none', keyless('empty-key', 200), ['to an empty apiKey header: 200']],
] as ReadonlyArray<[string, Sketch, Found]>) {
  test(`what is no client error: ${what}`, () => {
    expect(found('auth.rejection-status', evidenceOf([sketch]))).toEqual(expected);
  });
}

test('without leave only HEAD is sent, and it alone proves nothing', () => {
  const method = (status: number) => keyless('every-method', status, { form: 'HEAD', ...head });
  const left =
    'HEAD did not succeed without a key; POST, PUT, PATCH and DELETE were not sent: set RISKY_PROBES=1 to send them.';
  expect(found('auth.every-method', evidenceOf([method(401)]))).toBe(left);
  expect(found('auth.every-method', evidenceOf([method(401)], { riskyProbes: true }))).toEqual([]);
  expect(found('auth.every-method', evidenceOf([method(200)]))).toEqual(['to HEAD without a key: 200']);
  expect(found('auth.every-method', evidenceOf([]))).toBe('no such request was sent');
});

test('the reason of the first group says why nothing was asked', () => {
  const notSent = [{ probe: probe('session'), reason: 'No account was accepted.' }];
  expect(found('auth.no-session', { ...evidenceOf([{}]), notSent })).toBe('No account was accepted.');
  expect(found('auth.unknown-key', evidenceOf([{}]))).toBe('no such request was sent');
});

test('who was banned for wrong keys is told so', () => {
  const banned = evidenceOf([{}, REJECTED, { status: 403, probe: probe('ban', { account: 'alice' }) }]);
  expect(found('auth.unknown-key', banned)).toMatch(/^while this was asked, the address was banned for its wrong keys/);
});

test('what only a guard answered is not tested, unless something else is broken', () => {
  const guarded = keyless('unknown-key', 429, { form: 'a', ...waits });
  expect(found('auth.unknown-key', evidenceOf([REJECTED, guarded]))).toMatch(
    /^1 of these requests got nothing but 429 from a guard or a limiter before authentication, after 2 wrong keys,/,
  );
  const following = keyless('after-accepted', 429, waits);
  expect(found('auth.no-session', evidenceOf([REJECTED, following]))).toMatch(
    /or as requests of the account that had just been accepted, after 2 wrong keys, .* for that account’s\.$/,
  );
  expect(found('auth.no-session', evidenceOf([following, REJECTED]))).toMatch(/, after 1 wrong key, so /);
  expect(
    found('auth.unknown-key', evidenceOf([REJECTED, guarded, keyless('unknown-key', 200, { form: 'b' })])),
  ).toEqual(['to a key that was never issued: 200']);
});

const bobs = { ...SETTINGS, start: { status: true, url: 'https://hooks.example/bob' } };
const two = (...sketches: Sketch[]): Evidence => evidenceOf(sketches, { accounts: accountsNamed('alice', 'bob') });

test('settings of two accounts are compared, where there are two that differ', () => {
  const alone = evidenceOf([serving(SETTINGS)]);
  expect(found('auth.own-settings', alone)).toMatch(/^Declare a second account/);
  expect(found('auth.own-settings', two())).toBe('no read of two accounts was accepted');
  expect(found('auth.own-settings', two(at(0, 'alice', serving(SETTINGS)), at(9, 'bob', serving(SETTINGS))))).toMatch(
    /^All accounts gave the same settings/,
  );
  expect(found('auth.own-settings', two(at(0, 'alice', serving(SETTINGS)), at(9, 'bob', serving(bobs))))).toEqual([]);
});

const version = (form: string, status: number, more: Sketch = {}): Sketch => ({
  status,
  probe: probe('version', { account: 'alice', form }),
  request: { method: 'GET', url: `https://api.example/${form}/webhooks`, headers: [] },
  ...more,
});
const hidden =
  'a request for another version got nothing but a refusal or 503, so whether the settings are served there was not seen';

for (const [what, sketches, expected] of [
  ['both unknown', [version('v0', 404), version('v999', 404)], []],
  [
    'the settings of one',
    [version('v0', 404), version('v999', 200, serving(SETTINGS))],
    ['from /v999/webhooks: 200 with webhook settings'],
  ],
  ['a success without them', [version('v0', 200), version('v999', 404)], []],
  [
    'the settings with an error',
    [version('v0', 410, serving(SETTINGS)), version('v999', 404)],
    ['from /v0/webhooks: 410 with webhook settings'],
  ],
  ['one refused', [version('v0', 404), version('v999', 429)], hidden],
  ['one refused and asked again', [version('v0', 404), version('v999', 429), version('v999', 404)], []],
  ['one out of order', [version('v0', 404), version('v999', 503)], hidden],
  ['another failure', [version('v0', 502), version('v999', 504)], []],
  [
    'one broken, one out of order',
    [version('v0', 200, serving(SETTINGS)), version('v999', 503)],
    ['from /v0/webhooks: 200 with webhook settings'],
  ],
] as ReadonlyArray<[string, Sketch[], Found]>) {
  test(`other versions: ${what}`, () => expect(found('version.unknown', evidenceOf(sketches))).toEqual(expected));
}

test('a path without a version that is not there', () => {
  expect(found('version.unversioned', evidenceOf([version('unversioned', 404)]))).toEqual([]);
  expect(found('version.unversioned', evidenceOf([version('unversioned', 503)]))).toBe(hidden);
});

test('the last segment of the base URL is the version', () => {
  const base = (baseURL: string) => found('version.base', evidenceOf([], { baseURL }));
  expect(base('https://api.example/v2/')).toEqual([]);
  expect(base('https://api.example')).toEqual(['https://api.example: no version at all']);
  expect(base('https://api.example/v3')).toEqual(['https://api.example/v3: "v3" as the last segment']);
});

const flood = (form: string): Sketch[] => [
  { account: null, status: 200, probe: probe('keyless', { account: 'all', form }) },
];

for (const [clause, sketches, expected] of [
  ['auth.missing-key', flood('missing-key'), ['without a key: 200']],
  ['auth.unknown-key', flood('unknown-key/1'), ['to a key that was never issued: 200']],
  [
    'auth.altered-key',
    flood('altered-key/alice/case-swapped'),
    ['to the key of alice with its letter case swapped: 200'],
  ],
  ['auth.altered-key', flood('altered-key/alice/other'), ['to the key of alice with other: 200']],
  [
    'auth.other-carrier',
    [{ ...keyless('other-carrier', 200), probe: probe('other-carrier', { account: 'alice', form: 'cookie' }) }],
    ['to the key of alice sent as a cookie, without the apiKey header: 200'],
  ],
  [
    'auth.base-path-rejected',
    [keyless('base-rejected', 200, { form: 'unknown-key' })],
    ['to a key that was never issued, on the base path: 200'],
  ],
  [
    'auth.base-path-rejected',
    [keyless('base-rejected', 200, { form: 'missing-key' })],
    ['without a key, on the base path: 200'],
  ],
] as ReadonlyArray<[string, Sketch[], Found]>) {
  test(`${clause} tells how it was asked: ${expected}`, () =>
    expect(found(clause, evidenceOf(sketches))).toEqual(expected));
}

test('wrong keys are counted up to the first that a guard answered', () => {
  const guarded = keyless('unknown-key', 429, { form: 'a', ...waits });
  expect(found('auth.unknown-key', evidenceOf([REJECTED, {}, guarded, keyless('empty-key', 401)]))).toMatch(
    / after 2 wrong keys, /,
  );
});

test('settings that are mixed up only while both accounts ask are for another clause', () => {
  const mixed = two(
    ...[
      at(0, 'alice', serving(SETTINGS)),
      at(9, 'alice', serving(SETTINGS)),
      at(20, 'bob', serving(bobs)),
      at(29, 'bob', serving(bobs)),
    ],
    ...[
      at(5000, 'alice', { ...serving(bobs), receivedAtMs: 5050 }),
      at(5001, 'bob', { ...serving(bobs), receivedAtMs: 5051 }),
    ],
  );
  expect(found('auth.own-settings', mixed)).toEqual([]);
  expect(found('auth.isolation', mixed)).toEqual(['to the key of alice: the settings of bob']);
  const evidence = two(at(0, 'alice', serving(SETTINGS)), at(9, 'bob', { status: 500 }));
  expect(found('auth.own-settings', evidence)).toMatch(/^Fewer than two accounts got settings that could be read/);
});

test('a key that is refused each time says nothing of authentication, though not each refusal tells of the rate', () => {
  const refused = (atMs: number, more: Sketch = {}) => at(atMs, 'bob', { status: 503, ...more });
  const shown = [at(0, 'alice', serving(SETTINGS)), at(5000, 'alice', { group: 'sequence', status: 503 })];
  const judged = (...ofBob: Sketch[]) =>
    found('auth.accepted', evidenceOf([...shown, ...ofBob], { accounts: accountsNamed('alice', 'bob') }));
  expect(judged(refused(0, waits), refused(6000))).toMatch(/^Each request of bob was refused because of the rate/);
  expect(judged(refused(0), refused(6000))).toEqual([
    'to the valid key of bob (are the key and the address right?): 503',
    'to the valid key of bob (are the key and the address right?): 503',
  ]);
});

test('only what a valid key got is for shared caches', () => {
  const shared: Sketch = { headers: [['Cache-Control', 'public']] };
  expect(
    found(
      'auth.not-publicly-cacheable',
      evidenceOf([{}, keyless('missing-key', 200, shared), { status: 404, ...shared }]),
    ),
  ).toEqual([]);
  expect(found('auth.not-publicly-cacheable', evidenceOf([{ status: 404, ...shared }]))).toBe(
    'no request with a valid key was accepted',
  );
});

test('where the address has no version, no other one can be tried', () => {
  const baseURL = 'https://api.example/api';
  expect(found('version.unknown', evidenceOf([version('v0', 404)], { baseURL }))).toMatch(
    /^The base URL has no segment v2/,
  );
});

test('a version that was not asked for hides nothing', () => {
  expect(found('version.unknown', evidenceOf([version('v0', 404)]))).toEqual([]);
});

for (const [where, sketch, expected] of [
  ['a header', { headers: [['X-Key', '[secret:apiKey:alice:base64]']] }, 'X-Key: the valid key of alice'],
  ['a trailer', { aside: [['X-Sum', '[secret:apiKey:alice]']] }, 'X-Sum: the valid key of alice'],
  ['the status line', { statusText: '[secret:apiKey:alice]' }, 'the answer: the valid key of alice in the status line'],
  ['the body', { body: 'key [secret:apiKey:alice]' }, 'the answer: the valid key of alice in the body'],
  ['nothing', { headers: [['X-Key', '[secret:apiKey:alice:first-half]']] }, null],
] as ReadonlyArray<[string, Sketch, string | null]>) {
  test(`a valid key is found in ${where}`, () => {
    expect(found('auth.key-not-echoed', evidenceOf([sketch]))).toEqual(expected === null ? [] : [expected]);
  });
}

/** A read of settings in which some members of `auth` differ. @param headers of the answer */
const reading = (auth: object, headers: Sketch['headers'] = []): Sketch => ({
  headers,
  body: JSON.stringify({ webhook: { ...SETTINGS, auth: { ...SETTINGS.auth, ...auth } } }),
});
const basicOf = (username: string) => ({ basic: { username } });
const apikeyOf = (header: string | null, apikey: string | null) => ({ apikey: { header, apikey } });
const KEY = '[secret:apiKey:alice]';

for (const [what, sketch, isFound] of [
  ['a username', reading(basicOf(KEY)), false],
  ['a username, and a word', reading(basicOf('[secret:apiKey:alice:word]')), false],
  ['a username, which is told elsewhere too', reading(basicOf(KEY), [['X-User', KEY]]), false],
  ['a username, in base64 elsewhere', reading(basicOf(KEY), [['X-User', '[secret:apiKey:alice:base64]']]), true],
  ['a part of a username', reading(basicOf(`${KEY} of alice`)), true],
  ['the name of a header', reading(apikeyOf(KEY, 'k')), false],
  ["a receiver's key that nobody declared", reading(apikeyOf('X-Key', KEY)), true],
] as ReadonlyArray<[string, Sketch, boolean]>)
  test(`a key that equals ${what} is ${isFound ? '' : 'not '}echoed`, () => {
    expect(found('auth.key-not-echoed', evidenceOf([sketch]))).toHaveLength(isFound ? 1 : 0);
  });
