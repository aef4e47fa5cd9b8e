/** The real network and the real clock. */
import { performance } from 'node:perf_hooks';
import type { Target } from '../../target/target';
import { NetworkConnection } from './network-connection';
import { type Reach, type Route, routeTo } from './route';
import type { Connection, Wire } from './wire';

export class Network implements Wire {
  readonly startedAtEpochMs = Date.now();
  private readonly startedAtMs = performance.now();
  private readonly route: Route;

  /** @throws UsageError if the environment names a certificate file or a proxy that cannot be used */
  constructor(
    private readonly target: Target,
    reach: Reach,
  ) {
    this.route = routeTo(target, reach);
  }

  now(): number {
    return performance.now() - this.startedAtMs;
  }

  after(ms: number, happen: () => void): () => void {
    const timer = setTimeout(happen, Math.ceil(ms));
    return () => clearTimeout(timer);
  }

  connection(number: number): Connection {
    const { baseURL, limits } = this.target;
    const bounds = { timeoutMs: limits.timeoutSeconds * 1000, bodyBytes: limits.bodyBytes };
    return new NetworkConnection(new URL(baseURL), this.route, bounds, number, () => this.now());
  }
}
