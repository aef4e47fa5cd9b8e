import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, test } from '@playwright/test';
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse, parseDocument } from 'yaml';
import { allRules } from '../../../scripts/matrix/in-process';
import { toHar } from '../../../src/evidence/har/write';
import type { Evidence } from '../../../src/evidence/model';
import { evidenceOf } from '../support/evidence-of';

const root = join(__dirname, '..', '..', '..');
const settingsFixtures = join(root, 'fixtures', 'settings');

type Json = Record<string, unknown>;

/** Places in a settings document, and the clause that an error of the schema there says is broken. */
const CLAUSE_OF_PLACE: ReadonlyArray<readonly [place: RegExp, clause: string]> = [
  [/^(?:\/(?!webhook\/)[^/]*)?$/, 'settings.envelope'],
  [/^\/webhook\/(?:start|submission|updates)$/, 'settings.kinds'],
  [/^\/webhook\/(?:start|submission|updates)\/status$/, 'settings.kind-status'],
  [/^\/webhook\/(?:start|submission|updates)\/url$/, 'settings.kind-url'],
  [/^\/webhook\/auth(?:\/status)?$/, 'settings.auth-status'],
  [/^\/webhook\/auth\/type$/, 'settings.auth-type'],
  [/^\/webhook\/auth\/basic$/, 'settings.basic'],
  [/^\/webhook\/auth\/basic\/username$/, 'settings.username'],
  [/^\/webhook\/auth\/basic\/password$/, 'settings.password-null'],
  [/^\/webhook\/auth\/basic\/hasPassword$/, 'settings.has-password-type'],
  [/^\/webhook\/auth\/apikey$/, 'settings.apikey'],
  [/^\/webhook\/auth\/apikey\/(?:header|apikey)$/, 'settings.apikey-unused'],
];

const schemaFiles = readdirSync(join(root, 'schemas')).filter((file) => file.endsWith('.schema.json'));
const schemas = new Map(schemaFiles.map((file) => [file, readJson(join(root, 'schemas', file)) as Json]));

test('the published schemas are those that users and reports rely on', () => {
  expect(schemaFiles.sort()).toEqual([
    'conformance.schema.json',
    'evidence.schema.json',
    'fleet.schema.json',
    'target.schema.json',
    'webhook-settings.schema.json',
  ]);
});

for (const [file, schema] of schemas) {
  test.describe(file, () => {
    test('is a draft 2020-12 schema by the metaschema', () => {
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      const ajv = newAjv();
      expect(ajv.validateSchema(schema), ajv.errorsText(ajv.errors)).toBe(true);
    });

    test('compiles in strict mode without any other schema', () => {
      expect(() => newAjv().compile(schema)).not.toThrow();
    });

    test('has the id of its file', () => {
      expect(schema.$id).toBe(`https://assessment-api-conformance.example/schemas/${file}`);
    });

    test('says of itself and of every definition and member what it is, with examples', () => {
      const silent = describedPlaces(schema).flatMap(([place, subschema]) =>
        ['title', 'description', 'examples']
          .filter((word) => !saysSomething(resolveLocal(schema, subschema)[word]))
          .map((word) => `${place} has no ${word}`),
      );
      expect(silent).toEqual([]);
    });

    test('accepts the examples that it gives, at every place', () => {
      const ajv = newAjv();
      ajv.addSchema(schema);
      const rejected = describedPlaces(schema).flatMap(([place, subschema]) => {
        const validate = ajv.compile({ $ref: `${schema.$id}${place}` });
        return ((subschema.examples ?? []) as unknown[])
          .filter((example) => !validate(withVariables(example)))
          .map((example) => `${place}: ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`);
      });
      expect(rejected).toEqual([]);
    });

    test('bounds text with patterns that any validator can run', () => {
      // Look-around and back references are unknown to RE2, which many validators use; \d, \w and \s differ in range.
      const exotic = patternsOf(schema).filter((pattern) => /\(\?(?!:)|\\[dDwWsbBkpP1-9]/.test(pattern));
      expect(exotic).toEqual([]);
    });
  });
}

test('the target file asks of a receiver address what the settings ask', () => {
  const addressIn = (file: string, definition: string) => {
    const definitions = schemas.get(file)?.$defs as Record<string, Json>;
    const address = definition === 'url' ? definitions.url : (definitions.kind?.properties as Json | undefined)?.url;
    const { pattern, type } = address as Json;
    return { pattern, type };
  };
  const published = addressIn('webhook-settings.schema.json', 'url');
  expect(addressIn('target.schema.json', 'kind')).toEqual(published);
  expect(published.type).toBe('string');
  for (const url of ['https://bücher.example/straße', 'http://hooks.example/{kind}?b[]=2|3'])
    expect(url).toMatch(new RegExp(String(published.pattern), 'u'));
  // A template that nobody filled in.
  expect('https://{host}/start').not.toMatch(new RegExp(String(published.pattern), 'u'));
});

test.describe('webhook settings', () => {
  const validate = newAjv().compile(schemas.get('webhook-settings.schema.json') as Json);
  const withoutFormats = new Ajv2020({ strict: true, allErrors: true, validateFormats: false }).compile(
    schemas.get('webhook-settings.schema.json') as Json,
  );
  const index = parse(readFileSync(join(settingsFixtures, 'invalid', 'index.yaml'), 'utf8')) as Record<
    string,
    string[]
  >;
  const valid = filesBelow(join(settingsFixtures, 'valid'));
  const invalid = filesBelow(join(settingsFixtures, 'invalid')).filter((file) => file !== 'index.yaml');
  const invalidJson = invalid.filter((file) => file.endsWith('.json'));
  const notJson = invalid.filter((file) => !file.endsWith('.json'));

  test('each invalid fixture is in the index', () => {
    expect(Object.keys(index).sort()).toEqual(invalid.sort());
  });

  for (const file of valid) {
    test(`accepts ${file}`, () => {
      const document = readStrictJson(join(settingsFixtures, 'valid', file));
      validate(document);
      expect(validate.errors ?? []).toEqual([]);
    });
  }

  for (const file of invalidJson) {
    test(`rejects ${file} for the clauses it breaks, with formats and without`, () => {
      const document = readStrictJson(join(settingsFixtures, 'invalid', file));
      for (const validator of [validate, withoutFormats]) {
        expect(validator(document)).toBe(false);
        expect([...brokenClauses(validator.errors ?? [])].sort()).toEqual([...(index[file] ?? [])].sort());
      }
    });
  }

  for (const file of notJson) {
    test(`cannot judge ${file}, which is no JSON or says two things`, () => {
      expect(index[file]).toEqual(['settings.json']);
      expect(() => readStrictJson(join(settingsFixtures, 'invalid', file))).toThrow();
    });
  }

  test('the judges of the clauses find broken what the index says, and nothing else', async () => {
    const judges = allRules.filter(({ id }) => id.startsWith('settings.') && levelOf(id) === 'must');
    expect(judges.length).toBeGreaterThan(0);
    const brokenIn = (file: string) => {
      const evidence = evidenceOfRead(readFileSync(join(settingsFixtures, file)));
      return judges.filter(({ judge }) => judge(evidence).breaches.length > 0).map(({ id }) => id);
    };
    const found = [
      ...valid.map((file) => [file, brokenIn(`valid/${file}`)]),
      ...invalid.map((file) => [file, brokenIn(`invalid/${file}`).sort()]),
    ];
    const expected = [
      ...valid.map((file) => [file, []]),
      ...invalid.map((file) => [file, [...(index[file] ?? [])].sort()]),
    ];
    expect(found).toEqual(expected);
  });

  test('every clause that the schema expresses is broken by a fixture, and the index names no other', () => {
    const expressed = [...CLAUSE_OF_PLACE.map(([, id]) => id), 'settings.json', 'settings.password-absent'];
    expect(new Set(Object.values(index).flat())).toEqual(new Set(expressed));
  });
});

test.describe('target file', () => {
  const validate = newAjv().compile(schemas.get('target.schema.json') as Json);
  const smallest = () => ({
    baseURL: 'https://staging.acme.example/api/v2',
    accounts: [{ name: 'only', apiKey: 'key-1' }] as Json[],
  });
  const withAccount = (members: Json) => ({ ...smallest(), accounts: [{ name: 'only', apiKey: 'key-1', ...members }] });
  const notified = (members: Json = {}) => ({
    ...smallest(),
    notifications: { listen: '127.0.0.1:9099', accounts: ['only'], trigger: './send.sh', ...members },
  });
  const waiving = (members: Json) => ({
    ...smallest(),
    waivers: [{ clause: 'rate.refusal', reason: 'TICKET-12', ...members }],
  });

  const accepted: Record<string, unknown> = {
    'a base URL that ends in a slash': { ...smallest(), baseURL: 'http://localhost:8080/v2/' },
    'a key of one character': withAccount({ apiKey: 'k' }),
    'a key with a space inside': withAccount({ apiKey: 'two words' }),
    'any part of the settings': withAccount({ settings: { auth: { basic: { username: null } } } }),
    'all of the settings': withAccount({
      settings: (readJson(join(settingsFixtures, 'valid', 'password-stored.json')) as { webhook: Json }).webhook,
    }),
    'an API-key scheme of unknown types': withAccount({
      settings: { auth: { apikey: { header: ['X-A'], apikey: 7 } } },
    }),
    'a password that looks like a number or has line breaks': withAccount({ password: '12\n34' }),
    'a fraction of a second': { ...smallest(), rate: { requests: 5, seconds: 0.5 } },
    'some limits': { ...smallest(), limits: { timeoutSeconds: 3 } },
    'several headers': { ...smallest(), headers: { 'X-Gate': 'a b', Authorization: 'Basic YTpi', 'X-apiKey': '1' } },
    'no time to wait': notified(),
    'a receiver in IPv6': notified({ listen: '[::1]:65535' }),
    'a receiver by name': notified({ listen: 'localhost:1' }),
    'a waiver without an end': waiving({}),
    'no waivers': { ...smallest(), waivers: [] },
  };
  for (const [what, document] of Object.entries(accepted)) {
    test(`accepts ${what}`, () => {
      validate(document);
      expect(validate.errors ?? []).toEqual([]);
    });
  }

  test('bounds the day of a waiver where formats are not checked', () => {
    const withoutFormats = new Ajv2020({ strict: true, validateFormats: false }).compile(
      schemas.get('target.schema.json') as Json,
    );
    expect(faultyPlaces(withoutFormats, waiving({ until: '2027-01-31' }))).toEqual([]);
    expect(faultyPlaces(withoutFormats, waiving({ until: '31.01.2027' }))).toEqual(['/waivers/0/until']);
  });

  /** What is wrong, the document, and the places that the errors must name. */
  const refused: ReadonlyArray<readonly [what: string, document: unknown, ...places: string[]]> = [
    ['an empty file', null, ''],
    ['a list', [smallest()], ''],
    ['a missing base URL', { accounts: smallest().accounts }, '/baseURL'],
    ['missing accounts', { baseURL: smallest().baseURL }, '/accounts'],
    ['no account', { ...smallest(), accounts: [] }, '/accounts'],
    ['accounts by name', { ...smallest(), accounts: { only: { apiKey: 'key-1' } } }, '/accounts'],
    ['an unknown member', { ...smallest(), baseUrl: 'https://acme.example/v2' }, '/baseUrl'],
    ['a blank name', { ...smallest(), name: ' ' }, '/name'],
    ...[
      'acme.example/v2',
      '/v2',
      'ftp://acme.example/v2',
      'https:///v2',
      'https://acme.example/v 2',
      'https://acme.example/v2?a=1',
      'https://acme.example/v2#a',
      'https://user:word@acme.example/v2',
      'https://[1::2::3]/v2',
      '',
      2,
    ].map((baseURL) => [`the base URL ${JSON.stringify(baseURL)}`, { ...smallest(), baseURL }, '/baseURL'] as const),
    ['an account without a key', { ...smallest(), accounts: [{ name: 'only' }] }, '/accounts/0/apiKey'],
    ['an account without a name', { ...smallest(), accounts: [{ apiKey: 'key-1' }] }, '/accounts/0/name'],
    ['a key in other letters', withAccount({ apikey: 'key-1' }), '/accounts/0/apikey'],
    ...['', '.hidden', '../up', 'a/b', 'a b', 'a:b', 'é', 'a'.repeat(65), 7, null].map(
      (name) => [`the account name ${JSON.stringify(name)}`, withAccount({ name }), '/accounts/0/name'] as const,
    ),
    ...['', ' ', ' key', 'key ', 'ke\ty', 'key\n', 'kéy', 'k\u0000', 12345, null].map(
      (apiKey) => [`the key ${JSON.stringify(apiKey)}`, withAccount({ apiKey }), '/accounts/0/apiKey'] as const,
    ),
    ['hasPassword in words', withAccount({ hasPassword: 'yes' }), '/accounts/0/hasPassword'],
    ['an empty password', withAccount({ password: '' }), '/accounts/0/password'],
    ['a password that is a number', withAccount({ password: 1234 }), '/accounts/0/password'],
    ['settings with their envelope', withAccount({ settings: { webhook: {} } }), '/accounts/0/settings/webhook'],
    [
      'settings of wrong types',
      withAccount({
        settings: { start: { status: 'on', url: '/start' }, auth: { type: '', basic: { username: {} } } },
      }),
      '/accounts/0/settings/auth/basic/username',
      '/accounts/0/settings/auth/type',
      '/accounts/0/settings/start/status',
      '/accounts/0/settings/start/url',
    ],
    [
      'settings of every wrong type',
      withAccount({
        settings: {
          submission: { status: 1 },
          updates: { url: null },
          auth: { status: 0, basic: { hasPassword: 'yes' }, apikey: [] },
        },
      }),
      '/accounts/0/settings/auth/apikey',
      '/accounts/0/settings/auth/basic/hasPassword',
      '/accounts/0/settings/auth/status',
      '/accounts/0/settings/submission/status',
      '/accounts/0/settings/updates/url',
    ],
    [
      'a password where the API shows none',
      withAccount({ settings: { auth: { basic: { password: 'word' } } } }),
      '/accounts/0/settings/auth/basic/password',
    ],
    [
      'misspelt settings',
      withAccount({ settings: { strat: {}, auth: { apiKey: {}, basic: { user: 'a' }, apikey: { name: 'X' } } } }),
      '/accounts/0/settings/auth/apiKey',
      '/accounts/0/settings/auth/apikey/name',
      '/accounts/0/settings/auth/basic/user',
      '/accounts/0/settings/strat',
    ],
    ['half a rate', { ...smallest(), rate: { requests: 1 } }, '/rate/seconds'],
    ['the other half', { ...smallest(), rate: { seconds: 1 } }, '/rate/requests'],
    [
      'a rate without bounds',
      { ...smallest(), rate: { requests: 1e6, seconds: 86401 } },
      '/rate/requests',
      '/rate/seconds',
    ],
    ['a name too long for a report', { ...smallest(), name: 'a'.repeat(201) }, '/name'],
    ['a key too long for a header', withAccount({ apiKey: 'k'.repeat(4097) }), '/accounts/0/apiKey'],
    ['a rate of nothing', { ...smallest(), rate: { requests: 0, seconds: 0 } }, '/rate/requests', '/rate/seconds'],
    ['a broken rate', { ...smallest(), rate: { requests: 1.5, seconds: '1' } }, '/rate/requests', '/rate/seconds'],
    ['an endless window', { ...smallest(), rate: { requests: 1, seconds: Number.POSITIVE_INFINITY } }, '/rate/seconds'],
    [
      'limits that are too low',
      { ...smallest(), limits: { timeoutSeconds: 0, bodyBytes: 1, burst: 1 } },
      '/limits/bodyBytes',
      '/limits/burst',
      '/limits/timeoutSeconds',
    ],
    [
      'limits that are too high',
      { ...smallest(), limits: { timeoutSeconds: 3600, bodyBytes: 2 ** 31, burst: 1e6 } },
      '/limits/bodyBytes',
      '/limits/burst',
      '/limits/timeoutSeconds',
    ],
    ['an unknown limit', { ...smallest(), limits: { timeout: 3 } }, '/limits/timeout'],
    ...['apiKey', 'APIKEY', 'apikey', 'Content-Length', 'transfer-encoding', 'Connection', 'a b', 'a:b', '', 'é'].map(
      (name) =>
        [`the header ${JSON.stringify(name)}`, { ...smallest(), headers: { [name]: 'x' } }, '/headers'] as const,
    ),
    ...['', ' x', 'x\r\nX-Y: z', 'x\u0000', 'é', 1, null].map(
      (value) =>
        [`the value ${JSON.stringify(value)}`, { ...smallest(), headers: { 'X-A': value } }, '/headers/X-A'] as const,
    ),
    [
      'empty notifications',
      { ...smallest(), notifications: {} },
      '/notifications/accounts',
      '/notifications/listen',
      '/notifications/trigger',
    ],
    ...['127.0.0.1', '9099', ':9099', '127.0.0.1:0', '127.0.0.1:65536', 'http://127.0.0.1:9099', '::1:9099'].map(
      (listen) => [`the receiver ${JSON.stringify(listen)}`, notified({ listen }), '/notifications/listen'] as const,
    ),
    ['notifications of no account', notified({ accounts: [] }), '/notifications/accounts'],
    ['notifications of an account twice', notified({ accounts: ['only', 'only'] }), '/notifications/accounts'],
    [
      'notifications of an account that can have no such name',
      notified({ accounts: ['a b'] }),
      '/notifications/accounts/0',
    ],
    ['notifications that wait for ever', notified({ waitSeconds: 301 }), '/notifications/waitSeconds'],
    [
      'notifications that wait for nothing',
      notified({ trigger: ' ', waitSeconds: 0 }),
      '/notifications/trigger',
      '/notifications/waitSeconds',
    ],
    ['a waiver of nothing', { ...smallest(), waivers: [{ reason: 'TICKET-12' }] }, '/waivers/0/clause'],
    ['a waiver without a reason', { ...smallest(), waivers: [{ clause: 'rate.refusal' }] }, '/waivers/0/reason'],
    [
      'a waiver that says nothing',
      waiving({ clause: 'rate', reason: ' ', until: 'soon' }),
      '/waivers/0/clause',
      '/waivers/0/reason',
      '/waivers/0/until',
    ],
    ['a waiver until a day that does not exist', waiving({ until: '2027-02-30' }), '/waivers/0/until'],
    ['a waiver until a moment', waiving({ until: '2027-01-31T00:00:00Z' }), '/waivers/0/until'],
  ];
  for (const [what, document, ...places] of refused) {
    test(`refuses ${what}`, () => {
      expect(faultyPlaces(validate, document)).toEqual(places);
    });
  }

  const full = withVariables((schemas.get('target.schema.json') as { examples: Json[] }).examples[0]);
  test('refuses a stranger and a wrong type anywhere, and names the place', () => {
    expectFaulty(validate, [...withStrangers(full), ...withWrongTypes(full)]);
  });
});

test.describe('results', () => {
  const schema = schemas.get('conformance.schema.json') as { examples: Json[] } & Json;
  const validate = newAjv().compile(schema);
  const [nonConformant, conformant, error] = schema.examples as [Json, Json, Json];
  const aimed = (target: Json, base = conformant) => ({
    ...base,
    target: { ...(conformant.target as Json), ...target },
  });
  const incomplete = (...clauses: Json[]) => ({ ...conformant, verdict: 'incomplete', certifiable: false, clauses });
  const found = { subject: { kind: 'answer', name: '' }, expected: 'a 2xx status', got: '500', evidence: [0] };
  const clause = (members: Json) => ({
    ...{ id: 'auth.accepted', level: 'must', section: '5', statement: 'A valid key is accepted.' },
    ...{ verdict: 'pass', reason: null, evidence: [], untested: members.verdict === 'not-tested' ? 'unseen' : null },
    finding: ['fail', 'warn', 'waived'].includes(String(members.verdict)) ? [found] : null,
    ...members,
  });
  const passed = clause({});
  const failed = clause({ verdict: 'fail', reason: 'It answered 500.' });
  const notTested = clause({ verdict: 'not-tested', reason: 'Declare two accounts.' });
  const waived = clause({ verdict: 'waived', reason: 'TICKET-12' });

  const accepted: Record<string, unknown> = {
    'an incomplete run': incomplete(notTested),
    'a run that a waiver makes incomplete': incomplete(waived),
    'a conformant run with warnings': {
      ...conformant,
      clauses: [passed, clause({ level: 'should', verdict: 'warn', reason: 'It answered 503.' })],
    },
    'a conformant run with a waived warning': {
      ...conformant,
      certifiable: false,
      clauses: [clause({ level: 'should', verdict: 'waived', reason: 'TICKET-12' })],
    },
    'a warning of a clause with level must': {
      ...conformant,
      clauses: [clause({ verdict: 'warn', reason: 'It answered 404.' })],
    },
    'a run without anything to compare': { ...conformant, changes: [] },
    'a clause that vanished': { ...conformant, changes: [{ id: 'auth.accepted', from: 'pass', to: null }] },
    'an error after some clauses failed': { ...error, clauses: [failed], profiles: { core: 'fail', event: 'fail' } },
    'an error before anything was known': {
      ...error,
      target: { name: '', baseURL: '', embedded: false, accounts: [], rate: { requests: 1, seconds: 1 } },
    },
  };
  for (const [what, document] of Object.entries(accepted)) {
    test(`accept ${what}`, () => {
      validate(document);
      expect(validate.errors ?? []).toEqual([]);
    });
  }

  const refused: ReadonlyArray<readonly [what: string, document: unknown, ...places: string[]]> = [
    ['an unknown verdict of the run', { ...conformant, verdict: 'passed', certifiable: false }, '/verdict'],
    ['a start without an offset', { ...conformant, startedAt: '2026-11-20T10:00:00' }, '/startedAt'],
    ['a negative duration', { ...conformant, durationMs: -1 }, '/durationMs'],
    ['a negative wait', { ...conformant, waitedMs: -1 }, '/waitedMs'],
    ['a negative number of requests', { ...conformant, requests: -1 }, '/requests'],
    ['a suite without a name', { ...conformant, suite: { name: '', version: '1.0.0' } }, '/suite/name'],
    ['a suite without a version', { ...conformant, suite: { name: 'suite', version: '' } }, '/suite/version'],
    ['an account told twice', aimed({ accounts: ['a', 'a'] }), '/target/accounts'],
    ['an account without a name', aimed({ accounts: [''] }), '/target/accounts/0'],
    ['a rate of no requests', aimed({ rate: { requests: 0, seconds: 1 } }, error), '/target/rate/requests'],
    ['a window of no length', aimed({ rate: { requests: 1, seconds: 0 } }, error), '/target/rate/seconds'],
    [
      'an unknown verdict of the core profile',
      { ...error, profiles: { core: 'warn', event: 'pass' } },
      '/profiles/core',
    ],
    [
      'an unknown verdict of the event profile',
      { ...error, profiles: { core: 'pass', event: 'warn' } },
      '/profiles/event',
    ],
    ['half a request', { ...conformant, requests: 1.5 }, '/requests'],
    ['an error that is not told', { ...error, error: null }, '/error'],
    ['an error that says nothing', { ...error, error: '' }, '/error'],
    ['an error without that verdict', { ...conformant, error: 'Nothing answers.' }, '/error'],
    ['non-conformance without a failure', { ...nonConformant, clauses: [passed] }, '/clauses'],
    ['a failure in a conformant run', { ...conformant, clauses: [failed] }, '/clauses/0'],
    ['a gap in a conformant run', { ...conformant, clauses: [notTested] }, '/clauses/0'],
    ['a waiver in a conformant run', { ...conformant, certifiable: false, clauses: [waived] }, '/clauses/0'],
    ['a failure in an incomplete run', incomplete(failed, notTested), '/clauses/0'],
    ['incompleteness without a gap', incomplete(passed), '/clauses'],
    ['incompleteness for want of mere advice', incomplete({ ...notTested, level: 'should' }), '/clauses'],
    ['incompleteness for want of notifications', incomplete({ ...notTested, id: 'event.own-url' }), '/clauses'],
    ['a certificate for a run that failed', { ...nonConformant, certifiable: true }, '/profiles/core', '/verdict'],
    ['a certificate at another rate', aimed({ rate: { requests: 2, seconds: 1 } }), '/target/rate'],
    [
      'a certificate with a waiver in use',
      { ...conformant, clauses: [clause({ level: 'should', verdict: 'waived', reason: 'TICKET-12' })] },
      '/clauses/0',
    ],
    [
      'a certificate without the core profile',
      { ...conformant, profiles: { core: 'not-tested', event: 'pass' } },
      '/profiles/core',
    ],
    [
      'an unknown profile',
      { ...conformant, profiles: { core: 'pass', event: 'pass', extra: 'pass' } },
      '/profiles/extra',
    ],
    ['a pass with a reason', { ...conformant, clauses: [{ ...passed, reason: 'It passed.' }] }, '/clauses/0/reason'],
    ...['fail', 'warn', 'waived', 'not-tested'].map(
      (verdict) =>
        [`${verdict} without a reason`, { ...error, clauses: [clause({ verdict })] }, '/clauses/0/reason'] as const,
    ),
    ['a blank reason', { ...error, clauses: [{ ...failed, reason: ' ' }] }, '/clauses/0/reason'],
    ['the failure of mere advice', { ...error, clauses: [{ ...failed, level: 'should' }] }, '/clauses/0/verdict'],
    [
      'an unknown verdict of a clause',
      { ...error, clauses: [{ ...failed, verdict: 'error', finding: null }] },
      '/clauses/0/verdict',
    ],
    ['an unknown level', { ...conformant, clauses: [clause({ level: 'may' })] }, '/clauses/0/level'],
    ['a clause id without an area', { ...conformant, clauses: [clause({ id: 'accepted' })] }, '/clauses/0/id'],
    ['a section in words', { ...conformant, clauses: [clause({ section: 'Authentication' })] }, '/clauses/0/section'],
    ['evidence told twice', { ...conformant, clauses: [clause({ evidence: [3, 3] })] }, '/clauses/0/evidence'],
    ['evidence before the first', { ...conformant, clauses: [clause({ evidence: [-1] })] }, '/clauses/0/evidence/0'],
    [
      'an observation that is not a list',
      { ...conformant, observations: { 'refusal.status': 429 } },
      '/observations/refusal.status',
    ],
    ['an observation that is a number', { ...conformant, observations: { cookies: 1 } }, '/observations/cookies'],
    ['an observation with an odd name', { ...conformant, observations: { 'Refusal status': [] } }, '/observations'],
    [
      'a change without its beginning',
      { ...conformant, changes: [{ id: 'rate.refusal', to: 'pass' }] },
      '/changes/0/from',
    ],
    ['a change of no clause', { ...conformant, changes: [{ id: 'Refusal', from: 1, to: 2 }] }, '/changes/0/id'],
    ['a change without its end', { ...conformant, changes: [{ id: 'rate.refusal', from: 'pass' }] }, '/changes/0/to'],
  ];
  // One failure stays, so the run stays non-conformant whatever else changes.
  const full = { ...nonConformant, clauses: [...(nonConformant.clauses as Json[]).slice(1), failed] };
  const malformed = [
    ...withGaps(full, '/observations'),
    ...withGaps({ ...conformant, certifiable: false, clauses: [] }, '/observations'),
    ...withStrangers(full),
    ...withWrongTypes(full),
  ].filter(
    ([, , place]) =>
      // Whatever a change or an observation holds is right. What a clause must have besides depends on its verdict.
      !/^\/changes\/\d\/(?:from|to)(?:\/|$)|^\/observations\/[^/]+\/|^\/observations\/stranger$|^\/clauses\/\d\/verdict$/.test(
        place,
      ),
  );
  for (const [what, document, ...places] of refused) {
    test(`refuse ${what}`, () => {
      expect(faultyPlaces(validate, document)).toEqual(places);
    });
  }

  test('refuse a gap, a stranger and a wrong type anywhere, and name the place', () => {
    expectFaulty(validate, malformed);
  });
});

test.describe('results of a fleet', () => {
  const validate = newAjv().compile(schemas.get('fleet.schema.json') as Json);
  const entry = { name: 'acme', verdict: 'conformant', failed: [] as string[], durationMs: 9100 };
  const refused: ReadonlyArray<readonly [what: string, target: Json, place: string]> = [
    ['a conformant target with failures', { ...entry, failed: ['rate.refusal'] }, '/targets/1/failed'],
    [
      'an incomplete target with failures',
      { ...entry, verdict: 'incomplete', failed: ['rate.refusal'] },
      '/targets/1/failed',
    ],
    ['a non-conformant target without', { ...entry, verdict: 'non-conformant' }, '/targets/1/failed'],
    [
      'a failure told twice',
      { ...entry, verdict: 'non-conformant', failed: ['rate.refusal', 'rate.refusal'] },
      '/targets/1/failed',
    ],
    ['a failure of no clause', { ...entry, verdict: 'non-conformant', failed: ['rate'] }, '/targets/1/failed/0'],
    ['a target without a name', { ...entry, name: '' }, '/targets/1/name'],
    ['an unknown verdict', { ...entry, verdict: 'passed' }, '/targets/1/verdict'],
    ['a negative duration', { ...entry, durationMs: -1 }, '/targets/1/durationMs'],
  ];
  const fleet = { targets: [entry, { ...entry, verdict: 'non-conformant', failed: ['rate.refusal'] }] };
  for (const [what, target, place] of refused) {
    test(`refuse ${what}`, () => {
      expect(faultyPlaces(validate, { targets: [entry, target] })).toEqual([place]);
    });
  }

  test('refuse a gap, a stranger and a wrong type anywhere, and name the place', () => {
    expectFaulty(validate, [...withGaps(fleet), ...withStrangers(fleet), ...withWrongTypes(fleet)]);
  });

  test('accept any number of targets with any verdict', () => {
    for (const verdict of ['conformant', 'incomplete', 'error'])
      expect(faultyPlaces(validate, { targets: [entry, { ...entry, verdict }] })).toEqual([]);
    expect(faultyPlaces(validate, { targets: [] })).toEqual([]);
    expect(faultyPlaces(validate, { targets: [{ ...entry, verdict: 'error', failed: ['rate.refusal'] }] })).toEqual([]);
  });
});

test.describe('evidence', () => {
  const schema = schemas.get('evidence.schema.json') as { examples: [Json] } & Json;
  const validate = newAjv().compile(schema);
  const [full] = schema.examples;
  const [read, unanswered, delivery] = [0, 1, 2].map((i) => `/log/entries/${i}`) as [string, string, string];

  test('accepts what the suite writes', () => {
    const evidence = evidenceOfRead(Buffer.from([0xff]));
    for (const exchange of [...evidence.exchanges]) {
      const fault = { kind: 'reset', message: 'closed the connection without an answer' } as const;
      evidence.exchanges.push({ ...exchange, index: 1, account: null, response: null, fault, resent: true });
    }
    evidence.deliveries.push({
      index: 2,
      method: 'POST',
      path: '*',
      headers: [['Content-Type', 'text/plain']],
      body: '/w==',
      bodyEncoding: 'base64',
      truncated: true,
      basic: [{ username: null, password: 'null' }],
      receivedAtMs: 6,
    });
    const har = toHar(evidence, { durationMs: 7, waitedMs: 0, error: null });
    expect(faultyPlaces(validate, JSON.parse(JSON.stringify(har)))).toEqual([]);
  });

  test('accepts members that it does not describe, as HAR and later versions may have them', () => {
    for (const [what, document] of withStrangers(full)) expect(faultyPlaces(validate, document), what).toEqual([]);
  });

  const refused: ReadonlyArray<readonly [what: string, place: string, value: unknown]> = [
    ['another version of HAR', '/log/version', '1.1'],
    ['the HAR of a browser', '/log/creator/name', 'Firefox'],
    ['a target without accounts', '/log/_target/accounts', []],
    ['a rate of nothing', '/log/_target/rate/requests', 0],
    ['a waiver until a day that does not exist', '/log/_target/waivers/0/until', '2027-02-30'],
    ['a beginning after all dates', '/log/_startedAtEpochMs', 1e20],
    ['a negative duration', '/log/_durationMs', -1],
    ['an error that says nothing', '/log/_error', ''],
    ['an unknown kind of notification', '/log/_triggers/0/kind', 'end'],
    ['a start without an offset', `${read}/startedDateTime`, '2026-11-20T10:00:00'],
    ['a moment before the run', `${read}/_sentAtMs`, -1],
    ['a moment after a day', `${read}/_receivedAtMs`, 86_400_001],
    ['a connection in words', `${read}/connection`, 'first'],
    ['an answer without a status', `${read}/response/status`, 0],
    ['a status of four digits', `${read}/response/status`, 1000],
    ['half a status', `${read}/response/status`, 200.5],
    ['an unknown encoding', `${read}/response/content/encoding`, 'gzip'],
    ['an unknown fault', `${unanswered}/_fault/kind`, 'lost'],
    ['neither an answer nor a fault', `${unanswered}/_fault`, null],
    ['a mark that is not set', `${unanswered}/_resent`, false],
    ['a delivery that is none', `${delivery}/_delivery`, false],
    ['credentials without a password', `${delivery}/_basic/0/password`, null],
  ];
  for (const [what, place, value] of refused) {
    test(`refuses ${what}`, () => {
      expect(faultyPlaces(validate, replacedAt(full, place, value))).toEqual([place]);
    });
  }

  test('refuses a gap and a wrong type anywhere, and names the place', () => {
    const optional = /\/(?:hasPassword|until|_resent|_delivery)$/;
    // `_fault` may be null or an object, so a wrong type there is not always wrong.
    const either = [`${read}/_fault`, `${delivery}/_fault`];
    expectFaulty(validate, [
      ...[...withGaps(full)].filter(([, , place]) => !optional.test(place)),
      ...[...withWrongTypes(full)].filter(([, , place]) => !either.includes(place)),
    ]);
  });
});

interface Clause {
  id: string;
  level: string;
  section: string;
  statement: string;
  conforms: string;
  headline?: string;
  profile: string;
}

const clauses = parse(readFileSync(join(root, 'schemas', 'clauses.yaml'), 'utf8')) as {
  version: number;
  clauses: Clause[];
  observations: Array<{ id: string; section: string; what: string }>;
};

test.describe('clauses.yaml', () => {
  const section = /^(?:RFC [0-9]+ )?[0-9]+(?:\.[0-9]+)*$/;
  const sentences = /^[A-Z`].*[^.]\.$/s;

  test('has a version, which results go by', () => {
    expect(clauses.version).toBe(1);
  });

  test('says of each clause everything and nothing else', () => {
    for (const clause of clauses.clauses) {
      const { headline, ...words } = clause;
      expect(Object.keys(words), clause.id).toEqual(['id', 'level', 'section', 'statement', 'conforms', 'profile']);
      expect(headline ?? 'None', clause.id).toMatch(/^[A-Z].*[^.]$/);
      expect(['must', 'should'], clause.id).toContain(clause.level);
      expect(clause.id).toMatch(/^(?:auth|settings|rate|version|event|transport)\.[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(clause.section, clause.id).toMatch(section);
      expect(clause.statement, clause.id).toMatch(sentences);
      expect(clause.conforms, clause.id).toMatch(/^[^A-Z].*[^.]$/);
      expect(clause.profile, clause.id).toBe(clause.id.startsWith('event.') ? 'event' : 'core');
    }
  });

  test('says of each observation everything and nothing else', () => {
    for (const observation of clauses.observations) {
      expect(Object.keys(observation), observation.id).toEqual(['id', 'section', 'what']);
      expect(observation.id).toMatch(/^[a-z]+(?:-[a-z]+)*(?:\.[a-z]+(?:-[a-z]+)*)*$/);
      expect(observation.section, observation.id).toMatch(section);
      expect(observation.what, observation.id).toMatch(sentences);
    }
  });

  test('uses no id, statement or observation twice', () => {
    const twice = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index);
    expect(twice([...clauses.clauses, ...clauses.observations].map(({ id }) => id))).toEqual([]);
    expect(twice(clauses.clauses.map(({ statement }) => statement))).toEqual([]);
    expect(twice(clauses.observations.map(({ what }) => what))).toEqual([]);
  });

  test('names clauses and observations as the results may name them', () => {
    const validate = newAjv().compile(schemas.get('conformance.schema.json') as Json);
    const [, , error] = (schemas.get('conformance.schema.json') as { examples: Json[] }).examples as [Json, Json, Json];
    validate({
      ...error,
      clauses: clauses.clauses.map(({ id, level, section: stands, statement }) => ({
        ...{ id, level, section: stands, statement, verdict: 'pass', reason: null },
        ...{ evidence: [], finding: null, untested: null },
      })),
      observations: Object.fromEntries(clauses.observations.map(({ id }) => [id, []])),
      changes: [
        ...clauses.clauses.map(({ id }) => ({ id, from: 'pass', to: 'fail' })),
        ...clauses.observations.map(({ id }) => ({ id: `observations.${id}`, from: [], to: [1] })),
      ],
    });
    expect(validate.errors ?? []).toEqual([]);
  });
});

test.describe('openapi.yaml', () => {
  const file = join(root, 'schemas', 'openapi.yaml');
  const document = parseDocument(readFileSync(file, 'utf8'), { uniqueKeys: true });
  const api = document.toJS() as {
    openapi: string;
    paths: Json;
    webhooks: Json;
    security: Json[];
    components: Json;
  } & Json;
  const references = [...everyObject(api)].map((object) => object.$ref).filter((ref) => typeof ref === 'string');

  test('is well-formed, of version 3.1', () => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    expect(api.openapi).toMatch(/^3\.1\.\d+$/);
  });

  test('has the two operations and the three notifications of the interface', () => {
    expect(Object.entries(api.paths).map(([path, item]) => [path, Object.keys(item as Json)])).toEqual([
      ['/webhooks', ['get']],
      ['/', ['get']],
    ]);
    expect(Object.keys(api.webhooks)).toEqual(['start', 'submission', 'updates']);
  });

  test('asks for the key in the header `apiKey` everywhere', () => {
    expect(api.security).toEqual([{ apiKey: [] }]);
    expect(api.components.securitySchemes).toMatchObject({ apiKey: { type: 'apiKey', in: 'header', name: 'apiKey' } });
  });

  test('claims no status that the interface leaves open', () => {
    const statuses = Object.values(api.paths).map((item) =>
      Object.keys((item as { get: { responses: Json } }).get.responses),
    );
    expect(statuses.map((keys) => keys.sort())).toEqual([
      ['2XX', '4XX', '503'],
      ['2XX', '4XX', '503'],
    ]);
  });

  test('refers to the settings schema, and to nothing that is not there', () => {
    expect(references).toContain('./webhook-settings.schema.json');
    for (const ref of references) {
      const [path = '', fragment = ''] = ref.split('#');
      const target = path === '' ? api : readJson(join(root, 'schemas', path));
      expect(valueAt(target, fragment), ref).toBeDefined();
    }
  });

  test('refers to each of its components', () => {
    const { securitySchemes: _, ...components } = api.components as Record<string, Json>;
    const names = Object.entries(components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !references.includes(name))).toEqual([]);
  });

  test('gives examples that fit the settings schema', () => {
    const validate = newAjv().compile(schemas.get('webhook-settings.schema.json') as Json);
    const examples = [...everyObject(api.paths)]
      .map((object) => object.value)
      .filter((value) => typeof value === 'object' && value !== null);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      validate(example);
      expect(validate.errors ?? []).toEqual([]);
    }
  });
});

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats(ajv);
  return ajv;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Throws unless the file is UTF-8 without a byte order mark, JSON, and free of members with one name. */
function readStrictJson(file: string): unknown {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  const value = JSON.parse(text) as unknown;
  // JSON is also YAML, and the YAML parser reports duplicate names.
  const [duplicate] = parseDocument(text, { uniqueKeys: true }).errors;
  if (duplicate) throw duplicate;
  return value;
}

function levelOf(clauseId: string): string | undefined {
  return clauses.clauses.find(({ id }) => id === clauseId)?.level;
}

/** The evidence of a run that got this body for its one read of the settings. */
function evidenceOfRead(body: Buffer): Evidence {
  const bodyEncoding = isUtf8(body) ? 'utf8' : 'base64';
  const headers = [['Content-Type', 'application/json']] as const;
  return evidenceOf([{ headers, body: body.toString(bodyEncoding), bodyEncoding }]);
}

/** Files below a directory, by paths with slashes, hidden ones left out. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function* everyObject(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const member of Object.values(value)) yield* everyObject(member);
}

/** What a JSON pointer leads to. */
function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, token) => (value as Json | undefined)?.[token], document);
}

/** The schema itself, its definitions, and the members that any of them defines, as JSON pointers with `#`. */
function describedPlaces(schema: Json, place = '#'): Array<[place: string, subschema: Json]> {
  const members = ['properties', '$defs'].flatMap((word) =>
    Object.entries((schema[word] ?? {}) as Record<string, Json>).flatMap(([name, subschema]) =>
      describedPlaces(subschema, `${place}/${word}/${name}`),
    ),
  );
  return [[place, schema], ...members];
}

/** A subschema merged with the definition that it refers to; its own keywords win. */
function resolveLocal(schema: Json, subschema: Json): Json {
  if (typeof subschema.$ref !== 'string') return subschema;
  return { ...(valueAt(schema, subschema.$ref.slice(1)) as Json), ...subschema };
}

function saysSomething(words: unknown): boolean {
  return typeof words === 'string' ? words.trim() !== '' : Array.isArray(words) && words.length > 0;
}

/** An example with its `${VAR}` replaced, as is done before a target file is checked. */
function withVariables(example: unknown): unknown {
  return JSON.parse(JSON.stringify(example).replace(/\$\{[A-Z0-9_]+\}/g, 'value-of-variable'));
}

function patternsOf(schema: Json): string[] {
  return [...everyObject(schema)].flatMap((object) => [
    ...(typeof object.pattern === 'string' ? [object.pattern] : []),
    ...Object.keys((object.patternProperties ?? {}) as Json),
  ]);
}

/**
 * The places where a document is at fault, in order. `if` only says that another error has a condition, and below
 * `contains` each item says why it is not the one that was wanted.
 */
function faultyPlaces(validate: ValidateFunction, document: unknown): string[] {
  validate(document);
  const errors = (validate.errors ?? []).filter(
    ({ keyword, schemaPath }) => keyword !== 'if' && !schemaPath.includes('/contains/'),
  );
  return [...new Set(errors.map(placeOf))].sort();
}

type Malformed = readonly [what: string, document: unknown, place: string];

function expectFaulty(validate: ValidateFunction, malformed: Malformed[]): void {
  expect(malformed.map(([what, document]) => [what, ...faultyPlaces(validate, document)])).toEqual(
    malformed.map(([what, , place]) => [what, place]),
  );
}

/** The document without each of its members, one at a time, but for those directly below `optional`. */
function* withGaps(document: unknown, optional?: string): Generator<Malformed> {
  for (const [place, value] of everyPlace(document)) {
    if (!isObject(value) || place === optional) continue;
    for (const member of Object.keys(value)) {
      const { [member]: _, ...rest } = value;
      yield [`a lack of ${place}/${member}`, replacedAt(document, place, rest), `${place}/${member}`];
    }
  }
}

/** The document with one more member in each of its objects, one at a time, its value fit for none. */
function* withStrangers(document: unknown): Generator<Malformed> {
  for (const [place, value] of everyPlace(document)) {
    if (isObject(value))
      yield [
        `a stranger in ${place || 'the document'}`,
        replacedAt(document, place, { ...value, stranger: 1 }),
        `${place}/stranger`,
      ];
  }
}

/** The document with each of its values, one at a time, made an object, or an array where it is one. */
function* withWrongTypes(document: unknown): Generator<Malformed> {
  for (const [place, value] of everyPlace(document)) {
    const wrong = isObject(value) ? [] : {};
    yield [`${JSON.stringify(wrong)} for ${place || 'the document'}`, replacedAt(document, place, wrong), place];
  }
}

function* everyPlace(value: unknown, place = ''): Generator<[place: string, value: unknown]> {
  yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* everyPlace(member, `${place}/${name}`);
}

function replacedAt(document: unknown, pointer: string, value: unknown): unknown {
  if (pointer === '') return value;
  const copy = structuredClone(document);
  const [, parent = '', name = ''] = /^(.*)\/([^/]*)$/.exec(pointer) ?? [];
  (valueAt(copy, parent) as Json)[name] = value;
  return copy;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a document is at fault: for a member that is missing or too many, that member's place. */
function placeOf({ instancePath, params }: ErrorObject): string {
  const member = params.missingProperty ?? params.additionalProperty;
  return member === undefined ? instancePath : `${instancePath}/${member}`;
}

/** The clauses whose words the errors of the settings schema say are broken. */
function brokenClauses(errors: ErrorObject[]): Set<string> {
  return new Set(
    errors
      .filter(({ keyword }) => keyword !== 'if')
      .flatMap((error) => {
        const place = placeOf(error);
        const described = CLAUSE_OF_PLACE.find(([pattern]) => pattern.test(place))?.[1];
        if (error.keyword === 'not') return described === undefined ? ['settings.password-absent'] : [];
        if (error.keyword !== 'required') return [described ?? `none: ${place}`];
        // An absent member breaks the clause that asks for its presence.
        if (place === '/webhook/auth/basic/password') return ['settings.basic', 'settings.password-null'];
        if (/^\/webhook\/auth\/basic\/./.test(place)) return ['settings.basic'];
        if (/^\/webhook\/auth\/apikey\/./.test(place)) return ['settings.apikey'];
        return [described ?? `none: ${place}`];
      }),
  );
}
