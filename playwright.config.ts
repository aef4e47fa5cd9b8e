import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ReporterDescription } from '@playwright/test';
import { SPARING } from './src/playwright/sparing';
import { type FleetMember, fleetIn } from './src/target/directory';
import { resultsDirectory, variablesIn } from './src/target/environment';
import { UsageError } from './src/usage-error';
import { isWritable } from './src/writable';

const results = resultsDirectory();
const reporter = join(__dirname, 'src/playwright/reporter.ts');
const given = (option: string) => process.argv.some((argument) => argument.split('=')[0] === option);

// To list tests takes Playwright's own reporter, and leaves nothing.
const lists = process.argv.includes('--list');
// The verdicts are written whatever reporter is chosen on the command line.
if (given('--reporter')) process.env.PW_TEST_REPORTER = reporter;

// Where Playwright cannot write, it would fail in ways of its own: the global setup says so in one message.
const isUsable = lists || isWritable(results);

const fleet = targets();
// All clauses in one file take one worker less time than one for each area.
const namesFiles = process.argv.slice(2).some((argument) => /\.spec\b|^tests\b/.test(argument));
if (fleet && !given('--trace')) process.env[SPARING] = '1';
const html: ReporterDescription = ['html', { outputFolder: join(results, 'playwright-report'), open: 'never' }];
// Named for its shard, so that shards which share a directory of results keep each other's.
const shard = /\d+/.exec(process.argv.slice(2).join(' ').split('--shard')[1] ?? '')?.[0] ?? '';
const blob: ReporterDescription = ['blob', { outputFile: join(results, 'blob-report', `shard-${shard}.zip`) }];

export default defineConfig({
  testDir: 'tests',
  testIgnore: 'self/**',
  outputDir: join(isUsable ? results : tmpdir(), 'playwright'),
  globalSetup: './src/playwright/global-setup.ts',
  // Everything is sent by the recorder in the main process; one worker judges it, and needs no limit of its own.
  workers: fleet ? 2 : 1,
  timeout: 0,
  ...(fleet && {
    projects: fleet.map(({ name }) => ({ name, testMatch: namesFiles ? '*.spec.ts' : 'all.ts' })),
    // Tells a merge which targets there were: all, unless the command line chose.
    metadata: { targets: given('--project') ? [] : fleet.map(({ name }) => name) },
  }),
  reporter: lists
    ? 'list'
    : [
        [reporter],
        ...(isUsable ? [fleet && given('--shard') ? blob : html] : []),
        ...(process.env.GITHUB_ACTIONS ? [['github'] as const] : []),
      ],
});

/** What is wrong with the directory, the global setup says. */
function targets(): FleetMember[] | null {
  try {
    return fleetIn(variablesIn(process.cwd()));
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
