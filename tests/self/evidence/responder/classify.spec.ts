/** What became of a request: accepted, rejected or refused. */
import { expect, test } from '@playwright/test';
import type { Fault } from '../../../../src/evidence/model';
import { isRefused, looksRefused, outcomeOf, statusOf } from '../../../../src/evidence/responder/classify';
import { at, BASE, evidenceOf, exchangeOf, keyless, type Sketch, serving } from '../../support/evidence-of';

const fault = (kind: Fault['kind']): Sketch => ({ fault: { kind, message: 'broke off' } });
const RETRY: Sketch = { headers: [['Retry-After', '1']] };
const burst = (more: Sketch = {}) => at(9000, 'alice', { group: 'sequence', ...more });
const served = serving({ start: { status: true } });

/** The evidence of some exchanges, and the last one of them. */
function lastOf(...sketches: Sketch[]) {
  const evidence = evidenceOf(sketches);
  return { evidence, last: evidence.exchanges.at(-1) ?? exchangeOf() };
}

for (const [what, sketch, outcome] of [
  ['the least 2xx', { status: 200 }, 'accepted'],
  ['the greatest 2xx', { status: 299 }, 'accepted'],
  ['a redirection', { status: 300 }, 'other'],
  ['an interim status', { status: 199 }, 'other'],
  ['a 2xx that breaks off', { status: 200, ...fault('truncated') }, 'fault'],
  ['no answer', { ...fault('reset') }, 'fault'],
  ['429 to a valid key', { status: 429 }, 'refused'],
  ['400 to a valid key', { status: 400 }, 'other'],
  ['400 without a key', keyless('missing-key', 400), 'rejected'],
  ['499 without a key', keyless('missing-key', 499), 'rejected'],
  ['399 without a key', keyless('missing-key', 399), 'other'],
  ['500 without a key', keyless('missing-key', 500), 'other'],
  ['500 in a burst', burst({ status: 500 }), 'refused'],
  ['a connection that a burst broke', burst(fault('reset')), 'fault'],
] satisfies [string, Sketch, string][]) {
  test(`${what} is ${outcome}`, () => {
    const { evidence, last } = lastOf(sketch);
    expect(outcomeOf(last, evidence)).toBe(outcome);
  });
}

test('what was never answered has the status 0', () => {
  expect(statusOf({ ...exchangeOf(), response: null })).toBe(0);
});

for (const [what, before, sketch, refused] of [
  ['403 that asks to wait', [{}], { status: 403, ...RETRY }, true],
  ['503 that asks to wait', [{}], { status: 503, ...RETRY }, true],
  ['403 that does not', [{}], { status: 403 }, false],
  ['503 that does not', [{}], { status: 503 }, false],
  ['429 that does not', [{}], { status: 429 }, true],
  ['402 that asks to wait', [{}], { status: 402, ...RETRY }, false],
  ['404 that asks to wait', [{}], { status: 404, ...RETRY }, false],
  ['502 that asks to wait', [{}], { status: 502, ...RETRY }, false],
  ['504 that asks to wait', [{}], { status: 504, ...RETRY }, false],
  ['503 that asks to wait as accepted answers do', [RETRY, {}], { status: 503, ...RETRY }, false],
  [
    '503 that asks to wait as a rejection does',
    [{}, keyless('missing-key', 401, RETRY)],
    { status: 503, ...RETRY },
    true,
  ],
  [
    '503 that asks to wait as an open path does',
    [keyless('every-method', 200, RETRY)],
    { status: 503, ...RETRY },
    true,
  ],
  ['the status of refused bursts', [{}, burst({ status: 503 })], { status: 503 }, true],
  [
    'the 401 of wrong keys, of a server that refuses otherwise',
    [{}, keyless('unknown-key', 401), burst({ status: 429 })],
    burst({ status: 401 }),
    false,
  ],
  ['the 401 of wrong keys, and nothing else', [{}, keyless('unknown-key', 401)], burst({ status: 401 }), true],
  [
    'the 401 of wrong keys, where the rest of a burst only failed',
    [{}, keyless('unknown-key', 401), burst({ status: 500 })],
    burst({ status: 401 }),
    true,
  ],
  [
    'the 401 of wrong keys that asks to wait',
    [{}, keyless('unknown-key', 401, RETRY), burst({ status: 429 })],
    burst({ status: 401, ...RETRY }),
    true,
  ],
  [
    'the 403 of wrong keys, which may be a firewall that counts requests',
    [{}, keyless('unknown-key', 403), burst({ status: 429 })],
    burst({ status: 403 }),
    true,
  ],
  [
    'that status on a page of its own, to what was never accepted',
    [burst({ status: 503 })],
    { status: 503, body: 'no' },
    false,
  ],
  ['what is made as refused bursts, to what was never accepted', [burst({ status: 503 })], { status: 503 }, true],
  [
    'what is made as refused bursts and as a rejection, to what was never accepted',
    [keyless('missing-key', 403), burst({ status: 403 })],
    { status: 403 },
    false,
  ],
  ['500 as in bursts, to what was never accepted', [burst({ status: 500 })], { status: 500 }, false],
] satisfies [string, Sketch[], Sketch, boolean][]) {
  test(`${what} is ${refused ? 'a' : 'no'} refusal`, () => {
    const { evidence, last } = lastOf(...before, sketch);
    expect(isRefused(last, evidence)).toBe(refused);
  });
}

for (const [what, first, sketch, refused] of [
  ['an answer in form', served, served, false],
  ['an error in JSON', served, { body: '{"error":"slow down"}' }, true],
  ['an error in words', served, { body: 'slow down' }, true],
  ['the members in no JSON', served, { body: '<webhook>' }, false],
  ['the members, their names escaped', served, { body: '{"\\u0077ebhook":{}}' }, false],
  ['an error where no read gave settings', {}, { body: 'slow down' }, false],
  ['no connection', served, fault('unreachable'), false],
  ['a connection that breaks off', served, { ...fault('reset'), response: null } as Sketch, true],
  ['a 4xx that breaks off', served, { ...fault('truncated'), status: 400 }, true],
  ['a 2xx that breaks off', served, { ...fault('truncated'), status: 299 }, false],
] satisfies [string, Sketch, Sketch, boolean][]) {
  test(`in a burst, ${what} is ${refused ? 'a' : 'no'} refusal`, () => {
    const { evidence, last } = lastOf(first, burst(sketch));
    expect(isRefused(last, evidence)).toBe(refused);
  });
}

test('only its first read tells whether an account is served, and not a burst', () => {
  const { evidence, last } = lastOf({}, burst(served), burst({ body: 'slow down' }));
  expect(isRefused(last, evidence)).toBe(false);
});

for (const [what, sketch, trials] of [
  ['the status of refusals', keyless('unknown-key', 503), true],
  ['429', keyless('unknown-key', 429), true],
  ['429 that breaks off', keyless('unknown-key', 429, fault('truncated')), false],
  ['401', keyless('unknown-key', 401), false],
] satisfies [string, Sketch, boolean][]) {
  test(`${what} to a wrong key ${trials ? 'trials' : 'does not trial'} like a refusal because of the rate`, () => {
    const { evidence, last } = lastOf({}, burst({ status: 503 }), sketch);
    expect(looksRefused(last, evidence)).toBe(trials);
  });
}

for (const [what, headers, expected] of [
  ['that says nothing of a limit', [], false],
  ['with a budget left', [['X-RateLimit-Remaining', '9']], false],
  ['with no budget left', [['X-RateLimit-Remaining', '0']], true],
  ['that asks to wait', [['Retry-After', '1']], true],
] as ReadonlyArray<[string, [string, string][], boolean]>)
  test(`a refusal made as the answer to a missing key ${what} is ${expected ? '' : 'not '}known on a path that was never accepted`, () => {
    const made: Sketch = { status: 404, headers };
    const onBase = { request: { method: 'GET', url: `${BASE}/`, headers: [] } };
    const { evidence, last } = lastOf(served, burst(made), keyless('missing-key', 404, made), { ...made, ...onBase });
    expect(isRefused(last, evidence)).toBe(expected);
  });
