/** A gateway that fails for a moment, whichever request it meets, accuses nobody and leaves nothing untested. */
import { expect, test } from '@playwright/test';
import { simulatedRun } from '../../../scripts/bench/waits';
import { idsOf } from '../../../scripts/matrix/in-process';
import { nameOf } from '../../../src/catalogue/catalogue';
import type { Answer, Bend } from '../../../src/reference/behaviour';
import { drawn } from '../level';

const BAD_GATEWAY: Answer = { status: 502, headers: [['Content-Type', 'text/html']], body: '<h1>Bad Gateway</h1>' };

/** From a request on, counted from 0, every answer is a 502, for so many milliseconds. */
const failingFrom = (first: number, ms: number): Bend => ({
  name: 'fails-for-a-moment',
  bend({ around, clock }) {
    let [count, untilMs] = [0, 0];
    return {
      async around(call, answer) {
        if (count === first) untilMs = clock() + ms;
        count += 1;
        return clock() < untilMs ? BAD_GATEWAY : around(call, answer);
      },
    };
  },
});

for (const accounts of [1, 3])
  test(`a gateway that fails for a moment, with accounts: ${accounts}`, async () => {
    const plain = await simulatedRun([], accounts);
    const requests = [...plain.recorder.exchanges.keys()];
    const moments = requests.flatMap((first) => [1, 300].map((ms) => ({ first, ms })));
    for (const { first, ms } of drawn(moments, Math.ceil(requests.length / 28))) {
      const run = await simulatedRun([failingFrom(first, ms)], accounts);
      const moment = `for ${ms} ms from request ${first} on`;
      expect(idsOf(run, 'fail', 'warn'), moment).toEqual([]);
      // With one account, a failure in the one look at both paths may leave that clause open.
      const isOpen = (id: string) => accounts > 1 || id !== 'rate.across-paths';
      expect(idsOf(run, 'not-tested').filter(isOpen), moment).toEqual(idsOf(plain, 'not-tested').filter(isOpen));
    }
  });

test('of a guard that answers every other wrong key few are asked again: each waits for a window', async () => {
  const wavering: Bend = {
    name: 'wavers',
    bend({ around }) {
      let rejections = 0;
      return {
        async around(call, answer) {
          const plain = await around(call, answer);
          rejections += plain.status === 401 ? 1 : 0;
          if (plain.status !== 401 || rejections % 2 === 0) return plain;
          return { ...plain, headers: [['Content-Type', 'text/html']], body: '<h1>Denied</h1>' };
        },
      };
    },
  };
  const { recorder } = await simulatedRun([wavering], 5);
  const asked = recorder.exchanges.filter(({ account }) => account === null).map(({ probe }) => nameOf(probe));
  expect(new Set(asked).size).toBeGreaterThan(100);
  expect(asked.length - new Set(asked).size).toBeLessThan(20);
});
