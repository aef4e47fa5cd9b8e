/** The real network and the real clock. */
import type { Target } from '../../target/target';
import { NetworkConnection } from './network-connection';
import { type Reach, type Route, routeTo } from './route';
import type { Clock, Connection, Wire } from './wire';

/** Time since this process began. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, happen) => {
    const timer = setTimeout(happen, Math.ceil(ms));
    return () => clearTimeout(timer);
  },
};

export class Network implements Wire {
  readonly startedAtEpochMs = Date.now();
  readonly after = CLOCK.after;
  private readonly startedAtMs = CLOCK.now();
  private readonly route: Route;

  /** @throws UsageError if the environment names a certificate file or a proxy that cannot be used */
  constructor(
    private readonly target: Target,
    reach: Reach,
  ) {
    this.route = routeTo(target, reach);
  }

  now(): number {
    return CLOCK.now() - this.startedAtMs;
  }

  connection(number: number): Connection {
    const { baseURL, limits } = this.target;
    const bounds = { timeoutMs: limits.timeoutSeconds * 1000, bodyBytes: limits.bodyBytes };
    return new NetworkConnection(new URL(baseURL), this.route, bounds, number, () => this.now());
  }
}
