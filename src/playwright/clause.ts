/** The test of a clause. It fetches the judgement, which the main process makes once. */
import { visible } from '../common/text';
import { ask, CLAUSE, keepWorker, plain, plainTest, playwright, SPARING_VARIABLE } from './client';
import type { Outcome } from './service';

const isSparing = Boolean(process.env[SPARING_VARIABLE]);

/** Playwright's `test`. A spec file calls it itself, so that Playwright locates each clause at its own line. */
export const test = isSparing ? plainTest : playwright.test;

/** Returns the arguments of `test` for a clause, tagged with area and level. @throws for an id not in the contract */
export function clause(id: string): Parameters<typeof test> {
  const tag = tagsOf(id);
  const annotation = { type: CLAUSE, description: id };
  return [
    id,
    { tag, annotation },
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, testInfo) => {
      // A run takes as long as the rate limit asks for, whatever time a configuration allows a test.
      testInfo.setTimeout(0);
      const { annotations, skip, failure } = await ask<Outcome>('judgement', {
        name: id,
        project: testInfo.project.name,
      });
      testInfo.annotations.push(...annotations);
      if (isSparing) keepWorker(testInfo);
      if (skip !== null) testInfo.skip(true, visible(skip));
      // The error has no stack, because a place in this code says nothing about the server.
      if (failure !== null) throw plain(failure);
    },
  ];
}

/** Returns area and level. The main process selects by them. A worker would take long to read the whole contract. */
function tagsOf(id: string): string[] {
  // Playwright sets this variable for its workers.
  if (process.env.TEST_WORKER_INDEX !== undefined) return [];
  const { clauseText } = require('../contract/clauses') as typeof import('../contract/clauses');
  const { area, level } = clauseText(id);
  return [`@${area}`, `@${level}`];
}
