/** What this process prints by the way holds no secret. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { leaksOf } from '../support/leaks';
import { served, wholeRun } from '../support/whole-runs';

test('debug output holds no key', async () => {
  const { file, accounts, close } = await served();
  const environment = { TARGET: file, NODE_DEBUG: 'http,https,tls,net', DEBUG: 'pw:*', RISKY_PROBES: '1' };
  const run = await wholeRun({ environment, arguments: ['-g', 'auth.key-in-url'] });
  await close();
  expect(run.output).toMatch(/^HTTP \d+: /m);
  const secrets = Object.fromEntries(accounts.map(({ name, apiKey }) => [`KEY_${name}`, apiKey]));
  expect(leaksOf(run, secrets)).toEqual([]);
  expect(readFileSync(join(run.results, 'evidence.har'), 'utf8')).not.toMatch(/^HTTP \d+: /m);
});
