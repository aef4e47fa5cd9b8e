/** The suite as one project of a user's own Playwright configuration: which project it is, and what judges which server. */
import { dirname, resolve } from 'node:path';
import type { FullProject } from '@playwright/test';
import { UsageError } from '../../common/errors';
import { pathOf, type Variables } from '../../config/environment';
import { OF_THE_SUITE, SPEC_FILES, TESTS } from './suite-config';

/** What `conformance()` was given by the configuration of this process; `null` where the suite runs alone. */
export const embedding = { options: null as { name: string; target: string | undefined } | null };

/** Which tests the project has. What a configuration chooses for all projects is meant for its own tests. */
export const CHOICE = { testDir: TESTS, testMatch: SPEC_FILES, testIgnore: [OF_THE_SUITE], grep: /.*/, grepInvert: [] };

/** Variables whose place the target of a configuration takes. */
const COVERED = ['TARGET', 'TARGETS', 'BASE_URL', 'WAIVERS'];

/** Whether a project is that of `conformance()`. The place of its tests decides, because users replace name and metadata. */
export function isConformanceProject(project: Pick<FullProject, 'testDir'> | undefined): boolean {
  return project?.testDir === TESTS;
}

/**
 * Lets the target that a configuration names stand above the environment.
 * @param configFile path of the configuration: the target's path starts in its directory
 * @returns the variables of the run, and a sentence where some that are set are ignored
 */
export function withTargetOfConfiguration(variables: Variables, configFile = '') {
  const target = embedding.options?.target;
  if (target === undefined) return { variables, notices: [] };
  const path = resolve(dirname(configFile), target.startsWith('~') ? pathOf(target) : target);
  const ignored = COVERED.filter((name) => variables[name]);
  const set = [...ignored, ...(variables.API_KEY ? ['API_KEY'] : [])];
  const are = set.length === 1 ? 'is' : 'are';
  return {
    variables: { ...variables, ...Object.fromEntries(COVERED.map((name) => [name, undefined])), TARGET: path },
    notices: ignored.length
      ? [
          `${set.join(', ')} ${are} set, but the configuration names a target: ${path} alone says what is judged, and with which keys.`,
        ]
      : [],
  };
}

/** Returns an error about the target file as one about the option of `conformance()` that names the file, where it is so named. */
export function asOfConfiguration(error: unknown): unknown {
  const isOfTarget = error instanceof UsageError && embedding.options?.target !== undefined;
  return isOfTarget ? new UsageError(error.message.replace(/^TARGET: /, 'conformance({ target }): ')) : error;
}
