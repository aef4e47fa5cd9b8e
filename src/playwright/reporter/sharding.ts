/** Decides which targets a shard judges. Targets stay whole, because two machines with one key share its budget. */
import type { FullConfig, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { isOurs } from '../setup/sharing';

/** Excludes the targets of other shards. @param isFleet whether projects are targets @returns what to say, or `null` */
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

/** Excludes our project from shards of other tests, which would share a key. @returns what to say, or `null` */
export function keepOutOfShards({ shard }: Pick<FullConfig, 'shard'>, suite: Suite, testRun: TestRun): string | null {
  const ours = suite.suites.filter((project) => isOurs(project.project()));
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
