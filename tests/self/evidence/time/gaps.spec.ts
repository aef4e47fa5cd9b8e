/** One account's requests as a line in time. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import {
  asksBeyondWindow,
  beginningsOf,
  isSpaced,
  keptItsWait,
  ownOf,
  turnsOf,
  waitAskedMs,
  waitedMs,
} from '../../../../src/evidence/time/gaps';
import { at, evidenceOf, exchangeOf, keyless, type Sketch, serving } from '../../support/evidence-of';

/** A request of alice's from a moment to another. */
const sent = (sentAtMs: number, receivedAtMs: number, more: Sketch = {}) =>
  at(sentAtMs, 'alice', { group: 'sequence', receivedAtMs, ...more });
const asking = (seconds: string): Sketch => ({ status: 429, headers: [['Retry-After', seconds]] });
const unknown = (seconds: string): Sketch => ({
  probe: probe('version', { account: 'alice' }),
  status: 420,
  headers: [['Retry-After', seconds]],
});
const dateAt = (second: number) => `Mon, 15 Jun 2026 00:00:0${second} GMT`;
const DATE = ['Date', dateAt(0)] as const;
const BROKEN: Sketch = { fault: { kind: 'truncated', message: 'broke off' } };

for (const [what, sketches, beginnings] of [
  ['one after another', [sent(0, 10), sent(20, 30), sent(40, 50)], ['20 alone', '40 alone']],
  ['each at the moment of the answer before', [sent(0, 10), sent(10, 20), sent(20, 30)], ['10 alone', '20 alone']],
  ['a burst', [sent(0, 10), sent(20, 40), sent(25, 30), sent(50, 60)], ['20 of a burst', '50 alone']],
  [
    'a burst of which the first is answered last',
    [sent(0, 10), sent(20, 60), sent(25, 30), sent(50, 70)],
    ['20 of a burst'],
  ],
  ['in another order than they were kept', [sent(20, 30), sent(0, 10)], ['20 alone']],
  ['others meanwhile', [sent(0, 10), at(5, 'bob', { receivedAtMs: 40 }), sent(20, 30)], ['20 alone']],
  [
    'requests without a key meanwhile',
    [sent(0, 10), { ...keyless('keyless', 401), sentAtMs: 15, receivedAtMs: 40 }, sent(20, 30)],
    ['20 alone'],
  ],
] satisfies [string, Sketch[], string[]][]) {
  test(`what begins after a silence of its account: ${what}`, () => {
    const evidence = evidenceOf(sketches);
    const found = beginningsOf(evidence, 'alice');
    expect(found.map(({ next, isAlone }) => `${next.sentAtMs} ${isAlone ? 'alone' : 'of a burst'}`)).toEqual(
      beginnings,
    );
    expect(turnsOf(evidence, 'alice')).toEqual(found.filter(({ isAlone }) => isAlone));
    expect(ownOf(evidence, 'alice').every(({ account }) => account === 'alice')).toBe(true);
    expect([ownOf(evidence, 'carol'), beginningsOf(evidence, 'carol')]).toEqual([[], []]);
  });
}

/** What was asked before, and a request at a moment. */
function turnAt(ms: number, ...before: Sketch[]) {
  const evidence = evidenceOf([...before, sent(ms, ms + 10)]);
  const [turn] = beginningsOf(evidence, 'alice').slice(-1);
  return { evidence, turn: turn ?? { before: [], next: exchangeOf(), isAlone: true } };
}

for (const [what, asked, isBeyond] of [
  ['a window', asking('1'), false],
  ['two windows', asking('2'), true],
  ['longer than is honest', asking('5'), false],
  ['a date one second ahead, which may be two', { status: 429, headers: [DATE, ['Retry-After', dateAt(1)]] }, false],
  ['a date three seconds ahead', { status: 429, headers: [DATE, ['Retry-After', dateAt(3)]] }, false],
  ['a date, where nobody knows the clock', asking(dateAt(2)), false],
  ['two windows, accepted', { ...asking('2'), status: 200 }, false],
] satisfies [string, Sketch, boolean][]) {
  test(`what asks for ${what} ${isBeyond ? 'asks' : 'does not ask'} for more than a window`, () => {
    const evidence = evidenceOf([sent(0, 1, asked)]);
    expect(evidence.exchanges.some((exchange) => asksBeyondWindow(exchange, evidence))).toBe(isBeyond);
  });
}

test('a turn waits since the last answer before it', () => {
  expect(waitedMs(turnAt(100, sent(0, 10), sent(5, 40), sent(6, 30)).turn)).toBe(60);
});

for (const [what, ms, before, moreMs, kept] of [
  ['no refusal', 10, [sent(0, 10)], undefined, true],
  ['no refusal, and more', 14, [sent(0, 10)], 5, false],
  ['an answer that is not known to be a refusal, too early', 1009, [sent(0, 10, unknown('1'))], undefined, false],
  ['the same, after its wait', 1010, [sent(0, 10, unknown('1'))], undefined, true],
  ['a refusal that asks for nothing', 10, [sent(0, 10, { status: 429 })], undefined, true],
  ['a refusal that asks for a second', 1010, [sent(0, 10, asking('1'))], undefined, true],
  ['the same, too early', 1009, [sent(0, 10, asking('1'))], undefined, false],
  ['the same, and more', 1014, [sent(0, 10, asking('1'))], 5, false],
  ['the same, and enough', 1015, [sent(0, 10, asking('1'))], 5, true],
  [
    'an accepted answer that asks for a second',
    10,
    [sent(0, 10, { body: '{"webhook":{}}', ...asking('1'), status: 200 })],
    undefined,
    true,
  ],
  [
    'a refusal in disguise, too early',
    1009,
    [at(0, 'alice', serving({ start: {} })), sent(1, 10, { ...asking('1'), status: 200, body: 'slow down' })],
    undefined,
    false,
  ],
  [
    'one refusal of several that asks for more',
    500,
    [sent(0, 20, asking('0')), sent(1, 10, asking('1'))],
    undefined,
    false,
  ],
  ['an answer that broke off', 5000, [sent(0, 10, BROKEN)], undefined, false],
] satisfies [string, number, Sketch[], number | undefined, boolean][]) {
  test(`a turn ${kept ? 'kept' : 'did not keep'} its wait after ${what}`, () => {
    const { evidence, turn } = turnAt(ms, ...before);
    expect(keptItsWait(turn, evidence, moreMs)).toBe(kept);
  });
}

for (const [what, ms, moreMs, spaced] of [
  ['a window', 1010, undefined, true],
  ['less than a window', 1009, undefined, false],
  ['a window, and not enough more', 1109, 100, false],
  ['a window, and more', 1110, 100, true],
] satisfies [string, number, number | undefined, boolean][]) {
  test(`a turn after ${what} ${spaced ? 'keeps' : 'does not keep'} its distance`, () => {
    const { evidence, turn } = turnAt(ms, sent(0, 10));
    expect(isSpaced(turn, evidence, moreMs)).toBe(spaced);
    const refused = turnAt(ms + 1000, sent(0, 10, asking('2')));
    expect(isSpaced(refused.turn, refused.evidence, moreMs)).toBe(spaced);
  });
}

for (const [what, second, spaced] of [
  ['goes on', 6, true],
  ['is set back', 5, false],
] satisfies [string, number, boolean][]) {
  test(`a turn after more than a window, in which the server's clock ${what}, ${spaced ? 'keeps' : 'does not keep'} its distance`, () => {
    const dated = (of: number): Sketch => ({ headers: [['Date', dateAt(of)]] });
    const evidence = evidenceOf([sent(0, 10, dated(5)), sent(1500, 1510, dated(second))]);
    const [turn] = turnsOf(evidence, 'alice');
    expect(turn && isSpaced(turn, evidence)).toBe(spaced);
  });
}

for (const [what, sketch, ms] of [
  ['two seconds', asking('2'), 2000],
  ['the longest honest wait', asking('4'), 4000],
  ['a longer one', asking('5'), 0],
  ['no wait', { status: 429 }, 0],
  ['a wait that is none', asking('soon'), 0],
  ['two seconds, and broke off', { ...asking('2'), ...BROKEN }, 0],
  ['two seconds, accepted', { ...asking('2'), status: 200, body: '{"webhook":{}}' }, 0],
] satisfies [string, Sketch, number][]) {
  test(`what an answer asks to wait: ${what}`, () => {
    const evidence = evidenceOf([{}, sent(2000, 2010, sketch)]);
    expect(waitAskedMs(evidence.exchanges[1] ?? exchangeOf(), evidence)).toBe(ms);
  });
}
