/** One account's requests as a line in time. */
import { expect, test } from '@playwright/test';
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
import { exchangeOf } from '../../support/evidence-of';
import { evidenceIn, rowsOf } from '../../support/table';

const dateAt = (second: number) => `Mon, 15 Jun 2026 00:00:0${second} GMT`;
const DATE = `"Date=${dateAt(0)}"`;
const FIRST = '@0+10 sequence';

for (const [what, exchanges = '', beginnings] of rowsOf(`
  one after another                        | ${FIRST}; @20+10 sequence; @40+10 sequence                  | 20 alone, 40 alone
  each at the moment of the answer before  | ${FIRST}; @10+10 sequence; @20+10 sequence                  | 10 alone, 20 alone
  a burst                                  | ${FIRST}; @20+20 sequence; @25+5 sequence; @50+10 sequence  | 20 of a burst, 50 alone
  a burst of which the first is answered last | ${FIRST}; @20+40 sequence; @25+5 sequence; @50+20 sequence | 20 of a burst
  in another order than they were kept     | @20+10 sequence; ${FIRST}                                   | 20 alone
  others meanwhile                         | ${FIRST}; @5+35 bob; @20+10 sequence                        | 20 alone
  requests without a key meanwhile         | ${FIRST}; @15+25 - 401 keyless; @20+10 sequence             | 20 alone
`))
  test(`what begins after a silence of its account: ${what}`, () => {
    const evidence = evidenceIn(exchanges);
    const found = beginningsOf(evidence, 'alice');
    const words = found.map(({ next, isAlone }) => `${next.sentAtMs} ${isAlone ? 'alone' : 'of a burst'}`);
    expect(words.join(', ')).toBe(beginnings);
    expect(turnsOf(evidence, 'alice')).toEqual(found.filter(({ isAlone }) => isAlone));
    expect(ownOf(evidence, 'alice').every(({ account }) => account === 'alice')).toBe(true);
    expect([ownOf(evidence, 'carol'), beginningsOf(evidence, 'carol')]).toEqual([[], []]);
  });

/** What was asked before, and a request at a moment. */
function turnAt(ms: number, before: string) {
  const evidence = evidenceIn(`${before}; @${ms}+10 sequence`);
  const [turn] = beginningsOf(evidence, 'alice').slice(-1);
  return { evidence, turn: turn ?? { before: [], next: exchangeOf(), isAlone: true } };
}

for (const [what, exchange = '', isBeyond] of rowsOf(`
  a window                                  | @0 sequence 429 Retry-After=1                        | no
  two windows                               | @0 sequence 429 Retry-After=2                        | yes
  longer than is honest                     | @0 sequence 429 Retry-After=5                        | no
  a date one second ahead, which may be two | @0 sequence 429 ${DATE} "Retry-After=${dateAt(1)}"   | no
  a date three seconds ahead                | @0 sequence 429 ${DATE} "Retry-After=${dateAt(3)}"   | no
  a date, where nobody knows the clock      | @0 sequence 429 "Retry-After=${dateAt(2)}"           | no
  two windows, accepted                     | @0 sequence 200 Retry-After=2                        | no
`))
  test(`what asks for ${what} asks for more than a window: ${isBeyond}`, () => {
    const evidence = evidenceIn(exchange);
    expect(evidence.exchanges.some((each) => asksBeyondWindow(each, evidence)) ? 'yes' : 'no').toBe(isBeyond);
  });

test('a turn waits since the last answer before it', () => {
  expect(waitedMs(turnAt(100, `${FIRST}; @5+35 sequence; @6+24 sequence`).turn)).toBe(60);
});

for (const [what, ms, before = '', moreMs, kept] of rowsOf(`
  no refusal                          | 10   | ${FIRST}                                        |   | yes
  no refusal, and more                | 14   | ${FIRST}                                        | 5 | no
  an answer that is not known to be a refusal, too early | 1009 | @0+10 420 version Retry-After=1 |   | no
  the same, after its wait            | 1010 | @0+10 420 version Retry-After=1                 |   | yes
  a refusal that asks for nothing     | 10   | ${FIRST} 429                                    |   | yes
  a refusal that asks for a second    | 1010 | ${FIRST} 429 Retry-After=1                      |   | yes
  the same, too early                 | 1009 | ${FIRST} 429 Retry-After=1                      |   | no
  the same, and more                  | 1014 | ${FIRST} 429 Retry-After=1                      | 5 | no
  the same, and enough                | 1015 | ${FIRST} 429 Retry-After=1                      | 5 | yes
  an accepted answer that asks for one | 10  | ${FIRST} 200 Retry-After=1 = {}                 |   | yes
  a refusal in disguise, too early    | 1009 | @0 = {start: {}}; @1+9 sequence 200 Retry-After=1 : slow down | | no
  one refusal of several that asks for more | 500 | @0+20 sequence 429 Retry-After=0; @1+9 sequence 429 Retry-After=1 | | no
  an answer that broke off            | 5000 | ${FIRST} reset                                  |   | no
`))
  test(`a turn kept its wait after ${what}: ${kept}`, () => {
    const { evidence, turn } = turnAt(Number(ms), before);
    expect(keptItsWait(turn, evidence, moreMs ? Number(moreMs) : undefined) ? 'yes' : 'no').toBe(kept);
  });

for (const [what, ms, moreMs, spaced] of [
  ['a window', 1010, undefined, true],
  ['less than a window', 1009, undefined, false],
  ['a window, and not enough more', 1109, 100, false],
  ['a window, and more', 1110, 100, true],
] as const)
  test(`a turn after ${what} keeps its distance: ${spaced}`, () => {
    const { evidence, turn } = turnAt(ms, FIRST);
    expect(isSpaced(turn, evidence, moreMs)).toBe(spaced);
    const refused = turnAt(ms + 1000, `${FIRST} 429 Retry-After=2`);
    expect(isSpaced(refused.turn, refused.evidence, moreMs)).toBe(spaced);
  });

for (const [what, second, spaced] of [
  ['goes on', 6, true],
  ['is set back', 5, false],
] as const)
  test(`a turn after more than a window, in which the server's clock ${what}, keeps its distance: ${spaced}`, () => {
    const dated = (of: number) => `"Date=${dateAt(of)}"`;
    const evidence = evidenceIn(`${FIRST} ${dated(5)}; @1500+10 sequence ${dated(second)}`);
    const [turn] = turnsOf(evidence, 'alice');
    expect(turn && isSpaced(turn, evidence)).toBe(spaced);
  });

for (const [what, exchange, ms] of rowsOf(`
  two seconds                  | 429 Retry-After=2            | 2000
  the longest honest wait      | 429 Retry-After=4            | 4000
  a longer one                 | 429 Retry-After=5            | 0
  no wait                      | 429                          | 0
  a wait that is none          | 429 Retry-After=soon         | 0
  two seconds, and broke off   | 429 Retry-After=2 reset      | 0
  two seconds, accepted        | 200 Retry-After=2 = {}       | 0
`))
  test(`what an answer asks to wait: ${what}`, () => {
    const evidence = evidenceIn(`200; @2000+10 sequence ${exchange}`);
    expect(waitAskedMs(evidence.exchanges[1] ?? exchangeOf(), evidence)).toBe(Number(ms));
  });
