import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { resultsDirectory } from './src/config/configuration';

const results = resultsDirectory();
const reporter = join(__dirname, 'src/report/reporter.ts');

// To list tests takes Playwright's own reporter, and leaves nothing.
const lists = process.argv.includes('--list');
// The verdicts are written whatever reporter is chosen on the command line.
if (process.argv.some((argument) => argument.startsWith('--reporter'))) process.env.PW_TEST_REPORTER = reporter;

export default defineConfig({
  testDir: 'tests',
  testIgnore: 'self/**',
  outputDir: join(results, 'playwright'),
  globalSetup: './src/run/global-setup.ts',
  // Everything is sent by the recorder in the main process; one worker judges it, and needs no limit of its own.
  workers: 1,
  timeout: 0,
  reporter: lists
    ? 'list'
    : [
        [reporter],
        ['html', { outputFolder: join(results, 'playwright-report'), open: 'never' }],
        ...(process.env.GITHUB_ACTIONS ? [['github'] as const] : []),
      ],
});
