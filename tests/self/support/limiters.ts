/** Rate limiters besides those of the dialects, as pure state machines over the time they are given. */
import type { Rate } from '../../../src/evidence/model';
import type { Limiter, Ruling } from '../../../src/reference/behaviour';

/** A limiter of one user. */
type Decide = (nowMs: number) => Ruling;

function forEachUser(start: () => Decide): Limiter {
  const users = new Map<string, Decide>();
  return {
    take(user, nowMs) {
      const decide = users.get(user) ?? start();
      users.set(user, decide);
      return decide(nowMs);
    },
  };
}

function ruled(accepted: boolean, limit: number, used: number, resetAtMs: number, retryAtMs: number): Ruling {
  return { accepted, limit, remaining: Math.max(0, limit - used), resetAtMs, retryAtMs };
}

/** A sliding log that counts refused requests as well. */
export function logOfAll({ requests, seconds }: Rate): Limiter {
  const windowMs = seconds * 1000;
  return forEachUser(() => {
    let log: number[] = [];
    return (nowMs) => {
      log = [...log.filter((atMs) => atMs + windowMs > nowMs), nowMs];
      const freeAtMs = (log.at(-requests) ?? nowMs) + windowMs;
      return ruled(log.length <= requests, requests, log.length, freeAtMs, freeAtMs);
    };
  });
}

/** A bucket to which a timer gives an equal part of the limit, so many times a window. */
export function bucketInParts({ requests, seconds }: Rate, parts: number): Limiter {
  const tickMs = (seconds * 1000) / parts;
  return forEachUser(() => {
    // In parts of a request, so that all numbers are whole.
    let [held, last] = [requests * parts, Number.NaN];
    return (nowMs) => {
      const tick = Math.floor(nowMs / tickMs);
      held = Math.min(requests * parts, held + requests * (tick - last || 0));
      last = tick;
      const accepted = held >= parts;
      if (accepted) held -= parts;
      const fullAtMs = (tick + Math.ceil((requests * parts - held) / requests)) * tickMs;
      const retryAtMs = (tick + Math.ceil(Math.max(0, parts - held) / requests)) * tickMs;
      return ruled(accepted, requests, requests - Math.floor(held / parts), fullAtMs, retryAtMs);
    };
  });
}

/**
 * A bucket that refills evenly, where what is over the rate waits for its turn.
 * @param longestMs what would have to wait for longer is refused
 */
export function queue({ requests, seconds }: Rate, longestMs: number): Limiter {
  const intervalMs = (seconds * 1000) / requests;
  return forEachUser(() => {
    let fullAtMs = Number.NEGATIVE_INFINITY;
    return (nowMs) => {
      // Free of the last digits that differences of large numbers get wrong.
      const missing = Math.max(0, Math.round(((fullAtMs - nowMs) / intervalMs) * 1e4) / 1e4);
      const holdMs = Math.max(0, missing - (requests - 1)) * intervalMs;
      const accepted = holdMs <= longestMs;
      if (accepted) fullAtMs = Math.max(fullAtMs, nowMs) + intervalMs;
      const used = Math.ceil(missing + (accepted ? 1 : 0));
      const retryAtMs = fullAtMs - (requests - 1) * intervalMs - longestMs;
      return { ...ruled(accepted, requests, used, fullAtMs, retryAtMs), holdMs: accepted ? holdMs : 0 };
    };
  });
}
