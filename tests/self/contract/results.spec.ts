/** What the schemas of results and evidence take and refuse, and that they name the place. */
import { expect, test } from '@playwright/test';
import { toHar } from '../../../src/evidence/har/write';
import { evidenceOf } from '../support/evidence-of';
import {
  expectFaulty,
  faultyPlaces,
  type Json,
  newAjv,
  replacedAt,
  schemas,
  withGaps,
  withStrangers,
  withWrongTypes,
} from '../support/schemas';

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
  test('accept what fits', () => {
    for (const [what, document] of Object.entries(accepted)) expect(faultyPlaces(validate, document), what).toEqual([]);
  });

  /** Values that do not fit, by their places in a run that could not be done. */
  const REFUSED: Record<string, readonly unknown[]> = {
    '/startedAt': ['2026-11-20T10:00:00'],
    '/durationMs': [-1],
    '/waitedMs': [-1],
    '/requests': [-1, 1.5],
    '/suite': [
      { name: '', version: '1.0.0' },
      { name: 'suite', version: '' },
    ],
    '/target/accounts': [['a', 'a'], ['']],
    '/target/rate/requests': [0],
    '/target/rate/seconds': [0],
    '/profiles': [
      { core: 'warn', event: 'pass' },
      { core: 'pass', event: 'warn' },
      { core: 'pass', event: 'pass', extra: 'pass' },
    ],
    '/error': [null, ''],
    '/observations/cookies': [1],
    '/observations': [{ 'Refusal status': [] }],
    '/changes': [
      [{ id: 'Refusal', from: 1, to: 2 }],
      [{ id: 'rate.refusal', to: 'pass' }],
      [{ id: 'rate.refusal', from: 'pass' }],
    ],
    '/clauses/0': [
      clause({ level: 'may' }),
      clause({ id: 'accepted' }),
      clause({ section: 'Authentication' }),
      clause({ evidence: [3, 3] }),
      clause({ evidence: [-1] }),
      { ...passed, reason: 'It passed.' },
      ...['fail', 'warn', 'waived', 'not-tested'].map((verdict) => clause({ verdict })),
      { ...failed, reason: ' ' },
      { ...failed, level: 'should' },
      { ...failed, verdict: 'error', finding: null },
    ],
  };
  test('refuse values that do not fit, and name the place', () => {
    const base = { ...error, clauses: [passed], changes: [] };
    expect(faultyPlaces(validate, base)).toEqual([]);
    for (const [place, values] of Object.entries(REFUSED))
      for (const value of values) {
        const found = faultyPlaces(validate, replacedAt(base, place, value));
        expect(found, JSON.stringify(value)).toEqual([expect.stringMatching(`^${place}`)]);
      }
  });

  const refused: ReadonlyArray<readonly [what: string, document: unknown, ...places: string[]]> = [
    ['an unknown verdict of the run', { ...conformant, verdict: 'passed', certifiable: false }, '/verdict'],
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
  test('refuse what does not fit, and name the place', () => {
    const found = refused.map(([what, document]) => [what, ...faultyPlaces(validate, document)]);
    expect(found).toEqual(refused.map(([what, , ...places]) => [what, ...places]));
  });

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
  test('refuse what does not fit, and name the place', () => {
    const found = refused.map(([what, target]) => [what, ...faultyPlaces(validate, { targets: [entry, target] })]);
    expect(found).toEqual(refused.map(([what, , place]) => [what, place]));
  });

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
    const evidence = evidenceOf([{ body: '/w==', bodyEncoding: 'base64' }]);
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
  test('refuses what does not fit, and names the place', () => {
    const found = refused.map(([what, place, value]) => [
      what,
      ...faultyPlaces(validate, replacedAt(full, place, value)),
    ]);
    expect(found).toEqual(refused.map(([what, place]) => [what, place]));
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
