/** What the rules of authentication and versions find in small evidence: one row for each edge. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import { accountsNamed, BASE, evidenceOf, found, type Sketch } from '../support/evidence-of';
import { evidenceIn, expectFound, judges, rowsOf, sketchesOf } from '../support/table';

const TWO = { accounts: accountsNamed('alice', 'bob') };
const ALICES = "{start: {status: true, url: 'https://hooks.example/start'}, auth: {type: basic}}";
const BOBS = ALICES.replace('/start', '/bob');
const BASE_PATH = 'base-accepted GET:/';
const KEY = '[secret:apiKey:alice]';
const NONE_REJECTED = '? no request without a valid key was rejected';
const FAILED_AS_ALL = 'was only refused';

judges(`
  auth.accepted          | a refused read accuses of nothing  | 200; 429                | -
  auth.accepted          | a read that failed once            | 200; 500                | to the valid key of alice: 500
  auth.accepted          | a key that is never accepted       | 429                     | to the valid key of alice (are the key and the address right?): 429
  auth.header-name-case  | refused in one letter case         | header-case/APIKEY; header-case/apikey 429 | ? a header named apikey ${FAILED_AS_ALL}
  auth.header-name-case  | answered at another time           | header-case/APIKEY 429; header-case/APIKEY | -
  auth.header-name-case  | on the base path alone             | 401 base-accepted/APIKEY GET:/; ${BASE_PATH}; header-case/APIKEY | to the valid key of alice in a header named APIKEY on the base path: 401
  auth.base-path-accepted | a status that an unknown key gets | - 401 missing-key; - 404 base-rejected/unknown-key; 404 ${BASE_PATH} | warning: to the valid key of alice on the base path: 404
  auth.missing-key       | nearly a client error              | - 399 missing-key       | without a key: 399
  auth.missing-key       | the last client error              | - 499 missing-key       | -
  auth.missing-key       | a guard answers where the server failed | - 503 missing-key; - 503 unknown-key; - 429 missing-key Retry-After=5 | without a key: 503
  auth.no-session        | a redirect is no rejection         | - 302 after-accepted    | without a key, on a connection of its own, at once after an accepted request of null: 302
  auth.no-session        | never asked                        | 200                     | ? no such request was sent
  auth.rejection-401-403 | 401 with a challenge               | - 401 missing-key WWW-Authenticate=ApiKey | -
  auth.rejection-401-403 | 401 without one                    | - 401 missing-key       | WWW-Authenticate: absent from a 401
  auth.rejection-401-403 | 402, the plainest first            | - 402 empty-key; - 402 missing-key | without a key: 402; to an empty apiKey header: 402
  auth.rejection-401-403 | 403                                | - 403 missing-key       | -
  auth.rejection-401-403 | 404                                | - 404 missing-key       | without a key: 404
  auth.rejection-401-403 | 428                                | - 428 missing-key       | without a key: 428
  auth.rejection-401-403 | 429, after a flood                 | - 429 missing-key       | -
  auth.rejection-401-403 | 430                                | - 430 missing-key       | without a key: 430
  auth.rejection-401-403 | 500                                | - 500 missing-key       | ${NONE_REJECTED}
  auth.rejection-status  | a path that fails                  | - 500 every-path        | without a key, at a path that does not exist: 500
  auth.rejection-status  | a gateway that fails               | - 502 every-path        | without a key, at a path that does not exist: 502
  auth.rejection-status  | a method that is not implemented   | - 501 every-method      | ${NONE_REJECTED}
  auth.rejection-status  | a path that is not there           | - 499 every-path        | ${NONE_REJECTED}
  auth.rejection-status  | settings, for another clause       | - 200 missing-key = {}  | ${NONE_REJECTED}
  auth.rejection-status  | the base path, let in              | - 200 base-rejected GET:/ | ${NONE_REJECTED}
  auth.rejection-status  | a success that is none             | - 200 empty-key         | to an empty apiKey header: 200
  auth.missing-key       | told how it was asked              | - keyless/missing-key   | without a key: 200
  auth.unknown-key       | told how it was asked              | - keyless/unknown-key/1 | to a key that was never issued: 200
  auth.altered-key       | told how it was asked              | - keyless/altered-key/alice/case-swapped | to the key of alice with its letter case swapped: 200
  auth.altered-key       | told how it was asked, by an unknown name | - keyless/altered-key/alice/other | to the key of alice with other: 200
  auth.base-path-rejected | told how it was asked             | - base-rejected/unknown-key | to a key that was never issued, on the base path: 200
  auth.base-path-rejected | told how it was asked, keyless    | - base-rejected/missing-key | without a key, on the base path: 200
  auth.not-publicly-cacheable | other answers                 | : {}; - missing-key Cache-Control=public; 404 Cache-Control=public | -
  auth.not-publicly-cacheable | no accepted one               | 404 Cache-Control=public | ? no request with a valid key was accepted
  auth.not-publicly-cacheable | public                        | "Cache-Control=public, max-age=60" | Cache-Control: public, max-age=60, without Vary: apiKey
  auth.not-publicly-cacheable | for shared caches             | Cache-Control=s-maxage=60 | Cache-Control: s-maxage=60, without Vary: apiKey
  auth.not-publicly-cacheable | told apart by another header  | Cache-Control=public Vary=Accept | Cache-Control: public, without Vary: apiKey
  auth.not-publicly-cacheable | told apart by the key         | Cache-Control=public "Vary=Accept, APIKEY" | -
  auth.not-publicly-cacheable | told apart by everything      | Cache-Control=public Vary=* | -
  auth.not-publicly-cacheable | not stored                    | "Cache-Control=public, no-store" | -
  auth.not-publicly-cacheable | private                       | "Cache-Control=private, max-age=60" | -
  auth.not-publicly-cacheable | a directive that is none      | Cache-Control=x-public-x=1 | -
  auth.key-not-echoed    | in a header                        | X-Key=[secret:apiKey:alice:base64] | X-Key: the valid key of alice
  auth.key-not-echoed    | in the body                        | : key ${KEY}            | the answer: the valid key of alice in the body
  auth.key-not-echoed    | the half of one                    | X-Key=[secret:apiKey:alice:first-half] | -
`);

test('a valid key is found in a trailer and in the status line', () => {
  const echoed = (sketch: Sketch) => found('auth.key-not-echoed', evidenceOf([sketch]));
  expect(echoed({ aside: [['X-Sum', KEY]] })).toEqual(['X-Sum: the valid key of alice']);
  expect(echoed({ statusText: KEY })).toEqual(['the answer: the valid key of alice in the status line']);
});

for (const [what, auth, header, isFound] of [
  ['a username', `{basic: {username: '${KEY}'}}`, '', false],
  ['a username, and a word', "{basic: {username: '[secret:apiKey:alice:word]'}}", '', false],
  ['a username, which is told elsewhere too', `{basic: {username: '${KEY}'}}`, `X-User=${KEY}`, false],
  ['a username, in base64 elsewhere', `{basic: {username: '${KEY}'}}`, 'X-User=[secret:apiKey:alice:base64]', true],
  ['a part of a username', `{basic: {username: '${KEY} of alice'}}`, '', true],
  ['the name of a header', `{apikey: {header: '${KEY}', apikey: k}}`, '', false],
  ["a receiver's key that nobody declared", `{apikey: {header: X-Key, apikey: '${KEY}'}}`, '', true],
] as const)
  test(`a key that equals ${what} is ${isFound ? '' : 'not '}echoed`, () => {
    expect(found('auth.key-not-echoed', evidenceIn(`${header} = {auth: ${auth}}`))).toHaveLength(isFound ? 1 : 0);
  });

for (const [status, without, cell = ''] of rowsOf(`
  200 | 403 | -
  401 | 403 | to the valid key of alice on the base path: 401
  403 | 401 | to the valid key of alice on the base path: 403
  302 | 401 | warning: to the valid key of alice on the base path: 302
  400 | 401 | warning: to the valid key of alice on the base path: 400
  402 | 401 | warning: to the valid key of alice on the base path: 402
  499 | 401 | warning: to the valid key of alice on the base path: 499
  404 | 404 | to the valid key of alice on the base path: 404
  500 | 401 | to the valid key of alice on the base path: 500
  429 | 401 | ? no request to the base path was let through
`))
  test(`the base path answers ${status} to a valid key and ${without} without one`, () => {
    const evidence = evidenceIn(`- ${without} missing-key; ${status} ${BASE_PATH}`);
    expectFound('auth.base-path-accepted', evidence, cell);
  });

for (const [baseURL = '', cell = ''] of rowsOf(`
  http://localhost:8080/v2    | -
  http://api.localhost/v2     | -
  http://127.1.2.3/v2         | -
  http://[::1]:8080/v2        | -
  https://api.example/v2      | -
  http://api.example/v2       | breach
  http://[::2]/v2             | breach
  http://10.0.0.1/v2          | breach
  http://localhost.example/v2 | breach
  http://127.example/v2       | breach
`))
  test(`the key can be read on the way to ${baseURL}: ${cell}`, () => {
    expect(found('transport.https', evidenceIn('', { baseURL }))).toHaveLength(cell === 'breach' ? 1 : 0);
  });

test('without leave only HEAD is sent, and it alone proves nothing', () => {
  const head = (status: number, target = {}) =>
    evidenceIn(`- ${status} every-method/HEAD HEAD:/webhooks`, { riskyProbes: false, ...target });
  expectFound('auth.every-method', head(401), '? set RISKY_PROBES=1 to send them.');
  expectFound('auth.every-method', head(401, { riskyProbes: true }), '-');
  expectFound('auth.every-method', head(200), 'to HEAD without a key: 200');
  expectFound('auth.every-method', evidenceIn('', { riskyProbes: true }), '? no such request was sent');
});

test('the reason of the first group says why nothing was asked', () => {
  const notSent = [{ probe: probe('session'), reason: 'No account was accepted.' }];
  expect(found('auth.no-session', { ...evidenceOf([{}]), notSent })).toBe('No account was accepted.');
});

const GUARDED = '- 429 unknown-key/a Retry-After=5';
const FOLLOWING = '- 429 after-accepted Retry-After=5';
judges(`
  auth.unknown-key | the address was banned meanwhile   | 200; - 401 missing-key; 403 ban | ? while this was asked, the address was banned for its wrong keys
  auth.unknown-key | only a guard answered              | - 401 missing-key; ${GUARDED} | ? Some of these requests got nothing but 429 from a guard or a limiter before authentication,
  auth.unknown-key | something else is broken           | - 401 missing-key; ${GUARDED}; - 200 unknown-key/b | to a key that was never issued: 200
  auth.no-session  | a guard, or the account's own limit | - 401 missing-key; ${FOLLOWING} | ? Some of these requests got nothing but 429 from a guard or a limiter before authentication,
`);

test('a carrier is told by its name', () => {
  const cookie = { ...sketchesOf('- 200')[0], probe: probe('other-carrier', { account: 'alice', form: 'cookie' }) };
  const told = 'to the key of alice sent as a cookie, without the apiKey header: 200';
  expectFound('auth.other-carrier', evidenceOf([cookie]), told);
});

test('settings of two accounts are compared, where there are two that differ', () => {
  expectFound('auth.own-settings', evidenceIn(`= ${ALICES}`), '? Declare a second account');
  for (const [exchanges, cell] of [
    ['', '? no read of two accounts was accepted'],
    [`@0 = ${ALICES}; @9 bob = ${ALICES}`, '? All accounts gave the same settings'],
    [`@0 = ${ALICES}; @9 bob 500`, '? Fewer than two accounts got settings that could be read'],
    [`@0 = ${ALICES}; @9 bob = ${BOBS}`, '-'],
  ] as const)
    expectFound('auth.own-settings', evidenceIn(exchanges, TWO), cell);
});

test('settings that are mixed up only while both accounts ask are for another clause', () => {
  const apart = `@0 = ${ALICES}; @9 = ${ALICES}; @20 bob = ${BOBS}; @29 bob = ${BOBS}`;
  const mixed = evidenceIn(`${apart}; @5000+50 = ${BOBS}; @5001+50 bob = ${BOBS}`, TWO);
  expectFound('auth.own-settings', mixed, '-');
  expectFound('auth.isolation', mixed, 'to the key of alice: the settings of bob');
});

test('a read that holds one text of another account is mixed up, unless others share that text', () => {
  const apart = `@0 = ${ALICES}; @9 = ${ALICES}; @20 bob = ${BOBS}; @29 bob = ${BOBS}`;
  const part = (text: string) => evidenceIn(`${apart}; @5000+50 = ${text}; @5001+50 bob = ${BOBS}`, TWO);
  expectFound('auth.isolation', part(BOBS.replace('basic', 'none')), 'to the key of alice: the settings of bob');
  expectFound('auth.isolation', part(ALICES.replace('basic', 'none')), '-');
  expectFound('auth.isolation', part(ALICES.replace('/start', '/other')), '-');
});

test('a key that is refused each time says nothing of authentication, though not each refusal tells of the rate', () => {
  const shown = `@0 = ${ALICES}; @5000 503 sequence`;
  const judged = (bob: string) => found('auth.accepted', evidenceIn(`${shown}; ${bob}`, TWO));
  expect(judged('@0 bob 503 Retry-After=5; @6000 bob 503')).toMatch(/^Each request of bob was refused because of the/);
  expect(judged('@0 bob 503; @6000 bob 503')).toHaveLength(2);
});

const V0 = 'version/v0 GET:api.example/v0/webhooks';
const V999 = 'version/v999 GET:api.example/v999/webhooks';
const HIDDEN =
  '? a request for another version got nothing but a refusal or 503, so whether the settings are served there';
judges(`
  version.unknown     | both unknown               | 404 ${V0}; 404 ${V999}                 | -
  version.unknown     | the settings of one        | 404 ${V0}; 200 ${V999} = ${ALICES}     | from /v999/webhooks: 200 with webhook settings
  version.unknown     | a success without them     | 200 ${V0}; 404 ${V999}                 | -
  version.unknown     | the settings with an error | 410 ${V0} = ${ALICES}; 404 ${V999}     | from /v0/webhooks: 410 with webhook settings
  version.unknown     | one refused                | 404 ${V0}; 429 ${V999}                 | ${HIDDEN}
  version.unknown     | one refused and asked again | 404 ${V0}; 429 ${V999}; 404 ${V999}   | -
  version.unknown     | one out of order           | 404 ${V0}; 503 ${V999}                 | ${HIDDEN}
  version.unknown     | another failure            | 502 ${V0}; 504 ${V999}                 | -
  version.unknown     | one broken, one out of order | 200 ${V0} = ${ALICES}; 503 ${V999}   | from /v0/webhooks: 200 with webhook settings
  version.unknown     | one that was not asked for | 404 ${V0}                              | -
  version.unversioned | not there                  | 404 version/unversioned                | -
  version.unversioned | out of order               | 503 version/unversioned                | ${HIDDEN}
`);

test('the last segment of the base URL is the version', () => {
  const base = (baseURL: string, clause = 'version.base') => found(clause, evidenceIn(`404 ${V0}`, { baseURL }));
  expect(base(`${BASE}/`)).toEqual([]);
  expect(base('https://api.example')).toEqual(['https://api.example: no version at all']);
  expect(base('https://api.example/v3')).toEqual(['https://api.example/v3: "v3" as the last segment']);
  expect(base('https://api.example/api', 'version.unknown')).toMatch(/^The base URL has no segment v2/);
});
