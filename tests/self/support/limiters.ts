/**
 * Rate limiters as services build them, as pure state machines over the time they are given. Written apart from the
 * reference server's, so that one mistake does not hide another.
 */
import type { Rate } from '../../../src/evidence/model';
import type { Limiter, Ruling } from '../../../src/reference/limiter';

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

/** Windows that follow one another from `phaseMs` on; in step with the clock's seconds where that is 0. */
export function fixedAt({ requests, seconds }: Rate, phaseMs: number): Limiter {
  const windowMs = seconds * 1000;
  return forEachUser(() => {
    let [active, used] = [Number.NaN, 0];
    return (nowMs) => {
      const window = Math.floor((nowMs - phaseMs) / windowMs);
      if (window !== active) [active, used] = [window, 0];
      const accepted = used < requests;
      if (accepted) used += 1;
      const endMs = phaseMs + (window + 1) * windowMs;
      return ruled(accepted, requests, used, endMs, endMs);
    };
  });
}

/** A window begins with the first request after the one before has ended. */
export function fixedFromFirst({ requests, seconds }: Rate): Limiter {
  return forEachUser(() => {
    let [endMs, used] = [Number.NEGATIVE_INFINITY, 0];
    return (nowMs) => {
      if (nowMs >= endMs) [endMs, used] = [nowMs + seconds * 1000, 0];
      const accepted = used < requests;
      if (accepted) used += 1;
      return ruled(accepted, requests, used, endMs, endMs);
    };
  });
}

/**
 * No stretch of a window's length holds more than the limit.
 * @param names what Reset stands for: the moment when the oldest request is forgotten, or when all are
 */
export function slidingLog({ requests, seconds }: Rate, names: 'oldest' | 'newest'): Limiter {
  const windowMs = seconds * 1000;
  return forEachUser(() => {
    let log: number[] = [];
    return (nowMs) => {
      log = log.filter((atMs) => atMs + windowMs > nowMs);
      const accepted = log.length < requests;
      if (accepted) log.push(nowMs);
      const [oldest = nowMs, newest = nowMs] = [log[0], log.at(-1)];
      return ruled(
        accepted,
        requests,
        log.length,
        (names === 'oldest' ? oldest : newest) + windowMs,
        oldest + windowMs,
      );
    };
  });
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

/** How many tokens flow in meanwhile, free of the last digits that differences of large numbers get wrong. */
function tokensIn(ms: number, intervalMs: number): number {
  return Math.max(0, Math.round((ms / intervalMs) * 1e4) / 1e4);
}

/** A bucket that refills evenly: the generic cell rate algorithm. Reset is when it is full again. */
export function bucket({ requests, seconds }: Rate): Limiter {
  const intervalMs = (seconds * 1000) / requests;
  return forEachUser(() => {
    let fullAtMs = Number.NEGATIVE_INFINITY;
    return (nowMs) => {
      const missing = tokensIn(fullAtMs - nowMs, intervalMs);
      const accepted = missing <= requests - 1;
      if (accepted) fullAtMs = Math.max(fullAtMs, nowMs) + intervalMs;
      const used = Math.ceil(missing + (accepted ? 1 : 0));
      return ruled(accepted, requests, used, fullAtMs, fullAtMs - (requests - 1) * intervalMs);
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
 * The bucket that refills evenly, but what is over the rate waits for its turn.
 * @param longestMs what would have to wait for longer is refused
 */
export function queue({ requests, seconds }: Rate, longestMs: number): Limiter {
  const intervalMs = (seconds * 1000) / requests;
  return forEachUser(() => {
    let fullAtMs = Number.NEGATIVE_INFINITY;
    return (nowMs) => {
      const missing = tokensIn(fullAtMs - nowMs, intervalMs);
      const holdMs = Math.max(0, missing - (requests - 1)) * intervalMs;
      const accepted = holdMs <= longestMs;
      if (accepted) fullAtMs = Math.max(fullAtMs, nowMs) + intervalMs;
      const used = Math.ceil(missing + (accepted ? 1 : 0));
      const retryAtMs = fullAtMs - (requests - 1) * intervalMs - longestMs;
      return { ...ruled(accepted, requests, used, fullAtMs, retryAtMs), holdMs: accepted ? holdMs : 0 };
    };
  });
}

/** Windows in step with the clock, of which the one before counts by the share of it that is less than a window ago. */
export function weightedCounter({ requests, seconds }: Rate): Limiter {
  const windowMs = seconds * 1000;
  return forEachUser(() => {
    const counts = new Map<number, number>();
    return (nowMs) => {
      const window = Math.floor(nowMs / windowMs);
      const share = 1 - (nowMs % windowMs) / windowMs;
      const used = () => (counts.get(window) ?? 0) + Math.floor((counts.get(window - 1) ?? 0) * share);
      const accepted = used() < requests;
      if (accepted) counts.set(window, (counts.get(window) ?? 0) + 1);
      const forgottenMs = (window + 2) * windowMs;
      return ruled(accepted, requests, used(), forgottenMs, (window + 1) * windowMs);
    };
  });
}
