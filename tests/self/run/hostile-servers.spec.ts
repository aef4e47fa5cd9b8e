/** Whole runs against servers that mean harm: nothing is told, nothing is obeyed, and every run ends with its results. */

import { expect, test } from '@playwright/test';
import { watchLargest } from '../../../scripts/bench/usage';
import { framingAttacks, startHostile } from '../support/hostile-server';
import { leaksOf } from '../support/leaks';
import { ACCOUNTS, declaring, SECRETS } from '../support/secret-accounts';
import { RESULT_FILES, stackLines, startRun, type WholeRun } from '../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
/** A run, and the most memory that one of its processes had. */
async function attacked(
  environment: Record<string, string>,
  ...words: string[]
): Promise<WholeRun & { largestMiB: number }> {
  const surroundings = { ...SECRETS, RISKY_PROBES: '1', GITHUB_ACTIONS: 'true', ...environment };
  const under = startRun({ environment: surroundings, arguments: words });
  const memory = watchLargest(under.child.pid ?? 0);
  const run = await under.ended;
  return { ...run, largestMiB: memory.stop() / 2 ** 20 };
}

function isDone(run: WholeRun, secrets: Record<string, string> = SECRETS, besides: string[] = []): void {
  expect(leaksOf(run, secrets, besides)).toEqual([]);
  expect(stackLines(run.output), run.output).toEqual([]);
  expect(run.output).not.toContain('The suite failed');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(run.output).not.toMatch(/^##|^::(?:set-output|stop-commands)|[\0-\x08\x0e-\x1a\x1c-\x1f\x9b]/m);
  for (const file of RESULT_FILES) expect(run.text(file).length, file).toBeGreaterThan(0);
}

test('no framing of answers stops a run or takes its memory', async () => {
  const server = await startHostile(ACCOUNTS, framingAttacks, 2);
  const run = await attacked({ TARGET: declaring(server.baseURL, { limits: { timeoutSeconds: 1 } }) });
  await server.close();
  // After so many answers that took all their time, nothing more is sent.
  expect(Object.keys(server.counts).length).toBeGreaterThan(5);
  isDone(run);
  expect(run.status).toBe(1);
  expect(run.conformance().clauses.find(({ id }) => id === 'transport.complete')?.verdict).toBe('fail');
  expect(run.largestMiB).toBeLessThan(512);
});
