/** The worker's end of the hand-over. A test asks for its judgement and waits for it. */
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestInfo } from '@playwright/test';
import { SERVICE_VARIABLE } from '../config/environment';

const UNPREPARED =
  'The run was not prepared, so nothing is judged: extend this project’s playwright.config.ts, whose globalSetup prepares it.';

/**
 * Asks the run a question, and waits for the answer.
 * @param parameters what the question is about, above all the `name`
 * @throws if the run was not prepared, or does not know what it is asked for
 */
export async function ask<Answer>(what: string, parameters: Readonly<Record<string, string>>): Promise<Answer> {
  const address = process.env[SERVICE_VARIABLE];
  if (!address) throw plain(UNPREPARED);
  const { url, token } = JSON.parse(address) as { url: string; token: string };
  const { status, body } = await got(`${url}${what}?${new URLSearchParams(parameters)}`, token);
  if (status !== 200) throw plain(status === 404 ? body : `The run could not answer (${status} ${body}).`);
  return JSON.parse(body) as Answer;
}

/** As `ask`, on behalf of a test. */
export function askFor<Answer>(
  what: string,
  name: string,
  { project, workerIndex, retry, repeatEachIndex }: TestInfo,
): Promise<Answer> {
  const again = `${retry > 0 || repeatEachIndex > 0}`;
  return ask(what, { name, project: project.name, worker: `${workerIndex}`, again });
}

/** Returns an error that shows only its message. A place in this code says nothing about the server. */
export function plain(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** Does what `fetch` does. A worker would need more time to load `fetch` than for the request. */
function got(url: string, token: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: token } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', () => reject(plain('The run has ended: nothing answers any more.')));
  });
}
