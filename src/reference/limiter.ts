import type { Rate } from '../evidence/model';

/** What the limiter decides about one request. Times are milliseconds since the epoch on the server's clock. */
export interface Ruling {
  accepted: boolean;
  limit: number;
  /** Requests left in the active window after this one. */
  remaining: number;
  /** When the active window ends. */
  resetAtMs: number;
  /** When a refused request would first be accepted. */
  retryAtMs: number;
  /** How long an accepted request is held back before it is answered. */
  holdMs?: number;
}

export interface Limiter {
  /** Charges a request to a budget, if there is room. @param nowMs on the server's clock, never decreasing */
  take(bucket: string, nowMs: number): Ruling | Promise<Ruling>;
}

/** Returns fixed windows (API description, section 8) from a first request on. A refused request costs nothing. */
export function fixedWindow(rate: Rate): Limiter {
  const windows = new Map<string, { endsAtMs: number; used: number }>();
  return {
    take(bucket, nowMs) {
      let window = windows.get(bucket);
      if (!window || nowMs >= window.endsAtMs) {
        window = { endsAtMs: nowMs + rate.seconds * 1000, used: 0 };
        windows.set(bucket, window);
      }
      const accepted = window.used < rate.requests;
      if (accepted) window.used++;
      return {
        accepted,
        limit: rate.requests,
        remaining: rate.requests - window.used,
        resetAtMs: window.endsAtMs,
        retryAtMs: window.endsAtMs,
      };
    },
  };
}
