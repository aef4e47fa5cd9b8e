import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { resultsDirectory } from '../../src/target/environment';

const results = join(resultsDirectory(), 'self');

/** The project's own tests, run by `npm test`. */
export default defineConfig({
  testDir: '.',
  outputDir: join(results, 'playwright'),
  // Most tests wait for windows of a rate limit most of the time.
  workers: 3,
  fullyParallel: false,
  timeout: 300_000,
  // The matrix wants both cores for itself, so it comes last.
  projects: [
    { name: 'self', testIgnore: 'matrix.spec.ts' },
    { name: 'matrix', testMatch: 'matrix.spec.ts', dependencies: ['self'] },
  ],
  reporter: [['list'], ['html', { outputFolder: join(results, 'playwright-report'), open: 'never' }]],
});
