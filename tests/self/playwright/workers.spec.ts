/** Which workers Playwright starts for many targets. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestCase } from '@playwright/test/reporter';
import { shareWorkers } from '../../../src/playwright/private';
import { ALL } from '../level';
import { freshDirectory, wholeRun } from '../support/whole-runs';

/** Worker and project of each test of a run over three targets, none of which can be sent to. */
async function workersOf(...options: string[]): Promise<string[]> {
  const TARGETS = freshDirectory();
  const account = { name: 'a', apiKey: `$\{KEY_NOBODY_SET}` };
  for (const name of ['first', 'second', 'third'])
    writeFileSync(
      join(TARGETS, `${name}.yaml`),
      JSON.stringify({ baseURL: 'http://127.0.0.1:1/api/v2', accounts: [account] }),
    );
  const choice = ['-g', 'auth.(accepted|missing-key)', '--workers=1', '--reporter=json', ...options];
  const run = await wholeRun({ arguments: choice, environment: { TARGETS } });
  expect(run.status, run.output).toBe(2);
  const told = [...run.printed.matchAll(/"projectName": "(\w+)",\s+"results": \[\s+\{\s+"workerIndex": (\d+)/g)];
  return told.map(([, project, worker]) => `${worker} ${project}`).sort();
}

test('one worker serves many targets', async () => {
  expect(await workersOf()).toEqual(['0 first', '0 first', '0 second', '0 second', '0 third', '0 third']);
});

test('where a trace is asked for, each target has a worker of its own', { tag: ALL }, async () => {
  const workers = await workersOf('--trace=on');
  expect(workers).toEqual(['0 first', '0 first', '1 second', '1 second', '2 third', '2 third']);
});

test('a version of Playwright that is not known starts a worker for each target', () => {
  const tests = () =>
    ['a', 'b'].map((id) => ({ id: `${id}1`, _projectId: id, _workerHash: `${id}-x-0` }) as unknown as TestCase);
  const shared = tests();
  expect([...shareWorkers('1.65.1', shared)]).toEqual([
    ['a1', 'a'],
    ['b1', 'b'],
  ]);
  expect(shared).toMatchObject([{ _workerHash: 'shared-x-0' }, { _workerHash: 'shared-x-0' }]);
  const known = tests();
  expect(shareWorkers('1.66.0', known).size).toBe(0);
  const [one = {} as TestCase] = known;
  expect(shareWorkers('1.65.1', [one, { id: 'c' } as TestCase]).size).toBe(0);
  expect(known).toEqual(tests());
});
