/** When the server did not serve: bans, outages and accidents. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import { accidentsIn, accidentsInWords } from '../../../../src/evidence/responder/accidents';
import { bansOf } from '../../../../src/evidence/responder/bans';
import { outageInWords, outageOf } from '../../../../src/evidence/responder/outages';
import { isOfTheServer, whileServing, whyNotServing } from '../../../../src/evidence/responder/serving';
import { accountsNamed, at, BASE, evidenceOf, keyless, type Sketch } from '../../support/evidence-of';

const read = (sentAtMs: number, more: Sketch = {}) => at(sentAtMs, 'alice', more);
const wrong = (sentAtMs: number, status = 401, body = 'no key'): Sketch => ({
  ...keyless('unknown-key', status, { body }),
  sentAtMs,
  receivedAtMs: sentAtMs + 1,
});
const asked = (sentAtMs: number, more: Sketch = {}) =>
  at(sentAtMs, 'alice', { group: 'ban', status: 403, body: 'banned', ...more });
const together = (sentAtMs: number, more: Sketch = {}) =>
  at(sentAtMs, 'alice', { group: 'together', status: 403, body: 'banned', ...more });
const guard = (status: number): Sketch => ({ ...keyless('guard', status, { body: 'banned' }), sentAtMs: 4000 });
const bobs = (sentAtMs: number): Sketch => at(sentAtMs, 'bob', { group: 'together' });

for (const [what, sketches, bans] of [
  ['a refusal of a valid key', [read(0), wrong(2000), asked(6000)], '1 to end: 1'],
  ['a failure that no defence answers with', [read(0), wrong(2000), asked(6000, { status: 502 })], ''],
  [
    'a connection that nobody takes',
    [
      read(0),
      wrong(2000),
      asked(6000, { response: null, fault: { kind: 'unreachable', message: 'nobody' } } as Sketch),
    ],
    '',
  ],
  ['a busy page', [read(0), wrong(2000), asked(6000, { status: 503 })], '1 to end: 1'],
  ['one from the beginning', [wrong(2000), asked(6000), read(9000)], '0 to 9000: 1'],
  ['one between accepted reads', [read(0), read(3000), asked(6000), read(9000), read(12_000)], '3001 to 9000: 0'],
  ['several in one stretch', [read(0), asked(6000), asked(8000), read(9000)], '1 to 9000: 0'],
  ['several stretches', [read(0), asked(6000), read(9000), asked(12_000)], '1 to 9000: 0, 9001 to end: 0'],
  ['one as another ends', [asked(6000), read(9000), asked(9000)], '0 to 9000: 0, 0 to end: 0'],
  ['reads accepted just then', [read(5999), asked(6000), read(6001)], '6000 to 6001: 0'],
  ['a read that ended just then', [read(5999), asked(6000, { receivedAtMs: 6010 }), read(6010)], '6000 to 6010: 0'],
  ['an accepted read', [read(0), asked(6000, { status: 200 })], ''],
  ['wrong keys before and after', [wrong(1), wrong(2), asked(6000), wrong(7000)], '0 to end: 2'],
  ['a wrong key at the same moment', [wrong(1), wrong(6000), asked(6000)], '0 to end: 1'],
  ['wrong keys that were banned', [wrong(1), wrong(2, 403, 'banned'), asked(6000)], '0 to end: 1'],
  ['a key accepted without being valid', [read(0), asked(6000), wrong(8000, 200)], '1 to end: 0'],
  ['another account accepted at one moment', [asked(6000), bobs(6999)], ''],
  ['another account accepted a second later', [asked(6000), bobs(7000)], '0 to 7000: 0'],
  ['another account accepted just before', [bobs(5500), asked(6000)], ''],
  ['reads that met a guard', [wrong(1), guard(403), together(6000)], '0 to end: 1'],
  ['reads that met something else', [wrong(1), guard(403), together(6000, { body: 'busy' })], ''],
  ['reads that met the limit', [wrong(1), guard(429), together(6000, { status: 429 })], ''],
  ['accepted reads made as a guard answers', [wrong(1), guard(403), together(6000, { status: 200 })], ''],
  ['another read that met a guard', [wrong(1), guard(403), read(6000, { status: 403, body: 'banned' })], ''],
] satisfies [string, Sketch[], string][]) {
  test(`a ban: ${what}`, () => {
    const evidence = evidenceOf(sketches, { accounts: accountsNamed('alice', 'bob') });
    const end = (ms: number) => (ms === Number.POSITIVE_INFINITY ? 'end' : ms);
    const found = bansOf(evidence).map(({ fromMs, toMs, wrongKeys }) => `${fromMs} to ${end(toMs)}: ${wrongKeys}`);
    expect(found.join(', ')).toBe(bans);
  });
}

test('what a ban answered is not judged, and what else was asked meanwhile is', () => {
  const sketches = [
    read(0),
    read(1, { status: 500 }),
    wrong(2000),
    wrong(3000, 403, 'banned'),
    read(4000, { status: 500 }),
    asked(6000),
    wrong(7000, 403, 'banned'),
    wrong(7500, 0, ''),
    read(8998, { status: 500, receivedAtMs: 9000 }),
    read(8999, { status: 500, receivedAtMs: 9001 }),
    read(9000),
    wrong(9500, 403, 'banned'),
    read(9600, { status: 500 }),
  ];
  const evidence = evidenceOf(sketches);
  expect(whileServing(evidence).exchanges.map(({ index }) => index)).toEqual([0, 2, 7, 9, 10, 11, 12]);
  expect(whyNotServing(evidence)).toMatch(/^after 1 wrong keys .* for a while: ask the operator/);
});

test('connections that a ban breaks are told from answers', () => {
  const reset = { response: null, fault: { kind: 'reset', message: 'broke off' } } as Sketch;
  const evidence = evidenceOf([read(0), wrong(2000), { ...wrong(3000), ...reset }, asked(6000, reset)]);
  expect(whileServing(evidence).exchanges.map(({ index }) => index)).toEqual([0, 1]);
  expect(bansOf(evidence)[0]?.wrongKeys).toBe(1);
});

test('the last ban is the one that is told', () => {
  const evidence = evidenceOf([wrong(1), asked(6000), read(9000), wrong(9500), asked(12_000)]);
  expect(whyNotServing(evidence)).toMatch(/^after 2 wrong keys .* until the run ended: /);
});

const below = (path: string) => ({ request: { method: 'GET', url: `${BASE}${path}`, headers: [] } });
test('a ban by 503 that stays may be an outage: that is told', () => {
  const evidence = evidenceOf([read(0), wrong(1), asked(6000, { status: 503 })]);
  expect(whyNotServing(evidence)).toMatch(/^after 1 wrong keys the answer was 503 .* if the server stopped serving/);
});

const DOWN = { status: 500, body: 'down' };
const busy = (more: Sketch = {}): Sketch => ({ probe: probe('sequence', { account: 'alice' }), ...DOWN, ...more });
const down: Sketch = keyless('unknown-key', 500, { body: 'down' });
const alive: Sketch = keyless('alive', 500, { body: 'down' });
const fault: Sketch = { response: null, fault: { kind: 'reset', message: 'broke off' } } as Sketch;
const missing: Sketch = keyless('missing-key', 401, { body: 'no key' });

const asking = (seconds: string, status = 403): Sketch => ({
  status,
  body: 'wait',
  headers: [['Retry-After', seconds]],
});
for (const [what, sketches, first] of [
  ['the same error to all, to the end', [{}, missing, busy(), down, alive], 2],
  ['faults to the end', [{}, missing, { ...busy(), ...fault }, { ...alive, ...fault }], 2],
  ['nobody looked at the end', [{}, missing, busy(), down], null],
  ['the server still rejects', [{}, missing, busy(), busy(), { ...alive, status: 401, body: 'no key' }], null],
  ['it always answered so', [{}, { ...missing, status: 500, body: 'down' }, busy(), alive], null],
  ['only another request was rejected otherwise', [{}, { ...down, status: 401, ...below('/') }, busy(), alive], null],
  ['only requests without a key got it', [{}, missing, down, alive], null],
  ['it is made as a refusal, first of all', [busy(), {}, missing, busy(), alive], null],
  ['it is made as a refusal, last of all', [missing, busy(), {}, busy(), alive], null],
  [
    'a fault was there before',
    [missing, { ...busy(), ...fault }, {}, { ...busy(), ...fault }, { ...alive, ...fault }],
    3,
  ],
  ['a wrong key got it before', [{}, missing, down, {}, busy(), alive], 4],
  [
    'a key is not asked for any more',
    [{}, missing, busy({ status: 429 }), {}, { ...alive, status: 200, body: '{}' }],
    null,
  ],
  [
    'a page in place of everything',
    [{ body: 'ok' }, missing, { body: 'page' }, { ...alive, status: 200, body: 'page' }],
    2,
  ],
  ['waits that grow, as of a limiter', [{}, missing, asking('8'), { ...alive, ...asking('16') }], null],
  ['a page that counts down', [{}, missing, asking('16'), { ...alive, ...asking('8') }], 2],
  ['refusals with 429', [{}, missing, asking('8', 429), { ...alive, ...asking('8', 429) }], null],
  ['several errors in a row', [{}, missing, busy(), busy({ status: 503 }), { ...alive, status: 503 }], 2],
  ['faults, then an error', [{}, missing, { ...busy(), ...fault }, alive], 2],
] satisfies [string, Sketch[], number | null][]) {
  test(`an outage: ${what}`, () => {
    const evidence = evidenceOf(sketches);
    expect(outageOf(evidence)[0]?.index ?? null).toBe(first);
    const served = whileServing(evidence);
    if (first === null) expect(served).toBe(evidence);
    // What failed before, at another moment, was an accident.
    const before = sketches.slice(0, first ?? 0).flatMap((sketch, i) => (sketch === down ? [] : i));
    if (first !== null) expect(served.exchanges.map(({ index }) => index)).toEqual(before);
    expect(whyNotServing(evidence) !== null).toBe(first !== null);
  });
}

test('an outage begins in a burst, whose last served request is answered late', () => {
  const sketches = [
    {},
    missing,
    busy({ sentAtMs: 5000, receivedAtMs: 5002 }),
    { sentAtMs: 5000, receivedAtMs: 5005, status: 429 },
    { ...alive, sentAtMs: 6000, receivedAtMs: 6001 },
  ];
  const evidence = evidenceOf(sketches);
  expect(outageOf(evidence).map(({ index }) => index)).toEqual([2, 4]);
  expect(whileServing(evidence).exchanges.map(({ index }) => index)).toEqual([0, 1, 3]);
});

test('a ban that stays is no outage', () => {
  const sketches = [{}, missing, asked(5000), { ...alive, sentAtMs: 6000, status: 403, body: 'banned' }];
  expect(outageOf(evidenceOf(sketches))).toEqual([]);
});

for (const [what, more, words] of [
  ['answers', {}, 'every answer was the same 500, 2 in all'],
  ['faults', fault, 'connections failed, 2 in all'],
] satisfies [string, Sketch, string][]) {
  test(`an outage in words: ${what}`, () => {
    const dark = [busy(), alive].map((sketch) => ({ ...sketch, sentAtMs: 90_000, receivedAtMs: 90_001, ...more }));
    const evidence = evidenceOf([{}, missing, ...dark]);
    expect(outageInWords(outageOf(evidence))).toContain(`from 90.0 s into the run to its end ${words}, to`);
  });
}

/** A refusal that says nothing of the rate. */
const BUSY: Sketch = { status: 503, body: 'busy' };
const failed = (sentAtMs: number, more: Sketch = {}) => read(sentAtMs, { status: 502, body: 'Bad Gateway', ...more });

const OVER = at(0, 'alice', { group: 'sequence', status: 429 });
const asksToWait = (ms: number) => failed(ms, { status: 503, headers: [['Retry-After', '2']] });

for (const [what, sketches, accidents] of [
  ['a single 502', [read(0), failed(2000)], [1]],
  ['several at one moment', [failed(0), failed(999), read(3000)], [0, 1]],
  ['one of a key that is accepted later', [failed(0), read(2000)], [0]],
  ['one to a wrong key', [read(0), wrong(1000), wrong(2000, 502)], [2]],
  ['it comes again later', [failed(0), failed(1000), read(3000)], []],
  ['nobody is served meanwhile', [read(0), failed(1000), wrong(3000, 502), read(9000), wrong(9500)], [1, 2]],
  ['somebody is served meanwhile', [read(0), failed(1000), wrong(2000), wrong(3000, 502), read(9000)], []],
  [
    'a deploy, and later an outage of another status',
    [
      OVER,
      read(1),
      failed(1000),
      wrong(3000, 502),
      read(5000),
      failed(7000, { status: 504 }),
      wrong(9000, 504),
      read(9500),
    ],
    [2, 3, 5, 6],
  ],
  [
    'a deploy, and later an outage of another status that comes again',
    [
      OVER,
      read(1),
      failed(1000),
      wrong(3000, 502),
      ...[5000, 7000].flatMap((ms) => [failed(ms, { status: 504 }), read(ms + 1000)]),
    ],
    [],
  ],
  [
    'bursts that are refused with one status each, of a server that refuses with no other',
    [
      ...[500, 502].flatMap((status, i) => [
        read(4000 * i),
        ...[1, 2].map((ms) => failed(4000 * i + ms, { status, probe: probe('sequence', { account: 'alice' }) })),
      ]),
      read(9000),
    ],
    [],
  ],
  ['it lasts to the end', [read(0), wrong(500), failed(1000), wrong(3000, 502)], []],
  ['the same to keys alone, and never a refusal', [read(0), failed(1000), failed(3000), read(9000)], []],
  [
    'the same to keys alone, of a server that refuses otherwise',
    [at(0, 'alice', { group: 'sequence', status: 429 }), read(10), failed(1000), failed(3000), read(9000)],
    [2, 3],
  ],
  [
    'a page with the status of refusals, while nobody is served',
    [
      ...[0, 4000].flatMap((ms) => [
        read(ms),
        ...[1, 2].map((i) => at(ms + i, 'alice', { ...BUSY, group: 'sequence' })),
      ]),
      ...[5000, 6500, 8000].map((ms) => failed(ms, { status: 503 })),
      ...[9000, 9001].map((ms, i) => (i === 0 ? read(ms) : at(ms, 'alice', { ...BUSY, group: 'sequence' }))),
    ],
    [6, 7, 8],
  ],
  [
    'a path that never answers otherwise, while nobody is served',
    [read(0), failed(1000, below('/')), wrong(3000, 502), read(9000), wrong(9500)],
    [1, 2],
  ],
  [
    'it is all that fails, while anything else is answered',
    [
      at(0, 'alice', { group: 'sequence', status: 429 }),
      ...[1000, 3000].map((ms) => failed(ms, below('/'))),
      read(2000, { status: 404, request: { method: 'GET', url: 'https://api.example/v9/webhooks', headers: [] } }),
      read(8000),
      at(9000, 'bob', below('/')),
    ],
    [],
  ],
  ['the account is never served', [failed(0), at(0, 'bob'), at(2000, 'bob')], []],
  ['the same is never answered otherwise', [read(0), failed(2000, below('/'))], []],
  ['the key is asked for otherwise', [wrong(0), failed(2000)], []],
  [
    'another account shows that the same is answered',
    [read(0), failed(2000, below('/')), at(4000, 'bob', below('/'))],
    [1],
  ],
  [
    'a header of another name',
    [read(0), failed(2000, { request: { ...below('/webhooks').request, headers: [['X', '']] } })],
    [],
  ],
  ['it speaks of the rate', [read(0), failed(2000, { status: 503, headers: [['Retry-After', '1']] })], []],
  ['maintenance that asks to wait, of a server that refuses with 429', [OVER, read(1), asksToWait(2000)], [2]],
  ['that comes at two moments', [OVER, read(1), asksToWait(2000), asksToWait(4000)], []],
  ['it holds a secret', [read(0), failed(2000, { body: '[secret:password:alice]' })], []],
  ['its headers hold a secret', [read(0), failed(2000, { headers: [['X', '[secret:apiKey:alice]']] })], []],
  ['it holds settings', [read(0), failed(2000, { body: '{"hasPassword":true}' })], []],
  ['it is no 5xx', [read(0), failed(2000, { status: 404 })], []],
  ['it broke off', [read(0), failed(2000, { fault: { kind: 'reset', message: '' } })], [1]],
  [
    'another server fails, too, at another time',
    [
      read(0),
      failed(2000),
      failed(9000, { request: { method: 'GET', url: 'https://api.example/v9/webhooks', headers: [] } }),
    ],
    [1],
  ],
] satisfies [string, Sketch[], number[]][]) {
  test(`an accident: ${what}`, () => {
    const evidence = evidenceOf(sketches, { accounts: accountsNamed('alice', 'bob') });
    expect([...accidentsIn(evidence)].map(({ index }) => index)).toEqual(accidents);
    const left = evidence.exchanges.filter(({ index }) => !(accidents as number[]).includes(index));
    expect(whileServing(evidence).exchanges.filter(isOfTheServer)).toEqual(left);
    expect(accidentsInWords(evidence) === null).toBe(accidents.length === 0);
  });
}

test('accidents in words', () => {
  const words = (...sketches: Sketch[]) => accidentsInWords(evidenceOf(sketches));
  expect(words(read(0), failed(2000))).toContain(`502 to GET ${BASE}/webhooks (entry 1). The same`);
  expect(words(read(0), failed(2000), failed(2001))).toContain('(entry 1) and 1 more within a second. The same');
  const served = [1, 2, 3, 4, 5, 6].map((i) => read(2000 * i));
  expect(words(OVER, ...served, failed(14000), failed(16000), read(18000))).toContain(
    'and 1 more within 2.0 s. The same',
  );
  const [deploy, outage] = [2000, 5000].map((ms) => failed(ms, { status: 500 + ms / 1000 }));
  const two = words(OVER, read(0), deploy as Sketch, read(4000), outage as Sketch, read(6000));
  expect(two).toContain(
    'Unsteady: 2 of 6 answers failed (502 and 505), at 2 moments: 2 to valid keys, 0 to requests without',
  );
});
