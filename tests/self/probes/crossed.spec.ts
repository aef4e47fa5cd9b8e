/** Faults that another peculiarity of their server once hid: each pair needs a request that one of the two alone does not. */
import { expect, test } from '@playwright/test';
import type { Dialect, Fault } from '../../../fixtures/catalogue';
import { accusationsOf, oddIn, pairJob } from '../../../scripts/matrix/jobs';
import { drawn, tagsOf } from '../level';
import { serverNamed } from '../support/simulation';
import { rowsOf } from '../support/table';

/** The fault, the dialect, the seeds of runs in which nothing else shows the fault, what does, and over which network. */
const pairs = rowsOf(`
  window-and-a-half                       | unknown-path-costs-nothing     | 1 2      | reads hardly more than a window apart | 1
  limit-by-path-at-five                   | half-a-place-in-the-queue      | 1 2      | one path served while the other one waits
  quota-behind-the-rate                   | short-queue                    | 1        | single requests after a whole burst was refused
  five-in-four-seconds                    | window-of-the-clock            | 1 3      | reads after a whole budget, while longer windows explain all
  counter-never-expires-and-nothing-tells | store-expires-late             | 6        | silences that let nobody in
  lowered-key-charged-to-its-account      | short-queue                    | 1        | wrong keys, once it is known that the server queues
  lowered-key-charged-to-its-account      | queue                          | 1        | reads that have to queue, once it is known that the server does
  optimistic-lock-refuses-all             | queue-with-a-timer             | 1        | a burst while no other account is busy
  optimistic-lock-refuses-all             | store-expires-late             | 5 8      | bursts of an account that is refused otherwise too
  limit-by-address-before-authentication  | store-expires-late             | 299668   | a flood a little after a window
  reset-now-when-accepted                 | window-of-the-process          | 9        | a promise at the end of a second
  base-path-behind-a-firewall             | retry-after-everywhere         | 1        | requests to the base path that had room
  no-key-is-a-guest                       | options-in-types               | 11       | methods asked again though a preflight was let in
  base-path-costs-nothing                 | sliding-counter                | 2        | two budgets of one account, and no other account’s
  window-of-a-minute                      | blocks-two-seconds-and-says-so | 1        | what accepted answers tell of the limit
  keyless-charged-to-the-first            | store-expires-late             | 4 7      | reads repeated once no longer windows explain it
  counter-never-expires                   | store-expires-late             | 7        | an account that was refused after its own excess alone
  quota-behind-the-rate                   | store-expires-late             | 3 10     | a burst that a quota may have counted later
  retry-after-rounded-down                | window-of-the-clock            | 299668   | the same promise at the same time of another window
  retry-after-rounded-down                | sliding-counter                | 299668   | the same promise at the same time of another window
  limit-one-more-than-granted             | short-queue                    | 299668   | reads that were held back until right before their answers
  limit-one-more-than-granted             | queue                          | 299668   | reads that were held back until right before their answers
`);
const tag = tagsOf(pairs, 6);

for (const row of pairs) {
  const [name = '', dialect = '', seeds = '', shownBy, network] = row;
  test(`${name} behind ${dialect} is shown by ${shownBy}`, { tag: tag(row) }, async () => {
    const pair = { fault: serverNamed(name) as Fault, dialects: [serverNamed(dialect) as Dialect] };
    for (const seed of drawn(seeds.split(' ').map(Number), 1)) {
      const job = pairJob(pair, seed);
      expect(oddIn(job, await accusationsOf(job, network ? Number(network) : undefined)), `seed ${seed}`).toEqual([]);
    }
  });
}
