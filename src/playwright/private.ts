/**
 * The parts of Playwright that it does not publish, and that this suite uses where it finds them. Without each of them
 * every verdict is the same, and a run takes longer. The figures are processor time of two busy cores:
 *
 * - `_baseTest`: else each test of a clause sets up what browsers and traces need, 1.2 s for each target.
 * - `_isFailure`: else each failing clause costs a new worker, 1 s.
 * - `_projectId`, `_workerHash`, `ProcessRunner`, `PoolBuilder`: else each target has a worker of its own, 0.9 s.
 *
 * Playwright has no option against any of them, and each costs more than 10 s: for 100 targets, or for 20 failing clauses.
 *
 * - `_mode`: else a list of tests for UI mode or an editor is taken for a run.
 */
import type { TestInfo } from '@playwright/test';
import type { TestCase } from '@playwright/test/reporter';
import { ask, ofPlaywright, playwright, SHARED_VARIABLE } from './client';

/** Playwright's `test` without the fixtures for browsers and traces, or else with them. */
export const plainTest: typeof playwright.test =
  (playwright as unknown as { _baseTest?: typeof playwright.test })._baseTest ?? playwright.test;

/** Returns what Playwright makes a reporter for: `test`, `list` or `merge`. @param options those that it is made with */
export function modeOf(options: { _mode?: string }): string {
  return options._mode ?? (process.argv.includes('merge-reports') ? 'merge' : 'test');
}

/** Keeps the worker after a failed test that leaves nothing behind. */
export function keepWorker(testInfo: TestInfo): void {
  const asked = testInfo as { _isFailure?: () => boolean };
  if (asked._isFailure) asked._isFailure = () => false;
}

/** Where these parts were read. In another version, each target has a worker of its own. */
const KNOWN_VERSIONS = /^1\.65\./;

type Project = { id: string };
/** Tests of one project and one file. */
type Group = { entries: ReadonlyArray<{ testId: string }> };

/** Playwright's object in a worker that runs tests. */
interface Worker {
  _config: { projects: Project[] };
  _project: Project;
  _poolBuilder: unknown;
  runTestGroup(group: Group): Promise<void>;
}

/** A test in Playwright's main process. A worker runs the tests of one hash, which begins with the project's id. */
interface Hashed {
  id: string;
  _projectId: string;
  _workerHash: string;
}

/** Makes all tests share workers, before any starts. @returns project ids by test id; empty if nothing is shared */
export function shareWorkers(version: string, tests: readonly TestCase[]): Map<string, string> {
  const hashed = tests as unknown as Hashed[];
  const isKnown =
    KNOWN_VERSIONS.test(version) &&
    internals() !== null &&
    hashed.every((test) => test._workerHash?.startsWith(`${test._projectId}-`));
  if (!isKnown) return new Map();
  for (const test of hashed) test._workerHash = `shared${test._workerHash.slice(test._projectId.length)}`;
  process.env[SHARED_VARIABLE] = '1';
  return new Map(hashed.map((test) => [test.id, test._projectId]));
}

/** Returns Playwright's parts for workers; `null` if it has none by these names. */
// biome-ignore lint/suspicious/noExplicitAny: Playwright publishes no types of them
function internals(): any {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const parts = ofPlaywright<any>('playwright/lib/common');
  return parts?.processRunner?.ProcessRunner && parts.poolBuilder?.PoolBuilder ? parts : null;
}

/** Makes this worker switch to the project of each group of tests that it gets after its first test has begun. */
export function serveManyProjects(): void {
  const { processRunner, poolBuilder } = internals();
  const { prototype } = processRunner.ProcessRunner;
  const { dispatchEvent } = prototype;
  // The worker's object is first seen when it reports its first event: that a test begins.
  prototype.dispatchEvent = function (this: Worker, ...event: unknown[]) {
    prototype.dispatchEvent = dispatchEvent;
    const { runTestGroup } = this;
    this.runTestGroup = async (group) => {
      const project = await projectOf(group, this._config.projects);
      if (project && project !== this._project) {
        this._project = project;
        this._poolBuilder = poolBuilder.PoolBuilder.createForWorker(project);
      }
      return runTestGroup.call(this, group);
    };
    return dispatchEvent.apply(this, event);
  };
}

/** Returns the project of a group; `undefined` if the run has ended: then Playwright does not know the tests. */
async function projectOf({ entries: [first] }: Group, projects: readonly Project[]): Promise<Project | undefined> {
  const answer = await ask<{ project?: string }>('project', { name: first?.testId ?? '' }).catch(() => null);
  return projects.find(({ id }) => id === answer?.project);
}
