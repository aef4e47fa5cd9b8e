/** A gateway that fails for a moment, whichever request it meets, accuses nobody and leaves nothing untested. */
import { expect, test } from '@playwright/test';
import { simulatedRun } from '../../../scripts/bench/waits';
import { idsOf } from '../../../scripts/matrix/in-process';
import type { Answer, Bend } from '../../../src/reference/behaviour';

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
  for (const ms of [1, 300])
    test(`a gateway that fails for ${ms} ms, with ${accounts} accounts`, async () => {
      const plain = await simulatedRun([], accounts);
      for (let first = 0; first < plain.recorder.exchanges.length; first += 1) {
        const run = await simulatedRun([failingFrom(first, ms)], accounts);
        expect([first, ...idsOf(run, 'fail', 'warn')]).toEqual([first]);
        expect([first, ...idsOf(run, 'not-tested')]).toEqual([first, ...idsOf(plain, 'not-tested')]);
      }
    });
