/**
 * One worker for many targets. Playwright starts one for each project, which takes more processor time than all else that is
 * done for a target, and has no option against it: so this reaches into what Playwright does not publish. Where a version is
 * not known, each target has a worker of its own.
 */
import type { FullConfig, TestCase } from '@playwright/test/reporter';
import { SHARED_VARIABLE } from './annotations';
import { ask } from './hand-over';

const KNOWN_VERSIONS = /^1\.65\./;

interface Project {
  id: string;
}

/** Playwright's object in a worker that runs tests. */
interface Worker {
  _config: { projects: Project[] };
  _project: Project;
  _poolBuilder: unknown;
  runTestGroup(group: Group): Promise<void>;
}

/** Tests of one project and one file. */
interface Group {
  entries: ReadonlyArray<{ testId: string }>;
}

/** A test as Playwright's main process knows it: a worker runs those of one hash, which begins with the project's id. */
interface Hashed {
  id: string;
  _projectId: string;
  _workerHash: string;
}

/**
 * Lets the tests of all projects have the same workers. In the main process, before any worker is started.
 * @returns the id of each test's project, for the workers to ask for; empty where they are not shared
 */
export function shareWorkers(
  { version }: Pick<FullConfig, 'version'>,
  tests: readonly TestCase[],
): Map<string, string> {
  const hashed = tests as unknown as Hashed[];
  const isKnown =
    KNOWN_VERSIONS.test(version) && hashed.every((test) => test._workerHash?.startsWith(`${test._projectId}-`));
  if (!isKnown) return new Map();
  for (const test of hashed) test._workerHash = `shared${test._workerHash.slice(test._projectId.length)}`;
  process.env[SHARED_VARIABLE] = '1';
  return new Map(hashed.map((test) => [test.id, test._projectId]));
}

/** Makes this worker, once it runs its first test, take up the project of each group of tests that it is given. */
export function serveManyProjects(): void {
  const { processRunner, poolBuilder } = require('playwright/lib/common');
  const { prototype } = processRunner.ProcessRunner;
  const { dispatchEvent } = prototype;
  // That a test begins is the first thing that the worker tells, and the first that shows which object it is.
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

/** The project of a group; `undefined` where the run has ended. Playwright then reports that it does not know the tests. */
async function projectOf({ entries: [first] }: Group, projects: readonly Project[]): Promise<Project | undefined> {
  const told = await ask<{ project?: string }>('project', { name: first?.testId ?? '' }).catch(() => null);
  return projects.find(({ id }) => id === told?.project);
}
