/** The worker's end of the hand-over: a test fetches its judgement, and waits until it is made. */
import { get } from 'node:http';
import type { TestInfo } from '@playwright/test';
import { SERVICE_VARIABLE } from '../target/environment';

const UNPREPARED =
  'The run was not prepared, so nothing is judged: extend this project’s playwright.config.ts, whose globalSetup prepares it.';

/**
 * Asks the run, and waits until it has an answer.
 * @param path such as `judgement/<project>/<id>`, its parts encoded
 * @throws where the run was not prepared, or does not know what it is asked for
 */
export async function ask<Answer>(path: string): Promise<Answer> {
  const address = process.env[SERVICE_VARIABLE];
  if (!address) throw plain(UNPREPARED);
  const { url, token } = JSON.parse(address) as { url: string; token: string };
  const { status, body } = await got(new URL(path, url), token);
  if (status !== 200) throw plain(status === 404 ? body : `The run could not answer (${status} ${body}).`);
  return JSON.parse(body) as Answer;
}

/**
 * The same on behalf of a test.
 * @param what it wants
 * @param name what the run knows it by
 */
export function askFor<Answer>(
  what: string,
  name: string,
  { project, workerIndex, retry, repeatEachIndex }: TestInfo,
): Promise<Answer> {
  const again = retry > 0 || repeatEachIndex > 0 ? '&again=1' : '';
  return ask(`${what}/${encodeURIComponent(project.name)}/${encodeURIComponent(name)}?worker=${workerIndex}${again}`);
}

/** An error that shows as its message alone: where this code stands says nothing about the server. */
export function plain(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** As `fetch` does, but every worker would have to load that first, which takes longer than the request. */
function got(url: URL, token: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: token } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    }).on('error', () => reject(plain('The run has ended: nothing answers any more.')));
  });
}
