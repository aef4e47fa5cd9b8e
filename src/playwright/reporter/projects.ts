/** What the projects of a configuration mean for the clauses: shards, dependencies, and a project without a test. */
import type { FullConfig, FullProject, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { CHOICE, embedding, isConformanceProject } from '../setup/embedding';
import { selectsTests } from './partial-run';
import { clauseIdOf } from './selection';

/**
 * Excludes the targets of other shards. Targets stay whole, because two machines with one key share its budget.
 * @param isFleet whether projects are targets
 * @returns what to print, or `null`
 */
export function keepWholeTargets(
  { shard }: Pick<FullConfig, 'shard'>,
  suite: Suite,
  testRun: TestRun,
  isFleet: boolean,
): string | null {
  if (shard === null) return null;
  testRun.skipSharding();
  const { current, total } = shard;
  const projects = [...suite.suites];
  const shardOf = (i: number) => (isFleet ? Math.floor((i * total) / projects.length) + 1 : 1);
  for (const [i, project] of projects.entries()) if (shardOf(i) !== current) exclude(project, testRun);
  return isFleet || current === 1
    ? null
    : `Shard ${current} of ${total} has nothing to do: one target is never divided, and shard 1 judges it. TARGETS divides many.`;
}

/** Excludes our project from shards of other tests, which would share a key. @returns what to print, or `null` */
export function keepOutOfShards({ shard }: Pick<FullConfig, 'shard'>, suite: Suite, testRun: TestRun): string | null {
  const ours = suite.suites.filter((project) => isConformanceProject(project.project()));
  if (shard === null || ours.length === 0) return null;
  for (const project of ours) exclude(project, testRun);
  return `${ours[0]?.title} is left out of shards: one target is never divided. Judge it with --project ${ours[0]?.title}, without --shard.`;
}

/** Excludes a project or a test. Playwright refuses if another project depends on it. */
export function exclude(tests: Suite | TestCase, testRun: TestRun): void {
  try {
    testRun.exclude(tests);
  } catch {
    // Such a project asks this run for nothing that another shard asks for.
  }
}

/**
 * Returns why no clause is judged although the configuration has the suite's project. It is `null` where the command line
 * selects tests, or another tool does, and where there is no test at all: that Playwright reports.
 * @param words the command line, from Playwright's command on
 * @returns one sentence, and whether the run fails for it: not where somebody chose to leave the whole project out
 */
export function whyProjectIsEmpty({ projects, shard }: FullConfig, suite: Suite, words: readonly string[]) {
  const ours = projects.find((project) => isConformanceProject(project) || project.name === embedding.options?.name);
  const isElsewhere = shard !== null || words[0] !== 'test' || selectsTests(words);
  if (!ours || isElsewhere || suite.allTests().length === 0) return null;
  const name = JSON.stringify(ours.name);
  const isWhole = Object.entries(CHOICE).every(
    ([member, value]) => `${ours[member as keyof FullProject]}` === `${value}`,
  );
  if (isWhole)
    return {
      fails: false,
      text: `The project ${name} is no part of this run, so no clause is judged: it waits for --project (default: false), or another test is focused (test.only).`,
    };
  return {
    fails: true,
    text: `The configuration has the project ${name}, but this run has none of its tests, so no clause was judged: its testDir, testMatch, testIgnore, grep or grepInvert leaves them out.`,
  };
}

/** Returns which failed project keeps the clauses from being judged, because theirs depends on it: one sentence, or `null`. */
export function whyDependencyStops(suite: Suite): string | null {
  const dependenciesOf = (project: Suite | undefined) => project?.project()?.dependencies ?? [];
  const projects = new Map(suite.suites.map((project) => [project.title, project]));
  // With `--no-deps` they are tested all the same.
  const isUntested = (tests: readonly TestCase[]) =>
    tests.some(clauseIdOf) && tests.every(({ results }) => results.length === 0);
  for (const ours of suite.suites.filter((project) => isUntested(project.allTests()))) {
    const needed = new Set(dependenciesOf(ours));
    // A set also yields what is added meanwhile.
    for (const name of needed) for (const further of dependenciesOf(projects.get(name))) needed.add(further);
    const failed = [...needed].find((name) =>
      projects
        .get(name)
        ?.allTests()
        .some((test) => test.outcome() === 'unexpected'),
    );
    if (failed !== undefined)
      return `The project ${JSON.stringify(failed)} failed, and ${JSON.stringify(ours.title)} depends on it, so nothing was judged.`;
  }
  return null;
}
