/**
 * What the rules of the settings, and of secrets in answers, find in small evidence: one row for each edge. Which document
 * breaks which of them, `contract/settings.spec.ts` shows.
 */
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import type { AccountFacts } from '../../../src/evidence/model';
import { usualSettings } from '../../../src/evidence/settings-reads';
import { accountsNamed, evidenceOf, found, type Sketch } from '../support/evidence-of';
import { evidenceIn, expectFound, judges, rowsOf, sketchesOf } from '../support/table';

const NEVER = '? No account that this is about got its own settings from GET /webhooks.';
const NO_SUBJECT = '? No document has what this is about.';
const PASSWORD = '[secret:password:alice]';
const KEY = '[secret:apiKey:alice]';

judges(`
  settings.envelope          | none              |                              | ${NEVER}
  settings.envelope          | no JSON           | : <                          | ${NO_SUBJECT}
  settings.envelope          | one good          | = {}                         | -
  settings.envelope          | a list            | : []                         | the answer: an array instead of an object
  settings.envelope          | empty             | : {}                         | webhook: missing
  settings.kinds             | none              |                              | ${NEVER}
  settings.kinds             | no webhook        | : {}                         | ${NO_SUBJECT}
  settings.json              | empty             | :                            | the answer: an empty body
  settings.json              | a byte order mark within | : {"a":"\uFEFF"}      | -
  settings.stable            | the same          | = {auth: {}}; : {}; = {auth: {}} | -
  settings.stable            | another one       | = {auth: {}}; = {auth: 1}    | alice: other settings than those of entry 0, its first read
  settings.stable            | a secret that was learnt in between | = {start: {url: x?t=abcd&u}}; = {start: {url: 'x?t=[secret:receiverKey:bob]&u'}} | -
  settings.stable            | another value beside it | = {start: {url: x?t=abcd&u}}; = {start: {url: 'x?t=[secret:receiverKey:bob]&v'}} | alice: other settings than those of entry 0, its first read
  settings.stable            | another secret    | = {auth: {apikey: {apikey: '[secret:receiverKey:bob]'}}}; = {auth: {apikey: {apikey: '[secret:receiverKey:bob#2]'}}} | alice: other settings than those of entry 0, its first read
  settings.kind-url          | a secret in place of its host | = {start: {url: '[secret:header:Origin]/in'}} | -
  settings.kind-url          | a secret and no address | = {start: {url: '[secret:header:Origin] in'}} | start.url: "[secret:header:Origin] in"
  settings.kind-status       | missing           | = {start: {status: true}, updates: {}} | updates.status: missing
  settings.kind-status       | no object         | = {start: []}                | ${NO_SUBJECT}
  settings.auth-type         | null for auth     | = {auth: null}               | ${NO_SUBJECT}
  settings.username          | missing           | = {auth: {basic: {}}}        | ${NO_SUBJECT}
  settings.password-null     | a mask            | = {auth: {basic: {password: '***'}}} | auth.basic.password: a string where null belongs
  settings.has-password-type | missing           | = {auth: {basic: {}}}        | ${NO_SUBJECT}
  settings.apikey-unused     | missing           | = {auth: {type: basic}}      | ${NO_SUBJECT}
  settings.no-extra          | a hint            | = {auth: {basic: {hint: 1}}} | auth.basic.hint: a member that the description does not name
  settings.content-type      | none              |  200                         | Content-Type: absent
  settings.content-type      | JSON              | Content-Type=application/json | -
  settings.content-type      | JSON in another letter case | Content-Type=Text/JSON;charset=utf-8 | -
  settings.content-type      | a kind of JSON    | Content-Type=application/problem+json | -
  settings.content-type      | a page            | Content-Type=text/html       | Content-Type: text/html
  settings.content-type      | twice             | Content-Type=application/json Content-Type=application/json | Content-Type: application/json, application/json
  settings.content-type      | no media type     | Content-Type=x/y/z+json      | Content-Type: x/y/z+json
`);

test('a body that is not UTF-8, or has a byte order mark, is no JSON', () => {
  expect(found('settings.json', evidenceOf([bytes('{}')]))).toEqual(['the answer: a body that is not UTF-8']);
  const marked = evidenceOf([{ body: '\uFEFF{}' }]);
  expect(found('settings.json', marked)).toEqual([expect.stringContaining('begins with a byte order mark')]);
});

test('a long value is cut', () => {
  const kind = (length: number) => found('settings.kind-url', evidenceIn(`= {start: {url: ${'x'.repeat(length)}}}`));
  expect(kind(78)).toEqual([`start.url: "${'x'.repeat(78)}"`]);
  expect(kind(79)).toEqual([`start.url: "${'x'.repeat(78)}…`]);
});

for (const [clause = '', declared = '', served = '', cell = ''] of rowsOf(`
  stored     | true        | true  | -
  stored     | true        | false | auth.basic.hasPassword: false for alice, which is declared to have a password stored
  not-stored | false       | true  | auth.basic.hasPassword: true for alice, which is declared to have no password stored
  stored     | true        | yes   | ${NO_SUBJECT}
  stored     | false       | false | ? Declare an account with \`hasPassword: true\` in the target file
  stored     | false true  | false | ${NEVER}
`))
  test(`hasPassword is ${clause}: ${declared} declared, ${served} served`, () => {
    const accounts = declared.split(' ').map((word, i) => ({
      ...{ name: ['alice', 'bob'][i] ?? '', passwordDeclared: false, hasPassword: word === 'true' },
    }));
    const evidence = evidenceIn(`= {auth: {basic: {hasPassword: ${served}}}}`, { accounts });
    expectFound(`settings.has-password-${clause}`, evidence, cell);
  });

/** Accounts with declared settings, written as YAML. */
const declaring = (settings: Record<string, string>): { accounts: AccountFacts[] } => ({
  accounts: Object.entries(settings).map(([name, text]) => ({ name, passwordDeclared: false, settings: parse(text) })),
});

for (const [what = '', declared = '', exchanges = '', cell = ''] of rowsOf(`
  served as basic   | {}                   | = {auth: {type: basic, apikey: {header: X}}}    | auth.apikey.header: "X", although the scheme is "basic"
  declared as basic | {auth: {type: basic}} | = {auth: {type: other, apikey: {header: X}}}   | auth.apikey.header: "X", although the scheme is "basic"
  another scheme    | {}                   | = {auth: {type: other, apikey: {header: X}}}    | ? declare one whose \`auth.type\` is "basic"
  no read           | {}                   |                                                 | ${NEVER}
  unused            | {}                   | = {auth: {type: basic, apikey: {header: null}}} | -
  missing, which is for another clause | {} | = {auth: {type: basic, apikey: {}}}            | -
`))
  test(`an API key while the scheme is basic: ${what}`, () =>
    expectFound('settings.apikey-unused', evidenceIn(exchanges, declaring({ alice: declared })), cell));

for (const [what = '', declared = '', exchanges = '', cell = ''] of rowsOf(`
  no document          | {auth: {}}                        | : {}                                         | ${NO_SUBJECT}
  a header for none    | {auth: {apikey: {header: null}}}  | = {auth: {type: key, apikey: {header: X}}}   | auth.apikey.header: "X" for alice, declared as null
  one that is not used | {auth: {apikey: {header: null}}}  | = {auth: {type: basic, apikey: {header: X}}} | -
  no header for one    | {auth: {apikey: {header: X}}}     | = {auth: {type: basic, apikey: {header: null}}} | auth.apikey.header: null for alice, declared as "X"
  a missing header     | {auth: {apikey: {header: X}}}     | = {auth: {type: key, apikey: {}}}            | auth.apikey.header: missing for alice, declared as "X"
  a skeleton           | {start: {url: u}, auth: {type: t}} | = {start: {}}                               | start.url: missing for alice, declared as "u"; auth: missing for alice, declared as {"type":"t"}
  another user         | {auth: {basic: {username: alice}}} | = {auth: {basic: {username: bob}}}          | auth.basic.username: "bob" for alice, declared as "alice"
  a user that is a number | {auth: {basic: {username: alice}}} | = {auth: {basic: {username: 7}}}         | -
  a mask for a password | {auth: {basic: {password: null}}} | = {auth: {basic: {password: '***'}}}        | -
  a hidden password    | {auth: {basic: {password: word}}} | = {auth: {basic: {password: null}}}          | auth.basic.password: null for alice, declared as "word"
  a member not described | {extra: 1}                      | = {extra: 2}                                 | extra: 2 for alice, declared as 1
  an inherited name    | {constructor: 1}                  | = {constructor: 2}                           | constructor: 2 for alice, declared as 1
  several at once      | {start: {status: false}, extra: 1} | = {start: {status: true}, extra: 2}         | start.status: true for alice, declared as false; extra: 2 for alice, declared as 1
  an object that is none | {start: {url: u}}               | = {start: 'on'}                              | -
  an empty type        | {auth: {type: basic}}             | = {auth: {type: ''}}                         | -
`))
  test(`served otherwise than declared: ${what}`, () =>
    expectFound('settings.as-configured', evidenceIn(exchanges, declaring({ alice: declared })), cell));

test('only accounts with declared settings are compared', () => {
  const accounts = [...declaring({ alice: '{extra: 1}' }).accounts, ...accountsNamed('bob')];
  expectFound('settings.as-configured', evidenceIn('bob = {extra: 2}', { accounts }), NEVER);
  expect(found('settings.as-configured', evidenceIn('= {extra: 2}; bob = {extra: 2}', { accounts }))).toHaveLength(1);
  const nobody = evidenceIn('bob = {extra: 2}', { accounts: accountsNamed('bob') });
  expectFound('settings.as-configured', nobody, '? Declare `settings`');
});

test('the form of settings is judged on every read, what they should hold on the account’s own', () => {
  const of = (name: string) => `{start: {url: 'https://hooks.example/${name}'}, auth: {basic: {password: '***'}}}`;
  const target = declaring({ alice: of('alice').replace("'***'", 'null'), bob: of('bob').replace("'***'", 'null') });
  const swapped = evidenceIn(`= ${of('bob')}; bob = ${of('alice')}`, target);
  const whose = 'to the key of alice: the settings of bob; to the key of bob: the settings of alice';
  expectFound('auth.own-settings', swapped, whose);
  expect(found('settings.password-null', swapped)).toHaveLength(2);
  expectFound('settings.as-configured', swapped, NEVER);
  expectFound('auth.own-settings', evidenceIn(`= ${of('alice')}; bob = ${of('bob')}`, target), '-');
});

const urls = (start: string, updates: string) =>
  `start: {url: 'https://hooks.example/${start}'}, updates: {url: 'https://hooks.example/${updates}'}`;

for (const [what, start, updates, isForeign] of [
  ['all texts of the other', 'b', 'b', true],
  ['one text of the other beside an own one', 'b', 'a', false],
  ['one text of the other beside a strange one', 'b', 'c', true],
  ['nothing of the other', 'c', 'c', false],
] as const)
  test(`whose settings are these, by what is declared of both: ${what}`, () => {
    const target = declaring({ a: `{${urls('a', 'a')}}`, b: `{${urls('b', 'b')}}` });
    const evidence = evidenceIn(`a = {${urls(start, updates)}}; b = {${urls('b', 'b')}, auth: {}}`, target);
    expect(found('auth.own-settings', evidence)).toHaveLength(isForeign ? 1 : 0);
  });

test('a document without what is declared is nobody’s settings', () => {
  const target = declaring({ a: `{${urls('a', 'a')}}`, b: `{${urls('b', 'b')}}` });
  const evidence = evidenceIn('a = {start: {}, updates: {}}; b = {start: {}, updates: {}}', target);
  expectFound('auth.own-settings', evidence, '? All accounts gave the same settings');
  expect(found('settings.as-configured', evidence)).toHaveLength(4);
});

test('settings are those of the account that has equal ones, not of the first that shares a text with them', () => {
  const of = (name: string, type: string) => `{start: {url: 'https://hooks.example/${name}'}, auth: {type: ${type}}}`;
  const target = declaring({ a: of('a', 'apikey'), b: of('b', 'basic'), c: of('c', 'basic') });
  const evidence = evidenceIn(`a = ${of('c', 'basic')}; c = ${of('c', 'basic')}`, target);
  expectFound('auth.own-settings', evidence, 'to the key of a: the settings of c');
});

test('what an account usually gets is what agrees with its declaration, however seldom it comes', () => {
  const [declared, foreign] = ['{start: {url: a}}', '{start: {url: b}}'];
  const reads = `= ${foreign}; = ${foreign}; = ${declared}`;
  expect(usualSettings(evidenceIn(reads, declaring({ alice: declared })), 'alice')).toContain('"a"');
  expect(usualSettings(evidenceIn(reads), 'alice')).toContain('"b"');
});

const named = (username: string) => `= {auth: {basic: {username: '${username}'}}}`;
const keyed = (type: string) => `= {auth: {type: ${type}, apikey: {apikey: '${PASSWORD}'}}}`;
const UNDECLARED = '? Declare the stored `password` of an account in the target file';
const HERE = 'the stored password of alice';

judges(`
  settings.password-absent | nothing whole                | reset unanswered             | ? Nothing was answered.
  settings.password-absent | nothing found                | 200                          | ${UNDECLARED}
  settings.password-absent | in a header                  | X-Debug=${PASSWORD}          | X-Debug: ${HERE}
  settings.password-absent | a key, for another clause    | X-Debug=${KEY}               | ${UNDECLARED}
  settings.password-absent | in a text                    | : oops ${PASSWORD}           | the answer: ${HERE} in the body
  settings.password-absent | as a user                    | ${named(PASSWORD)}           | ${UNDECLARED}
  settings.password-absent | as a user, and in a header   | X-Debug=${PASSWORD} ${named(PASSWORD)} | ${UNDECLARED}
  settings.password-absent | as a receiver's key          | ${keyed('apiKey')}           | ${UNDECLARED}
  settings.password-absent | as a user, and in an error   | ${named(PASSWORD)}; 404 : {"error":"${PASSWORD}"} | ${UNDECLARED}
  settings.password-absent | in a part of a user          | X-Debug=${PASSWORD} ${named(`x ${PASSWORD}`)} | X-Debug: ${HERE}
  settings.password-absent | encoded, though a user has that name | X=[secret:password:alice:base64] ${named(PASSWORD)} | X: ${HERE}
  settings.password-absent | in a hidden member           | : {"a":"${PASSWORD}","a":"x"} | the answer: a stored password in a member name, or in a member that a later one of the same name hides
  settings.password-absent | in the name of a member      | : {"${PASSWORD}":"${PASSWORD}"} | ${PASSWORD}: ${HERE}
  settings.password-absent | a name that speaks of one    | : {"passphrase":"x"}         | passphrase: a string, where the name speaks of a secret
  settings.password-absent | the described member         | = {auth: {basic: {password: x}}} | ${UNDECLARED}
  settings.password-absent | a word that nobody declared  | = {auth: {basic: {password: '[secret:password:(undeclared)]'}}} | ${UNDECLARED}
  settings.password-absent | of an unknown account        | X=[secret:password:zoe]      | X: the stored password of zoe
`);

test('a stored password is found in bytes, and looked for where one account declares it', () => {
  const absent = 'settings.password-absent';
  expectFound(absent, evidenceOf([bytes(PASSWORD)]), `the answer: ${HERE} in the body`);
  const accounts = [...accountsNamed('alice'), { name: 'bob', passwordDeclared: true }];
  expectFound(absent, evidenceIn('200', { accounts }), '-');
});

function bytes(text: string): Sketch {
  return { body: Buffer.from(`\xFF${text}`, 'latin1').toString('base64'), bodyEncoding: 'base64' };
}

for (const [reader = '', alice, bob, isLeak] of rowsOf(`
  alice | -           | -           | no
  alice | carol       | -           | leak
  alice | ${PASSWORD} | carol       | no
  bob   | carol       | ${PASSWORD} | no
  bob   | ${PASSWORD} | carol       | no
  bob   | carol       | carol       | leak
  -     | carol       | ${PASSWORD} | no
  alice | carol       | ${PASSWORD} | leak
`))
  test(`a user named like the password of alice, served to ${reader}, where ${alice} and ${bob} are declared`, () => {
    const accounts = Object.entries({ alice, bob }).map(([name, username]) => ({
      ...{ name, passwordDeclared: true },
      ...(username !== '-' && { settings: { auth: { basic: { username } } } }),
    }));
    const leak = 'auth.basic.username: the declared password of alice';
    const evidence = evidenceIn(`${reader} ${named(PASSWORD)}`, { accounts });
    expectFound('settings.password-absent', evidence, isLeak === 'leak' ? leak : '-');
  });

const ADDRESS = "the answer: 401 with a receiver's address in its body";

for (const [url = '', body = '', cell = ''] of rowsOf(`
  http://a.io             | sent to http://a.io              | ${ADDRESS}
  http://a.b              | sent to http://a.b               | -
  https://hooks.example/a | https://hooks.example/a. Sorry   | ${ADDRESS}
  https://hooks.example/a | "https://hooks.example/a"        | ${ADDRESS}
  https://hooks.example/a | https://hooks.example/a-b        | -
  https://hooks.example/a | https://hooks.example/a/b        | -
  https://hooks.example/a | https://hooks.example/a.b        | -
  https://hooks.example/a | https://hooks.example/a: no      | ${ADDRESS}
  https://hooks.example/a | "https://hooks.example/a": no    | ${ADDRESS}
`))
  test(`a rejection says: ${body} (of ${url})`, () => {
    const read = `= {start: {url: '${url}'}}`;
    const [reading = {}] = sketchesOf(read);
    const rejected = (text: string): Sketch => ({ ...sketchesOf('- 401 missing-key')[0], body: text });
    const evidence = evidenceOf([reading, rejected('sorry'), rejected(body)]);
    expectFound('auth.rejection-discloses-nothing', evidence, cell);
  });

judges(`
  auth.rejection-discloses-nothing | a key of a receiver     | 200; - 401 missing-key : [secret:receiverKey:alice] | the answer: 401 with a receiver's key in its body
  auth.rejection-discloses-nothing | a password              | 200; - 401 missing-key : ${PASSWORD}  | the answer: 401 with ${HERE} in its body
  auth.rejection-discloses-nothing | a user of a receiver    | ${named('carol')}; - 401 missing-key : {"login":"carol"} | the answer: 401 with the receiver's user name in its body
  auth.rejection-discloses-nothing | a user named like one   | ${named(PASSWORD)}; - 401 missing-key : {"error":"${PASSWORD}"} | -
  auth.rejection-discloses-nothing | a key, for another clause | 200; - 401 missing-key : ${KEY}     | -
  auth.rejection-discloses-nothing | settings                | 200; - 401 missing-key = {start: {status: true, url: 'https://a.example/'}, auth: {}} | the answer: 401 with webhook settings in its body
  auth.rejection-discloses-nothing | no rejection            | - 200 empty-key                       | ? no request without a valid key was rejected
`);
