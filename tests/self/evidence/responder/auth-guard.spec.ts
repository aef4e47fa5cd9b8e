/** Which answers to wrong keys are the server's own, and which a guard or a limiter gave in its place. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import type { Exchange } from '../../../../src/evidence/model';
import {
  answersAmong,
  isDoubtful,
  isVeiled,
  letInWithoutKey,
  shapesOf,
} from '../../../../src/evidence/responder/auth-guard';
import { hasShape, shapeOf } from '../../../../src/evidence/responder/classify';
import { at, BASE, evidenceOf, exchangeOf, keyless, type Sketch, serving } from '../../support/evidence-of';

const RETRY: Sketch = { headers: [['Retry-After', '1']] };
const BROKEN: Sketch = { fault: { kind: 'truncated', message: 'broke off' } };
const HEAD: Sketch = { request: { method: 'HEAD', url: `${BASE}/webhooks`, headers: [] }, body: '' };
/** The server's own rejection. */
const own = keyless('missing-key', 401, { body: 'no key' });
const guard = keyless('guard', 429, { body: 'blocked' });
const wrong = (status: number, more: Sketch = {}) => keyless('unknown-key', status, more);
const refused = at(500, 'alice', { group: 'sequence', status: 403, body: 'slow down' });

/** Whether something is true of the last of some exchanges. */
function ofLast(check: (exchange: Exchange, evidence: ReturnType<typeof evidenceOf>) => boolean, sketches: Sketch[]) {
  const evidence = evidenceOf(sketches);
  return check(evidence.exchanges.at(-1) ?? exchangeOf(), evidence);
}

for (const [what, sketch, shape] of [
  [
    'all parts',
    {
      status: 429,
      headers: [
        ['Content-Type', 'text/plain'],
        ['retry-after', '7'],
      ],
      body: 'wait 12 s',
    },
    '429\ntext/plain\ntrue\nwait # s',
  ],
  ['no header', { status: 401, body: 'no key' }, '401\n\nfalse\nno key'],
  ['an id in it', { status: 401, body: 'id 4bf92f' }, '401\n\nfalse\nid #'],
  ['a long text', { status: 401, body: `${'x'.repeat(499)}yz` }, `401\n\nfalse\n${'x'.repeat(499)}y`],
  // A number that grows by a digit does not move where the comparison ends.
  ['a long text with a number', { status: 401, body: `99 ${'x'.repeat(600)}` }, `401\n\nfalse\n# ${'x'.repeat(498)}`],
  ['a longer number', { status: 401, body: `100 ${'x'.repeat(600)}` }, `401\n\nfalse\n# ${'x'.repeat(498)}`],
] satisfies [string, Sketch, string][]) {
  test(`how an answer is made: ${what}`, () => {
    expect(shapeOf(exchangeOf(sketch))).toBe(shape);
  });
}

for (const [what, sketch, is] of [
  ['the same text', { status: 401, body: 'no key' }, true],
  ['the beginning of the text', { status: 401, body: 'no' }, false],
  ['no text, to HEAD', { status: 401, ...HEAD }, true],
  ['another status, to HEAD', { status: 403, ...HEAD }, false],
] satisfies [string, Sketch, boolean][]) {
  test(`an answer with ${what} is ${is ? '' : 'not '}made as another`, () => {
    expect(hasShape(exchangeOf(sketch), '401\n\nfalse\nno key')).toBe(is);
    expect(hasShape(exchangeOf(sketch), null)).toBe(false);
  });
}

for (const [what, sketches, count] of [
  ['another answer than the first one', [own, guard], 1],
  ['the first answer again', [{}, own, { ...own, probe: probe('guard') }], 0],
  ['an accepted one', [own, { ...guard, status: 200 }], 0],
  ['a broken one', [own, { ...guard, ...BROKEN }], 0],
  ['that of another probe', [own, wrong(429, { body: 'blocked' })], 0],
  // What follows an accepted read at once does not show what the server says by itself.
  ['what came first only after a read', [{}, keyless('after-accepted', 429, { body: 'blocked' }), own, guard], 1],
  ['what came first only broken', [{ ...own, ...BROKEN, body: 'blocked', status: 429 }, own, guard], 1],
] satisfies [string, Sketch[], number][]) {
  test(`a guard is known by its probe: ${what}`, () => {
    expect(shapesOf(evidenceOf(sketches)).guards.size).toBe(count);
  });
}

for (const [what, sketches, veiled] of [
  ['the server’s own rejection', [own, guard, wrong(401, { body: 'no key' })], false],
  ['the answer of a guard', [own, guard, wrong(429, { body: 'blocked' })], true],
  ['the same answer to a valid key', [own, guard, { status: 429, body: 'blocked' }], false],
  ['the same answer, broken', [own, guard, wrong(429, { body: 'blocked', ...BROKEN })], false],
  ['an answer made as refusals of valid keys', [{}, own, refused, wrong(403, { body: 'slow down' })], true],
  ['their status alone', [{}, own, refused, wrong(403, { body: 'forbidden' })], false],
  ['their status, and a wait', [{}, own, refused, wrong(403, { body: 'forbidden', ...RETRY })], true],
  ['an error that a valid key got', [{}, own, { status: 500, body: 'boom' }, wrong(500, { body: 'boom' })], false],
  ['429 in other words', [own, wrong(429, { body: 'too many' })], true],
  ['428', [own, wrong(428)], false],
  ['503 that asks to wait', [own, wrong(503, RETRY)], true],
  ['404 that asks to wait', [own, wrong(404, RETRY)], false],
  ['an accepted answer', [own, { ...guard, status: 200 }, wrong(200, { body: 'blocked' })], false],
  [
    'the refusal that a missing key got first, as it was taken for an account’s,',
    [{}, keyless('missing-key', 429), wrong(401), keyless('every-method', 429)],
    true,
  ],
  [
    'what a missing key gets behind a limiter that let only the first through, and later the probe for guards,',
    [
      {},
      keyless('after-accepted', 401, { body: 'no key' }),
      keyless('missing-key', 429),
      wrong(401, { body: 'bad key' }),
      { ...own, probe: probe('guard') },
      own,
    ],
    false,
  ],
  ['the only answer that there is', [keyless('missing-key', 429), wrong(429)], false],
] satisfies [string, Sketch[], boolean][]) {
  test(`${what} to a wrong key is ${veiled ? '' : 'not '}veiled`, () => {
    expect(ofLast(isVeiled, sketches)).toBe(veiled);
  });
}

const broke = (kind: 'reset' | 'timeout'): Sketch =>
  ({ response: null, fault: { kind, message: 'broke off' } }) as Sketch;

for (const [what, sketches, doubtful] of [
  ['a connection that was reset', [own, wrong(0, broke('reset'))], true],
  ['an answer that came too late', [own, wrong(0, broke('timeout'))], false],
  ['the same to a valid key', [own, broke('reset')], false],
  ['429', [own, wrong(429)], true],
  ['500', [own, wrong(500)], true],
  ['499', [own, wrong(499)], false],
  ['500 as the server always rejects', [{ ...own, status: 500 }, wrong(500, { body: 'no key' })], false],
  ['500 to a valid key', [own, { status: 500 }], false],
] satisfies [string, Sketch[], boolean][]) {
  test(`${what} is ${doubtful ? '' : 'not '}worth asking again for`, () => {
    expect(ofLast(isDoubtful, sketches)).toBe(doubtful);
  });
}

const flood = (status: number): Sketch => keyless('keyless', status, { body: 'one of many' });

for (const [what, asked, counted, hidden] of [
  ['a doubtful answer and a better one', [wrong(500), wrong(404)], [404], []],
  ['a doubtful answer and a veiled one', [wrong(500), wrong(429)], [500], []],
  ['two doubtful answers', [wrong(500), wrong(502)], [502], []],
  ['a clear answer and a doubtful one', [wrong(404), wrong(500)], [404, 500], []],
  ['nothing but veiled answers', [wrong(429), wrong(429)], [], [429]],
  ['a veiled answer and a clear one', [wrong(429), wrong(404)], [404], []],
  ['a flood', [flood(404), flood(500)], [404], []],
  ['a flood that a veil answers', [flood(429)], [], []],
  ['two requests', [wrong(429), keyless('unknown-key', 404, { form: 'long' })], [404], [429]],
] satisfies [string, Sketch[], number[], number[]][]) {
  test(`the answers that count, and the requests of which there are none: ${what}`, () => {
    const evidence = evidenceOf([own, ...asked]);
    const all = evidence.exchanges.slice(1);
    const statuses = (exchanges: readonly Exchange[]) => exchanges.map(({ response }) => response?.status);
    const answers = answersAmong(all, evidence);
    expect([statuses(answers.counted), statuses(answers.hidden)]).toEqual([counted, hidden]);
  });
}

test('a rejection that fails may be an accident, unless every one does', () => {
  const crash = keyless('missing-key', 500, { body: 'oops' });
  const isLastDoubtful = (...sketches: Sketch[]) => ofLast(isDoubtful, sketches);
  expect(isLastDoubtful(crash)).toBe(true);
  expect(isLastDoubtful(crash, wrong(500, { body: 'oops' }))).toBe(false);
  expect(isLastDoubtful(crash, wrong(401), wrong(500, { body: 'oops' }))).toBe(true);
  // What the first request without a key got is no guard's answer when it gets the same again.
  const again = keyless('guard', 500, { body: 'oops' });
  expect([...shapesOf(evidenceOf([crash, wrong(401), again])).guards]).toEqual([]);
  expect([...shapesOf(evidenceOf([own, wrong(401), again])).guards]).toHaveLength(1);
});

test('what was let in without a valid key, in a flood too, is known by its group', () => {
  const flooding = { ...keyless('keyless', 200), probe: probe('keyless', { account: 'all', form: 'unknown-key/1' }) };
  const { exchanges } = evidenceOf([{}, own, flooding, keyless('every-method', 200, { form: 'HEAD' })]);
  expect([...letInWithoutKey(exchanges)]).toEqual(['unknown-key', 'every-method']);
});

test('a preflight may be let in, so the other methods are still asked', () => {
  const request = { method: 'OPTIONS', url: `${BASE}/webhooks`, headers: [] };
  const { exchanges } = evidenceOf([{}, own, keyless('every-method', 204, { form: 'OPTIONS', request })]);
  expect([...letInWithoutKey(exchanges)]).toEqual([]);
});

for (const status of [204, 302]) {
  const turnedAway: Sketch = { status, body: '', headers: [['X-RateLimit-Remaining', '0']] };
  const reads = [serving({ start: {}, auth: {} }), at(500, 'alice', { group: 'sequence', ...turnedAway })];
  const missing = keyless('missing-key', status, turnedAway);

  test(`a limiter before authentication that refuses with ${status} is asked again, and the later answer counts`, () => {
    const first = evidenceOf([...reads, missing]);
    expect(first.exchanges.map((exchange) => isDoubtful(exchange, first))).toEqual([false, false, true]);
    const all = evidenceOf([...reads, missing, wrong(status, turnedAway), keyless('missing-key', 401), wrong(401)]);
    const asked = all.exchanges.filter(({ account }) => account === null);
    expect(answersAmong(asked, all).counted.map(({ response }) => response?.status)).toEqual([401, 401]);
  });

  test(`a server that answers every wrong key with ${status} is judged by that`, () => {
    const all = evidenceOf([...reads, missing, missing]);
    const asked = all.exchanges.filter(({ account }) => account === null);
    expect(answersAmong(asked, all).counted.map(({ response }) => response?.status)).toEqual([status]);
  });
}
