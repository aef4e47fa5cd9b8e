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
