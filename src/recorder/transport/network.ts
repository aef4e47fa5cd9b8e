/** The real network and the real clock. */
import type { Target } from '../../config/target';
import { isLoopback } from '../../evidence/http/url';
import { NetworkConnection } from './network-connection';
import { type Reach, routeTo } from './route';
import type { Clock, Wire } from './wire';

/** Counts from the start of this process. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, happen) => {
    const timer = setTimeout(happen, Math.ceil(ms));
    return () => clearTimeout(timer);
  },
};

/** Returns the wire to a target. @throws UsageError if the environment's certificate file or proxy cannot be used */
export function networkTo(target: Target, reach: Reach): Wire {
  const api = new URL(target.baseURL);
  const route = { ...routeTo(api, target.embedded, reach), identity: target.identity };
  const elsewhere = (to: URL) => routeTo(to, target.embedded || isLoopback(to.hostname), reach);
  const bounds = { timeoutMs: target.limits.timeoutSeconds * 1000, bodyBytes: target.limits.bodyBytes };
  const startedAtMs = CLOCK.now();
  const clock: Clock = { now: () => CLOCK.now() - startedAtMs, after: CLOCK.after };
  return {
    ...clock,
    startedAtEpochMs: Date.now(),
    connection: (number, to) => new NetworkConnection(to ?? api, to ? elsewhere(to) : route, bounds, number, clock),
  };
}
