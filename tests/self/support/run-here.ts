/**
 * Whole runs in this process: all but Playwright, whose part is small. A process costs seconds of the processor, so that
 * only what is about Playwright, the command line or the environment of a process starts one (`whole-runs.ts`).
 */
import { join } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { failureOf } from '../../../src/common/errors';
import { visible } from '../../../src/common/text';
import { clauseTexts } from '../../../src/contract/clauses';
import { CLAUSE } from '../../../src/playwright/client';
import type { ConsoleOutput } from '../../../src/playwright/reporter/console';
import { Results } from '../../../src/playwright/reporter/results';
import { Selection } from '../../../src/playwright/reporter/selection';
import { type Outcome, Runs, startService } from '../../../src/playwright/service';
import { directoryFor } from '../../../src/playwright/setup/suite-config';
import { gatedText } from '../../../src/redaction/gate';
import { WIDEST } from '../../../src/report/terminal';
import { prepareRun } from '../../../src/run/prepare';
import { freshDirectory, resultsIn, type WholeRun } from './whole-runs';

/**
 * Runs the clauses whose ids match, as the reporter does, and asks for each judgement, as the tests do.
 * @param environment as `.env` could hold it; what is set where these tests run changes nothing
 */
export async function runHere(environment: Record<string, string> = {}, only = /./): Promise<WholeRun> {
  const reports = environment.RESULTS_DIR ?? join(freshDirectory(), 'results');
  const ids = clauseTexts.map(({ id }) => id).filter((id) => only.test(id));
  const said: string[] = [];
  const out = {
    print: (text: string) => said.push(gatedText(visible(text))),
    showProgress: () => undefined,
    width: WIDEST,
  };
  const errors: string[] = [];
  const prepared = await prepareRun(environment).catch((problem: unknown) => {
    errors.push(failureOf(problem));
    return null;
  });
  const runs = prepared && new Runs(new Map([['', prepared]]));
  const targets = [new Selection('', ids.map(testOf))];
  const run = new Results(targets, runs, directoryFor(ids, reports, []), false, out as unknown as ConsoleOutput);
  const hasFailed = runs !== null && (await failuresIn(runs, ids, out.print)) > 0;
  const ended = run.end(hasFailed || errors.length > 0 ? 'failed' : 'passed', errors);
  runs?.end();
  await runs?.close();
  const output = said.join('\n');
  const status = ended.exitStatus ?? (ended.status === 'passed' ? 0 : 1);
  return { status, output, printed: output, ...resultsIn(reports) };
}

/** Fetches every judgement over the service that the tests ask; says why a test would fail, and gives how many would. */
async function failuresIn(runs: Runs, ids: readonly string[], say: (text: string) => void): Promise<number> {
  await runs.runFor('')?.recorded();
  const service = await startService(runs);
  const { url, token } = JSON.parse(service.address) as { url: string; token: string };
  const headers = { Authorization: token };
  let failures = 0;
  try {
    for (const id of ids) {
      const response = await fetch(`${url}judgement?project=any&name=${id}`, { headers });
      const { failure } = (await response.json()) as Outcome;
      if (failure === null) continue;
      failures += 1;
      say(`\n  ✘ ${failure}\n`);
    }
  } finally {
    await service.close();
  }
  return failures;
}

const testOf = (id: string) => ({ id, annotations: [{ type: CLAUSE, description: id }] }) as unknown as TestCase;
