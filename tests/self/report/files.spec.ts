import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { loadConfiguration } from '../../../src/config/configuration';
import { pathOf } from '../../../src/config/environment';
import { writeResults } from '../../../src/report/files';
import { conformantRun } from '../support/report-samples';
import { freshDirectory } from '../support/whole-runs';

test('a full disk is called so, and the file is named', async () => {
  test.skip(!existsSync('/dev/full'), 'needs /dev/full, which is always full');
  const run = await conformantRun();
  const write = () => writeResults(freshDirectory(), run, '/dev/full');
  expect(write).toThrow(UsageError);
  expect(write).toThrow('/dev/full cannot be written (no space left on device): GITHUB_STEP_SUMMARY names it.');
});

test('a summary is appended to a file, and no older overview of many targets stays', async () => {
  const directory = freshDirectory();
  writeFileSync(join(directory, 'fleet.json'), '{}');
  const file = join(directory, 'summary');
  writeFileSync(file, 'of a step before\n');
  writeResults(directory, await conformantRun(), file);
  expect(readFileSync(file, 'utf8')).toBe(`of a step before\n${readFileSync(join(directory, 'summary.md'), 'utf8')}\n`);
  expect(existsSync(join(directory, 'fleet.json'))).toBe(false);
});

test('a ~ that no shell expanded is the home directory, and nothing else is', () => {
  const home = freshDirectory();
  writeFileSync(
    join(home, 'x.yaml'),
    'baseURL: https://a.example/v2\naccounts: [{ name: at-home, apiKey: an-api-key-1 }]\n',
  );
  const { HOME = homedir() } = process.env;
  process.env.HOME = home;
  try {
    expect(loadConfiguration({ TARGET: '~/x.yaml' }).target?.accounts.map(({ name }) => name)).toEqual(['at-home']);
  } finally {
    process.env.HOME = HOME;
  }
  expect(pathOf('~/targets/a.yaml')).toBe(join(homedir(), 'targets/a.yaml'));
  expect(pathOf('~')).toBe(homedir());
  expect(pathOf('~other/a.yaml')).toBe(join(process.cwd(), '~other/a.yaml'));
  expect(pathOf('a~/b')).toBe(join(process.cwd(), 'a~/b'));
});
