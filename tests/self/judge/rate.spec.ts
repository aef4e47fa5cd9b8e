/** What the rules of the rate limit find in small evidence: one row for each edge. Times are milliseconds of the run. */
import { expect, test } from '@playwright/test';
import type { Group } from '../../../src/catalogue/catalogue';
import { probe } from '../../../src/catalogue/probe';
import type { Evidence, HeaderLines, TargetFacts } from '../../../src/evidence/model';
import { ruleOf } from '../../../src/profiles/rules';
import { accountsNamed, at, BASE, evidenceOf, found, keyless, type Sketch, serving } from '../support/evidence-of';

type Found = string[] | string;
type Rows = ReadonlyArray<[string, Sketch[], Found]>;

const T0 = Date.UTC(2026, 5, 15) / 1000;
const DATE = new Date(T0 * 1000).toUTCString();
const REFUSED = { status: 429 };
const BROKEN = { response: null, fault: { kind: 'reset', message: 'closed the connection' } } as Sketch;
const NO_ANSWER = 'no answer to this arrived whole: fix transport.complete first';
const NOT_KEPT = 'No request was refused, because no limit is enforced: fix rate.enforced first.';
const NO_WRONG_KEY =
  'No wrong key was rejected right before these reads, so it was not seen whether wrong keys use up a budget: fix auth.unknown-key, or ask the operator to exempt this address from a defence against wrong keys.';
const NEVER_CLOSE =
  'What was accepted came so far apart that a limit of half the rate would have accepted it as well: run again, nearer to the server.';
const REFUSED_ONCE =
  'A request was refused although it kept its distance, and too few came after it to tell why: run again.';
const BROKEN_ONCE =
  'A request was refused after what was promised, at one moment, and too few promises alike came after it to tell why: run again.';
const ANOTHER_OR_CHANCE =
  'Some requests were refused although they kept to the rate, others were not. Perhaps another client uses the key: keep it idle and run again, or declare a second account.';
const NO_REFUSAL =
  'No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.';

const says = (limit: number, remaining: number, more: HeaderLines = []): Sketch => ({
  headers: [['X-RateLimit-Limit', String(limit)], ['X-RateLimit-Remaining', String(remaining)], ...more],
});
const resets = (ahead: number, more: Sketch = {}): Sketch => ({
  ...more,
  headers: [['Date', DATE], ['X-RateLimit-Reset', String(T0 + ahead)], ...(more.headers ?? [])],
});
const retry = (value: string, more: Sketch = {}): Sketch => ({
  ...REFUSED,
  headers: [['Retry-After', value]],
  ...more,
});
const trial = (group: Group, number: number, atMs: number, more: Sketch = {}, account = 'alice'): Sketch => ({
  ...at(atMs, account),
  probe: probe(group, { account, trial: number }),
  ...more,
});
const base = (sketch: Sketch): Sketch => ({ ...sketch, request: { method: 'GET', url: `${BASE}/`, headers: [] } });
/** A read at a moment that was accepted, by default alice's, and one that was refused. */
const ok = (ms: number, more: Parameters<typeof at>[2] | string = {}, account = 'alice') =>
  typeof more === 'string' ? at(ms, more) : at(ms, account, more);
const no = (ms: number, account = 'alice') => at(ms, account, REFUSED);
/** Requests that were let in, each some seconds after the one before: they show that a limit lets anything in. */
const letIn = () => [-60_000, -56_000, -52_000, -48_000].map((ms) => at(ms, 'alice'));
const rated = (requests: number, seconds = 1): Partial<TargetFacts> => ({ rate: { requests, seconds } });
const among = (...names: string[]): Partial<TargetFacts> => ({ accounts: accountsNamed(...names) });

/** Exchanges that took one millisecond, unless they say otherwise. */
function of(sketches: readonly Sketch[], target: Partial<TargetFacts> = {}): Evidence {
  return evidenceOf(sketches, target);
}

function rows(clause: string, target: Partial<TargetFacts>, all: Rows): void {
  for (const [what, sketches, expected] of all)
    test(`${clause}: ${what}`, () => expect(found(clause, of(sketches, target))).toEqual(expected));
}

const burst = (group: Group, atMs: number, statuses: readonly number[], number = 1): Sketch[] =>
  statuses.map((status, i) => trial(group, number, atMs + i, { status, receivedAtMs: atMs + statuses.length }));

// A server that queues, or shows no refusal.
const held = (atMs: number, group: Group = 'sequence') => trial(group, 1, atMs, { receivedAtMs: atMs + 900 });
rows('rate.refusal', among('alice', 'bob'), [
  ['no burst was asked for', [ok(0)], NO_REFUSAL],
  ['a burst was let through', [trial('concurrent', 1, 0)], NO_REFUSAL],
  ['one was held back', [ok(0), held(10), trial('concurrent', 1, 2000)], NO_REFUSAL],
  ['two were held back, but no burst at one moment was sent', [ok(0), held(1000), held(3000)], NO_REFUSAL],
  [
    'two were held back',
    [ok(0), held(1500), held(3000, 'concurrent')],
    'No request was refused: this server held back what was over the rate, up to a whole burst at one moment',
  ],
  [
    'two were held back, and too many of the other account accepted',
    [
      ...[ok(0), held(1500), held(3000, 'concurrent')],
      ...[0, 1, 2].map((i) => trial('sequence', 1, 9000 + 2 * i, {}, 'bob')),
    ],
    NOT_KEPT,
  ],
  [
    'a broken one',
    [trial('sequence', 1, 0, BROKEN)],
    ['the answer: a request of a burst was not answered: the server closed the connection'],
  ],
  [
    'a proper one, and a 2xx that broke off',
    [trial('sequence', 1, 0, { fault: { kind: 'truncated', message: 'broke off' } }), trial('sequence', 1, 9, REFUSED)],
    [],
  ],
  [
    'with settings',
    [
      trial('sequence', 1, 0, {
        ...REFUSED,
        ...serving({ start: { status: true, url: 'https://a.example/' }, auth: {} }),
      }),
    ],
    ['to a request over the rate: 429 with the settings'],
  ],
  ...([399, 400, 499, 500, 502, 503, 504] as const).map((status): Rows[number] => [
    `a ${status}`,
    [trial('sequence', 1, 0, { status })],
    [400, 499, 503].includes(status) ? [] : [`to a request over the rate: ${status}`],
  ]),
  ...(
    [
      [BROKEN, 3000, ['the answer: a request of a burst was not answered: the server closed the connection']],
      [BROKEN, 500, []],
      [{ response: null, fault: { kind: 'unreachable', message: 'nobody' } } as Sketch, 3000, []],
    ] satisfies [Sketch, number, string[]][]
  ).map(([broken, laterMs, expected], i): Rows[number] => [
    `a broken one on the base path, ${i}`,
    [
      base(ok(0)),
      trial('sequence', 1, 2000, REFUSED),
      base(trial('paths', 1, 4000, broken)),
      base(trial('paths', 2, 4000 + laterMs, broken)),
    ],
    expected.length > 0 ? [...expected, ...expected] : [],
  ]),
]);

test('rate.refusal: why no burst was sent', () => {
  const notSent = [{ probe: probe('sequence'), reason: 'The key is not accepted.' }];
  expect(found('rate.refusal', { ...of([ok(0)]), notSent })).toBe('The key is not accepted.');
  expect(found('rate.refusal', { ...of([trial('sequence', 1, 0)]), notSent })).toBe(NO_REFUSAL);
  expect(found('rate.refusal', { ...of([ok(0), trial('concurrent', 1, 9)]), notSent })).toBe(NO_REFUSAL);
});

rows('rate.refusal-429', {}, [
  ['none that is proper', [trial('sequence', 1, 0, BROKEN)], 'No refusal was a proper one: fix rate.refusal first.'],
  ['403', [trial('sequence', 1, 0, { status: 403 })], ['to a request over the rate: 403']],
]);

rows('rate.not-stricter', among('alice', 'bob'), [
  ['a single request', [ok(0)], 'no two requests of one account were a window apart'],
  ['four requests', [ok(0), ok(1001), ok(2002), ok(3003)], []],
  ['two requests, between which a window of twice the length may end', [ok(0), ok(1001)], NEVER_CLOSE],
  ['two requests that are too close', [ok(0), ok(1000)], 'no two requests of one account were a window apart'],
  ['a failure', [ok(0), ok(1500, { status: 500 })], 'no two requests of one account were a window apart'],
  ['one refusal', [ok(0), no(1500)], REFUSED_ONCE],
  [
    'one refusal, and four that were let in after it',
    [ok(0), no(1500), ...[3000, 4100, 5200, 6300].map((ms) => at(ms, 'alice'))],
    [],
  ],
  [
    'two refusals',
    [...letIn(), ok(0), no(1500), no(3000)],
    ['alice: 2 requests refused, each more than 1 s after the one before'],
  ],
  [
    'two refusals that ask for a minute, when the longest honest wait was kept',
    [ok(0), ...[1500, 5700, 9900].map((ms) => at(ms, 'alice', retry('60')))],
    ['alice: 3 requests refused, each more than 1 s after the one before'],
  ],
  [
    'two refusals that ask for a minute, when less was waited',
    [ok(0), ...[1500, 5500, 9500].map((ms) => at(ms, 'alice', retry('60')))],
    REFUSED_ONCE,
  ],
]);

rows('rate.enforced', {}, [
  ['not sent', [ok(0)], 'No burst was sent.'],
  [
    'one refused',
    burst('sequence', 0, [429]),
    'Every request of the bursts was refused, so what is let through was not seen.',
  ],
  [
    'one broken, one refused',
    [trial('sequence', 1, 0, BROKEN), trial('sequence', 1, 5, REFUSED)],
    'Every request of the bursts was refused, so what is let through was not seen.',
  ],
  ['one broken', [trial('sequence', 1, 0, BROKEN)], NO_ANSWER],
  [
    'fewer than there may be',
    burst('sequence', 0, [200]),
    'A burst has fewer requests than the rate allows: set `limits.burst` above 1.',
  ],
  ['two at a boundary', burst('sequence', 0, [200, 200, 429]), []],
  ['three at once', burst('sequence', 0, [200, 200, 200]), ['alice: 3 requests accepted within 3 ms']],
  [
    'three in two bursts',
    [...burst('sequence', 0, [200, 200, 200]), ...burst('sequence', 5000, [200, 200, 200], 2)],
    ['alice: 3 requests accepted within 3 ms, seen in 2 separate bursts'],
  ],
  [
    'three once, as after a restart, and not again',
    [...burst('sequence', 0, [200, 200, 200]), ...burst('sequence', 5000, [200, 429], 2)],
    [],
  ],
  [
    'three once, as after a restart, and two another time, as where a window ended',
    [...burst('sequence', 0, [200, 200, 200]), ...burst('sequence', 5300, [200, 200, 429], 2)],
    'More than the rate was let through each time, as where a window ended in one burst and the server was restarted in another: run again.',
  ],
  [
    'five once, which no restart explains',
    [...burst('sequence', 0, [200, 200, 200, 200, 200]), ...burst('sequence', 5000, [200, 429], 2)],
    ['alice: 5 requests accepted within 5 ms, seen in 2 separate bursts'],
  ],
  [
    'the fullest burst',
    [...burst('sequence', 0, [200, 200, 200]), ...burst('sequence', 5000, [200, 200, 200, 200], 2)],
    ['alice: 4 requests accepted within 4 ms, seen in 2 separate bursts'],
  ],
  [
    'the first burst is the fullest',
    [...burst('sequence', 0, [200, 200, 200, 200]), ...burst('sequence', 5000, [200, 200, 200], 2)],
    ['alice: 4 requests accepted within 4 ms, seen in 2 separate bursts'],
  ],
  [
    'none in a burst of its own',
    [
      ...[0, 300, 600].map((atMs, i) => trial('sequence', i + 1, atMs)),
      ...[1, 2].map((i) => trial('sequence', 3, 600 + 2 * i, REFUSED)),
    ],
    ['alice: 3 requests accepted within 601 ms, seen in 3 separate bursts'],
  ],
  [
    'as much as a window holds',
    [0, 5, 10, 998.5, 999.5].map((atMs) => trial('sequence', 1, atMs)),
    ['alice: 4 requests accepted within 996 ms'],
  ],
]);

rows('rate.enforced', rated(3), [
  [
    'a burst that is just too short',
    burst('sequence', 0, [200, 200, 200]),
    'A burst has fewer requests than the rate allows: set `limits.burst` above 3.',
  ],
  [
    'one burst that is long enough',
    [...burst('sequence', 0, [200, 200, 200]), ...burst('sequence', 5000, [200, 200, 200, 429], 2)],
    [],
  ],
]);

// Whose budget a request draws on.
const met = (atMs: number, more: Sketch = {}, account = 'bob'): Sketch[] => [
  ...[at(atMs - 110, 'alice'), at(atMs - 100, 'alice', REFUSED), at(atMs, account, { ...REFUSED, ...more })],
];
const firsts = ['alice', 'bob', 'carol'].map((name) => at(0, name));
const NOBODY = 'No account was asked while another was refused: two accounts need keys that are accepted.';
const OF_BOB = 'Somebody else used the key of bob (seen 2 times) during this run: keep the keys idle and run again.';
const blamed = (count: number) => [
  `bob: refused while alice was over its limit, although its own budget was unused, ${count} times`,
];
const lookedAt = { probe: probe('neighbour', { account: 'bob' }) };
const round = (number: number, account = 'bob') => ({ probe: probe('neighbour', { account, trial: number }) });

const burstOf = (account: string, atMs: number, ...statuses: number[]) =>
  statuses.map((status) => trial('concurrent', atMs, atMs, { status, receivedAtMs: atMs + 3 }, account));
rows('rate.per-user', among('alice', 'bob', 'carol'), [
  ['no refusal', firsts, NO_REFUSAL],
  ['a refusal alone', [...firsts, no(5)], NOBODY],
  ['accepted meanwhile', [...firsts, ...met(4000, { status: 200 })], []],
  ['refused once', [...firsts, ...met(4000)], []],
  ['refused twice', [...firsts, ...met(4000), ...met(8000)], blamed(2)],
  [
    'two of them a window apart',
    [ok(-4000), ok(-2500, 'bob'), ok(-1000, 'carol'), ...met(4000), ...met(5000, {}, 'carol')],
    blamed(2),
  ],
  [
    'two of them a window apart, of three accounts that were let in at one moment',
    [...firsts, ...met(4000), ...met(5000, {}, 'carol')],
    [],
  ],
  ['two of them not quite a window apart', [...firsts, ...met(4000.5), ...met(5000, {}, 'carol')], []],
  ['refused when looked at twice', [...firsts, ...met(4000, lookedAt), ...met(8000, lookedAt)], blamed(2)],
  ['refused when looked at once', [...firsts, ...met(4000), ...met(8000), ...met(12_000, lookedAt)], blamed(3)],
  [
    'accepted when looked at',
    [...firsts, ...met(4000), ...met(8000), ...met(12_500, { ...lookedAt, status: 200 })],
    OF_BOB,
  ],
  [
    'refused when looked at twice, and accepted once',
    [...firsts, ...met(4000, lookedAt), ...met(8000, lookedAt), ...met(12_500, { ...lookedAt, status: 200 })],
    OF_BOB,
  ],
  [
    'refused when looked at twice, and accepted once, where the end of a window of one budget may have come between',
    [...firsts, ...met(4000, lookedAt), ...met(8000, lookedAt), ...met(12_000, { ...lookedAt, status: 200 })],
    blamed(2),
  ],
  [
    'refused when looked at twice, and neither of the two when one of them was asked first',
    [
      ...firsts,
      ...met(4000, round(1)),
      ...met(8000, round(2)),
      ...[3, 4].flatMap((number) => [
        at(4300 * number, 'bob', round(number)),
        at(4300 * number + 10, 'alice', round(number, 'alice')),
      ]),
    ],
    OF_BOB,
  ],
  [
    'a whole burst refused alone as well',
    [...firsts, ...met(4000), ...met(8000), ...burstOf('bob', 12_000, 429, 429), ...burstOf('carol', 20_000, 200, 429)],
    [],
  ],
  [
    'every burst refused as a whole',
    [...firsts, ...met(4000), ...met(8000), ...burstOf('bob', 12_000, 429, 429), ...burstOf('carol', 20_000, 429, 429)],
    blamed(2),
  ],
  [
    'every account over the rate as well',
    [
      ...[...firsts, ...met(4000), ...met(8000)],
      ...['alice', 'bob', 'carol'].flatMap((name, i) => burstOf(name, 20_000 + 2000 * i, 200, 200, 200, 429)),
    ],
    'Accounts were refused while others were over their limit, but every account got more than the rate allows: fix rate.enforced first.',
  ],
  ['refused alone as well', [...firsts, ...met(4000), ...met(8000), no(12_000, 'bob')], []],
  ['refused too soon', [...firsts, ...met(4000), ok(7500, 'bob'), ...met(8000)], []],
  [
    'wrong keys before',
    [...firsts, keyless('missing-key', 401, { sentAtMs: 3500, receivedAtMs: 3501 }), ...met(4000), ...met(8000)],
    [],
  ],
  ['after a fault', [...firsts, at(2000, 'bob', BROKEN), ...met(4000), ...met(8000)], []],
  ['before a fault', [...firsts, ...met(4000), ...met(8000), at(12_000, 'bob', BROKEN)], blamed(2)],
  ['broken meanwhile', [...firsts, ...met(4000, { ...BROKEN, ...lookedAt }), ok(8000, 'bob')], NOBODY],
  ['another failure', [...firsts, ...met(4000, { status: 500 })], NOBODY],
  [
    'a limit that is too strict',
    [...firsts, ...met(4000), ...met(8000), no(12_000, 'carol'), no(16_000, 'carol')],
    'Accounts were refused while others were over their limit, and also while no other was. A smaller limit explains both.',
  ],
  ['its own request beside it', [...firsts, ...met(4000), at(4000.5, 'bob', { receivedAtMs: 4003 })], []],
  ['not answered yet', [...firsts, ok(3890), ok(3990, { ...REFUSED, receivedAtMs: 4005 }), ok(4000, 'bob')], NOBODY],
  ['answered just in time', [...firsts, ok(3890), no(3999), ok(4000, 'bob')], []],
  ['after a fault at first', [ok(0), at(0, 'bob', BROKEN), ...met(4000), ...met(8000)], []],
  ['the other one too early', [...firsts, ok(2890), no(2998.5), ok(4000, 'bob')], NOBODY],
  ['the other one just in time', [...firsts, ok(2890), no(2999.5), ok(4000, 'bob')], []],
]);

test('rate.per-user: one account has no neighbour, and two have one', () => {
  const alone = 'Declare a second account in the target file: while one is refused, another is asked.';
  expect(found('rate.per-user', of([ok(0)]))).toBe(alone);
  expect(found('rate.per-user', of([ok(0)], among('alice', 'bob')))).toBe(NO_REFUSAL);
});

// Requests that wait in a queue while another account is answered at once.
const queued = (sentAtMs: number, receivedAtMs: number) => at(sentAtMs, 'alice', { receivedAtMs });
rows('rate.per-user', among('alice', 'bob'), [
  ['another waits meanwhile', [ok(0), ok(0, 'bob'), queued(5000, 5900), ok(5100, 'bob')], []],
  ['another waits a moment', [ok(0), ok(0, 'bob'), queued(5000, 5400), ok(5100, 'bob')], NO_REFUSAL],
  ['another waits from the same moment', [ok(0), ok(0, 'bob'), queued(5100, 5900), ok(5100, 'bob')], NO_REFUSAL],
  ['another waits up to the same moment', [ok(0), ok(0, 'bob'), queued(5000, 5900), ok(5899, 'bob')], NO_REFUSAL],
  ['both wait', [ok(0), ok(0, 'bob'), queued(5000, 6900), at(5100, 'bob', { receivedAtMs: 6000 })], NO_REFUSAL],
]);

// Each trial has a number of its own.
const paths = (atMs: number, last: Sketch = {}, gapMs = 10): Sketch[] => [
  ...[trial('paths', atMs, atMs), base(trial('paths', atMs, atMs + gapMs, last))],
];
const NO_PATHS = 'No request to / could follow those to /webhooks that were accepted.';
const MAYBE_AGAIN =
  'Each time there may have been budget again before the other path was asked: run again, nearer to the server if its answers take long.';
const apart = (count: number, ms: number) => [
  `alice: /webhooks and / each had a budget of their own, within ${ms} ms, ${count} times`,
];

const ONE_ORDER =
  'Only one path was refused right after the other had used up the budget, and the other way round is not known: run again, nearer to the server if its answers take long.';
/** The base path first, and a read right after it. */
const fromBase = (atMs: number, answer: Partial<Sketch> = REFUSED): Sketch[] => [
  base(trial('base-accepted', 1, atMs)),
  trial('sequence', 1, atMs + 10, answer),
];
/** The base path, with the key under another spelling of the header's name. */
const spelt = (atMs: number, answer: Partial<Sketch> = {}): Sketch => ({
  ...at(atMs, 'alice', answer),
  probe: probe('base-accepted', { account: 'alice', form: 'APIKEY' }),
});
rows('rate.across-paths', {}, [
  ['not asked', [ok(0)], NO_PATHS],
  ['refused, in evidence of a version that asked in one order', paths(0, REFUSED), []],
  ['refused, and the read after the base path accepted', [...paths(0, REFUSED), ...fromBase(5000, {})], ONE_ORDER],
  ['the read after the base path refused', fromBase(0), ONE_ORDER],
  [
    'refused, and the base path, asked to begin a sequence, refused as well, and accepted later',
    [...paths(0, REFUSED), base(spelt(5000, REFUSED)), ok(5010), base(spelt(9000))],
    ONE_ORDER,
  ],
  ['the same, and the base path accepted never', [...paths(0, REFUSED), base(spelt(5000, REFUSED))], []],
  ['refused in either order', [...paths(0, REFUSED), ...fromBase(5000)], []],
  ['the read refused', [trial('paths', 1, 0, REFUSED), base(trial('paths', 1, 10))], NO_PATHS],
  [
    'not there',
    paths(0, { status: 404 }),
    'GET on the base path is answered with 404, refused or not, so it cannot be seen to use up a budget.',
  ],
  [
    'not there and out of order',
    [...paths(0, { status: 404 }), ...paths(5000, { status: 500 })],
    'GET on the base path is answered with 404, refused or not, so it cannot be seen to use up a budget.',
  ],
  ['not there once', [...paths(0, { status: 404 }), ...paths(5000, REFUSED)], []],
  ['accepted once', paths(0), MAYBE_AGAIN],
  ['accepted at two phases', [...paths(0), ...paths(5300)], apart(2, 11)],
  ['accepted at two phases, later', [...paths(700), ...paths(5000)], apart(2, 11)],
  ['asked right behind', paths(0, {}, 1), MAYBE_AGAIN],
  ['another group', [ok(0), base(trial('base-accepted', 1, 10))], NO_PATHS],
  ['one path alone', [trial('paths', 1, 0), trial('paths', 1, 10)], NO_PATHS],
  ['broken', paths(0, BROKEN), NO_PATHS],
  ['accepted at three phases', [...paths(0), ...paths(5300), ...paths(9600, {}, 20)], apart(3, 11)],
  ['accepted at one phase', [...paths(0), ...paths(5000)], MAYBE_AGAIN],
  ['accepted at one phase, much later', [...paths(0), ...paths(100_000)], MAYBE_AGAIN],
  [
    'accepted twice and refused twice',
    [...paths(0), ...paths(2300, REFUSED), ...paths(5300), ...paths(8000, REFUSED)],
    apart(2, 11),
  ],
  ['accepted too late', [...paths(0, {}, 1100), ...paths(5300, {}, 1100)], MAYBE_AGAIN],
  ['accepted too late once', [...paths(0, {}, 1100), ...paths(5300)], MAYBE_AGAIN],
  ['refused late', paths(0, REFUSED, 1100), []],
  ['late', paths(0, { receivedAtMs: 1200 }), MAYBE_AGAIN],
  [
    'held back by a queue',
    [held(-5000), held(-4000), ...paths(0, { receivedAtMs: 1200 }), ...fromBase(5000, { receivedAtMs: 6000 })],
    [],
  ],
  ['too many on one path as well', [...paths(0), ...paths(5300), ...burst('sequence', 9000, [200, 200, 200])], []],
  [
    'refusals that look like success',
    [
      ok(-9000, serving({ start: { status: true, url: 'https://a.example/' }, auth: {} })),
      trial('sequence', 1, -5000, { body: 'no' }),
      ...['{"webhook":{}}'].flatMap((body) => [
        trial('paths', 1, 0, { body }),
        base(trial('paths', 1, 10)),
        trial('paths', 1, 5300, { body }),
        base(trial('paths', 1, 5310)),
      ]),
    ],
    MAYBE_AGAIN,
  ],
]);

const pair = (atMs: number, gapMs: number): Sketch[] => [
  trial('paths', atMs, atMs),
  trial('paths', atMs, atMs + 5),
  base(trial('paths', atMs, atMs + gapMs)),
];
/** Two requests to each path at one moment, of which so many were accepted. */
const moment = (atMs: number, reads: number, bases: number, tookMs = 20): Sketch[] =>
  [0, 1].flatMap((i) => {
    const one = (accepted: number) =>
      trial('paths', atMs, atMs + i, { receivedAtMs: atMs + tookMs, ...(i < accepted ? {} : REFUSED) });
    return [one(reads), base(one(bases))];
  });
const moments = (count: number) => apart(count, 20);
rows('rate.across-paths', rated(2), [
  ['two reads and one more', [...pair(0, 10), ...pair(5300, 10)], apart(2, 11)],
  ['at phases that no tick explains', [...pair(0, 250), ...pair(5333, 250), ...pair(9666, 250)], apart(3, 251)],
  [
    'just before a bucket gains one, so that a tick explains it',
    [...pair(0, 498.5), ...pair(5333, 498.5)],
    MAYBE_AGAIN,
  ],
  ['just after a bucket gained one', [...pair(0, 499), ...pair(5300, 499)], MAYBE_AGAIN],
  ['one read alone', paths(0), NO_PATHS],
  ['at one moment, all accepted once', moment(0, 2, 2), MAYBE_AGAIN],
  ['at one moment, all accepted at two phases', [...moment(0, 2, 2), ...moment(5300, 2, 2)], moments(2)],
  ['at one moment, all accepted at one phase', [...moment(0, 2, 2), ...moment(5000, 2, 2)], MAYBE_AGAIN],
  ['at one moment, all accepted and half refused', [...moment(0, 2, 2), ...moment(5300, 1, 1)], []],
  ['at one moment, the base path refused', moment(0, 2, 0), []],
  ['at one moment, one over the rate', [...moment(0, 2, 1), ...moment(5300, 1, 2)], moments(2)],
  ['at one moment, one over the rate, at ticks', [...moment(0, 2, 1), ...moment(5500, 1, 2)], []],
  [
    'at one moment, all accepted in two windows each',
    [...moment(0, 2, 2, 990), ...moment(5300, 2, 2, 990)],
    MAYBE_AGAIN,
  ],
]);

const flood = (number: number, atMs: number, status = 401, headers: HeaderLines = []): Sketch => ({
  ...keyless('keyless', status, { sentAtMs: atMs, receivedAtMs: atMs + 1, headers }),
  probe: probe('keyless', { account: 'all', trial: number }),
});
const after = (number: number, atMs: number, ...statuses: number[]): Sketch[] =>
  statuses.map((status, i) => trial('together', number, atMs + 5 + 2 * i, { status }));
const charged = (count: number) => [
  `alice: its first request in its window refused right after requests without a valid key, ${count} times`,
];

const ANOTHER_CLIENT =
  'The first request of alice in its window was refused right after requests without a valid key, but another client of its key may be why: keep the key idle and run again.';
const refusedAfter = (times: number) =>
  Array.from({ length: times }, (_, i) => [flood(2 + i, 5000 * i), ...after(2 + i, 5000 * i, 429)]).flat();
const MAY_HAVE_ENDED =
  'Each time alice was accepted after requests without a valid key, its window may have ended in between, as answers take long: run again, nearer to the server.';
rows('rate.keyless-free', {}, [
  ['accepted late, and in evidence of a version that repeats nothing', [flood(1, 0), ...after(1, 300, 200)], []],
  [
    'accepted late, and again at the same phase',
    [flood(1, 0), ...after(1, 300, 200), flood(2, 5000), ...after(2, 5300, 200)],
    MAY_HAVE_ENDED,
  ],
  [
    'accepted late, and again at another phase',
    [flood(1, 0), ...after(1, 300, 200), flood(2, 5500), ...after(2, 5800, 200)],
    [],
  ],
  ['nothing asked', [ok(0)], NO_ANSWER],
  ['one broken', [flood(1, 0), trial('together', 1, 5, BROKEN)], NO_ANSWER],
  ['accepted', [flood(1, 0), ...after(1, 0, 200)], []],
  ['refused once', [ok(-9000), flood(2, 0), ...after(2, 0, 429), ...after(3, 5000, 200)], []],
  [
    'refused at first alone',
    [ok(-9000), flood(1, 0), ...after(1, 0, 429), flood(2, 5000), ...after(2, 5000, 429)],
    ANOTHER_CLIENT,
  ],
  [
    'refused twice',
    [ok(-9000), flood(2, 0), ...after(2, 0, 429), flood(3, 5000), ...after(3, 5000, 429)],
    ANOTHER_CLIENT,
  ],
  ['refused three times', [ok(-9000), ...refusedAfter(3)], charged(3)],
  [
    'held back three times by a queue that tells nothing',
    [
      ...[-15_000, -12_000, -9000].map((atMs) => at(atMs, 'alice')),
      ...[0, 1000, 2000].map((heldMs) => trial('concurrent', 1, -8000, { receivedAtMs: heldMs - 7999 })),
      ...[0, 5000, 10_000].flatMap((atMs, i) => [
        flood(2 + i, atMs),
        trial('together', 2 + i, atMs + 5, { receivedAtMs: atMs + 905 }),
      ]),
    ],
    ['alice: its first request in its window held back right after requests without a valid key, 3 times'],
  ],
  [
    'refused three times, and once without them',
    [ok(-9000), ok(-5000, { group: 'apart', status: 429 }), ...refusedAfter(3)],
    ANOTHER_CLIENT,
  ],
  [
    'refused twice, but not at first',
    [ok(-9000), flood(2, 0), ...after(2, 0, 200, 429), flood(3, 5000), ...after(3, 5000, 200, 429)],
    [],
  ],
  ['let in once', [ok(-9000), flood(2, 0, 200), ...after(2, 0, 429), flood(3, 5000), ...after(3, 5000, 429)], []],
  [
    'guarded',
    [keyless('missing-key', 401, { sentAtMs: -9000 }), flood(2, 0, 429, [['Retry-After', '9']]), ...after(2, 0, 200)],
    'A guard answered all requests without a valid key, so whether the server charges them was not seen.',
  ],
  [
    'guarded once',
    [
      keyless('missing-key', 401, { sentAtMs: -9000 }),
      flood(2, 0, 429, [['Retry-After', '9']]),
      flood(2, 1),
      ...after(2, 0, 200),
    ],
    [],
  ],
  ['no flood', after(1, 0, 200), NO_WRONG_KEY],
  [
    'a limit that is too strict',
    [
      ...letIn(),
      ok(-30_000),
      no(-28_500),
      no(-27_200),
      ok(-1500),
      flood(2, 0),
      ...after(2, 0, 429),
      ...after(3, 9000, 200),
    ],
    'Reads were refused after requests without a valid key, and rate.not-stricter is broken, which explains it: fix that first.',
  ],
]);

// Limit and Remaining.
const NO_LIMIT = 'No fresh response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format).';
const empty = (number: number, atMs: number, statuses = [429, 429]) => burst('concurrent', atMs, statuses, number);
// After each burst a read is accepted.
const around = (...bursts: Sketch[][]) => [
  ok(0),
  ...bursts.flatMap((sent) => [...sent, at((sent.at(-1)?.sentAtMs ?? 0) + 2000, 'alice')]),
];

const emptyOfBob = [25_000, 25_001].map((atMs) =>
  trial('concurrent', 1, atMs, { status: 429, receivedAtMs: 25_002 }, 'bob'),
);
rows('rate.limit-honest', among('alice', 'bob'), [
  [
    'an empty burst of each account',
    [...around(empty(1, 5000)), ok(20_000, 'bob'), ...emptyOfBob, ok(27_000, 'bob')],
    ['the answer: none of 2 requests at one moment was accepted, in 2 fresh windows'],
  ],
]);
rows('rate.limit-honest', {}, [
  ['no header', [ok(0)], NO_LIMIT],
  ['one empty burst', around(empty(1, 5000)), NO_LIMIT],
  ['two empty bursts of one account', around(empty(1, 5000), empty(2, 9000)), NO_LIMIT],
  ['three empty bursts of the only key', around(empty(1, 5000), empty(2, 9000), empty(3, 15_000)), NO_LIMIT],
  [
    'three empty bursts, and one read refused',
    [ok(-1140), no(-30), ...around(empty(1, 5000), empty(2, 9000), empty(3, 15_000))],
    NO_LIMIT,
  ],
  [
    'three empty bursts, and one read refused by a store that forgets late',
    [ok(-1040), no(-30), ...around(empty(1, 5000), empty(2, 9000), empty(3, 15_000))],
    NO_LIMIT,
  ],
  ['bursts of one', [ok(0), ...empty(1, 5000, [429]), ...empty(2, 9000, [429]), ok(90_000)], NO_LIMIT],
  ['nothing accepted later', [ok(0), ...empty(1, 5000), ...empty(2, 9000)], NO_LIMIT],
  ['nothing accepted in between', [ok(0), ...empty(1, 5000), ...empty(2, 9000), ok(90_000)], NO_LIMIT],
  ['one accepted in each', around(empty(1, 5000, [429, 200]), empty(2, 9000, [200, 429])), NO_LIMIT],
  [
    'one broken in each',
    around(
      [...empty(1, 5000), trial('concurrent', 1, 5000, BROKEN)],
      [...empty(2, 9000), trial('concurrent', 2, 9000, BROKEN)],
    ),
    NO_LIMIT,
  ],
  [
    'one sent twice in each',
    around(
      [...empty(1, 5000), trial('concurrent', 1, 5000, { ...REFUSED, resent: true })],
      [...empty(2, 9000), trial('concurrent', 2, 9000, { ...REFUSED, resent: true })],
    ),
    NO_LIMIT,
  ],
  ['too soon', around([ok(4500), ...empty(1, 5000)], [ok(8500), ...empty(2, 9000)]), NO_LIMIT],
  ['a limit', [ok(0, says(1, 0))], []],
  ['a limit, and one empty burst', around([ok(2000, says(1, 0)), ...empty(1, 5000)]), []],
  [
    'a limit, and three empty bursts of the only key',
    around([ok(2000, says(1, 0)), ...empty(1, 5000)], empty(2, 9000), empty(3, 15_000)),
    ANOTHER_OR_CHANCE,
  ],
  [
    'more than the limit',
    [0, 2, 4].map((atMs) => trial('sequence', 1, atMs, says(1, 0))),
    ['X-RateLimit-Limit: 1 for alice, but 3 requests accepted within 5 ms'],
  ],
  ['another limit', [ok(0, says(1, 0)), ok(2000, says(2, 1))], ['X-RateLimit-Limit: 1 and then 2 for alice']],
  ['another limit of a cache', [ok(0, says(1, 0)), ok(2000, says(2, 1, [['Age', '5']]))], []],
]);

const granted = (number: number, atMs: number, count: number): Sketch[] => [
  ...Array.from({ length: count }, (_, i) => trial('sequence', number, atMs + 2 * i, says(2, 1 - i))),
  trial('sequence', number, atMs + 2 * count, { ...REFUSED, ...says(2, 0) }),
];
const short = (count: number) => [
  `X-RateLimit-Limit: 2 for alice, but request 2 was refused, in ${count} fresh windows`,
];
const ofBob = (sketches: Sketch[]): Sketch[] =>
  sketches.map((sketch) => ({ ...sketch, account: 'bob', probe: probe('sequence', { account: 'bob' }) }));
rows('rate.limit-honest', { ...rated(2), ...among('alice', 'bob') }, [
  ['another limit told to a wrong key', [ok(0, says(2, 1)), flood(1, 500, 401, [['X-RateLimit-Limit', '60']])], []],
  [
    'each account its own limit',
    [ok(0, says(2, 1)), at(0, 'bob', says(3, 2))],
    ['X-RateLimit-Limit: 2 for alice, and 3 for bob'],
  ],
  ['granted in full', [...granted(1, 0, 2), ...granted(2, 5000, 2)], []],
  ['granted short once', granted(1, 0, 1), []],
  ['granted short twice', [...granted(1, 0, 1), ...granted(2, 5000, 1)], short(2)],
  ['granted short three times', [...granted(1, 0, 1), ...granted(2, 5000, 1), ...granted(3, 9000, 1)], short(3)],
  ['refused at once twice', [...granted(1, 0, 0), ...granted(2, 5000, 0)], []],
  [
    'granted short twice, and another account as well',
    [...granted(1, 0, 1), ...granted(2, 5000, 1), ...ofBob(granted(1, 7000, 1))],
    short(2),
  ],
  [
    'granted short twice, but another account in full, if slowly',
    [
      ...granted(1, 0, 1),
      ...granted(2, 5000, 1),
      ...ofBob(
        granted(1, 7000, 2).map((sketch, i) => ({ ...sketch, sentAtMs: 7000 + 600 * i, receivedAtMs: 7590 + 600 * i })),
      ),
    ],
    ANOTHER_OR_CHANCE,
  ],
]);

const ofThree = (number: number, atMs: number, count: number): Sketch[] => [
  ...Array.from({ length: count }, (_, i) => trial('sequence', number, atMs + 2 * i, says(3, 2 - i))),
  trial('sequence', number, atMs + 2 * count, { ...REFUSED, ...says(3, 0) }),
];
const shortOfThree = ['X-RateLimit-Limit: 3 for alice, but request 3 was refused, in 2 fresh windows'];
const atOnce = (count: number) => Array.from({ length: count }, (_, i) => trial('concurrent', 1, 9000, says(3, 2 - i)));
/** Of three, one is used already: two are granted, slowly. */
const begunOfThree = (number: number, atMs: number): Sketch[] => [
  ...[1, 0].map((left, i) => trial('sequence', number, atMs + 400 * i, says(3, left))),
  trial('sequence', number, atMs + 410, { ...REFUSED, ...says(3, 0) }),
];
rows('rate.limit-honest', rated(3), [
  ['granted short by the same number', [...ofThree(1, 0, 2), ...ofThree(2, 5000, 2)], shortOfThree],
  [
    'granted short by the same number, and all of a burst at last, if slowly',
    [
      ...ofThree(1, 0, 2),
      ...ofThree(2, 5000, 2),
      ...[{}, {}, {}, { ...REFUSED, ...says(3, 0) }].map((answer) =>
        trial('concurrent', 1, 9000, { ...answer, receivedAtMs: 9700 }),
      ),
    ],
    ANOTHER_OR_CHANCE,
  ],
  [
    'granted all that was left of a budget that was whole at another time',
    [ok(0, says(3, 2)), ...begunOfThree(1, 1500), ...begunOfThree(2, 3300)],
    [],
  ],
  [
    'granted all that was left of a budget that is never whole',
    [ok(0, says(3, 1)), ...begunOfThree(1, 5000), ...begunOfThree(2, 9000)],
    shortOfThree,
  ],
  ['granted short by different numbers', [...ofThree(1, 0, 2), ...ofThree(2, 5000, 1)], ANOTHER_OR_CHANCE],
  [
    'granted short by different numbers, as at a boundary, and again',
    [...ofThree(1, 0, 2), ...ofThree(2, 5300, 1), ...ofThree(3, 9600, 1)],
    ['X-RateLimit-Limit: 3 for alice, but request 2 was refused, in 3 fresh windows'],
  ],
  [
    'granted short, and at one moment as well',
    [...ofThree(1, 0, 2), ...ofThree(2, 5000, 2), ...atOnce(2)],
    shortOfThree,
  ],
  [
    'granted short, but at one moment in full',
    [...ofThree(1, 0, 2), ...ofThree(2, 5000, 2), ...atOnce(3)],
    ANOTHER_OR_CHANCE,
  ],
]);

const NO_REMAINING = 'No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.';
const counts = (number: number, atMs: number, ...left: number[]): Sketch[] =>
  left.map((remaining, i) => trial('sequence', number, atMs + 10 * i, says(3, remaining)));
const wrong = (times: number, left = 2, due = 1) =>
  Array(times).fill(`X-RateLimit-Remaining: ${left} where ${due} were left`);

rows('rate.remaining-honest', rated(3), [
  ['no header', [ok(0)], NO_REMAINING],
  ['a header without a key', [keyless('missing-key', 401, says(3, 1))], NO_REMAINING],
  ['counted down', counts(1, 0, 2, 1, 0), []],
  ['a wrong first', counts(1, 0, 3), wrong(1, 3, 2)],
  [
    'a wrong first of a cache',
    [trial('sequence', 1, 0, says(3, 3, [['Age', '5']])), trial('sequence', 1, 9, says(3, 1))],
    [],
  ],
  ['a wrong first, where too many are accepted', counts(1, 0, 3, 1, 0, 0, 0, 0, 0), wrong(1, 3, 2)],
  ['not counted down once, as at a boundary', counts(1, 0, 2, 2), []],
  ['not counted down twice', [...counts(1, 0, 2, 2), ...counts(2, 5160, 2, 2)], wrong(1)],
  ['not counted down twice, as at ticks of a bucket', [...counts(1, 0, 2, 2), ...counts(2, 5333, 2, 2)], []],
  ['not counted down twice at one phase', [...counts(1, 0, 2, 2), ...counts(2, 5000, 2, 2)], []],
  ['not counted down twice at one phase, much later', [...counts(1, 0, 2, 2), ...counts(2, 100_000, 2, 2)], []],
  ['not counted down once, and a wrong first', [...counts(1, 0, 2, 2), ...counts(2, 5300, 3, 1)], wrong(1, 3, 2)],
  [
    'a refusal that says there are some',
    [ok(0, { ...REFUSED, ...says(3, 2) })],
    ['X-RateLimit-Remaining: 2 on a refusal'],
  ],
  [
    'refused though some are left, which rate.limit-honest judges, or somebody else used them',
    [0, 5000].flatMap((atMs, i) => [
      trial('sequence', i + 1, atMs, says(3, 2)),
      trial('sequence', i + 1, atMs + 5, { ...REFUSED, ...says(3, 0) }),
    ]),
    [],
  ],
]);

// Somebody else at the same key.
const begun = (atMs: number, left: number, account = 'alice') => at(atMs, account, says(5, left));
const own = [begun(0, 4), begun(3000, 4)];
const lying = (account: string) => at(20_000, account, { ...REFUSED, ...says(5, 3) });
const elsewhere = (...seen: string[]) =>
  `Somebody else used ${seen.map((account) => `the key of ${account}`).join(' and ')} during this run: keep the keys idle and run again.`;
rows('rate.remaining-honest', { ...rated(5), ...among('alice', 'bob') }, [
  ['nobody else', own, []],
  ['somebody else once', [...own, begun(6000, 2)], elsewhere('alice (seen once)')],
  ['somebody else twice', [...own, begun(6000, 2), begun(9000, 3)], elsewhere('alice (seen 2 times)')],
  [
    'somebody else, and the other account is broken',
    [...own, begun(6000, 2), lying('bob')],
    ['X-RateLimit-Remaining: 3 on a refusal'],
  ],
  [
    'somebody else, and the same account is broken',
    [...own, begun(6000, 2), lying('alice')],
    ['X-RateLimit-Remaining: 3 on a refusal'],
  ],
  [
    'somebody else, and the other account is refused more than it may be',
    [...own, begun(6000, 2), ...[0, 1, 2].map((i) => trial('sequence', i + 1, 40_000 + 5000 * i, says(5, 9), 'bob'))],
    wrong(3, 9, 4),
  ],
  [
    'somebody else at both',
    [...own, begun(6000, 2), begun(30_000, 4, 'bob'), begun(33_000, 4, 'bob'), begun(36_000, 2, 'bob')],
    elsewhere('alice (seen once)', 'bob (seen once)'),
  ],
]);

// Which headers stand where, and their form.
rows('rate.headers-present', {}, [
  ['nothing answered', [ok(0, BROKEN)], NO_ANSWER],
  ['on one of two', [ok(0, says(1, 0, [['X-RateLimit-Reset', '1']])), no(2000)], []],
  [
    'none, and no refusal',
    [trial('sequence', 1, 0, says(1, 0))],
    `No response carried X-RateLimit-Reset. ${NO_REFUSAL}`,
  ],
  [
    'none, and a refusal',
    [ok(0, says(1, 0)), no(5)],
    ['X-RateLimit-Reset: absent from all 2 responses to a valid key'],
  ],
  ['all, and no refusal', [ok(0, says(1, 0, [['X-RateLimit-Reset', '1']]))], []],
]);
rows('rate.headers-everywhere', {}, [
  ['nothing answered', [ok(0, BROKEN)], NO_ANSWER],
  ['nowhere', [ok(0)], 'No response carried any X-RateLimit header: fix rate.headers-present first.'],
  [
    'on one of two',
    [ok(0, says(1, 0)), no(9)],
    ['X-RateLimit-Limit: absent from a 429', 'X-RateLimit-Remaining: absent from a 429'],
  ],
]);

const form = (value: number, more: Sketch = {}): Sketch[] => [
  ok(0, {
    headers: [
      ['Date', DATE],
      ['X-RateLimit-Reset', String(value)],
    ],
    ...more,
  }),
];
const took = (receivedAtMs: number) => ({ receivedAtMs });
rows('rate.reset-format', {}, [
  [
    'a delay',
    form(T0 / 10 - 1),
    [`X-RateLimit-Reset: ${T0 / 10 - 1} (a number of seconds to wait, not a time since the epoch)`],
  ],
  ['long ago', form(T0 / 10), [`X-RateLimit-Reset: ${T0 / 10} (${T0 - T0 / 10} s before the response, by its Date)`]],
  ['far ahead', form(T0 * 100), [`X-RateLimit-Reset: ${T0 * 100} (more than a day ahead)`]],
  [
    'milliseconds',
    form(T0 * 100 + 1),
    [`X-RateLimit-Reset: ${T0 * 100 + 1} (milliseconds, not seconds since the epoch)`],
  ],
  ['a day ahead', form(T0 + 86_400), []],
  ['a day and a second ahead', form(T0 + 86_401), [`X-RateLimit-Reset: ${T0 + 86_401} (more than a day ahead)`]],
  ['past, by a second', form(T0 - 1), []],
  ['past', form(T0 - 2), [`X-RateLimit-Reset: ${T0 - 2} (2 s before the response, by its Date)`]],
  ['past, but held back', form(T0 - 4, took(3000)), []],
  [
    'past, and not held back for long enough',
    form(T0 - 4, took(2999)),
    [`X-RateLimit-Reset: ${T0 - 4} (4 s before the response, by its Date)`],
  ],
]);

rows('rate.retry-after-present', {}, [
  ['on one of two', [ok(0, retry('1')), no(9)], []],
  ['on the only one', [ok(0, retry('1'))], []],
  ['not on the only one', [no(0)], 'A single request was refused, without Retry-After: that may be an accident.'],
  [
    'not on the only one that is whole',
    [no(0), trial('sequence', 1, 9, BROKEN)],
    'A single request was refused, without Retry-After: that may be an accident.',
  ],
  ['on none of two', [no(0), no(9)], ['Retry-After: absent from all 2 refusals']],
]);

// What Reset promises. A second clock keeps `Date` from telling more than the span after its own response.
const otherClock = {
  ...keyless('missing-key', 401, {
    sentAtMs: -90_000,
    headers: [['Date', new Date((T0 + 5000) * 1000).toUTCString()]],
  }),
  receivedAtMs: -89_999,
};
const lateness = (n: number) =>
  Array(n).fill(`X-RateLimit-Reset: ${T0 + 1}, and the next request refused after it, with nothing sent meanwhile`);
const promised = (atMs: number, laterMs: number, before: Sketch = {}, next: Sketch = {}): Sketch[] => [
  at(atMs, 'alice', { ...resets(1), ...before }),
  at(atMs + laterMs, 'alice', { ...REFUSED, ...next }),
];
const twice = (...rest: [number, Sketch?, Sketch?]) => [
  otherClock,
  ...letIn(),
  ...promised(0, ...rest),
  ...promised(50_000, ...rest),
];

rows('rate.reset-honest', among('alice', 'bob'), [
  ['no header', [ok(0)], 'No fresh response to a valid key carried a well-formed X-RateLimit-Reset.'],
  ['as far as is honest', [ok(0, resets(4))], []],
  ['further than is honest', [ok(0, resets(5))], ['X-RateLimit-Reset: 1781481605, 5 s ahead']],
  [
    'without a Date',
    [ok(0, { headers: [['X-RateLimit-Reset', String(T0 + 7200)]] })],
    [
      `X-RateLimit-Reset: ${T0 + 7200}, 7200 s ahead of this machine's clock, as there is no Date, which looks like a time zone of +2 h`,
    ],
  ],
  ['a day ahead', [ok(0, resets(86_400))], ['X-RateLimit-Reset: 1781568000, 86400 s ahead']],
  ['more than a day ahead, which is for its form', [ok(0, resets(86_401))], []],
  ['refused once', [otherClock, ...promised(0, 2101)], BROKEN_ONCE],
  ['refused late in the run, once', [otherClock, ...promised(50_000, 2101)], BROKEN_ONCE],
  [
    'refused once, and let in twice later',
    [otherClock, ...promised(0, 2101), ...[9000, 18_000].flatMap((ms) => promised(ms, 2101, {}, { status: 200 }))],
    [],
  ],
  ['refused twice', twice(2101), lateness(2)],
  ['refused too soon', twice(2100), []],
  ['accepted', twice(2101, {}, { status: 200 }), []],
  ['sent twice before', twice(2101, { resent: true }), []],
  ['sent twice', twice(2101, {}, { resent: true }), []],
  ['broken', twice(2101, {}, { ...BROKEN, probe: probe('recovery', { account: 'alice' }) }), []],
  ['somebody near', [...twice(2101), ok(2000, 'bob'), ok(52_000, 'bob')], []],
  ['a cache before', [...twice(2101, resets(1, { headers: [['Age', '5']] })), ok(90_000, resets(1))], []],
  ['no header before', [...twice(2101, { headers: [] }), ok(90_000, resets(1))], []],
  [
    'two before',
    [...twice(2102), ok(0.5, { ...resets(1), receivedAtMs: 2 }), ok(50_000.5, { ...resets(1), receivedAtMs: 50_002 })],
    lateness(2),
  ],
  [
    'two before, one of which promised more',
    [...twice(2101), ok(0.5, { ...resets(3), receivedAtMs: 2 }), ok(50_000.5, { ...resets(3), receivedAtMs: 50_002 })],
    [],
  ],
]);

test('rate.reset-honest: moments a window apart are two', () => {
  const late = (...rest: [number, number]) =>
    found('rate.reset-honest', of([otherClock, ...letIn(), ...promised(0, 2101), ...promised(...rest)]));
  expect(late(2200, 2101)).toHaveLength(2);
  const near = [
    otherClock,
    ...promised(0, 2101),
    ...['bob'].flatMap((bob) => [at(900, bob, resets(1)), at(3101, bob, REFUSED)]),
  ];
  expect(found('rate.reset-honest', of(near, { ...among('alice', 'bob'), ...rated(1, 1) }))).toBe(BROKEN_ONCE);
});

// What Retry-After promises.
const again = (ms: number, value: string, n: number) =>
  Array(n).fill(`Retry-After: ${value}, and refused again ${ms} ms later, with nothing sent meanwhile`);
const waited = (laterMs: number, next: Sketch = {}, before: Sketch = {}): Sketch[] =>
  [0, 50_000].flatMap((atMs) => [
    ...(atMs === 0 ? letIn() : []),
    at(atMs - 500, 'alice'),
    at(atMs, 'alice', { ...retry('2'), ...before }),
    at(atMs + 1 + laterMs, 'alice', { ...REFUSED, ...next }),
  ]);
const dated = (ahead: number) =>
  retry(new Date((T0 + ahead) * 1000).toUTCString(), {
    headers: [
      ['Date', DATE],
      ['Retry-After', new Date((T0 + ahead) * 1000).toUTCString()],
    ],
  });
const series = (...gaps: number[]) => gaps.map((atMs) => at(atMs, 'alice', retry('0')));

/** Whole bursts that a block of some seconds refuses after the wait that was asked, and one that is split. */
const blocked = (more: readonly Sketch[] = []): Sketch[] => {
  const three = (number: number, atMs: number, first: Sketch) =>
    [first, {}, {}].map((one, i) =>
      trial('concurrent', number, atMs + i, { ...retry('1', one), receivedAtMs: atMs + 5 }),
    );
  const accepted = [0, 1500, 3000, 4600, 10_000, 16_000].map((atMs) => at(atMs, 'alice'));
  const refused = [4610, 10_010].map((atMs) => trial('sequence', 1, atMs, retry('1')));
  const bursts = [...three(1, 6000, {}), ...three(2, 12_000, {}), ...three(3, 18_000, { status: 200, headers: [] })];
  return [...accepted, ...refused, ...bursts, ...more].sort((a, b) => (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0));
};
rows('rate.retry-after-honest', among('alice', 'bob'), [
  ['whole bursts that a block refuses', blocked(), [...again(1389, '1', 1), ...again(1989, '1', 1)]],
  ['whole bursts, and one request that no refusal came before', blocked([ok(20_000), ok(21_500, retry('1'))]), []],
  [
    'whole bursts, and one request accepted sooner after a refusal',
    blocked([ok(4700)]),
    'Somebody else used the key of alice (seen 2 times) during this run: keep the keys idle and run again.',
  ],
  ['whole bursts, and no other', blocked().filter(({ probe }) => probe?.trial !== 3), []],
  ['none whole', [trial('sequence', 1, 0, BROKEN)], NO_REFUSAL],
  [
    'none in form',
    [ok(0, retry('soon'))],
    'No refusal carried a well-formed Retry-After (rate.retry-after-present, rate.retry-after-format).',
  ],
  ['as long as is honest', [ok(0, retry('4'))], []],
  ['longer than is honest', [ok(0, retry('5'))], ['Retry-After: 5, which asks for 5 s']],
  ['a date as far as is honest', [ok(0, dated(4))], []],
  [
    'a date further than is honest',
    [ok(0, dated(5))],
    [`Retry-After: ${new Date((T0 + 5) * 1000).toUTCString()}, which asks for 6 s`],
  ],
  ['waited', waited(2100), again(2100, '2', 2)],
  ['not waited a little more', waited(2099), []],
  ['accepted', waited(2100, { status: 200 }), []],
  ['sent twice', waited(2100, { resent: true }), []],
  ['broken', waited(2100, { ...BROKEN, probe: probe('recovery', { account: 'alice' }) }), []],
  ['somebody near', [...waited(2100), ok(2000, 'bob'), ok(52_000, 'bob')], []],
  [
    'beside one that asked for nothing',
    [...waited(2100), ok(0.5, { ...REFUSED, receivedAtMs: 2 }), ok(50_000.5, { ...REFUSED, receivedAtMs: 50_002 })],
    [],
  ],
  [
    'beside one that was accepted',
    [...waited(2101), ok(0.5, { receivedAtMs: 2 }), ok(50_000.5, { receivedAtMs: 50_002 })],
    again(2101, '2', 2),
  ],
  ['three in a row', series(0, 110, 120, 130), [...again(109, '0', 1), ...again(9, '0', 2)]],
  ['two, a window apart', series(0, 110, 1110), [...again(109, '0', 1), ...again(999, '0', 1)]],
  ['two, not quite a window apart', series(0, 110, 1109.5), BROKEN_ONCE],
  [
    'beside one that was accepted, and asked to wait as well',
    [
      ...waited(2101),
      ok(0.5, { receivedAtMs: 2, headers: [['Retry-After', '1']] }),
      ok(50_000.5, { receivedAtMs: 50_002, headers: [['Retry-After', '1']] }),
    ],
    again(2101, '2', 2),
  ],
  ['two in a row', series(0, 110, 120), BROKEN_ONCE],
  ['the first of them too soon', series(0, 50, 110, 120), BROKEN_ONCE],
]);

const two = (seconds: string, ahead: number) => ok(0, resets(ahead, retry(seconds)));
const NEVER = (count: number) =>
  `None of ${count} refusals carried both Retry-After and X-RateLimit-Reset, so there is nothing to agree.`;
rows('rate.retry-after-agrees', {}, [
  ['none whole', [trial('sequence', 1, 0, BROKEN)], NO_REFUSAL],
  ['never both', [ok(0, retry('1'))], NEVER(1)],
  ['Reset alone', [ok(0, resets(1, REFUSED))], NEVER(1)],
  ['both once', [two('1', 1), no(9)], []],
  ['as far apart as is honest', [two('1', 5)], []],
  ['too far apart', [two('1', 6)], [`X-RateLimit-Reset: ${T0 + 6}, and Retry-After: 1, 5 s apart`]],
  ['too far apart, the other way', [two('6', 1)], [`Retry-After: 6, and X-RateLimit-Reset: ${T0 + 1}, 5 s apart`]],
  ['a day ahead', [two('1', 86_400)], [`X-RateLimit-Reset: ${T0 + 86_400}, and Retry-After: 1, 86399 s apart`]],
  [
    'no time',
    [two('1', 86_401)],
    'No refusal carried a well-formed Retry-After together with a well-formed X-RateLimit-Reset.',
  ],
  [
    'a date',
    [ok(0, { ...dated(4), headers: [...(dated(4).headers ?? []), ['X-RateLimit-Reset', String(T0 + 9)]] })],
    [`X-RateLimit-Reset: ${T0 + 9}, and Retry-After: ${new Date((T0 + 4) * 1000).toUTCString()}, 5 s apart`],
  ],
]);

test('what another version says of its limit is not judged', () => {
  const other = ok(5, {
    ...says(0, 0),
    request: { method: 'GET', url: 'https://api.example/v1/webhooks', headers: [] },
  });
  expect(found('rate.limit-format', of([ok(0, says(1, 0)), other]))).toEqual([]);
  expect(found('rate.limit-format', of([ok(0, says(0, 0))]))).toEqual(['X-RateLimit-Limit: 0 (not above 0)']);
});

for (const [header, value, wrong] of [
  ['X-RateLimit-Limit', '1', null],
  ['X-RateLimit-Limit', '-1', 'negative'],
  ['X-RateLimit-Limit', '1.5', 'a fraction'],
  ['X-RateLimit-Limit', '-1.5', 'a fraction'],
  ['X-RateLimit-Limit', 'one', 'not a decimal integer'],
  ['X-RateLimit-Remaining', '-1', 'negative'],
  ['X-RateLimit-Remaining', '7', null],
  ['X-RateLimit-Reset', DATE, 'not a number of seconds since the epoch'],
  ['X-RateLimit-Reset', 'soon', 'not a number of seconds since the epoch'],
  ['X-RateLimit-Reset', `${T0}.5`, 'a fraction'],
  ['Retry-After', '0', null],
  ['Retry-After', DATE, null],
  ['Retry-After', '-1', 'negative'],
  ['Retry-After', '+1', 'not a decimal integer'],
  ['Retry-After', '1.5', 'a fraction'],
  ['Retry-After', 'soon', 'neither whole seconds nor an HTTP-date in GMT'],
] as const) {
  test(`the form of ${header}: ${value}`, () => {
    const clause = header.replace('X-RateLimit-', '').toLowerCase();
    const expected = wrong === null ? [] : [`${header}: ${value} (${wrong})`];
    expect(found(`rate.${clause}-format`, of([ok(0, { headers: [[header, value]] })]))).toEqual(expected);
  });
}

rows('rate.remaining-format', {}, [
  ['as many as the limit', [ok(0, says(3, 3))], []],
  ['more than the limit', [ok(0, says(3, 4))], ['X-RateLimit-Remaining: 4 (above X-RateLimit-Limit: 3)']],
  ['twice', [ok(0, says(3, 1, [['x-ratelimit-remaining', '1']]))], ['X-RateLimit-Remaining: 2 times: 1 and 1']],
  ['nowhere', [ok(0)], 'No response carried X-RateLimit-Remaining: fix rate.headers-present first.'],
  [
    'on a broken response',
    [ok(0, { ...says(3, 9), ...BROKEN })],
    'No response carried X-RateLimit-Remaining: fix rate.headers-present first.',
  ],
]);

rows('rate.retry-after-format', {}, [
  ['no refusal', [trial('sequence', 1, 0)], NO_REFUSAL],
  [
    'a refusal without it',
    [trial('sequence', 1, 0, REFUSED)],
    'No response carried Retry-After: fix rate.retry-after-present first.',
  ],
  ['without a refusal', [ok(0, { headers: [['Retry-After', '1']] })], []],
]);

test('a response late in the run is not taken for one that was held back', () => {
  const later = ok(9000, {
    headers: [
      ['Date', DATE],
      ['X-RateLimit-Reset', String(T0 - 9)],
    ],
  });
  expect(found('rate.reset-format', of([later]))).toEqual([
    `X-RateLimit-Reset: ${T0 - 9} (9 s before the response, by its Date)`,
  ]);
});

rows('rate.headers-everywhere', {}, [
  ['neither refused nor accepted', [ok(0, says(1, 0)), ok(9, { status: 404 })], []],
  ['without a key', [ok(0, says(1, 0)), keyless('missing-key', 200)], []],
  ['another address', [ok(0, says(1, 0)), ok(9, { request: { method: 'GET', url: `${BASE}/x`, headers: [] } })], []],
]);

rows('rate.refusal-429', {}, [
  ['no refusal', [trial('sequence', 1, 0)], NO_REFUSAL],
  ['429', [trial('sequence', 1, 0, REFUSED)], []],
]);

test('a refusal that looks like success', () => {
  const first = ok(0, serving({ start: { status: true, url: 'https://a.example/' }, auth: {} }));
  expect(found('rate.refusal', of([first, trial('sequence', 1, 2000, { body: 'no' })]))).toEqual([
    'to a request over the rate: 200 without the settings, which looks like success,',
  ]);
});

test('somebody else, and the other account changes its limit', () => {
  const evidence = of([...own, begun(6000, 2), at(30_000, 'bob', says(5, 4)), at(33_000, 'bob', says(6, 5))], {
    ...rated(5),
    ...among('alice', 'bob'),
  });
  expect(found('rate.limit-honest', evidence)).toEqual(['X-RateLimit-Limit: 5 for alice, and 6 for bob']);
});

test('the first response shows what is missing from all', () => {
  const shown = (clause: string, ...sketches: Sketch[]) =>
    ruleOf(clause)
      .judge(of(sketches))
      .breaches.map(({ exchanges }) => exchanges.map(({ index }) => index));
  const refused = [no(0), no(9)];
  expect(shown('rate.retry-after-present', ...refused)).toEqual([[0]]);
  expect(shown('rate.headers-present', ...refused)).toEqual([[0], [0], [0]]);
});

test('requests without a key are charged to each account by itself', () => {
  const both = of(
    [
      ok(-9000),
      ok(-9000, 'bob'),
      flood(2, 0),
      trial('together', 2, 5, REFUSED),
      flood(3, 5000),
      trial('together', 3, 5005, REFUSED, 'bob'),
    ],
    among('alice', 'bob'),
  );
  expect(found('rate.keyless-free', both)).toBe(ANOTHER_CLIENT);
});

test('a read of one account is not followed by the path of another', () => {
  const mixed = of(
    [trial('paths', 1, 0, REFUSED), trial('paths', 1, 2, {}, 'bob'), base(trial('paths', 1, 10))],
    among('alice', 'bob'),
  );
  expect(found('rate.across-paths', mixed)).toBe(NO_PATHS);
});

/** A request with another spelling, at one moment with plain ones. */
const respelled = (form: string, number: number, atMs: number, status: number): Sketch => ({
  ...at(atMs, 'alice'),
  probe: probe('respelled', { account: 'alice', trial: number, form }),
  request: {
    method: form === 'HEAD' ? 'HEAD' : 'GET',
    url: `${BASE}/webhooks${form === 'query' ? '?x=1' : ''}`,
    headers: [],
  },
  status,
  ...(form !== 'HEAD' && status === 200 ? { ...serving({ auth: { basic: { hasPassword: true } } }) } : {}),
});
/** Plain reads at one moment, of which one is let in, and right after them some that are spelled otherwise. */
const withSpelled = (atMs: number, number: number, spelled: ReadonlyArray<readonly [string, number]>): Sketch[] => [
  ...burst('concurrent', atMs, [200, 429, 429], number),
  ...spelled.map(([form, status], i) => respelled(form, number, atMs + 5 + i, status)),
];
rows('rate.no-bypass', among('alice'), [
  [
    'each spelling is refused beside plain reads',
    withSpelled(0, 1, [
      ['HEAD', 429],
      ['query', 429],
    ]),
    [],
  ],
  [
    'two of one spelling are let in at once',
    withSpelled(0, 1, [
      ['query', 200],
      ['query', 200],
      ['HEAD', 429],
    ]),
    ['to the valid key of alice with a query: accepted 2 times beside all that the rate allows'],
  ],
  [
    'HEAD is let in, as often',
    withSpelled(0, 1, [
      ['HEAD', 200],
      ['HEAD', 200],
    ]),
    ['to the valid key of alice with HEAD: accepted 2 times beside all that the rate allows'],
  ],
  [
    'a window may have ended in the only trial',
    withSpelled(0, 1, [['query', 200]]),
    'Each time more was let in than the rate allows, a window may have ended meanwhile: run again.',
  ],
  [
    'no one window ended in both trials',
    [...withSpelled(0, 1, [['query', 200]]), ...withSpelled(2333, 2, [['query', 200]])],
    ['to the valid key of alice with a query: accepted 2 times beside all that the rate allows'],
  ],
  [
    'a page at any address says nothing of the API',
    withSpelled(0, 1, [
      ['slash-behind', 200],
      ['slash-behind', 200],
    ]).map((sketch) => (sketch.probe?.form === 'slash-behind' ? { ...sketch, body: '<h1>Hello</h1>' } : sketch)),
    [],
  ],
  [
    'plain reads exceed the rate',
    [...burst('concurrent', 0, [200, 200, 200]), respelled('query', 1, 10, 200)],
    'More requests than the rate allows were accepted as described: fix rate.enforced first.',
  ],
]);
