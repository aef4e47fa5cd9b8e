/**
 * What a worker needs: the names by which it hands things on, the Playwright that runs it, and the answers of the run. In a
 * workspace another Playwright may be installed nearer to this package, and Playwright refuses a second one. `playwright` itself
 * is a dependency of `@playwright/test`, and none of this package.
 *
 * Of what Playwright does not publish, this suite uses three parts where it finds them. Without them every verdict is the
 * same. The figures are processor time of two busy cores:
 *
 * - `_baseTest`: else each test of a clause sets up what browsers and traces need, 1.2 s for each target.
 * - `_isFailure`: else each failing clause costs a new worker, 1 s.
 * - `_mode`: else a list of tests for UI mode or an editor is taken for a run.
 */
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type * as Playwright from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { SERVICE_VARIABLE } from '../common/suite';

/** The annotation of a clause's test. Its description is the clause id. */
export const CLAUSE = 'clause';
/** The annotation for the entries of `evidence.har` that a test is about. */
export const EVIDENCE = 'evidence';
/** The annotation for what the run itself found wrong with the requests of an own test. */
export const PROBLEM = 'problem';
/** Set for the workers if no trace is asked for and no UI mode or editor watches. Both would cost a worker time. */
export const SPARING_VARIABLE = 'CONFORMANCE_SPARING';

const UNPREPARED =
  'The run was not prepared, so nothing is judged: the configuration lacks the suite’s globalSetup, which conformance() returns and playwright.config.ts of a clone has.';

/**
 * Asks the run a question, and waits for the answer.
 * @param parameters what the question is about, above all the `name`
 * @param follow gets what the run reports after its answer
 * @throws if the run was not prepared, or does not know what it is asked for
 */
export async function ask<Answer, News = never>(
  what: string,
  parameters: Readonly<Record<string, string>>,
  follow: (news: News) => void = () => undefined,
): Promise<Answer> {
  const { url, token } = serviceOfRun();
  const hear = (line: string) => follow(JSON.parse(line) as News);
  const { status, body } = await got(`${url}${what}?${new URLSearchParams(parameters)}`, token, hear);
  if (status !== 200) throw plain(status === 404 ? body : `The run could not answer (${status} ${body}).`);
  return JSON.parse(body) as Answer;
}

/** Returns where the run answers, and the token that it wants. @throws if the run was not prepared */
export function serviceOfRun(): { url: string; token: string } {
  const address = process.env[SERVICE_VARIABLE];
  if (!address) throw plain(UNPREPARED);
  return JSON.parse(address);
}

/** Returns an error that shows only its message. A place in this code says nothing about the server. */
export function plain(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** Returns the first line of an answer and hears the others. To load `fetch` would take longer than the request. */
function got(url: string, token: string, hear: (line: string) => void) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    get(url, { headers: { authorization: token } }, (response) => {
      const lines = createInterface({ input: response });
      lines.once('line', (body) => {
        resolve({ status: response.statusCode, body });
        lines.on('line', hear);
      });
      lines.once('close', () => resolve({ status: response.statusCode, body: '' }));
    }).on('error', () => reject(plain('The run has ended: nothing answers any more.')));
  });
}

/** What `@playwright/test` exports: that of the Playwright whose script runs, or else the one that this package finds. */
export const playwright: typeof Playwright = ofScript() ?? require('@playwright/test');

function ofScript(): typeof Playwright | null {
  try {
    return createRequire(require.main?.filename ?? '')('playwright/test');
  } catch {
    return null;
  }
}

/** Playwright's `test` without the fixtures for browsers and traces, or else with them. */
export const plainTest: typeof playwright.test =
  (playwright as unknown as { _baseTest?: typeof playwright.test })._baseTest ?? playwright.test;

/** Returns what Playwright makes a reporter for: `test`, `list` or `merge`. @param options those that it is made with */
export function modeOf(options: { _mode?: string }): string {
  return options._mode ?? (process.argv.includes('merge-reports') ? 'merge' : 'test');
}

/** Keeps the worker after a failed test that leaves nothing behind. */
export function keepWorker(testInfo: TestInfo): void {
  const asked = testInfo as { _isFailure?: () => boolean };
  if (asked._isFailure) asked._isFailure = () => false;
}
