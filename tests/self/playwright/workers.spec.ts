/** Which workers Playwright starts for many targets. */

import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { TestCase } from '@playwright/test/reporter';
import { shareWorkers } from '../../../src/playwright/private';
import { masking } from '../support/bends';
import { directoryWith, served, wholeRun } from '../support/whole-runs';

/** Worker and project of each test of a run over three targets, of which the second breaks a clause. */
async function workersOf(...options: string[]): Promise<string[]> {
  const { file, close } = await served({ bends: [masking] });
  const TARGETS = directoryWith({ 'second.yaml': readFileSync(file, 'utf8') });
  const account = { name: 'a', apiKey: `$\{KEY_NOBODY_SET}` };
  const unusable = JSON.stringify({ baseURL: 'http://127.0.0.1:1/api/v2', accounts: [account] });
  directoryWith({ 'first.yaml': unusable, 'third.yaml': unusable }, TARGETS);
  const choice = ['-g', 'settings.(json|password-null|stable)', '--workers=1', '--reporter=json', ...options];
  const run = await wholeRun({ arguments: choice, environment: { TARGETS } });
  await close();
  expect(run.status, run.output).toBe(1);
  const told = [...run.printed.matchAll(/"projectName": "(\w+)",\s+"results": \[\s+\{\s+"workerIndex": (\d+)/g)];
  return told.map(([, project, worker]) => `${worker} ${project}`).sort();
}

test('one worker serves many targets; one in which a target failed serves no other, but all of that target', async () => {
  expect(new Set(await workersOf())).toEqual(new Set(['0 first', '0 second', '1 third']));
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
