/**
 * What the rules of notifications find in small evidence: one row for each edge. Times are milliseconds of the run.
 *
 * The columns of a table: what it shows; members of alice's settings, as YAML; what was triggered and when, such as `start@1000`;
 * the deliveries between semicolons, such as `@1200 /start X-Key=k : body`, where `Basic:user/password` is what a header of Basic
 * credentials holds; what is found.
 */
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import type { AccountFacts, BasicCredentials, Delivery, Evidence, Kind, Trigger } from '../../../src/evidence/model';
import { observationsOf, ruleOf, rules } from '../../../src/profiles/rules';
import { at, evidenceOf, serving } from '../support/evidence-of';
import { expectFound, expectRows, foundAs, rowsOf, tabled } from '../support/table';

const PASSWORD = '[secret:password:alice]';
const BASIC = '{auth: {status: true, type: basic, basic: {username: alice, password: null, hasPassword: true}}}';
const keyed = (header: unknown, apikey: unknown, more = 'status: true, type: key') =>
  `{auth: {${more}, apikey: {header: ${JSON.stringify(header)}, apikey: ${JSON.stringify(apikey)}}}}`;
const url = (path: string) => `https://hooks.example${path}`;
const SETTINGS = {
  start: { status: true, url: url('/start') },
  submission: { status: false, url: url('/submission') },
  updates: { status: true, url: url('/updates') },
  auth: { status: false, type: 'basic', basic: { username: 'alice', password: null, hasPassword: true } },
};
const DECLARED: AccountFacts[] = [{ name: 'alice', passwordDeclared: true }];
const UNDECLARED: AccountFacts[] = [{ name: 'alice', passwordDeclared: false }];

/** Triggers of a cell: `kind@moment`, with `:off` or `:failed` behind it, or `:bob` for bob's. */
function triggersIn(cell: string): Trigger[] {
  return cell.split(' ').map((word): Trigger => {
    const [, kind = '', ms, more = ''] = /^(\w+)@(\d+)(.*)$/.exec(word) ?? [];
    return {
      ...{ kind: kind as Kind, account: more.includes(':bob') ? 'bob' : 'alice' },
      ...{ enabled: kind !== 'submission' && !more.includes(':off') },
      failure: more.includes(':failed') ? 'The command failed.' : null,
      ...{ startedAtMs: Number(ms), endedAtMs: Number(ms) + 100, watchedUntilMs: 900_000 },
    };
  });
}

/** The deliveries of a cell. */
function deliveriesIn(cell: string): Delivery[] {
  return cell.split(/;\s+/).flatMap((text): Delivery[] => {
    const [, head = '', body = ''] = /^(.*?)(?: : (.*))?$/.exec(text) ?? [];
    if (head === '') return [];
    const words = head.split(' ');
    const receivedAtMs = Number(words.find((word) => word.startsWith('@'))?.slice(1));
    const basic = words.flatMap((word): BasicCredentials[] => {
      const [, username = '', password = ''] = /^Basic:(.*?)\/(.*)$/.exec(word) ?? [];
      return word.startsWith('Basic:') ? [{ username: username === '-' ? null : username, password }] : [];
    });
    const headers = words.flatMap((word) => {
      const [, name = '', value = ''] = /^([\w-]+)=(.*)$/.exec(word) ?? [];
      return name === '' ? [] : [[name, value.replaceAll('_', ' ')] as const];
    });
    if (basic.length > 0) headers.push(['Authorization', 'Basic x']);
    const path = words.find((word) => word.startsWith('/')) ?? '/start';
    const whole = { body, bodyEncoding: 'utf8', truncated: false } as const;
    return [{ index: receivedAtMs, method: 'POST', path, headers, basic, receivedAtMs, ...whole }];
  });
}

/** Alice's settings were read, and bob's where he is declared, then kinds were triggered. */
function scene(settings: string, triggers: string, deliveries: string, accounts = DECLARED): Evidence {
  const webhook = { ...SETTINGS, ...parse(settings || '{}') };
  const reads = accounts.map(({ name }, i) => at(i, name, serving(webhook)));
  const notifications = { accounts: accounts.map(({ name }) => name), waitSeconds: 3 };
  const evidence = evidenceOf(reads, { accounts, notifications });
  return { ...evidence, triggers: triggersIn(triggers || 'start@1000'), deliveries: deliveriesIn(deliveries) };
}

const rows = (clause: string, accounts = DECLARED) =>
  tabled((table) =>
    test(`${clause}, where a password is ${accounts === DECLARED ? '' : 'not '}declared`, () =>
      expectRows(table, ([, settings = '', triggers = '', deliveries = ''], cell) =>
        foundAs(clause, scene(settings, triggers, deliveries, accounts), cell),
      )),
  );

const BOTH = 'start@1000 updates@1500';
const NOTHING = '"start" of alice: nothing at /start within 3 s of the trigger, though it is on';
rows('event.enabled-sent')`
  in time                   |  |                             | @4100 /start                | -
  a little late             |  |                             | @4101 /start                | ${NOTHING}, only after 3.0 s
  very late                 |  |                             | @101100 /start              | ${NOTHING}, only after 100.0 s
  never                     |  | ${BOTH}                     | @2000 /updates              | ${NOTHING}
  none of all               |  |                             |                             | ${NOTHING}
  none is on                |  | submission@1000             |                             | ? No kind of the accounts in \`notifications.accounts\` is on
  a trigger failed          |  | start@1000 updates@5000:failed | @2000 /start             | ? The command failed.
  a trigger failed, and nothing came |  | start@1000 updates@5000:failed | @6000 /start    | ${NOTHING}, only after 4.9 s
`;

const WITH_START = 'submission@1000 start@5000';
const ALL_OFF = `{start: {status: false, url: '${url('/start')}'}, updates: {status: false, url: '${url('/updates')}'}}`;
rows('event.disabled-silent')`
  silent, but nothing came  |  | submission@1000             |                             | ? Nothing arrived at the receiver at all, so the silence of kinds that are off proves nothing
  nothing was off           |  |                             | @1200 /start                | ? Every kind of the accounts in \`notifications.accounts\` is on
  silent                    |  | ${WITH_START}               | @6000 /start                | -
  at its own address        |  | submission@1000             | @3000 /submission           | "submission" of alice: POST /submission though it is off
  the service, as before all triggers |  | ${WITH_START}     | @500 /submission; @3000 /submission; @6000 /start | "submission" of alice: POST /submission though it is off
  at another address        |  | submission@1000             | @3000 /x                    | "submission" of alice: POST /x while nothing had been triggered but what is off
  somebody else's of a kind that is on |  | ${WITH_START}    | @500 /updates; @3000 /updates; @6000 /start | -
  after several that are off | ${ALL_OFF} | submission@1000 start@2000:off updates@9000:off | @3000 /x | "submission" of alice, "start" of alice, "updates" of alice: POST /x while nothing had been triggered but what is off
`;

const STRAY = '@1200 /start; @2000 /updates;';
const UNEXPECTED = 'where nothing was expected, after triggering';
const WITH_QUERY = "{start: {status: true, url: 'https://hooks.example/start?a=1'}}";
rows('event.own-url')`
  nothing came              |  |                             |                             | ? Nothing arrived at the url of a kind that is on
  a stray at the moment of a trigger |  | ${BOTH}            | ${STRAY} @1500 /x           | POST /x: ${UNEXPECTED} "updates" of alice
  a stray just before it    |  | ${BOTH}                     | ${STRAY} @1499 /x           | POST /x: ${UNEXPECTED} "start" of alice
  a stray with a parameter  |  | ${BOTH}                     | ${STRAY} @1499 /x?a=1       | POST /x?a=1: ${UNEXPECTED} "start" of alice
  a long one                |  | ${BOTH}                     | ${STRAY} @1499 /${'x'.repeat(117)} | POST /${'x'.repeat(117)}: ${UNEXPECTED} "start" of alice
  one that is too long      |  | ${BOTH}                     | ${STRAY} @1499 /${'x'.repeat(118)} | POST /${'x'.repeat(116)}…: ${UNEXPECTED} "start" of alice
  at an address that got some before all triggers |  |       | @500 /x; @1200 /start; @2000 /x | -
  an address with parameters | ${WITH_QUERY} |               | @1200 /x                    | "start" of alice: POST /x instead of /start?a=1
`;

rows('event.no-credentials-in-payload')`
  nothing                   |  |  |                                    | ? Nothing arrived, so there is no payload to look into
  a password                |  |  | @1200 : ${PASSWORD}                | POST /start: the declared password of alice in its payload
  a key                     |  |  | @1200 : [secret:apiKey:alice]      | POST /start: the API key of alice in its payload
  a key for the receiver    |  |  | @1200 : [secret:receiverKey:alice] | POST /start: the receiver's key of alice in its payload
  a second one              |  |  | @1200 : [secret:receiverKey:alice#2] | POST /start: the receiver's key of alice in its payload
  no credential             |  |  | @1200 : [secret:cookie:sid]        | -
  a password of nobody      |  |  | @1200 : [secret:password:(guess)]  | -
  a user who is called so   | {auth: {status: false, basic: {username: '${PASSWORD}'}}} |  | @1200 : ${PASSWORD} | -
  text that looks like bytes |  |  | @1200 : ${Buffer.from(PASSWORD).toString('base64')} | -
  in a url                  |  |  | @1200 /x?k=${PASSWORD}             | POST /x?k=${PASSWORD}: the declared password of alice in its URL
  in a configured url       | {start: {status: true, url: 'https://hooks.example/start?k=abc'}} |  | @1200 /start?k=${PASSWORD} | -
`;

test('event.no-credentials-in-payload: bytes', () => {
  const evidence = scene('', '', '@1200');
  const body = Buffer.from(`\xFF${PASSWORD}`, 'latin1').toString('base64');
  const deliveries = evidence.deliveries.map((one) => ({ ...one, body, bodyEncoding: 'base64' as const }));
  const leak = 'POST /start: the declared password of alice in its payload';
  expectFound('event.no-credentials-in-payload', { ...evidence, deliveries }, leak);
});

const START = 'at /start, the url of "start" of alice';
const NO_KEY = '? receiver authentication on, and the API-key scheme with header and key: list one that has.';
rows('event.apikey-auth')`
  the key                   | ${keyed('X-Key', 'k')}  |  | @1200 X-Key=k           | -
  a key that is a number    | ${keyed('X-Key', 7)}    |  | @1200 X-Key=7           | -
  no key                    | ${keyed('X-Key', 'k')}  |  | @1200                   | X-Key: absent ${START}
  another key               | ${keyed('X-Key', 'k')}  |  | @1200 X-Key=l           | X-Key: l, which is not the configured key, ${START}
  the key twice             | ${keyed('X-Key', 'k')}  |  | @1200 X-Key=k X-Key=k   | X-Key: k, k, which is not the configured key, ${START}
  nothing came              | ${keyed('X-Key', 'k')}  |  |                         | ? Nothing arrived at the url of a kind that is on
  a blank key               | ${keyed('X-Key', ' ')}  |  | @1200                   | ${NO_KEY}
  a key of another type     | ${keyed('X-Key', true)} |  | @1200                   | ${NO_KEY}
  a header without a name   | ${keyed('', 'k')}       |  | @1200                   | ${NO_KEY}
  a header that is a number | ${keyed(7, 'k')}        |  | @1200                   | ${NO_KEY}
  off                       | ${keyed('X-Key', 'k', 'status: false, type: key')}  |  | @1200 | ${NO_KEY}
  basic                     | ${keyed('X-Key', 'k', 'status: true, type: Basic')} |  | @1200 | ${NO_KEY}
  no scheme                 | {auth: {status: true, type: key}} |  | @1200         | ${NO_KEY}
`;

const BEARER = 'Authorization=Bearer_x';
const UNWANTED = `Authorization: Bearer x, with authentication off, ${START}`;
const OFF_KEY = 'status: false, type: key';
rows('event.auth-off')`
  none                      |  |  | @1200                                         | -
  one                       |  |  | @1200 ${BEARER}                               | ${UNWANTED}
  in a repetition           |  | ${BOTH} | @1200; @1499 ${BEARER}                 | ${UNWANTED}
  in a repetition after another trigger |  | ${BOTH} | @1200; @1500 ${BEARER}     | -
  at first, after another trigger |  | ${BOTH} | @1600 ${BEARER}                  | ${UNWANTED}
  credentials of the url    | {start: {status: true, url: 'https://u:p@hooks.example/start'}} |  | @1200 Authorization=Basic_dTpw | -
  a key                     | ${keyed('X-Key', 'k', OFF_KEY)} |  | @1200 X-Key=l  | X-Key: the header of the API-key scheme, with authentication off, ${START}
  a key not configured      | ${keyed('X-Key', '', OFF_KEY)}  |  | @1200 X-Key=l  | -
`;

const NO_BASIC = '? the type "basic" and a stored password: list one that has, and declare its `password`.';
const UNCOMPARED = (names: string) =>
  `? Basic credentials with the configured username came for ${names}; whether the password is the stored one was not`;
const OTHER_USER = `Authorization: Basic credentials with another username than the one configured ${START}`;
const A_WORD = `Authorization: Basic credentials with the word "null" for a password ${START}`;
const COLON = BASIC.replace('username: alice', "username: 'a:b'");
rows('event.basic-auth')`
  right                     | ${BASIC} |  | @1200 Basic:alice/${PASSWORD}           | -
  none                      | ${BASIC} |  | @1200                                   | Authorization: absent ${START}
  twice                     | ${BASIC} |  | @1200 Authorization=x Authorization=y   | Authorization: 2 times ${START}
  another scheme            | ${BASIC} |  | @1200 ${BEARER}                         | Authorization: Bearer x ${START}
  not in form               | ${BASIC} |  | @1200 Authorization=basic               | Authorization: Basic without the base64 of username:password ${START}
  another user              | ${BASIC} |  | @1200 Basic:-/${PASSWORD}               | ${OTHER_USER}
  another password          | ${BASIC} |  | @1200 Basic:alice/[secret:password:bob] | Authorization: Basic credentials with another password than the declared one ${START}
  a word                    | ${BASIC} |  | @1200 Basic:alice/null                  | ${A_WORD}
  no password               | ${BASIC} |  | @1200 Basic:alice/                      | Authorization: Basic credentials without a password ${START}
  off                       |          |  | @1200                                   | ${NO_BASIC}
  another type              | ${BASIC.replace('type: basic', 'type: key')}             |  | @1200 | ${NO_BASIC}
  nothing stored            | ${BASIC.replace('hasPassword: true', 'hasPassword: false')} |  | @1200 | ${NO_BASIC}
  a user with a colon       | ${COLON} |  | @1200 Basic:-/${PASSWORD}               | ${OTHER_USER}
`;
rows('event.basic-auth', UNDECLARED)`
  undeclared                | ${BASIC} |  | @1200 Basic:alice/[secret:password:(x)] | ${UNCOMPARED('alice')}
  undeclared, and a word    | ${BASIC} |  | @1200 Basic:alice/null                  | ${A_WORD}
  undeclared, and a word by one way to split | ${BASIC} |  | @1200 Basic:alice/null Basic:alice/[secret:password:(x)] | ${UNCOMPARED('alice')}
  undeclared, and another user | ${BASIC} |  | @1200 Basic:-/[secret:password:(x)]  | ${OTHER_USER}
  undeclared, and a user with a colon | ${COLON} |  | @1200 Basic:-/[secret:password:(x)] | ${UNCOMPARED('alice')}
`;

const pair = (alice: boolean, bob: boolean): AccountFacts[] => [
  { name: 'alice', passwordDeclared: alice },
  { name: 'bob', passwordDeclared: bob },
];
const FROM_BOTH = `@1200 Basic:alice/${PASSWORD}; @5200 Basic:alice/[secret:password:bob]`;
for (const [what, alice, bob, triggers, deliveries, cell] of [
  ['both are declared', true, true, 'start@1000 start@5000:bob', FROM_BOTH, '-'],
  ['one is declared', true, false, 'start@1000 start@5000:bob', FROM_BOTH, '-'],
  ['none is declared', false, false, 'start@1000 start@5000:bob', FROM_BOTH, UNCOMPARED('alice, bob')],
  ['the declared one has nothing on', false, true, 'start@1000 submission@5000:bob', FROM_BOTH, UNCOMPARED('alice')],
  ['the declared one got none', false, true, 'start@1000 start@5000:bob', FROM_BOTH.split(';')[0], UNCOMPARED('alice')],
] as const)
  test(`basic credentials are compared where a password of any triggered account is declared: ${what}`, () =>
    expectFound('event.basic-auth', scene(BASIC, triggers, deliveries ?? '', pair(alice, bob)), cell));

test('basic credentials are not compared by the word of an account that has none', () => {
  const sketch = scene(BASIC, 'start@1000 start@5000:bob', `@1200 Basic:alice/${PASSWORD}`, pair(false, true));
  const body = JSON.stringify({ webhook: { ...SETTINGS, start: { status: true, url: url('/bob') } } });
  const exchanges = sketch.exchanges.map((exchange) =>
    exchange.account === 'bob' && exchange.response
      ? { ...exchange, response: { ...exchange.response, body } }
      : exchange,
  );
  expectFound('event.basic-auth', { ...sketch, exchanges }, UNCOMPARED('alice'));
});

test('how often each notification came is observed', () => {
  const retries = (deliveries: string) => observationsOf(scene('', BOTH, deliveries))['notification.retries'];
  expect(retries('@1200; @1300')).toEqual([2]);
  expect(retries('@1200')).toEqual([1]);
});

for (const [what, clause = '', triggers = '', deliveries = '', shown] of rowsOf(`
  each account’s | event.enabled-sent    | start@1000 start@5000:bob           |                       | 0; 1; 0 1
  both are off   | event.disabled-silent | submission@1000 submission@1500:bob | @3000 /x              | 0 3000; 0 1
  bob’s is off   | event.disabled-silent | submission@1500:bob                 | @3000 /submission     | 1 3000; 1
  a stray        | event.own-url         | ${BOTH}                             | ${STRAY} @1499 /x     | 0 1499; 0 1200 2000 1499
`))
  test(`a breach shows the read of the account that it is about: ${clause}, ${what}`, () => {
    const { breaches, evidence } = ruleOf(clause).judge(scene('', triggers, deliveries, pair(true, true)));
    const of = breaches.map(({ exchanges, deliveries: came = [] }) =>
      [...exchanges, ...came].map(({ index }) => index),
    );
    expect([...of, evidence].map((indexes) => indexes.join(' ')).join('; ')).toBe(shown);
  });

test('without a receiver, each clause names what to declare', () => {
  for (const id of Object.keys(rules).filter((each) => each.startsWith('event.')))
    expect(ruleOf(id).judge(evidenceOf([]))).toMatchObject({
      isUndeclared: true,
      notTested: 'Declare `notifications` in the target file: a receiver, and a command that makes the service send.',
    });
});
