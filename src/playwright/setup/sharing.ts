/** Tells, in a Playwright configuration that others share, the suite's own project from theirs. */
import type { FullConfig, FullProject } from '@playwright/test';

/** The member of a project's metadata that marks the suite's own. */
export const OURS = 'conformance';

/** Set by such a configuration, before any reporter is made. */
export const configuration = { isShared: false };

/** Whether other tests run beside the suite: then only the tests of its own project are its. */
export function isShared({ projects }: Pick<FullConfig, 'projects'>): boolean {
  return projects.some(isOurs);
}

export function isOurs(project: Pick<FullProject, 'metadata'> | undefined): boolean {
  return project?.metadata?.[OURS] === true;
}
