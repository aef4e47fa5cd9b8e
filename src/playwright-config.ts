/** What a Playwright configuration imports: the suite's own to extend, or the parts of one that others share. */
import { resolve } from 'node:path';
import type { PlaywrightTestConfig, PlaywrightTestProject, ReporterDescription } from '@playwright/test';
import { variablesIn } from './config/environment';
import { configuration, OURS } from './playwright/setup/sharing';
import { GLOBAL_SETUP, REPORTER, SPEC_FILES, suiteConfig, TESTS } from './playwright/setup/suite-config';

export interface ConformanceOptions {
  /** How the project is called, for `--project` and in reports; default: `conformance`. */
  name?: string;
  /** Path of a target file. It counts if neither the environment nor `.env` sets `TARGET`, `BASE_URL` or `REPLAY`. */
  target?: string;
}

/** What a configuration takes over: the project among its `projects`, and the other two under their own names. */
export interface ConformanceParts {
  project: PlaywrightTestProject;
  /** Prepares the run. What is wrong with the target stops no other tests: it is told as the run's error. */
  globalSetup: string;
  /** Writes the results and says the verdict. A reporter such as `list` beside it tells how other tests went. */
  reporter: ReporterDescription;
}

/** Returns the clauses as one project, and the global setup and the reporter that it needs. */
export function conformance({ name = 'conformance', target }: ConformanceOptions = {}): ConformanceParts {
  const variables = variablesIn(process.cwd());
  const isDeclared = ['TARGET', 'BASE_URL', 'REPLAY'].some((variable) => variables[variable]);
  if (target !== undefined && !isDeclared) process.env.TARGET = resolve(target);
  configuration.isShared = true;
  // Whatever reporters a command line chooses.
  process.env.PW_TEST_REPORTER ??= REPORTER;
  return {
    project: {
      name,
      testDir: TESTS,
      testMatch: SPEC_FILES,
      metadata: { [OURS]: true },
      // A run is paced by the server's rate limit, and a clause is judged once: whatever holds for other tests.
      workers: 1,
      fullyParallel: false,
      timeout: 0,
      retries: 0,
      repeatEach: 1,
    },
    globalSetup: GLOBAL_SETUP,
    reporter: [REPORTER],
  };
}

const MEMBERS = [
  'testDir',
  'testIgnore',
  'outputDir',
  'globalSetup',
  'workers',
  'forbidOnly',
  'projects',
  'metadata',
  'reporter',
] as const;

/** The configuration of the suite alone. It chooses reporters, so it is made only when somebody reads it. */
const config: PlaywrightTestConfig = {};
let made: PlaywrightTestConfig | null = null;
for (const name of MEMBERS)
  Object.defineProperty(config, name, {
    enumerable: true,
    get: () => {
      made ??= suiteConfig();
      return made[name];
    },
  });

export default config;
