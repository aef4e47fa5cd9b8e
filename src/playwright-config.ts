/** What a Playwright configuration imports: the suite's own to extend, or the parts of one that others share. */
import type { PlaywrightTestConfig } from '@playwright/test';
import { suiteConfig } from './playwright/suite-config';

export { type ConformanceOptions, type ConformanceParts, conformance } from './playwright/shared-config';

/**
 * The configuration of the suite alone. It is made when it is first read: it chooses reporters and where they write,
 * which a configuration that only takes `conformance` must not meet.
 */
const config: PlaywrightTestConfig = {};
let made: PlaywrightTestConfig | null = null;
for (const name of [
  'testDir',
  'testIgnore',
  'outputDir',
  'globalSetup',
  'workers',
  'timeout',
  'forbidOnly',
  'projects',
  'metadata',
  'reporter',
] as const)
  Object.defineProperty(config, name, {
    enumerable: true,
    get: () => {
      made ??= suiteConfig();
      return made[name];
    },
  });

export default config;
