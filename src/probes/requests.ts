/** The request that most probes are: a read of the settings with an account's valid key. */
import { markerOf } from '../evidence/markers';
import type { Probe } from '../evidence/probe';
import type { ProbeRequest } from '../recorder/recorder';

/** When reads are sent that are spread over more than a window, in windows from the first. */
export const SPREAD: readonly number[] = Array.from({ length: 10 }, (_, i) => i * 0.15);

/**
 * Each look at the same thing comes so much later, in windows, than the one before would have it: looks that are as far apart
 * as three requests of a client that polls would meet it each time.
 */
export const SHIFT = 0.37;

/** Reads closer together than any two requests of a client that keeps to the rate: one meets a free moment of a key that it uses, too. */
export const DENSE = { reads: 60, windows: 0.02 };

/** GET /webhooks with the valid key of an account (API description, section 4.1). */
export function read(account: string, probe: Probe): ProbeRequest {
  return { probe, account, path: '/webhooks', headers: [['apiKey', markerOf('apiKey', account)]] };
}
