/** What the schemas of results and evidence take and refuse, and that they name the place. */
import { expect, test } from '@playwright/test';
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
