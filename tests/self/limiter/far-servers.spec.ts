/**
 * Servers whose answers take long, at several rates: a lie shows there as it does nearby. Whole runs, simulated.
 */

import { expect, test } from '@playwright/test';
import { runInMemory } from '../../../scripts/matrix/in-process';
import type { Rate } from '../../../src/evidence/model';
import { embeddedAccounts } from '../../../src/reference/account';
import { type Bend, problem } from '../../../src/reference/behaviour';
import { drawn } from '../level';
import { bucketInParts } from '../support/limiters';
import { serverNamed } from '../support/simulation';

const per = (requests: number, seconds: number): Rate => ({ requests, seconds });

async function verdictsOn(
  bends: readonly Bend[],
  rate: Rate,
  roundTripMs: number,
  seed = 7,
  accounts = embeddedAccounts(),
) {
  const network = { upMs: roundTripMs / 2, downMs: roundTripMs / 2, seed };
  const { judgements } = await runInMemory(bends, { accounts, rate, target: { rate } }, network);
  return judgements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

/** A gateway in front of the limiter, with room for so many requests at once. */
const withRoomFor = (room: number, answerMs: number): Bend => ({
  name: `room for ${room}`,
  bend({ around, pause }) {
    let inHand = 0;
    return {
      async around(call, answer) {
        if (inHand >= room) return problem(503, 'busy', 'No room.');
        inHand += 1;
        try {
          await pause(answerMs);
          return await around(call, answer);
        } finally {
          inHand -= 1;
        }
      },
    };
  },
});

test('a gateway without room is no limiter', async () => {
  const cases = [2, 4].flatMap((room) =>
    [2, 3, 5, 10].flatMap((requests) => [50, 150, 250].map((answerMs) => ({ room, requests, answerMs }))),
  );
  const two = embeddedAccounts().slice(0, 2);
  // The limiter may refuse the only request that has room.
  for (const { room, requests, answerMs } of [{ room: 1, requests: 2, answerMs: 150 }, ...drawn(cases, 1)])
    expect(
      await verdictsOn([withRoomFor(room, answerMs)], per(requests, 1), 4, 7, two),
      `${room}, ${requests}, ${answerMs} ms`,
    ).toEqual([]);
});

const LIES: ReadonlyArray<[fault: string, clauses: string, rates: readonly Rate[]]> = [
  ['remaining-always-zero', 'rate.remaining-honest', [per(3, 1), per(5, 2), per(10, 1)]],
  ['remaining-falls-by-two', 'rate.remaining-honest', [per(3, 1), per(10, 1)]],
  ['remaining-counts-too-late', 'rate.remaining-honest', [per(3, 1), per(10, 1)]],
  ['limit-one-more-than-granted', 'rate.limit-honest', [per(5, 2)]],
  ['head-is-not-counted', 'rate.no-bypass', [per(3, 1), per(5, 2)]],
  ['limit-by-path', 'rate.across-paths', [per(1, 1), per(5, 2), per(10, 1)]],
  ['keyless-charged-to-all', 'rate.keyless-free', [per(1, 1)]],
  ['retry-after-rounded', 'rate.retry-after-honest', [per(1, 1)]],
  ['window-of-seven-tenths', 'rate.enforced rate.limit-honest', [per(1, 1)]],
];

test('a lie is caught where answers take long', async () => {
  const cases = LIES.flatMap(([fault, clauses, rates]) =>
    [[], ['window-of-the-clock']].flatMap((limiter) =>
      rates.flatMap((rate) => [40, 150].map((roundTripMs) => ({ fault, clauses, limiter, rate, roundTripMs }))),
    ),
  );
  for (const { fault, clauses, limiter, rate, roundTripMs } of drawn(cases, 1)) {
    const bends = [...limiter, fault].map(serverNamed);
    const what = `${bends.map(({ name }) => name)}, ${rate.requests} per ${rate.seconds} s, ${roundTripMs} ms`;
    expect(await verdictsOn(bends, rate, roundTripMs), what).toEqual(clauses.split(' '));
  }
});

test('buckets that a timer fills in parts keep their rate', async () => {
  const rate = per(5, 1);
  const inParts: Bend = { name: 'in parts', bend: () => ({ limiter: bucketInParts(rate, 4) }) };
  for (const seed of drawn([1, 2, 3], 1))
    expect(await verdictsOn([inParts], rate, 2, seed), `seed ${seed}`).toEqual([]);
});
