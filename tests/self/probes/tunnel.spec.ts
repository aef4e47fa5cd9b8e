/** Where nothing arrives at the receiver, and where the trigger runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runOnBent } from '../../../scripts/matrix/in-process';
import { loadTarget } from '../../../src/config/target-file';
import { runCommand } from '../../../src/probes/events';
import { freshDirectory, removeDirectories } from '../support/whole-runs';

test.afterAll(removeDirectories);

test('where nothing at all arrives, the tunnel is asked about first, and silence shows nothing', async () => {
  const run = await runOnBent([], { receiverBase: 'http://127.0.0.1:9' }, (id) => id.startsWith('event.'));
  const of = (id: string) => run.judgements.find((judgement) => judgement.id === id);
  expect(of('event.enabled-sent')?.reason).toMatch(/^Nothing at all arrived at the receiver .*: is the tunnel open/);
  expect(of('event.enabled-sent')?.breaches).toHaveLength(1);
  expect(of('event.disabled-silent')).toMatchObject({ verdict: 'not-tested' });
  expect(of('event.disabled-silent')?.reason).toContain('Nothing arrived at the receiver at all');
});

test('a trigger runs in the directory of the target file', async () => {
  const directory = freshDirectory();
  const file = join(directory, 'acme.yaml');
  writeFileSync(join(directory, 'send.sh'), 'exit 0\n');
  const notifications = 'notifications: { listen: "127.0.0.1:9099", accounts: [a], trigger: "sh ./send.sh" }';
  writeFileSync(
    file,
    `baseURL: https://api.example/v2\naccounts: [{ name: a, apiKey: some-key-1 }]\n${notifications}\n`,
  );
  const target = loadTarget(file, {});
  expect(target.notifications?.directory).toBe(directory);
  expect(await runCommand('sh ./send.sh', {}, 5, target.notifications?.directory).ended).toBe(null);
  expect(await runCommand('sh ./send.sh', {}, 5).ended).not.toBe(null);
});
