/** The worker's end: fetches what was recorded, waiting until all of it is there. */

import type { RunData } from './run';
import { SERVICE_VARIABLE } from './service';

export type RecordedRun = RunData;

export async function recordedRun(): Promise<RecordedRun> {
  const address = process.env[SERVICE_VARIABLE];
  if (!address) throw new Error('The run was not prepared: start the tests with this project’s playwright.config.ts.');
  const { url, token } = JSON.parse(address) as { url: string; token: string };
  for (;;) {
    const response = await fetch(url, { headers: { authorization: token } });
    if (response.status === 200) return (await response.json()) as RunData;
    if (response.status !== 202) throw new Error(`The recorder answered ${response.status}: ${await response.text()}`);
  }
}
