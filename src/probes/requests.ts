/** The request of most probes, a read of the settings with an account's valid key; and when and how many of them to send. */

import type { Probe } from '../catalogue/probe';
import { markerOf } from '../evidence/markers';
import { usualLatencyMs } from '../evidence/responder/queueing';
import type { ProbeRequest, Recorder } from '../recorder/recorder';

/** When to send reads that are spread over more than a window, in windows from the first. */
export const SPREAD: readonly number[] = Array.from({ length: 10 }, (_, i) => i * 0.15);

/** Returns how many windows to delay a trial (0 to 2): trials at equal distances could all meet a client that polls. */
export function shiftOf(trial: number): number {
  const GOLDEN_RATIO = 0.618;
  return 2 * (((trial - 1) * GOLDEN_RATIO) % 1);
}

/** Reads so dense that one meets a free moment of a key that another client uses within the rate. */
export const DENSE = { reads: 60, windows: 0.02 };

/** Returns a GET /webhooks with the valid key of an account (API description, section 4.1). */
export function read(account: string, probe: Probe): ProbeRequest {
  return { probe, account, path: '/webhooks', headers: [['apiKey', markerOf('apiKey', account)]] };
}

/** The last answer of a queue must come this long before the time limit. */
const SPARE_MS = 500;

/** Whether the server usually answers more slowly than its rate, as a queue does. */
export function isSlow(recorder: Recorder): boolean {
  const { requests, seconds } = recorder.target.rate;
  return usualLatencyMs(recorder.evidence()) * requests > (seconds * 1000) / 2;
}

/** Returns how many requests a queue of the declared rate can answer within the time limit. */
export function queuedInTime(recorder: Recorder): number {
  const { rate, limits } = recorder.target;
  const leftMs = limits.timeoutSeconds * 1000 - 3 * usualLatencyMs(recorder.evidence()) - SPARE_MS;
  return Math.max(0, Math.floor((leftMs / (rate.seconds * 1000)) * rate.requests));
}
