/** The test of a clause. It fetches the judgement, which the main process makes once. */
import type { TestInfo } from '@playwright/test';
import { plural, visible } from '../common/text';
import { ask, CLAUSE, EVIDENCE, keepWorker, plain, plainTest, playwright, SPARING_VARIABLE } from './client';
import type { Judged } from './service';

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
      const judged = await ask<Judged>('judgement', { name: id, project: testInfo.project.name });
      report(judged, testInfo);
      if (isSparing) keepWorker(testInfo);
      settle(judged, testInfo);
    },
  ];
}

function report({ judgement }: Judged, testInfo: TestInfo): void {
  if (judgement === null) return;
  const { level, section, statement, verdict, reason, evidence } = judgement;
  const where = /^\d/.test(section) ? `section ${section} of the API description` : section;
  testInfo.annotations.push({ type: `${level.toUpperCase()}, ${where}`, description: statement });
  if (verdict !== 'pass') testInfo.annotations.push({ type: verdict, description: reason ?? '' });
  if (evidence.length > 0)
    testInfo.annotations.push({
      type: EVIDENCE,
      description: `${plural(evidence.length, 'entry', 'entries')} of evidence.har`,
    });
}

/** Passes, skips or throws. The error has no stack, because a place in this code says nothing about the server. */
function settle({ judgement, error, strict }: Judged, testInfo: TestInfo): void {
  if (judgement === null) {
    testInfo.skip(true, visible(`The run could not be done: ${error}`));
    return;
  }
  const { verdict, reason, message } = judgement;
  if (verdict === 'not-tested') testInfo.skip(true, visible(reason ?? ''));
  if (verdict === 'fail' || (verdict === 'warn' && strict)) throw plain(message ?? '');
}

/** Returns area and level. The main process selects by them. A worker would take long to read the whole contract. */
function tagsOf(id: string): string[] {
  // Playwright sets this variable for its workers.
  if (process.env.TEST_WORKER_INDEX !== undefined) return [];
  const { clauseText } = require('../contract/clauses') as typeof import('../contract/clauses');
  const { area, level } = clauseText(id);
  return [`@${area}`, `@${level}`];
}
