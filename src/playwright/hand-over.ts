/** The worker's end of the hand-over: a test fetches its judgement, and waits until it is made. */
import { get } from 'node:http';
import type { ClauseResult } from '../contract/result';
import { SERVICE_VARIABLE } from '../target/environment';

/** A judgement as a test tells it. */
export interface Told extends ClauseResult {
  /** The whole message for people; `null` for `pass` and `not-tested`. */
  message: string | null;
}

/** What a test needs to know. */
export interface Judged {
  /** `null` where nothing could be judged. */
  judgement: Told | null;
  /** Why nothing could be judged. */
  error: string | null;
  /** Whether a warning fails the run. */
  strict: boolean;
  /** All that was recorded, as JSON, where this test has to carry it to a merge of reports. */
  recorded: string | null;
}

/**
 * The judgement of a clause, once everything is recorded.
 * @param project name of the target's project; empty where there is one target only
 * @throws where the run was not prepared, or has no such project
 */
export async function handedOver(project: string, id: string): Promise<Judged> {
  const address = process.env[SERVICE_VARIABLE];
  if (!address) throw new Error('The run was not prepared: start the tests with this project’s playwright.config.ts.');
  const { url, token } = JSON.parse(address) as { url: string; token: string };
  for (;;) {
    const asked = new URL(`${url}${encodeURIComponent(project)}/${encodeURIComponent(id)}`);
    const { status, body } = await got(asked, token);
    if (status === 200) return JSON.parse(body) as Judged;
    if (status !== 202) throw new Error(`The run answered ${status}: ${body}`);
  }
}

/** As `fetch` does, but every worker would have to load that first, which takes longer than the request. */
function got(url: URL, token: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: token } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    }).on('error', reject);
  });
}
