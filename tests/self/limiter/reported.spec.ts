/** What X-RateLimit-Remaining may say, of five requests in a second: one row for each statement about the level. */
import { expect, test } from '@playwright/test';
import { type Decision, isExplained } from '../../../src/limiter/level';
import { countsTruly } from '../../../src/limiter/reported';
import { isCharged } from '../../../src/limiter/wrong-keys';
import { evidenceIn } from '../support/table';

const LIMIT = 5;
const RATE = { requests: LIMIT, seconds: 1 };
/** Accepted at one moment, told how many are left. */
const told = (ms: number, left: number): Decision => ({ fromMs: ms, toMs: ms + 1, left });
const run = (ms: number, ...left: number[]) => left.map((each, i) => told(ms + 10 * i, each));

for (const [what, accepted, isTrue, isTrueOfAPart] of [
  ['counted down', run(0, 4, 3, 2, 1, 0), true, true],
  ['counted down in two windows', [...run(0, 4, 3), ...run(5000, 4, 3)], true, true],
  ['the whole budget left, as where a window ended', run(0, 5), true, true],
  ['the whole budget left, at phases that no window explains', [...run(0, 5), ...run(5150, 5)], false, false],
  ['more than the whole budget left', run(0, 6), false, false],
  ['twice the same, as where a window ended', run(0, 4, 4), true, true],
  ['none left at the end of a burst', [0, 0, 0].map((left) => told(0, left)), false, true],
  ['twice the same, at phases that no window explains', [...run(0, 4, 4), ...run(5150, 4, 4)], false, false],
  ['less than is left', run(0, 2, 1), false, true],
  // What somebody else had used may slide out of a log.
  ['none left, and more accepted right after', run(0, 0, 0, 0), false, true],
  ['the same in two windows', [...run(0, 0, 0, 0, 0, 0), ...run(5150, 0, 0, 0, 0, 0)], false, false],
] satisfies [string, Decision[], boolean, boolean][])
  test(`what is said to be left is ${isTrue ? 'true' : 'not true'}: ${what}`, () => {
    const user = { accepted, refused: [], charged: accepted };
    expect(isExplained(user, RATE, { also: countsTruly(LIMIT, RATE) })).toBe(isTrue);
    expect(isExplained(user, RATE, { also: countsTruly(LIMIT, RATE, { mayBeLess: true }) })).toBe(isTrueOfAPart);
  });

const reads = (ms: number, ...left: number[]) =>
  left.map((each, i) => `@${ms + 10 * i} X-RateLimit-Limit=${LIMIT} X-RateLimit-Remaining=${each}`).join('; ');

test('what is left shows a charge only where it is right without wrong keys before', () => {
  const isLastCharged = (before: string, left: number) => {
    const evidence = evidenceIn(`${before}; @8990 - 401 keyless; ${reads(9000, left)}`, { rate: RATE });
    return evidence.exchanges.slice(-1).map((exchange) => isCharged(exchange, evidence));
  };
  expect(isLastCharged(reads(0, 4, 3), 1)).toEqual([true]);
  expect(isLastCharged(reads(0, 4, 3), 4)).toEqual([false]);
  // A counter that never refills.
  expect(isLastCharged(`${reads(0, 4, 3)}; ${reads(5000, 1)}`, 1)).toEqual([false]);
  // A server that tells what was used in place of what is left.
  expect(isLastCharged(reads(0, 1, 2, 3, 4), 1)).toEqual([false]);
});
