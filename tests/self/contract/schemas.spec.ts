/** The published schemas: what they take and refuse, that they name the place, and that they describe themselves. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import settingsSchema from '#schemas/webhook-settings.schema.json';
import { declarations } from '../../../scripts/types';
import {
  everyObject,
  expectFaulty,
  faultyPlaces,
  type Json,
  newAjv,
  replacedAt,
  schemas,
  valueAt,
  withGaps,
  withStrangers,
  withVariables,
  withWrongTypes,
} from '../support/schemas';

test('the published schemas are those that users and reports rely on', () => {
  expect([...schemas.keys()].sort()).toEqual([
    'conformance.schema.json',
    'evidence.schema.json',
    'fleet.schema.json',
    'target.schema.json',
    'webhook-settings.schema.json',
  ]);
});

for (const [file, schema] of schemas) {
  test.describe(file, () => {
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

function patternsOf(schema: Json): string[] {
  return [...everyObject(schema)].flatMap((object) => [
    ...(typeof object.pattern === 'string' ? [object.pattern] : []),
    ...Object.keys((object.patternProperties ?? {}) as Json),
  ]);
}

test('the types of the schemas are those that the schemas give: `npm run types` writes them', () => {
  expect(declarations().size).toBe(3);
  for (const [file, text] of declarations()) expect(readFileSync(file, 'utf8'), file).toBe(text);
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

  const full = withVariables((schemas.get('target.schema.json') as { examples: Json[] }).examples[1]);
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

test.describe('results', () => {
  const schema = schemas.get('conformance.schema.json') as { examples: Json[] } & Json;
  const validate = newAjv().compile(schema);
  const [broken, fine, error] = schema.examples as [Json, Json, Json];
  const found = { subject: { kind: 'answer', name: '' }, expected: 'a 2xx status', got: '500', evidence: [0] };
  const clause = (members: Json) => ({
    ...{ id: 'auth.accepted', level: 'must', section: '5', statement: 'A valid key is accepted.' },
    ...{ verdict: 'pass', reason: null, evidence: [], untested: members.verdict === 'not-tested' ? 'unseen' : null },
    finding: ['fail', 'warn', 'waived'].includes(String(members.verdict)) ? [found] : null,
    ...members,
  });
  const passed = clause({});
  const failed = clause({ verdict: 'fail', reason: 'It answered 500.' });
  const untested = clause({ verdict: 'not-tested', reason: 'Declare two accounts.' });
  const waived = clause({ verdict: 'waived', reason: 'TICKET-12' });
  const warned = clause({ verdict: 'warn', reason: 'It answered 503.' });
  const mild = (each: Json) => ({ ...each, level: 'should' });
  const having = (...clauses: Json[]) => ({ ...fine, clauses });
  const uncertified = (...clauses: Json[]) => ({ ...having(...clauses), certifiable: false });
  const incomplete = (...clauses: Json[]) => ({ ...uncertified(...clauses), verdict: 'incomplete' });
  const nowhere = { name: '', baseURL: '', embedded: false, accounts: [], rate: { requests: 1, seconds: 1 } };

  /** What the result is, and the places at fault: none where it fits. */
  for (const [what, document, ...places] of [
    ['a run that a waiver makes incomplete', incomplete(waived)],
    ['a conformant run with a waived warning', uncertified(mild(waived))],
    ['a warning of a clause with level must', having(warned)],
    ['a clause that vanished', { ...fine, changes: [{ id: 'auth.accepted', from: 'pass', to: null }] }],
    ['an error after some failed', { ...error, clauses: [failed], profiles: { core: 'fail', event: 'fail' } }],
    ['an error before anything was known', { ...error, target: nowhere }],
    ['an unknown verdict of the run', { ...fine, verdict: 'passed', certifiable: false }, '/verdict'],
    ['an error without that verdict', { ...fine, error: 'Nothing answers.' }, '/error'],
    ['non-conformance without a failure', { ...broken, clauses: [passed] }, '/clauses'],
    ['a failure in a conformant run', having(failed), '/clauses/0'],
    ['a waiver in a conformant run', uncertified(waived), '/clauses/0'],
    ['incompleteness without a gap', incomplete(passed), '/clauses'],
    ['incompleteness for want of mere advice', incomplete(mild(untested)), '/clauses'],
    ['incompleteness for want of notifications', incomplete({ ...untested, id: 'event.own-url' }), '/clauses'],
    ['a certificate for a run that failed', { ...broken, certifiable: true }, '/profiles/core', '/verdict'],
    ['a certificate at another rate', replacedAt(fine, '/target/rate', { requests: 2, seconds: 1 }), '/target/rate'],
    ['a certificate with a waiver in use', having(mild(waived)), '/clauses/0'],
  ] as ReadonlyArray<[string, unknown, ...string[]]>)
    test(`${places.length > 0 ? 'refuse' : 'accept'} ${what}`, () =>
      expect(faultyPlaces(validate, document)).toEqual(places));
  test('refuse a gap, a stranger and a wrong type anywhere, and name the place', () => {
    // One failure stays, so the run stays non-conformant whatever else changes.
    const full = { ...broken, clauses: [...(broken.clauses as Json[]).slice(1), failed] };
    const gaps = [...withGaps(full, '/observations'), ...withGaps(uncertified(), '/observations')];
    // Whatever a change or an observation holds is right. What a clause must have besides depends on its verdict.
    const isFree = (place: string) =>
      /^\/changes\/\d\/(?:from|to)(?:\/|$)|^\/observations\/(?:[^/]+\/|stranger$)|^\/clauses\/\d\/verdict$/.test(place);
    const malformed = [...gaps, ...withStrangers(full), ...withWrongTypes(full)];
    expectFaulty(
      validate,
      malformed.filter(([, , place]) => !isFree(place)),
    );
  });
});

test.describe('results of a fleet', () => {
  const validate = newAjv().compile(schemas.get('fleet.schema.json') as Json);
  const entry = { name: 'acme', verdict: 'conformant', failed: [] as string[], durationMs: 9100 };
  const ID = 'rate.refusal';

  for (const [what, members, place] of [
    ['one that had failed before', { verdict: 'error', failed: [ID] }, null],
    ['a conformant target with failures', { failed: [ID] }, 'failed'],
    ['an incomplete target with failures', { verdict: 'incomplete', failed: [ID] }, 'failed'],
    ['a non-conformant target without', { verdict: 'non-conformant' }, 'failed'],
  ] as const)
    test(`${place ? 'refuse' : 'accept'} ${what}`, () => {
      const places = faultyPlaces(validate, { targets: [entry, { ...entry, ...members }] });
      expect(places).toEqual(place ? [`/targets/1/${place}`] : []);
    });

  test('refuse a gap, a stranger and a wrong type anywhere, and name the place', () => {
    const fleet = { targets: [entry, { ...entry, verdict: 'non-conformant', failed: [ID] }] };
    expect(faultyPlaces(validate, { targets: [] })).toEqual([]);
    expectFaulty(validate, [...withGaps(fleet), ...withStrangers(fleet), ...withWrongTypes(fleet)]);
  });
});

test.describe('evidence', () => {
  const schema = schemas.get('evidence.schema.json') as { examples: [Json] } & Json;
  const validate = newAjv().compile(schema);
  const [full] = schema.examples;
  const [read, delivery] = ['/log/entries/0', '/log/entries/2'];

  test('accepts members that it does not describe, as HAR and later versions may have them', () => {
    for (const [what, document] of withStrangers(full)) expect(faultyPlaces(validate, document), what).toEqual([]);
  });

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
