/** All clauses in one file: with many targets, Playwright then runs and shards each target as one whole. */
import { readdirSync } from 'node:fs';
import { test } from '../src/playwright/clause';

// One target's tests stay together also where the command line asks for as much parallelism as there is.
test.describe.configure({ mode: 'default' });

for (const file of readdirSync(__dirname).sort()) {
  if (/\.spec\.[jt]s$/.test(file)) require(`./${file}`);
}
