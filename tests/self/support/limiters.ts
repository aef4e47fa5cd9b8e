import type { Rate } from '../../../src/evidence/model';
import type { Limiter } from '../../../src/reference/behaviour';

/** A bucket to which a timer gives an equal part of the limit, so many times a window. */
export function bucketInParts({ requests, seconds }: Rate, parts: number): Limiter {
  const tickMs = (seconds * 1000) / parts;
  // In parts of a request, so that all numbers are whole.
  const buckets = new Map<string, { held: number; tick: number }>();
  return {
    take(user, nowMs) {
      const tick = Math.floor(nowMs / tickMs);
      const before = buckets.get(user) ?? { held: requests * parts, tick };
      let held = Math.min(requests * parts, before.held + requests * (tick - before.tick));
      const accepted = held >= parts;
      if (accepted) held -= parts;
      buckets.set(user, { held, tick });
      const resetAtMs = (tick + Math.ceil((requests * parts - held) / requests)) * tickMs;
      const retryAtMs = (tick + Math.ceil(Math.max(0, parts - held) / requests)) * tickMs;
      return { accepted, limit: requests, remaining: Math.floor(held / parts), resetAtMs, retryAtMs };
    },
  };
}
