/** Many runs in one process, as UI mode and VS Code have them: each judges what the server does now. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../src/contract/result';
import type { Har } from '../../../src/evidence/har/write';
import type { Bend } from '../../../src/reference/behaviour';
import { masking } from '../support/bends';
import { startTestServer, type TestServer } from '../support/test-server';
import { served } from '../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const ONE = 'settings\\.password-null';
/** A bend that breaks the server whenever its switch is on. */
function switched(): Bend & { isBroken: boolean } {
  const fault: Bend & { isBroken: boolean } = {
    name: 'switched',
    isBroken: true,
    bend: (behaviour) => {
      const broken = { ...behaviour, ...masking.bend?.(behaviour) };
      return {
        document: (account, call) => (fault.isBroken ? broken : behaviour).document(account, call),
        serialise: (document, call) => (fault.isBroken ? broken : behaviour).serialise(document, call),
      };
    },
  };
  return fault;
}

const resultOf = ({ results }: TestServer) =>
  JSON.parse(readFileSync(join(results, 'conformance.json'), 'utf8')) as Conformance;
const verdictIn = (server: TestServer) =>
  resultOf(server).clauses.find(({ id }) => id === 'settings.password-null')?.verdict;

test('each run begins afresh: a mended server passes, and no second run trips the limit', async () => {
  const fault = switched();
  const { file, close } = await served({ bends: [fault] });
  const server = await startTestServer({ TARGET: file });
  const statuses: Array<[string, string | undefined]> = [];
  for (const isBroken of [true, false]) {
    fault.isBroken = isBroken;
    statuses.push([await server.run(ONE), verdictIn(server)]);
    const { log } = JSON.parse(readFileSync(join(server.results, 'evidence.har'), 'utf8')) as Har;
    expect(log.entries.map((entry) => entry.response.status)).toEqual([200, 200, 200, 200]);
  }
  expect(statuses).toEqual([
    ['failed', 'fail'],
    ['passed', 'pass'],
  ]);
  // A tool that shows results itself may leave out our reporter, and nothing passes unjudged.
  expect(await server.run(ONE, { disableConfigReporters: true })).toBe('failed');
  await server.close();
  await close();
});
