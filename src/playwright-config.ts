/** What a team's Playwright configuration imports: the clauses as a project among its own. */
import type { PlaywrightTestProject, ReporterDescription } from '@playwright/test';
import { UsageError } from './common/errors';
import { CHOICE, embedding, GLOBAL_SETUP, REPORTER } from './playwright/setup/suite-config';

export interface ConformanceOptions {
  /** How the project is called, for `--project` and in reports; default: `conformance`. */
  name?: string;
  /**
   * Path of a target file, from the directory of the configuration. `TARGET`, `TARGETS`, `BASE_URL` and `WAIVERS` are then
   * ignored, and `API_KEY` is used only where the file names it.
   */
  target?: string;
}

/** What a configuration takes over: the project among its `projects`, and the other two under their own names. */
export interface ConformanceParts {
  project: PlaywrightTestProject;
  /** Prepares the run. What is wrong with the target stops no other tests: it is reported as the run's error. */
  globalSetup: string;
  /** Writes the results and prints the verdict. A reporter such as `list` beside it reports other tests. */
  reporter: ReporterDescription;
}

/**
 * Returns the clauses as one project, and the global setup and the reporter that it needs.
 * @throws UsageError if it is called a second time: one configuration judges one target
 */
export function conformance({ name = 'conformance', target }: ConformanceOptions = {}): ConformanceParts {
  if (embedding.options !== null)
    throw new UsageError(
      'conformance() is called twice, but a configuration judges one target: for many, set TARGETS to a directory of target files and run `npx assessment-conformance`.',
    );
  embedding.options = { name, target };
  // Whatever reporters a command line chooses.
  process.env.PW_TEST_REPORTER ??= REPORTER;
  return {
    project: {
      name,
      ...CHOICE,
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
