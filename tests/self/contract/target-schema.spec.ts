/** What the schema of the target file takes and refuses, and that it names the place. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import Ajv2020 from 'ajv/dist/2020';
import {
  expectFaulty,
  faultyPlaces,
  type Json,
  newAjv,
  schemas,
  withStrangers,
  withVariables,
  withWrongTypes,
} from '../support/schemas';

const PASSWORD_STORED = join(__dirname, '../../../fixtures/settings/password-stored.json');

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

test.describe('target file', () => {
  const validate = newAjv().compile(schemas.get('target.schema.json') as Json);
  const smallest = () => ({
    baseURL: 'https://staging.acme.example/api/v2',
    accounts: [{ name: 'only', apiKey: 'key-4711' }] as Json[],
  });
  const withAccount = (members: Json) => ({
    ...smallest(),
    accounts: [{ name: 'only', apiKey: 'key-4711', ...members }],
  });
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
    'a key of eight characters': withAccount({ apiKey: '8letter5' }),
    'a key of sixteen letters': withAccount({ apiKey: 'k'.repeat(16) }),
    'a key with a space inside': withAccount({ apiKey: 'two words' }),
    'any part of the settings': withAccount({ settings: { auth: { basic: { username: null } } } }),
    'all of the settings': withAccount({
      settings: (JSON.parse(readFileSync(PASSWORD_STORED, 'utf8')) as { webhook: Json }).webhook,
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
  test('accepts what fits', () => {
    for (const [what, document] of Object.entries(accepted)) expect(faultyPlaces(validate, document), what).toEqual([]);
  });

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
    ['accounts by name', { ...smallest(), accounts: { only: { apiKey: 'key-4711' } } }, '/accounts'],
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
    ['an account without a name', { ...smallest(), accounts: [{ apiKey: 'key-4711' }] }, '/accounts/0/name'],
    ['a key in other letters', withAccount({ apikey: 'key-4711' }), '/accounts/0/apikey'],
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
    ['a key of seven characters', withAccount({ apiKey: 'k3y-of7' }), '/accounts/0/apiKey'],
    ['a key of fifteen letters', withAccount({ apiKey: 'k'.repeat(15) }), '/accounts/0/apiKey'],
    ['a key too long for a header', withAccount({ apiKey: 'k'.repeat(4097) }), '/accounts/0/apiKey'],
    ['a rate of nothing', { ...smallest(), rate: { requests: 0, seconds: 0 } }, '/rate/requests', '/rate/seconds'],
    ['a broken rate', { ...smallest(), rate: { requests: 1.5, seconds: '1' } }, '/rate/requests', '/rate/seconds'],
    ['an endless window', { ...smallest(), rate: { requests: 1, seconds: Number.POSITIVE_INFINITY } }, '/rate/seconds'],
    [
      'limits that are too low',
      { ...smallest(), limits: { timeoutSeconds: 0, bodyBytes: 1, burst: 1, runSeconds: 600 } },
      '/limits/bodyBytes',
      '/limits/burst',
      '/limits/timeoutSeconds',
    ],
    [
      'limits that are too high',
      { ...smallest(), limits: { timeoutSeconds: 3600, bodyBytes: 2 ** 31, burst: 1e6, runSeconds: 600 } },
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
  test('refuses what does not fit, and names the place', () => {
    const found = refused.map(([what, document]) => [what, ...faultyPlaces(validate, document)]);
    expect(found).toEqual(refused.map(([what, , ...places]) => [what, ...places]));
  });

  const full = withVariables((schemas.get('target.schema.json') as { examples: Json[] }).examples[0]);
  test('refuses a stranger and a wrong type anywhere, and names the place', () => {
    expectFaulty(validate, [...withStrangers(full), ...withWrongTypes(full)]);
  });
});
