/** How long runs wait, on a simulated clock: what is decided is not looked at again. */

import { expect, test } from '@playwright/test';
import { answering } from '../../../fixtures/dialects/tools';
import { brokenServers } from '../../../scripts/bench/servers';
import { simulatedRun } from '../../../scripts/bench/waits';
import { ALL, drawn } from '../level';

/** Of a whole run on a quiet machine, Playwright and the judges take some two seconds: the rest may be waited. */
const LONGEST_MS = new Map([
  [3, 18_000],
  [2, 18_000],
  [1, 24_500],
]);
/**
 * What takes longer: requests that have to be let through three seconds apart; a single account that is refused whenever
 * it asks, until it is certain that nobody else uses its key; and a limit by address before authentication: each of
 * twelve wrong keys needs a window of its own, as each of some fifteen valid ones does.
 */
const FLOORS_MS = new Map([
  ['one budget for all users, 3', 19_500],
  ['one budget for all users, 2', 19_500],
  ['a limit by address, before authentication, 3', 25_500],
  ['a limit by address, before authentication, 2', 24_500],
  ['one per three seconds, 3', 19_500],
  ['one per three seconds, 1', 40_500],
  ['never recovers, 3', 18_500],
  ['never recovers, 1', 41_000],
]);
/** One account alone has no neighbour to share with. */
const OF_SEVERAL = ['one budget for all users'];
/** They wait like any other, and take long to compute. */
const HEAVY = ['3,000 header lines on every answer', '1 MiB in every body'];
/** Two accounts share the work of three: what is asked of budgets is asked of them, too. */
const OF_TWO = ['one budget for all users', 'wrong keys use up budgets', 'a limit by address, before authentication'];

for (const [accounts, longestMs] of [
  [3, 9900],
  [1, 15_800],
] as const)
  test(`a conformant server is judged in few windows, accounts: ${accounts}`, async () => {
    const run = await simulatedRun([], accounts);
    // Each window is begun a little later than a second after the one before.
    expect(run.durationMs).toBeLessThan(longestMs);
    expect(run.judgements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });

for (const [accounts, longestMs] of LONGEST_MS) {
  const left = accounts === 1 ? [...HEAVY, ...OF_SEVERAL] : HEAVY;
  const isTried = (name: string) => !left.includes(name) && (accounts !== 2 || OF_TWO.includes(name));
  for (const { name, bends } of drawn(
    brokenServers.filter((server) => isTried(server.name)),
    4,
  )) {
    test(`nothing is waited for in vain: ${name}, accounts: ${accounts}`, async () => {
      const run = await simulatedRun(bends, accounts);
      expect(run.durationMs).toBeLessThan(FLOORS_MS.get(`${name}, ${accounts}`) ?? longestMs);
      expect(run.judgements.some(({ verdict }) => verdict === 'fail')).toBe(true);
    });
  }
}

test('a whole budget is waited for less than five times at a long window', { tag: ALL }, async () => {
  const rate = { requests: 60, seconds: 60 };
  expect((await simulatedRun([], 3, rate)).durationMs).toBeLessThan(4.8 * 60_000);
});

for (const [pages, answers, first] of [
  [4, 7, 3],
  [5, 7, 3],
  [2, 14, 0],
] as const) {
  test(`a server that answers ${pages} of ${answers} requests with a page, whoever asks, is not looked into for long`, async () => {
    const noLimit = brokenServers.find(({ name }) => name === 'no limiter at all')?.bends ?? [];
    let answered: number = first;
    const page = answering((answer) => {
      answered += 1;
      return (answered - 1) % answers < pages ? { ...answer, status: 200, body: `"page ${answered}"` } : answer;
    });
    const run = await simulatedRun([...noLimit, { name: 'pages', bend: page }], 5);
    expect(run.durationMs).toBeLessThan(23_000);
    expect(run.judgements.some(({ verdict }) => verdict === 'fail')).toBe(true);
  });
}
