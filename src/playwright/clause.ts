/** The test of a clause: it fetches its judgement, which was made once, in the main process. */
import * as playwright from '@playwright/test';
import { textOf } from '../contract/clauses';
import { visible } from '../visible';
import { RECORDED } from './annotations';
import { handedOver, type Judged } from './hand-over';
import { SPARING } from './sparing';

/**
 * For many targets, Playwright's `test` without the fixtures that look after browsers and traces: they take more of a
 * worker's time than all else. Where Playwright no longer exports it, its usual `test` does the same.
 */
const spare = (playwright as unknown as { _baseTest?: typeof playwright.test })._baseTest;

/** Playwright's `test`. A spec file calls it itself, so that Playwright locates each clause at its own line. */
export const test = (process.env[SPARING] && spare) || playwright.test;

type Details = { tag: string[] };
type Body = (fixtures: object, testInfo: playwright.TestInfo) => Promise<void>;

/**
 * The arguments of `test` for one clause: title, tags of area and level, and body.
 * @throws for an id that is not in the contract
 */
export function clause(id: string): [title: string, details: Details, body: Body] {
  const { area, level, statement } = textOf(id);
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
  const body: Body = async ({}, testInfo) => {
    // The run takes as long as the rate limit asks for, whatever limit a configuration sets for tests.
    testInfo.setTimeout(0);
    const judged = await handedOver(testInfo.project.name, id);
    if (judged.recorded !== null)
      await testInfo.attach(RECORDED, { body: judged.recorded, contentType: 'application/json' });
    settle(judged, testInfo);
  };
  return [`${id} ${firstSentence(statement)}`, { tag: [`@${area}`, `@${level}`] }, body];
}

/** Passes, skips or throws. A throw has no stack: where this code stands says nothing about the server. */
function settle({ judgement, error, strict }: Judged, testInfo: playwright.TestInfo): void {
  // Nothing was judged, which is told once for the whole run.
  if (judgement === null) {
    testInfo.skip(true, visible(`The run could not be done: ${error}`));
    return;
  }
  const { verdict, reason, message } = judgement;
  if (verdict !== 'pass') testInfo.annotations.push({ type: verdict, description: visible(reason ?? '') });
  if (verdict === 'not-tested') testInfo.skip(true, visible(reason ?? ''));
  if (verdict !== 'fail' && !(verdict === 'warn' && strict)) return;
  const failure = new Error(message ?? '');
  failure.stack = failure.message;
  throw failure;
}

function firstSentence(text: string): string {
  const [sentence = text] = text.trim().split(/(?<=[.:])\s/);
  return sentence.replace(/[.:]$/, '');
}
