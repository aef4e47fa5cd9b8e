/** The request of most probes, a read of the settings with an account's valid key; and when and how many of them to send. */

import { catalogue } from '../catalogue/catalogue';
import { isSameProbe, type Probe, type ProbeRequest, requestOf } from '../catalogue/probe';
import type { Holder, Keys } from '../catalogue/record';
import type { HeaderLines } from '../evidence/model';
import { isAccepted, isRefused, isWhole } from '../evidence/responder/classify';
import { isHeldBack, queuesAndRefuses, usualLatencyMs } from '../evidence/responder/queueing';
import { ownOf } from '../evidence/time/gaps';
import type { Recorder } from '../recorder/recorder';
import { markerOf } from '../redaction/markers';

/** When to send reads that are spread over more than a window, in windows from the first. */
export const SPREAD: readonly number[] = Array.from({ length: 10 }, (_, i) => i * 0.15);

/** Returns how many windows to delay a trial (0 to 2): trials at equal distances could all meet a client that polls. */
export function shiftOf(trial: number): number {
  const GOLDEN_RATIO = 0.618;
  return 2 * (((trial - 1) * GOLDEN_RATIO) % 1);
}

/** Longer windows are waited for once more only where something seems wrong with them. */
export const SHORT_WINDOW_MS = 5000;

/** Reads so dense that one meets a free moment of a key that another client uses within the rate. */
export const DENSE = { reads: 60, windows: 0.02 };

/** The part of a recorder that requests are made from. */
export interface KeySource {
  target: Pick<Keys, 'baseURL'> & { accounts: ReadonlyArray<Holder & { password?: string | undefined }> };
  registerSecret(marker: string, value: string): string;
  isRiskAllowed?: boolean;
}

/** Returns what the catalogue makes requests from. */
export function keysOf(source: KeySource): Keys {
  return {
    accounts: source.target.accounts.map((account) => ({
      ...account,
      hasKnownPassword: account.hasKnownPassword ?? account.password !== undefined,
    })),
    baseURL: source.target.baseURL,
    isRiskAllowed: source.isRiskAllowed === true,
    valid: (account) => markerOf('apiKey', account),
    derived: (account, form, value) => source.registerSecret(markerOf('apiKey', account, form), value),
  };
}

/** Returns a GET /webhooks with the valid key of an account (API description, section 4.1). */
export function read(account: string, probe: Probe): ProbeRequest {
  return { probe, account, path: '/webhooks', headers: [['apiKey', markerOf('apiKey', account)]] };
}

/** Returns the requests of all forms of a probe under whose header names its account was accepted before. */
export function acceptedForms(sentFor: Probe, recorder: Recorder): ProbeRequest[] {
  const accepted = recorder.exchanges.filter(
    (exchange) => exchange.account === sentFor.account && isAccepted(exchange),
  );
  const isKnown = ([name]: HeaderLines[number]) =>
    accepted.some(({ request }) => request.headers.some(([sent]) => sent === name));
  return Object.keys(catalogue[sentFor.group].forms)
    .flatMap((form) => requestOf(sentFor, keysOf(recorder), form) ?? [])
    .filter(({ headers = [] }) => headers.every(isKnown));
}

/** Whether a request was answered, and neither accepted nor refused because of the rate. */
export function isTurnedAway(recorder: Recorder, { probe }: ProbeRequest): boolean {
  const answer = recorder.exchanges.findLast((exchange) => isSameProbe(exchange.probe, probe));
  return answer !== undefined && isWhole(answer) && !isAccepted(answer) && !isRefused(answer, recorder.evidence());
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

/**
 * Returns how many of `count` requests to send at one moment: to a server that queues and does not refuse, no more than
 * the queue can answer within the time limit.
 */
export function answerable(recorder: Recorder, account: string, count: number): number {
  const evidence = recorder.evidence();
  const sequence = ownOf(evidence, account).filter(({ probe }) => probe.group === 'sequence');
  const heldBack = sequence.findIndex((exchange) => isHeldBack(exchange, evidence));
  if (sequence.some((exchange) => isRefused(exchange, evidence))) return count;
  const queued = queuedInTime(recorder);
  if (heldBack >= 0) return Math.min(count, Math.max(heldBack, 1) + queued);
  const enough = 2 * recorder.target.rate.requests + 1;
  return isSlow(recorder) ? Math.min(count, Math.max(queued, enough)) : count;
}

/** Returns how many requests at one moment are not refused: a window's, and where a queue is known, as many again. */
export function mostHeld(recorder: Recorder): number {
  const { requests } = recorder.target.rate;
  return queuesAndRefuses(recorder.evidence()) ? 2 * requests : requests;
}

/**
 * Does something right after requests that use up a budget: once they are answered, or, where the server holds some of
 * them back, while they wait.
 * @param isHeld whether it does; default: whether it is known to hold some back and to refuse the rest
 * @param share after which share of the time in which one request's budget returns all of them have arrived
 */
export async function afterUsedUp<T>(
  recorder: Recorder,
  usedUp: Promise<unknown>,
  work: () => Promise<T>,
  isHeld = queuesAndRefuses(recorder.evidence()),
  share = 1 / 2,
): Promise<T> {
  const { pace } = recorder;
  const arrivedMs = (pace.windowMs / recorder.target.rate.requests) * share;
  await (isHeld ? Promise.race([usedUp, pace.until(recorder.now() + arrivedMs)]) : usedUp);
  const done = await work();
  await usedUp;
  return done;
}
