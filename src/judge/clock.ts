/**
 * The server's clock, seen through `Date`: whole seconds, perhaps a second old. Only bounds that certainly
 * hold are given, so that a rounded or cached `Date` never accuses anybody.
 */
import type { Evidence, Exchange } from '../exchange';
import { dateOf, type RetryAfter, retryAfterOf } from './headers';

/** Our own clock is compared with the server's only where they agree to this much. */
const CLOCKS_AGREE_SECONDS = 60;

/**
 * The server's time when it answered, in seconds since the epoch: `Date`, else our own clock.
 */
export function answeredAt(
  exchange: Exchange,
  evidence: Pick<Evidence, 'startedAtEpochMs'>,
): { epochSeconds: number; own: boolean } {
  const date = dateOf(exchange);
  if (date !== null) return { epochSeconds: date, own: false };
  return { epochSeconds: (evidence.startedAtEpochMs + exchange.receivedAtMs) / 1000, own: true };
}

/**
 * How far a moment that a response names lies ahead of the response, in seconds (negative: in the past).
 * `null` where the response has no `Date` and the moment is so far from our own clock that the clocks differ.
 */
export function secondsAhead(
  epochSeconds: number,
  exchange: Exchange,
  evidence: Pick<Evidence, 'startedAtEpochMs'>,
): number | null {
  const { epochSeconds: now, own } = answeredAt(exchange, evidence);
  const ahead = epochSeconds - now;
  return own && Math.abs(ahead) > CLOCKS_AGREE_SECONDS ? null : ahead;
}

/**
 * The least that the server's clock can show at a moment of the run, in seconds since the epoch, from all `Date`s
 * that arrived before; `null` where none did.
 */
export function serverClockAtLeast(atMs: number, exchanges: readonly Exchange[]): number | null {
  let least: number | null = null;
  for (const exchange of exchanges) {
    const date = exchange.receivedAtMs <= atMs ? dateOf(exchange) : null;
    if (date === null) continue;
    const then = date + (atMs - exchange.receivedAtMs) / 1000;
    if (least === null || then > least) least = then;
  }
  return least;
}

/**
 * How long a refusal asks to wait, in seconds from its arrival; `null` where it does not say so in form.
 * A date has whole seconds and may have been cut down to one, so it gets one more.
 */
export function waitAskedSeconds(exchange: Exchange, evidence: Pick<Evidence, 'startedAtEpochMs'>): number | null {
  const asked: RetryAfter | null = retryAfterOf(exchange);
  if (asked === null) return null;
  if (asked.form === 'seconds') return asked.seconds;
  const ahead = secondsAhead(asked.epochSeconds, exchange, evidence);
  return ahead === null ? null : Math.max(0, ahead + 1);
}
