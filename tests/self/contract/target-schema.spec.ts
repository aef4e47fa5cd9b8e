/** What the schema of the target file takes and refuses, and that it names the place. */
import { expect, test } from '@playwright/test';
import settingsSchema from '#schemas/webhook-settings.schema.json';
import {
  expectFaulty,
  faultyPlaces,
  type Json,
  newAjv,
  replacedAt,
  schemas,
  withGaps,
  withStrangers,
  withVariables,
  withWrongTypes,
} from '../support/schemas';

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
  const RECEIVER = { listen: '127.0.0.1:9099', accounts: ['only'], trigger: './send.sh' };
  const notified = (members: Json) => ({ ...smallest(), notifications: { ...RECEIVER, ...members } });
  const WAIVER = { clause: 'rate.refusal', reason: 'TICKET-12' };
  const waiving = (members: Json) => ({ ...smallest(), waivers: [{ ...WAIVER, ...members }] });

  test('accepts what fits', () => {
    const stored = settingsSchema.examples[0]?.webhook;
    const headers = { 'X-Gate': 'a b', Authorization: 'Basic YTpi', 'X-apiKey': '1' };
    for (const fitting of [
      { ...smallest(), baseURL: 'http://localhost:8080/v2/' },
      ...['8letter5', 'k'.repeat(16), 'two words'].map((apiKey) => withAccount({ apiKey })),
      withAccount({ settings: { auth: { basic: { username: null } } } }),
      withAccount({ settings: stored }),
      // Nobody knows the types of an API-key scheme.
      withAccount({ settings: { auth: { apikey: { header: ['X-A'], apikey: 7 } } } }),
      withAccount({ password: '12\n34' }),
      { ...smallest(), rate: { requests: 5, seconds: 0.5 } },
      { ...smallest(), limits: { timeoutSeconds: 3 } },
      { ...smallest(), headers },
      ...[{}, { listen: '[::1]:65535' }, { listen: 'localhost:1' }].map(notified),
      waiving({}),
      { ...smallest(), waivers: [] },
    ])
      expect(faultyPlaces(validate, fitting), JSON.stringify(fitting)).toEqual([]);
  });

  const full = withVariables((schemas.get('target.schema.json') as { examples: Json[] }).examples[0]);
  const ACCOUNT = '/accounts/0';
  /** Values that do not fit, by their places in a file that has everything. */
  const REFUSED: Record<string, readonly unknown[]> = {
    '/name': [' ', 'a'.repeat(201)],
    '/baseURL': [
      ...['acme.example/v2', '/v2', 'ftp://acme.example/v2', 'https:///v2', 'https://acme.example/v 2', '', 2],
      ...['https://acme.example/v2?a=1', 'https://acme.example/v2#a', 'https://user:word@acme.example/v2'],
      'https://[1::2::3]/v2',
    ],
    '/accounts': [[], Array.from({ length: 101 }, (_, i) => ({ name: `a${i}`, apiKey: `key-4711-${i}` }))],
    [`${ACCOUNT}/name`]: ['', '.hidden', '../up', 'a/b', 'a b', 'a:b', 'é', 'a'.repeat(65), null],
    [`${ACCOUNT}/apiKey`]: ['', ' ', ' key', 'key ', 'ke\ty', 'key\n', 'kéy', 'k\u0000', 12345, 'k'.repeat(4097)],
    [`${ACCOUNT}/hasPassword`]: ['yes'],
    [`${ACCOUNT}/password`]: ['', 1234],
    [`${ACCOUNT}/settings/start/status`]: ['on', 1],
    [`${ACCOUNT}/settings/start/url`]: ['/start', null],
    [`${ACCOUNT}/settings/auth/type`]: [''],
    [`${ACCOUNT}/settings/auth/basic/password`]: ['word'],
    [`${ACCOUNT}/settings/auth/apikey`]: [[]],
    '/rate/requests': [0, 1.5, 1e6],
    '/rate/seconds': [0, '1', 86401, Number.POSITIVE_INFINITY],
    '/limits/timeoutSeconds': [0, 3600],
    '/limits/bodyBytes': [1, 2 ** 31],
    '/limits/burst': [1, 1e6],
    '/headers/X-Staging-Gate': ['', ' x', 'x\r\nX-Y: z', 'x\u0000', 'é', 1, null],
    '/notifications/listen': [
      ...['127.0.0.1', '9099', ':9099', '127.0.0.1:0', '127.0.0.1:65536', 'http://127.0.0.1:9099', '::1:9099'],
    ],
    '/notifications/accounts': [[], ['only', 'only']],
    '/notifications/accounts/0': ['a b'],
    '/notifications/trigger': [' '],
    '/notifications/waitSeconds': [0, 301],
    '/waivers/0/clause': ['rate'],
    '/waivers/0/reason': [' '],
    '/waivers/0/until': ['soon', '2027-02-30', '2027-01-31T00:00:00Z'],
  };
  test('refuses what does not fit, and names the place', () => {
    for (const [place, values] of Object.entries(REFUSED))
      for (const value of values)
        expect(faultyPlaces(validate, replacedAt(full, place, value)), JSON.stringify(value)).toEqual([place]);
    const names = [
      ...['apiKey', 'APIKEY', 'apikey', 'Content-Length', 'transfer-encoding', 'Connection', 'a b', 'a:b', ''],
      ...['é'],
    ];
    for (const name of names)
      expect(faultyPlaces(validate, { ...smallest(), headers: { [name]: 'x' } }), name).toEqual(['/headers']);
  });

  test('refuses a file that lacks what every one must have, and names the place', () => {
    const must =
      /^\/(?:baseURL|accounts|accounts\/\d\/(?:name|apiKey)|rate\/.*|waivers\/0\/(?:clause|reason))$|^\/notifications\/(?!wait)/;
    const lacking = [...withGaps(full)].filter(([, , place]) => must.test(place));
    expect(lacking).toHaveLength(13);
    expectFaulty(validate, lacking);
  });

  test('refuses a stranger and a wrong type anywhere, and names the place', () => {
    expectFaulty(validate, [...withStrangers(full), ...withWrongTypes(full)]);
  });
});
