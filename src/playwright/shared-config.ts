/** The suite as one project among others in a Playwright configuration of somebody else. */
import { resolve } from 'node:path';
import type { FullConfig, FullProject, PlaywrightTestProject, ReporterDescription } from '@playwright/test';
import { variablesIn } from '../config/environment';
import { GLOBAL_SETUP, REPORTER, SPEC_FILES, TESTS } from './suite-config';

export interface ConformanceOptions {
  /** How the project is called, for `--project` and in reports; default: `conformance`. */
  name?: string;
  /**
   * Path of a target file, from the working directory. It counts if neither the environment nor `.env` sets `TARGET`,
   * `BASE_URL` or `REPLAY`.
   */
  target?: string;
}

/** What a configuration takes over: the project among its `projects`, and the other two under their own names. */
export interface ConformanceParts {
  project: PlaywrightTestProject;
  /** Prepares the run. It stops no other tests: what is wrong with the configuration is told as the run's error. */
  globalSetup: string;
  /** Writes the results and says the verdict. Put reporters beside it that tell how your own tests went. */
  reporter: ReporterDescription;
}

/** The member of a project's metadata that tells our project from others. */
const OURS = 'conformance';

/** Returns the clauses as one project, and the global setup and the reporter that it needs. */
export function conformance({ name = 'conformance', target }: ConformanceOptions = {}): ConformanceParts {
  const variables = variablesIn(process.cwd());
  const isDeclared = ['TARGET', 'BASE_URL', 'REPLAY'].some((variable) => variables[variable]);
  if (target !== undefined && !isDeclared) process.env.TARGET = resolve(target);
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
    reporter: [REPORTER, { isShared: true }],
  };
}

/** Whether other tests run beside the suite: then only the tests of its own project are its. */
export function isShared({ projects }: Pick<FullConfig, 'projects'>): boolean {
  return projects.some(isOurs);
}

export function isOurs(project: Pick<FullProject, 'metadata'> | undefined): boolean {
  return project?.metadata?.[OURS] === true;
}
