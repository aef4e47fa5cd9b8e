/** The worker's end: fetches what was recorded, waiting until all of it is there. */
import { get } from 'node:http';
import type { Recorded } from '../report/model';
import { SERVICE_VARIABLE } from './service';

/** What a worker needs to judge. */
export interface RunData {
  recorded: Recorded;
  /** Whether a warning fails the run. */
  strict: boolean;
  /** Whether the first test carries it all as an attachment. */
  carried: boolean;
}

/**
 * What was recorded for a project, once all of it is.
 * @param project its name; empty where there is one target only
 * @throws where the run was not prepared, or has no such project
 */
export async function runData(project: string): Promise<RunData> {
  const address = process.env[SERVICE_VARIABLE];
  if (!address) throw new Error('The run was not prepared: start the tests with this project’s playwright.config.ts.');
  const { url, token } = JSON.parse(address) as { url: string; token: string };
  for (;;) {
    const { status, body } = await got(new URL(encodeURIComponent(project), url), token);
    if (status === 200) return JSON.parse(body) as RunData;
    if (status !== 202) throw new Error(`The recorder answered ${status}: ${body}`);
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
