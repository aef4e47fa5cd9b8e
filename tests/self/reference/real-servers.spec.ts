/** Real rate limiters get the verdicts that follow from their documentation. */
import { expect, test } from '@playwright/test';
import { type InProcessRun, idsOf, runOn } from '../../../scripts/matrix/in-process';
import { onExpress, onFastify, type RealServer } from '../support/real-servers';

test.describe.configure({ mode: 'parallel' });

async function judged(start: () => Promise<RealServer>): Promise<InProcessRun> {
  const server = await start();
  try {
    return await runOn(server.target);
  } finally {
    await server.close();
  }
}

function accusationsOf(run: InProcessRun): string[] {
  return run.judgements
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`);
}

/** Clauses of the core profile that were not tested. */
function unseenOf(run: InProcessRun): string[] {
  return idsOf(run, 'not-tested').filter((id) => !id.startsWith('event.'));
}

test('express with express-rate-limit conforms, in every clause of the core', async () => {
  const run = await judged(onExpress);
  expect(accusationsOf(run)).toEqual([]);
  expect(unseenOf(run)).toEqual([]);
});

test('fastify with @fastify/rate-limit conforms but for a Reset that says how many seconds are left', async () => {
  const run = await judged(onFastify);
  expect(accusationsOf(run)).toEqual([
    expect.stringMatching(/^fail rate\.reset-format: X-RateLimit-Reset: 1 \(a number of seconds to wait, .* more /),
  ]);
  // Nothing names a moment, so no Retry-After can agree with it.
  expect(unseenOf(run)).toEqual(['rate.retry-after-agrees']);
});
