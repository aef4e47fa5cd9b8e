/** Faults that another peculiarity of their server once hid: each pair needs a request that one of the two alone does not. */
import { expect, test } from '@playwright/test';
import { dialects, faults } from '../../../fixtures/catalogue';
import { accusationsOf, oddIn, pairJob } from '../../../scripts/matrix/jobs';
import { drawn } from '../level';

/** The fault, the dialect, what shows the fault, and the seeds of runs in which nothing else does; and which network. */
type Pair = readonly [fault: string, dialect: string, shownBy: string, seeds: readonly number[], network?: number];

const PAIRS: readonly Pair[] = [
  ['window-and-a-half', 'unknown-path-costs-nothing', 'reads hardly more than a window apart', [1, 2], 1],
  ['limit-by-path-at-five', 'half-a-place-in-the-queue', 'one path served while the other one waits', [1, 2]],
  ['quota-behind-the-rate', 'short-queue', 'single requests after a whole burst was refused', [1]],
  [
    'five-in-four-seconds',
    'window-of-the-clock',
    'reads after a whole budget, while longer windows explain all',
    [1, 3],
  ],
  ['counter-never-expires-and-nothing-tells', 'store-expires-late', 'silences that let nobody in', [6]],
  ['lowered-key-charged-to-its-account', 'short-queue', 'wrong keys, once it is known that the server queues', [1]],
  [
    'lowered-key-charged-to-its-account',
    'queue',
    'reads that have to queue, once it is known that the server does',
    [1],
  ],
  ['optimistic-lock-refuses-all', 'queue-with-a-timer', 'a burst while no other account is busy', [1]],
  ['optimistic-lock-refuses-all', 'store-expires-late', 'bursts of an account that is refused otherwise too', [5, 8]],
  ['limit-by-address-before-authentication', 'store-expires-late', 'a flood a little after a window', [299_668]],
  ['reset-now-when-accepted', 'window-of-the-process', 'a promise at the end of a second', [9]],
  ['base-path-behind-a-firewall', 'retry-after-everywhere', 'requests to the base path that had room', [1]],
  ['no-key-is-a-guest', 'options-in-types', 'methods asked again though a preflight was let in', [11]],
  ['base-path-costs-nothing', 'sliding-counter', 'two budgets of one account, and no other account’s', [2]],
  ['window-of-a-minute', 'blocks-two-seconds-and-says-so', 'what accepted answers tell of the limit', [1]],
  ['keyless-charged-to-the-first', 'store-expires-late', 'reads repeated once no longer windows explain it', [4, 7]],
  ['counter-never-expires', 'store-expires-late', 'an account that was refused after its own excess alone', [7]],
  ['quota-behind-the-rate', 'store-expires-late', 'a burst that a quota may have counted later', [3, 10]],
];

for (const [name, dialect, shownBy, seeds, network] of PAIRS)
  test(`${name} behind ${dialect} is shown by ${shownBy}`, async () => {
    const fault = faults.find((each) => each.name === name) ?? null;
    const behind = dialects.filter((each) => each.name === dialect);
    for (const seed of drawn(seeds, 1)) {
      const job = pairJob({ fault, dialects: behind }, seed);
      expect(oddIn(job, await accusationsOf(job, network)), `seed ${seed}`).toEqual([]);
    }
  });
