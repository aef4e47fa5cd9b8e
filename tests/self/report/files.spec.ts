/** The files of a report where there is no room for them: it is said, and none is left half. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { loadConfiguration } from '../../../src/config/configuration';
import { pathOf } from '../../../src/config/environment';
import { writeResults } from '../../../src/report/files';
import { conformantRun } from '../support/report-samples';
import { freshDirectory, ROOT } from '../support/whole-runs';

/** Writes the results of a made-up run where files may have so many bytes, and says what it threw. */
function writtenWithin(directory: string, bytes: number, stepSummary = ''): string {
  const script = `
    const { writeResults } = require(${JSON.stringify(join(ROOT, 'src/report/files'))});
    const { conformantRun } = require(${JSON.stringify(join(ROOT, 'tests/self/support/report-samples'))});
    try {
      writeResults(${JSON.stringify(directory)}, conformantRun(), ${JSON.stringify(stepSummary)});
    } catch (error) {
      console.log(error.name, error.message);
    }`;
  const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
  // The limit of a shell is told in blocks of 512 bytes.
  const limited = ['-c', `ulimit -f ${bytes / 512}; exec "$@"`, 'sh', process.execPath, tsx, '-e', script];
  return spawnSync('sh', limited, { cwd: ROOT, encoding: 'utf8', timeout: 300_000, killSignal: 'SIGKILL' }).stdout;
}

test('where the room ends in the middle of a file, that is said, and no half of it is left', () => {
  const directory = freshDirectory();
  writeResults(directory, conformantRun());
  const sizes = readdirSync(directory).map((name) => readFileSync(join(directory, name)).length);
  const room = Math.floor(Math.max(...sizes) / 2 / 512) * 512;
  const bounded = freshDirectory();
  const said = writtenWithin(bounded, room);
  expect(said).toMatch(/^UsageError \S+\/\S+\.\w+ cannot be written \(file too large\): set RESULTS_DIR /);
  const left = readdirSync(bounded);
  expect(left.length).toBeGreaterThan(0);
  for (const name of left)
    expect(readFileSync(join(bounded, name), 'utf8'), name).toBe(readFileSync(join(directory, name), 'utf8'));
  expect(writtenWithin(freshDirectory(), 2 ** 30)).toBe('');
});

test('a full disk is called so, and the file is named', () => {
  test.skip(!existsSync('/dev/full'), 'needs /dev/full, which is always full');
  const write = () => writeResults(freshDirectory(), conformantRun(), '/dev/full');
  expect(write).toThrow(UsageError);
  expect(write).toThrow('/dev/full cannot be written (no space left on device): GITHUB_STEP_SUMMARY names it.');
});

test('a summary is appended to a file', () => {
  const directory = freshDirectory();
  const file = join(directory, 'summary');
  writeFileSync(file, 'of a step before\n');
  writeResults(directory, conformantRun(), file);
  expect(readFileSync(file, 'utf8')).toBe(`of a step before\n${readFileSync(join(directory, 'summary.md'), 'utf8')}\n`);
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
