/** When a request may be sent: not before its account's turn, and not after too many that serve nobody. */
import { LITTLE_MS, longestHonestSeconds, longestMemoryMs, type Rate } from '../contract/bounds';
import { type Exchange, once } from '../evidence/model';
import type { Clock } from './transport/wire';

/** Wait this long after the end of a window before the next request. The network only adds to it. */
export const MARGIN_MS = 50;
/** Connections are opened this long before their requests are sent. */
export const LEAD_MS = 200;

const newLane = () => ({
  lastMs: Number.NEGATIVE_INFINITY,
  /** Nothing is sent before this, because the server asked to wait. */
  holdMs: 0,
  tail: Promise.resolve() as Promise<unknown>,
});

/** Knows when each account was last used, so that no request exceeds the rate by accident; counts the waiting. */
export class Pace {
  /** Whether accounts take turns, because they may share one budget. */
  shared = false;
  private readonly lanes = new Map<string, ReturnType<typeof newLane>>();
  private inFlight = 0;
  private waiting = 0;
  private idleSinceMs: number | null = null;
  private idleMs = 0;

  constructor(
    private readonly rate: Rate,
    private readonly clock: Clock,
  ) {}

  get windowMs(): number {
    return this.rate.seconds * 1000;
  }

  /** Milliseconds in which the run only waited for windows of the rate limit. */
  get waitedMs(): number {
    this.tick();
    return Math.round(this.idleMs);
  }

  get isWaiting(): boolean {
    return this.idleSinceMs !== null;
  }

  /** Runs `work` while nothing else uses the account, or while nothing else uses any account if they take turns. */
  turn<T>(account: string, work: () => Promise<T>): Promise<T> {
    const lanes = this.lanesOf(account);
    const run = Promise.all(lanes.map(({ tail }) => tail)).then(work);
    for (const lane of lanes) lane.tail = run.catch(() => undefined);
    return run;
  }

  /** Returns when the account may send its next single request. */
  spacedAtMs(account: string): number {
    return this.earliestMs(account, this.windowMs / this.rate.requests);
  }

  /** Returns when the account certainly has its whole budget again. */
  freshAtMs(account: string): number {
    return this.earliestMs(account, this.windowMs);
  }

  /** Returns when any limiter of the rate grants the account its whole budget at one moment. */
  wholeAtMs(account: string): number {
    const isOne = this.rate.requests === 1;
    return this.earliestMs(account, isOne ? this.windowMs : longestMemoryMs(this.rate)) + (isOne ? LITTLE_MS : 0);
  }

  /** Notes a response to the account's key. @param askedMs to wait; 0 of no refusal, or beyond what is honest */
  used(account: string, receivedAtMs: number, askedMs = 0): void {
    const lane = this.lane(account);
    lane.lastMs = Math.max(lane.lastMs, receivedAtMs);
    if (askedMs > 0) lane.holdMs = Math.max(lane.holdMs, receivedAtMs + askedMs + MARGIN_MS);
  }

  /** Leaves an account unused for as long as a refusal asks, but no longer than is honest, plus a little. */
  hold(account: string, askedMs: number): void {
    const lane = this.lane(account);
    const waitMs = Math.min(askedMs, longestHonestSeconds(this.rate) * 1000) + LITTLE_MS + MARGIN_MS;
    lane.holdMs = Math.max(lane.holdMs, this.clock.now() + waitMs);
  }

  /** Runs an exchange. The time it takes does not count as waiting. */
  busy<T>(work: () => Promise<T>): Promise<T> {
    return this.counted('inFlight', work);
  }

  /** Waits until a moment on the run's clock. */
  until(atMs: number): Promise<void> {
    return this.counted('waiting', async () => {
      // A timer may fire a millisecond early.
      for (let left = atMs - this.clock.now(); left > 0; left = atMs - this.clock.now())
        await new Promise<void>((resolve) => this.clock.after(left, resolve));
    });
  }

  private earliestMs(account: string, distanceMs: number): number {
    const free = this.lanesOf(account).map(({ lastMs, holdMs }) => Math.max(lastMs + distanceMs + MARGIN_MS, holdMs));
    return Math.max(...free);
  }

  /** Returns the lanes that a turn of an account takes: its own, or all if accounts take turns. */
  private lanesOf(account: string) {
    const own = this.lane(account);
    return this.shared ? [...this.lanes.values()] : [own];
  }

  private lane(account: string) {
    const lane = this.lanes.get(account) ?? newLane();
    this.lanes.set(account, lane);
    return lane;
  }

  private async counted<T>(what: 'inFlight' | 'waiting', work: () => Promise<T>): Promise<T> {
    this[what] += 1;
    this.tick();
    try {
      return await work();
    } finally {
      this[what] -= 1;
      this.tick();
    }
  }

  /** Adds the time since the last tick if the run only waited since then. */
  private tick(): void {
    const nowMs = this.clock.now();
    this.idleMs += nowMs - (this.idleSinceMs ?? nowMs);
    this.idleSinceMs = this.waiting > 0 && this.inFlight === 0 ? nowMs : null;
  }
}

const BROKEN_IN_A_ROW = 8;
/** Fewer, as long as no exchange has worked. */
const BROKEN_FROM_THE_START = 3;
const TIMEOUTS_IN_ALL = 10;
/** How many requests with valid keys get nothing in a row, and for how long. */
const UNSERVED = { requests: 50, windows: 15 };
/** The statuses of limiters and guards, which let keys in again. */
const OF_A_LIMITER = [403, 429];

function isServed({ fault, response }: Exchange): boolean {
  const { status } = response ?? { status: 0 };
  return fault === null && ((status >= 200 && status < 300) || OF_A_LIMITER.includes(status));
}

/**
 * Returns what the answers so far show: `hasAnswer`, one was whole; `isBrokenOff`, then many in a row were broken, as of a
 * server that starts again; `isOpen`, so many were broken or withheld that more requests would only take time.
 */
export const circuitOf = once(({ exchanges, windowMs }: { exchanges: readonly Exchange[]; windowMs: number }) => {
  const hasAnswer = exchanges.some(({ fault }) => fault === null);
  // A firewall may reset connections after wrong keys. Such resets cost no time, and valid keys show whether the
  // server is still there. Other faults count, such as a refused connection: then nothing listens any more.
  const counted = exchanges.filter(({ account, fault }) => !hasAnswer || account !== null || fault?.kind !== 'reset');
  const broken = counted.length - 1 - counted.findLastIndex(({ fault }) => fault === null);
  const timeouts = counted.filter(({ fault }) => fault?.kind === 'timeout').length;
  const keyed = counted.filter(({ account }) => account !== null);
  const unserved = keyed.slice(keyed.findLastIndex(isServed) + 1);
  const lastedMs = (unserved.at(-1)?.receivedAtMs ?? 0) - (unserved[0]?.sentAtMs ?? 0);
  const isOut = unserved.length >= UNSERVED.requests && lastedMs >= UNSERVED.windows * windowMs;
  const isBrokenOff = hasAnswer && broken >= BROKEN_IN_A_ROW;
  const isNeverThere = !hasAnswer && broken >= BROKEN_FROM_THE_START;
  return { hasAnswer, isBrokenOff, isOpen: isBrokenOff || isNeverThere || timeouts >= TIMEOUTS_IN_ALL || isOut };
});
