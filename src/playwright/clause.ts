/** The test of a clause: it fetches its judgement, which was made once, in the main process. */
import * as playwright from '@playwright/test';
import { visible } from '../common/visible';
import type { Level } from '../contract/result';
import { CLAUSE, EVIDENCE, LEVELS_VARIABLE, RECORDED, SHARED_VARIABLE, SPARING_VARIABLE } from './annotations';
import { askFor, plain } from './hand-over';
import type { Judged } from './service';
import { serveManyProjects } from './shared-workers';

/** No trace was asked for, and no UI mode or editor looks on. */
const isSparing = Boolean(process.env[SPARING_VARIABLE]);

/**
 * Playwright's `test` without the fixtures that look after browsers and traces: they take more of a worker's time than all
 * else. Where Playwright no longer exports it, its usual `test` does the same.
 */
const spare = (playwright as unknown as { _baseTest?: typeof playwright.test })._baseTest;

/** Playwright's `test`. A spec file calls it itself, so that Playwright locates each clause at its own line. */
export const test = (isSparing && spare) || playwright.test;

if (process.env[SHARED_VARIABLE]) serveManyProjects();

/**
 * The arguments of `test` for one clause: its id is the title, so that no terminal is too narrow for it; then tags of area
 * and level, and the body.
 * @throws for an id that is not in the contract
 */
export function clause(id: string): Parameters<typeof test> {
  const tag = [`@${id.split('.')[0]}`, `@${levelOf(id)}`];
  const annotation = { type: CLAUSE, description: id };
  return [
    id,
    { tag, annotation },
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, testInfo) => {
      // The run takes as long as the rate limit asks for, whatever limit a configuration sets for tests.
      testInfo.setTimeout(0);
      const judged = await askFor<Judged>('judgement', id, testInfo);
      if (judged.recorded !== null)
        await testInfo.attach(RECORDED, { body: judged.recorded, contentType: 'application/json' });
      await tell(judged, testInfo);
      if (isSparing) keepWorker(testInfo);
      settle(judged, testInfo);
    },
  ];
}

/** What Playwright's report shows of a judgement: annotations, a step for each exchange, and the telling one in full. */
async function tell({ judgement }: Judged, testInfo: playwright.TestInfo): Promise<void> {
  if (judgement === null) return;
  const { level, section, statement, verdict, reason, evidence, steps, attachments } = judgement;
  const where = /^\d/.test(section) ? `section ${section} of the API description` : section;
  testInfo.annotations.push({ type: `${level.toUpperCase()}, ${where}`, description: statement });
  if (verdict !== 'pass') testInfo.annotations.push({ type: verdict, description: reason ?? '' });
  if (evidence.length > 0)
    testInfo.annotations.push({ type: EVIDENCE, description: `${evidence.length} entries of evidence.har` });
  // Playwright would else look through the stack for each.
  const { file, line, column } = testInfo;
  const location = { file, line, column };
  for (const title of steps) await playwright.test.step(title, () => undefined, { location });
  for (const { name, text } of attachments) await testInfo.attach(name, { body: text, contentType: 'text/plain' });
}

/** Passes, skips or throws. A throw has no stack: where this code stands says nothing about the server. */
function settle({ judgement, error, isReported, strict }: Judged, testInfo: playwright.TestInfo): void {
  if (judgement === null) {
    const why = visible(`The run could not be done: ${error}`);
    // Unless the reporter tells it for the whole run, skipped tests would look like a good end.
    if (!isReported) throw plain(why);
    testInfo.skip(true, why);
    return;
  }
  const { verdict, reason, message } = judgement;
  if (verdict === 'not-tested') testInfo.skip(true, visible(reason ?? ''));
  if (verdict === 'fail' || (verdict === 'warn' && strict)) throw plain(message ?? '');
}

/**
 * Playwright ends a worker after a failed test, which may have left anything behind, and starts another. The test of a clause
 * leaves nothing. Other versions of Playwright may lack this method: they start a new worker.
 */
function keepWorker(testInfo: playwright.TestInfo): void {
  const asked = testInfo as { _isFailure?: () => boolean };
  if (asked._isFailure) asked._isFailure = () => false;
}

function levelOf(id: string): Level {
  const levels = JSON.parse(process.env[LEVELS_VARIABLE] || '{}') as Record<string, Level>;
  if (Object.hasOwn(levels, id)) return levels[id] as Level;
  // Reading the whole contract takes a worker longer than everything else.
  const { textOf } = require('../contract/clauses') as typeof import('../contract/clauses');
  return textOf(id).level;
}
