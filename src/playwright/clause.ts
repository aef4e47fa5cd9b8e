/** Declares a clause's test: its title, its tags, what it needs sent, and the judge that decides it. */
import * as playwright from '@playwright/test';
import { textOf } from '../contract/clauses';
import type { Evidence } from '../evidence/exchange';
import { type FindingWithWarnings, type Judgement, judgementOf } from '../judge/verdict';
import type { Group } from '../probes/plan';
import { messageOf } from '../report/message';
import { SPARING } from '../target/directory';
import { NEEDS, RECORDED, VERDICT } from './annotations';
import { type RunData, runData } from './worker';

export interface Clause {
  id: string;
  needs: readonly Group[];
  judge: (evidence: Evidence) => FindingWithWarnings;
}

/**
 * For many targets, Playwright's `test` without the fixtures that look after browsers and traces: they take as much of
 * a worker's time as all judging does. Where Playwright should no longer export it, its usual `test` does the same.
 */
const spare = (playwright as unknown as { _baseTest?: typeof playwright.test })._baseTest;
const base = (process.env[SPARING] && spare) || playwright.test;

const test = base.extend<object, { run: RunData }>({
  run: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use, workerInfo) => {
      await use(await runData(workerInfo.project.name));
    },
    { scope: 'worker', timeout: 0 },
  ],
});

let collecting: Clause[] | null = null;

/** Collects the clauses that `load` declares instead of making tests of them. */
export async function collectClauses(load: () => Promise<unknown>): Promise<Clause[]> {
  const collected: Clause[] = [];
  collecting = collected;
  await load();
  collecting = null;
  return collected;
}

/**
 * Declares the test of one clause.
 * @param needs what must be sent before it can be judged
 * @throws for an id that is not in the contract
 */
export function clause(id: string, needs: readonly Group[], judge: Clause['judge']): void {
  const text = textOf(id);
  if (collecting) {
    collecting.push({ id, needs, judge });
    return;
  }
  const details = {
    tag: [`@${text.area}`, `@${text.level}`],
    annotation: needs.map((group) => ({ type: NEEDS, description: group })),
  };
  test(`${id} ${firstSentence(text.statement)}`, details, async ({ run }, testInfo) => {
    const { evidence, error } = run.recorded;
    if (run.carried) {
      run.carried = false;
      await testInfo.attach(RECORDED, { body: JSON.stringify(run.recorded), contentType: 'application/json' });
    }
    // Nothing was judged, which is told once for the whole run.
    if (error !== null) testInfo.skip(true, `The run could not be done: ${error}`);
    const today = new Date().toISOString().slice(0, 10);
    const judgement = judgementOf(id, judge(evidence), evidence, today);
    const { breaches: _, ...carried } = judgement;
    const message = messageOf(judgement, evidence);
    testInfo.annotations.push({ type: VERDICT, description: JSON.stringify(carried) });
    settle(judgement, message, run.strict, (reason) => testInfo.skip(true, reason));
    if (message !== null) testInfo.annotations.push({ type: judgement.verdict, description: judgement.reason ?? '' });
  });
}

/** Passes, skips or throws. A throw has no stack: where the judge stands tells nobody anything about the server. */
function settle(judgement: Judgement, message: string | null, isStrict: boolean, skip: (reason: string) => void): void {
  const fails = judgement.verdict === 'fail' || (judgement.verdict === 'warn' && isStrict);
  if (judgement.verdict === 'not-tested') skip(judgement.reason ?? '');
  if (!fails) return;
  const error = new Error(message ?? '');
  error.stack = error.message;
  throw error;
}

function firstSentence(text: string): string {
  return (
    text
      .trim()
      .split(/(?<=[.:])\s/)[0]
      ?.replace(/[.:]$/, '') ?? text
  );
}
