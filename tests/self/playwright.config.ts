import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import fc from 'fast-check';
import { resultsDirectory } from '../../src/config/configuration';
import { ALL, isAll, seed } from './level';

const results = join(resultsDirectory(), 'self');
const WAITS = '**/project/wired.spec.ts';
const MATRIX = '**/project/matrix.spec.ts';

// The workers draw what this process draws.
process.env.TEST_SEED = String(seed);
if (process.env.TEST_WORKER_INDEX === undefined) console.log(`TEST_SEED=${seed} draws the same sample again.`);

// Each worker loads this file, too.
fc.configureGlobal({ seed });

/** The project's own tests: `npm test`, and `npm run test:all` by way of all.config.ts. */
export default defineConfig({
  testDir: '.',
  outputDir: join(results, 'playwright'),
  ...(!isAll && { grepInvert: new RegExp(`${ALL}\\b`) }),
  workers: 4,
  timeout: 300_000,
  projects: [
    // It waits for windows of a rate limit nearly all of the time.
    { name: 'waits', testMatch: WAITS, workers: 1 },
    { name: 'self', testIgnore: [WAITS, MATRIX], workers: 3 },
    // It only computes, so it goes beside what waits for processes and answers.
    { name: 'matrix', testMatch: MATRIX, workers: isAll ? 3 : 1 },
  ],
  reporter: [['list'], ['html', { outputFolder: join(results, 'playwright-report'), open: 'never' }]],
});
