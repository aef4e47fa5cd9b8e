/** Which targets a shard judges: whole ones, since two machines that use one key at a time would accuse its limiter. */
import type { FullConfig, Suite, TestRun } from '@playwright/test/reporter';

/**
 * Leaves only the targets of this shard in the run.
 * @param isFleet whether each project is a target of its own; otherwise all projects are of one
 * @returns what to say of it: one sentence, or `null` where there is nothing to say
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

/** What a project depends on always runs: Playwright refuses to leave it out. */
function exclude(project: Suite, testRun: TestRun): void {
  try {
    testRun.exclude(project);
  } catch {
    // It asks this run for nothing that another shard asks.
  }
}
