import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { resultsDirectory } from '../../src/config/environment';

const LONG = [
  'project/matrix',
  'project/package',
  'run/fleet',
  'run/hostile-servers',
  'report/page/pages',
  'project/readme',
  'redaction/whole-runs',
].map((name) => `**/${name}.spec.ts`);
const results = join(resultsDirectory(), 'self');

/** The project's own tests, run by `npm test`. */
export default defineConfig({
  testDir: '.',
  outputDir: join(results, 'playwright'),
  // Many tests wait for windows of a rate limit or for processes; one waits for the matrix, all of the time.
  workers: 4,
  fullyParallel: false,
  timeout: 300_000,
  // What takes longest begins first.
  projects: [
    { name: 'long', testMatch: LONG },
    { name: 'self', testIgnore: LONG },
  ],
  reporter: [['list'], ['html', { outputFolder: join(results, 'playwright-report'), open: 'never' }]],
});
