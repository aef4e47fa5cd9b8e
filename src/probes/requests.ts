/** The request that most probes are: a read of the settings with an account's valid key. */
import { usualLatencyMs } from '../evidence/held-back';
import { markerOf } from '../evidence/markers';
import type { Probe } from '../evidence/probe';
import type { ProbeRequest, Recorder } from '../recorder/recorder';

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

/** Answering the last of a queue must leave so much of the time limit. */
const SPARE_MS = 500;

/** Whether a server usually answers more slowly than its rate: each answer may have waited in a queue. */
export function isSlow(recorder: Recorder): boolean {
  const { requests, seconds } = recorder.target.rate;
  return usualLatencyMs(recorder.evidence()) * requests > (seconds * 1000) / 2;
}

/** How many requests a queue that lets them through at the declared rate can answer within the time allowed. */
export function queuedInTime(recorder: Recorder): number {
  const { rate, limits } = recorder.target;
  const leftMs = limits.timeoutSeconds * 1000 - 3 * usualLatencyMs(recorder.evidence()) - SPARE_MS;
  return Math.max(0, Math.floor((leftMs / (rate.seconds * 1000)) * rate.requests));
}
