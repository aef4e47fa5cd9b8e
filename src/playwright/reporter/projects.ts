/** Why projects keep clauses from being judged: shards, a project that selects none of them, one that they depend on. */
import type { FullConfig, FullProject, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { selectsTests } from '../setup/command-line';
import { CHOICE, embedding, isConformanceProject } from '../setup/suite-config';
import { clauseIdOf } from './selection';

/** Excludes our project from shards of other tests, which would share a key. @returns what to print, or `null` */
export function keepOutOfShards({ shard }: Pick<FullConfig, 'shard'>, suite: Suite, testRun: TestRun): string | null {
  const ours = suite.suites.filter((project) => isConformanceProject(project.project()));
  if (shard === null || ours.length === 0) return null;
  for (const project of ours) exclude(project, testRun);
  return `${ours[0]?.title} is left out of shards, because a run is never divided. Judge it with --project ${ours[0]?.title}, without --shard.`;
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

/** Returns which project keeps the clauses from being judged, because theirs depends on it: one sentence, or `null`. */
export function whyDependencyStops(suite: Suite): string | null {
  const isUntested = ({ results }: TestCase) => results.length === 0;
  const hasStopped = (tests: TestCase[]) => tests.some((test) => isUntested(test) || test.outcome() === 'unexpected');
  // With `--no-deps` the clauses are tested all the same.
  const ours = suite.suites.find((project) => {
    const tests = project.allTests();
    return tests.some(clauseIdOf) && tests.every(isUntested);
  });
  const needed = ours?.project()?.dependencies ?? [];
  const stopping = suite.suites.find((project) => needed.includes(project.title) && hasStopped(project.allTests()));
  return stopping
    ? `The project ${JSON.stringify(stopping.title)} did not pass, and ${JSON.stringify(ours?.title)} depends on it, so nothing was judged.`
    : null;
}
