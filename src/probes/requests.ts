/** The request that most probes are: a read of the settings with an account's valid key. */
import { markerOf } from '../evidence/markers';
import type { Probe } from '../evidence/probe';
import type { ProbeRequest } from '../recorder/recorder';

/** When reads are sent that are spread over more than a window, in windows from the first. */
export const SPREAD: readonly number[] = Array.from({ length: 10 }, (_, i) => i * 0.15);

/**
 * How much later a look comes than it could, in windows: between 0 and 2, and unlike the look before. Looks at equal distances
 * could each meet a request of a client that polls.
 */
export function shiftOf(look: number): number {
  const GOLDEN_RATIO = 0.618;
  return 2 * (((look - 1) * GOLDEN_RATIO) % 1);
}

/** Reads closer together than any two requests of a client that keeps to the rate: one meets a free moment of a key that it uses, too. */
export const DENSE = { reads: 60, windows: 0.02 };

/** GET /webhooks with the valid key of an account (API description, section 4.1). */
export function read(account: string, probe: Probe): ProbeRequest {
  return { probe, account, path: '/webhooks', headers: [['apiKey', markerOf('apiKey', account)]] };
}
