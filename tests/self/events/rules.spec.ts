/** What the rules of notifications find in small evidence: one row for each edge. Times are milliseconds of the run. */
import { expect, test } from '@playwright/test';
import { events } from '../../../src/events/profile';
import type {
  AccountFacts,
  BasicCredentials,
  Delivery,
  Evidence,
  HeaderLines,
  Kind,
  Trigger,
} from '../../../src/evidence/model';
import { observationsOf } from '../../../src/profiles/profiles';
import { ruleOf } from '../../../src/profiles/rules';
import { at, evidenceOf, found, serving } from '../support/evidence-of';

type Found = string[] | string;
type Auth = Record<string, unknown>;

const BASIC: Auth = { status: true, type: 'basic', basic: { username: 'alice', password: null, hasPassword: true } };
const OFF: Auth = { status: false, type: 'basic', basic: { username: 'alice', password: null, hasPassword: true } };
const keyed = (header: unknown, apikey: unknown): Auth => ({ status: true, type: 'key', apikey: { header, apikey } });
const url = (path: string) => `https://hooks.example${path}`;
const settings = (auth: Auth, start = '/start', isOn = true) => ({
  start: { status: isOn, url: url(start) },
  submission: { status: false, url: url('/submission') },
  updates: { status: isOn, url: url('/updates') },
  auth,
});
const PASSWORD = '[secret:password:alice]';

const trigger = (kind: Kind, startedAtMs: number, more: Partial<Trigger> = {}): Trigger => ({
  ...{ kind, account: 'alice', enabled: kind !== 'submission', failure: null },
  ...{ startedAtMs, endedAtMs: startedAtMs + 100, watchedUntilMs: 900_000, ...more },
});
const came = (path: string, receivedAtMs: number, more: Partial<Delivery> = {}): Delivery => ({
  ...{ index: receivedAtMs, method: 'POST', path, headers: [], body: '', bodyEncoding: 'utf8' },
  ...{ truncated: false, basic: [], receivedAtMs, ...more },
});

interface Scene {
  auth?: Auth;
  webhook?: unknown;
  triggers?: Trigger[];
  deliveries?: Delivery[];
  accounts?: AccountFacts[];
}

/** Alice's settings were read, then her kinds were triggered. */
function scene({
  auth = OFF,
  webhook = settings(auth),
  triggers = [trigger('start', 1000)],
  deliveries = [],
  accounts,
}: Scene): Evidence {
  const all = accounts ?? [{ name: 'alice', passwordDeclared: true }];
  const reads = all.map(({ name }, i) => at(i, name, serving(webhook)));
  const notifications = { accounts: all.map(({ name }) => name), waitSeconds: 3 };
  return { ...evidenceOf(reads, { accounts: all, notifications }), triggers, deliveries };
}

function rows(clause: string, all: ReadonlyArray<[string, Scene, Found]>): void {
  for (const [what, sketch, expected] of all)
    test(`${clause}: ${what}`, () => expect(found(clause, scene(sketch))).toEqual(expected));
}

const other = came('/updates', 2000);
const both = [trigger('start', 1000), trigger('updates', 1500)];
const late = (seconds: string) => [
  `"start" of alice: nothing at /start within 3 s of the trigger, though it is on, only after ${seconds} s`,
];
const failed = trigger('updates', 5000, { failure: 'The command failed.' });

rows('event.enabled-sent', [
  ['in time', { deliveries: [came('/start', 4100)] }, []],
  ['a little late', { deliveries: [came('/start', 4101)] }, late('3.0')],
  ['very late', { deliveries: [came('/start', 101_100)] }, late('100.0')],
  [
    'never',
    { triggers: both, deliveries: [other] },
    ['"start" of alice: nothing at /start within 3 s of the trigger, though it is on'],
  ],
  ['none of all', {}, ['"start" of alice: nothing at /start within 3 s of the trigger, though it is on']],
  [
    'none is on',
    { triggers: [trigger('submission', 1000)] },
    'No kind of the accounts in `notifications.accounts` is on: switch one on, or list another account.',
  ],
  [
    'a trigger failed',
    { triggers: [trigger('start', 1000), failed], deliveries: [came('/start', 2000)] },
    'The command failed.',
  ],
  [
    'a trigger failed, and nothing came',
    { triggers: [trigger('start', 1000), failed], deliveries: [came('/start', 6000)] },
    late('4.9'),
  ],
]);

const two = [
  trigger('submission', 1000),
  trigger('start', 2000, { enabled: false }),
  trigger('updates', 9000, { enabled: false }),
];
const withStart = [trigger('submission', 1000), trigger('start', 5000)];
const unasked = (path: string) => [came(path, 3000)];
rows('event.disabled-silent', [
  [
    'silent, but nothing came at all',
    { triggers: [trigger('submission', 1000)] },
    'Nothing arrived at the receiver at all, so the silence of kinds that are off proves nothing: switch a kind on, and see that it arrives (event.enabled-sent).',
  ],
  [
    'silent',
    { triggers: [trigger('submission', 1000), trigger('start', 5000)], deliveries: [came('/start', 6000)] },
    [],
  ],
  [
    'at its own address',
    { triggers: [trigger('submission', 1000)], deliveries: unasked('/submission') },
    ['"submission" of alice: POST /submission though it is off'],
  ],
  [
    'the service at its own address, as before all triggers',
    { triggers: withStart, deliveries: [came('/submission', 500), ...unasked('/submission'), came('/start', 6000)] },
    ['"submission" of alice: POST /submission though it is off'],
  ],
  [
    'at another address',
    { triggers: [trigger('submission', 1000)], deliveries: unasked('/x') },
    ['"submission" of alice: POST /x while nothing had been triggered but what is off'],
  ],
  [
    'after several that are off',
    { webhook: settings(OFF, '/start', false), triggers: two, deliveries: unasked('/x') },
    [
      '"submission" of alice, "start" of alice, "updates" of alice: POST /x while nothing had been triggered but what is off',
    ],
  ],
]);

const stray = (path: string, receivedAtMs: number) => ({
  triggers: both,
  deliveries: [came('/start', 1200), other, came(path, receivedAtMs)],
});
rows('event.own-url', [
  [
    'a stray at the moment of a trigger',
    stray('/x', 1500),
    ['POST /x: where nothing was expected, after triggering "updates" of alice'],
  ],
  [
    'a stray just before it',
    stray('/x', 1499),
    ['POST /x: where nothing was expected, after triggering "start" of alice'],
  ],
  [
    'a stray with a parameter',
    stray('/x?a=1', 1499),
    ['POST /x?a=1: where nothing was expected, after triggering "start" of alice'],
  ],
  [
    'a long one',
    stray(`/${'x'.repeat(117)}`, 1499),
    [`POST /${'x'.repeat(117)}: where nothing was expected, after triggering "start" of alice`],
  ],
  [
    'one that is too long',
    stray(`/${'x'.repeat(118)}`, 1499),
    [`POST /${'x'.repeat(116)}…: where nothing was expected, after triggering "start" of alice`],
  ],
  [
    'an address with parameters',
    { webhook: settings(OFF, '/start?a=1'), deliveries: [came('/x', 1200)] },
    ['"start" of alice: POST /x instead of /start?a=1'],
  ],
]);

const leak = (where: string, of = 'the declared password of alice') => [`POST /start: ${of} in its ${where}`];
const body = (text: string) => ({ deliveries: [came('/start', 1200, { body: text })] });
rows('event.no-credentials-in-payload', [
  ['nothing', {}, 'Nothing arrived, so there is no payload to look into (event.enabled-sent).'],
  ['a password', body(PASSWORD), leak('payload')],
  ['a key', body('[secret:apiKey:alice]'), leak('payload', 'the API key of alice')],
  ['a key for the receiver', body('[secret:receiverKey:alice]'), leak('payload', "the receiver's key of alice")],
  ['no credential', body('[secret:cookie:sid]'), []],
  ['a password of nobody', body('[secret:password:(guess)]'), []],
  ['a user who is called so', { webhook: settings({ ...OFF, basic: { username: PASSWORD } }), ...body(PASSWORD) }, []],
  [
    'bytes',
    {
      deliveries: [
        came('/start', 1200, {
          body: Buffer.from(`\xFF${PASSWORD}`, 'latin1').toString('base64'),
          bodyEncoding: 'base64',
        }),
      ],
    },
    leak('payload'),
  ],
  ['text that looks like bytes', body(Buffer.from(PASSWORD).toString('base64')), []],
  [
    'in a url',
    { deliveries: [came(`/x?k=${PASSWORD}`, 1200)] },
    [`POST /x?k=${PASSWORD}: the declared password of alice in its URL`],
  ],
  [
    'in a configured url',
    { webhook: settings(OFF, '/start?k=abc'), deliveries: [came(`/start?k=${PASSWORD}`, 1200)] },
    [],
  ],
]);

const NO_KEY =
  'No account in `notifications.accounts` has a kind on, receiver authentication on, and the API-key scheme with header and key: list one that has.';
const sent = (...headers: [string, string][]) => [came('/start', 1200, { headers })];
const atStart = (wrong: string) => [`${wrong} at /start, the url of "start" of alice`];
rows('event.apikey-auth', [
  ['the key', { auth: keyed('X-Key', 'k'), deliveries: sent(['X-Key', 'k']) }, []],
  ['a key that is a number', { auth: keyed('X-Key', 7), deliveries: sent(['X-Key', '7']) }, []],
  ['no key', { auth: keyed('X-Key', 'k'), deliveries: sent() }, atStart('X-Key: absent')],
  [
    'another key',
    { auth: keyed('X-Key', 'k'), deliveries: sent(['X-Key', 'l']) },
    atStart('X-Key: l, which is not the configured key,'),
  ],
  [
    'the key twice',
    { auth: keyed('X-Key', 'k'), deliveries: sent(['X-Key', 'k'], ['X-Key', 'k']) },
    atStart('X-Key: k, k, which is not the configured key,'),
  ],
  [
    'nothing came',
    { auth: keyed('X-Key', 'k') },
    'Nothing arrived at the url of a kind that is on (event.enabled-sent, event.own-url).',
  ],
  ['a blank key', { auth: keyed('X-Key', ' '), deliveries: sent() }, NO_KEY],
  ['a key of another type', { auth: keyed('X-Key', true), deliveries: sent() }, NO_KEY],
  ['a header without a name', { auth: keyed('', 'k'), deliveries: sent() }, NO_KEY],
  ['a header that is a number', { auth: keyed(7, 'k'), deliveries: sent() }, NO_KEY],
  ['off', { auth: { ...keyed('X-Key', 'k'), status: false }, deliveries: sent() }, NO_KEY],
  ['basic', { auth: { ...keyed('X-Key', 'k'), type: 'Basic' }, deliveries: sent() }, NO_KEY],
  ['no scheme', { auth: { status: true, type: 'key' }, deliveries: sent() }, NO_KEY],
]);

const AUTHORIZED: HeaderLines = [['Authorization', 'Bearer x']];
const unwanted = atStart('Authorization: Bearer x, with authentication off,');
const second = (receivedAtMs: number) => ({
  triggers: both,
  deliveries: [came('/start', 1200), came('/start', receivedAtMs, { headers: AUTHORIZED })],
});
rows('event.auth-off', [
  ['none', { deliveries: sent() }, []],
  ['one', { deliveries: [came('/start', 1200, { headers: AUTHORIZED })] }, unwanted],
  ['in a repetition', second(1499), unwanted],
  ['in a repetition after another trigger', second(1500), []],
  [
    'at first, after another trigger',
    { triggers: both, deliveries: [came('/start', 1600, { headers: AUTHORIZED })] },
    unwanted,
  ],
  [
    'credentials of the url',
    {
      webhook: { ...settings(OFF), start: { status: true, url: 'https://u:p@hooks.example/start' } },
      deliveries: sent(['Authorization', 'Basic dTpw']),
    },
    [],
  ],
  [
    'a key',
    { auth: { ...keyed('X-Key', 'k'), status: false }, deliveries: sent(['X-Key', 'l']) },
    atStart('X-Key: the header of the API-key scheme, with authentication off,'),
  ],
  [
    'a key that was not configured',
    { auth: { ...keyed('X-Key', ''), status: false }, deliveries: sent(['X-Key', 'l']) },
    [],
  ],
]);

const NO_BASIC =
  'No account in `notifications.accounts` has a kind on, receiver authentication on, the type "basic" and a stored password: list one that has, and declare its `password`.';
const undeclared: AccountFacts[] = [{ name: 'alice', passwordDeclared: false }];
const UNCOMPARED = (names: string) =>
  `Basic credentials with the configured username came for ${names}; whether the password is the stored one was not compared: declare \`password\`.`;
const authorized = (...basic: [string | null, string][]): Delivery[] => [
  came('/start', 1200, {
    headers: [['Authorization', 'Basic x']],
    basic: basic.map(([username, password]): BasicCredentials => ({ username, password })),
  }),
];
const colon = { ...BASIC, basic: { username: 'a:b', password: null, hasPassword: true } };
rows('event.basic-auth', [
  ['right', { auth: BASIC, deliveries: authorized(['alice', PASSWORD]) }, []],
  ['none', { auth: BASIC, deliveries: sent() }, atStart('Authorization: absent')],
  [
    'twice',
    { auth: BASIC, deliveries: sent(['Authorization', 'x'], ['Authorization', 'y']) },
    atStart('Authorization: 2 times'),
  ],
  [
    'another scheme',
    { auth: BASIC, deliveries: sent(['Authorization', 'Bearer x']) },
    atStart('Authorization: Bearer x'),
  ],
  [
    'not in form',
    { auth: BASIC, deliveries: sent(['Authorization', 'basic']) },
    atStart('Authorization: Basic without the base64 of username:password'),
  ],
  [
    'another user',
    { auth: BASIC, deliveries: authorized([null, PASSWORD]) },
    atStart('Authorization: Basic credentials with another username than the one configured'),
  ],
  [
    'another password',
    { auth: BASIC, deliveries: authorized(['alice', '[secret:password:bob]']) },
    atStart('Authorization: Basic credentials with another password than the declared one'),
  ],
  [
    'a word',
    { auth: BASIC, deliveries: authorized(['alice', 'null']) },
    atStart('Authorization: Basic credentials with the word "null" for a password'),
  ],
  [
    'no password',
    { auth: BASIC, deliveries: authorized(['alice', '']) },
    atStart('Authorization: Basic credentials without a password'),
  ],
  ['off', { auth: OFF, deliveries: sent() }, NO_BASIC],
  ['another type', { auth: { ...BASIC, type: 'key' }, deliveries: sent() }, NO_BASIC],
  [
    'nothing stored',
    { auth: { ...BASIC, basic: { username: 'alice', hasPassword: false } }, deliveries: sent() },
    NO_BASIC,
  ],
  [
    'undeclared',
    { auth: BASIC, accounts: undeclared, deliveries: authorized(['alice', '[secret:password:(x)]']) },
    UNCOMPARED('alice'),
  ],
  [
    'undeclared, and a word',
    { auth: BASIC, accounts: undeclared, deliveries: authorized(['alice', 'null']) },
    atStart('Authorization: Basic credentials with the word "null" for a password'),
  ],
  [
    'undeclared, and a word by one way to split',
    {
      auth: BASIC,
      accounts: undeclared,
      deliveries: authorized(['alice', 'null'], ['alice', '[secret:password:(x)]']),
    },
    UNCOMPARED('alice'),
  ],
  [
    'undeclared, and another user',
    { auth: BASIC, accounts: undeclared, deliveries: authorized([null, '[secret:password:(x)]']) },
    atStart('Authorization: Basic credentials with another username than the one configured'),
  ],
  [
    'undeclared, and a user with a colon',
    { auth: colon, accounts: undeclared, deliveries: authorized([null, '[secret:password:(x)]']) },
    UNCOMPARED('alice'),
  ],
  [
    'declared, and a user with a colon',
    { auth: colon, deliveries: authorized([null, PASSWORD]) },
    atStart('Authorization: Basic credentials with another username than the one configured'),
  ],
]);

const pair = (alice: boolean, bob: boolean): AccountFacts[] => [
  { name: 'alice', passwordDeclared: alice },
  { name: 'bob', passwordDeclared: bob },
];
const ofAlice = authorized(['alice', '[secret:password:alice]']);
const ofBob = (kind: Kind, enabled = true) => trigger(kind, 5000, { account: 'bob', enabled });
test('basic credentials are compared where a password of any triggered account is declared', () => {
  const triggers = [trigger('start', 1000), ofBob('start')];
  const deliveries = [
    ...ofAlice,
    ...authorized(['alice', '[secret:password:bob]']).map((delivery) => ({
      ...delivery,
      receivedAtMs: 5200,
      index: 5200,
    })),
  ];
  const judge = (accounts: AccountFacts[], of = triggers) =>
    found('event.basic-auth', scene({ auth: BASIC, accounts, triggers: of, deliveries }));
  expect(judge(pair(true, true))).toEqual([]);
  expect(judge(pair(true, false))).toEqual([]);
  expect(judge(pair(false, false))).toBe(UNCOMPARED('alice, bob'));
  expect(judge(pair(false, true), [trigger('start', 1000), ofBob('submission', false)])).toBe(UNCOMPARED('alice'));
});

test('a declared password compares nothing where no notification of its account came', () => {
  const triggers = [trigger('start', 1000), ofBob('start')];
  const sketch = scene({ auth: BASIC, accounts: pair(false, true), triggers, deliveries: ofAlice });
  expect(found('event.basic-auth', sketch)).toBe(UNCOMPARED('alice'));
});

test('basic credentials are not compared by the word of an account that has none', () => {
  const accounts = pair(false, true);
  const sketch = scene({
    auth: BASIC,
    accounts,
    triggers: [trigger('start', 1000), ofBob('start')],
    deliveries: ofAlice,
  });
  const body = JSON.stringify({ webhook: settings(OFF, '/bob') });
  const exchanges = sketch.exchanges.map((exchange) =>
    exchange.account === 'bob' && exchange.response
      ? { ...exchange, response: { ...exchange.response, body } }
      : exchange,
  );
  expect(found('event.basic-auth', { ...sketch, exchanges })).toBe(UNCOMPARED('alice'));
});

test('how often each notification came is observed', () => {
  const observed = observationsOf(scene({ triggers: both, deliveries: [came('/start', 1200), came('/start', 1300)] }));
  expect(observed['notification.retries']).toEqual([2]);
  const once = observationsOf(scene({ triggers: both, deliveries: [came('/start', 1200)] }));
  expect(once['notification.retries']).toEqual([1]);
});

test('a breach shows the read of the account that it is about', () => {
  const shown = (clause: string, sketch: Scene) => {
    const { breaches, evidence } = ruleOf(clause).judge(scene(sketch));
    return [
      ...breaches.map(({ exchanges, deliveries = [] }) => [...exchanges, ...deliveries].map(({ index }) => index)),
      evidence,
    ];
  };
  const accounts = pair(true, true);
  const triggers = [trigger('submission', 1000), trigger('submission', 1500, { account: 'bob' })];
  expect(shown('event.enabled-sent', { accounts, triggers: [trigger('start', 1000), ofBob('start')] })).toEqual([
    [0],
    [1],
    [0, 1],
  ]);
  expect(shown('event.enabled-sent', { deliveries: [came('/start', 9000)] })).toEqual([
    [0, 9000],
    [0, 9000],
  ]);
  expect(shown('event.enabled-sent', { triggers: both, deliveries: [other] })).toEqual([[0], [0, 2000]]);
  expect(shown('event.disabled-silent', { accounts, triggers, deliveries: unasked('/x') })).toEqual([
    [0, 3000],
    [0, 1],
  ]);
  expect(
    shown('event.disabled-silent', { accounts, triggers: triggers.slice(1), deliveries: unasked('/submission') }),
  ).toEqual([[1, 3000], [1]]);
  expect(
    shown('event.disabled-silent', {
      accounts,
      triggers: [...triggers.slice(1), trigger('start', 9000)],
      deliveries: unasked('/submission'),
    }),
  ).toEqual([[1, 3000], [1]]);
  expect(shown('event.own-url', stray('/x', 1499))).toEqual([
    [0, 1499],
    [0, 1200, 2000, 1499],
  ]);
});

test('where nothing came, or nothing was off, nothing is judged', () => {
  const NONE_OFF =
    'Every kind of the accounts in `notifications.accounts` is on: switch one off, or list another account.';
  expect(found('event.disabled-silent', scene({ deliveries: sent() }))).toBe(NONE_OFF);
  expect(found('event.own-url', scene({}))).toBe(
    'Nothing arrived at the url of a kind that is on (event.enabled-sent, event.own-url).',
  );
});

test('without a receiver, each clause names what to declare', () => {
  const findings = Object.values(events.rules).map(({ judge }) => judge(evidenceOf([])));
  expect(findings.map(({ isUndeclared }) => isUndeclared)).toEqual(findings.map(() => true));
  expect(new Set(findings.map(({ notTested }) => notTested))).toEqual(
    new Set(['Declare `notifications` in the target file: a receiver, and a command that makes the service send.']),
  );
});
