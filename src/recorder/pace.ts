/** When a request may be sent: not before its account's turn, and not after too many that serve nobody. */
import { LITTLE_MS, longestHonestSeconds, longestMemoryMs, type Rate } from '../contract/bounds';
import type { Exchange } from '../evidence/model';
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
  private readonly lanes = new Map<string, ReturnType<typeof newLane>>();
  /** The end of the last turn of any account while accounts take turns; else `null`. */
  private common: Promise<unknown> | null = null;
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

  /** Whether accounts take turns, because they may share one budget. */
  get shared(): boolean {
    return this.common !== null;
  }

  /** From now on accounts take turns. The first turn begins when all turns under way have ended. */
  share(): void {
    this.common ??= Promise.all([...this.lanes.values()].map((lane) => lane.tail));
  }

  /** From now on accounts wait side by side again, each as soon as all turns under way have ended. */
  unshare(): void {
    const { common } = this;
    this.common = null;
    if (common) for (const lane of this.lanes.values()) lane.tail = common;
  }

  /** Runs `work` while nothing else uses the account, or while nothing else uses any account if they take turns. */
  turn<T>(account: string, work: () => Promise<T>): Promise<T> {
    const lane = this.lane(account);
    const run = (this.common ?? lane.tail).then(work);
    const settled = run.catch(() => undefined);
    if (this.common) this.common = settled;
    else lane.tail = settled;
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
    const lanes = this.common ? [...this.lanes.values()] : [this.lane(account)];
    return Math.max(...lanes.map(({ lastMs, holdMs }) => Math.max(lastMs + distanceMs + MARGIN_MS, holdMs)));
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

/** Decides after how many answers that are broken or serve nobody nothing more is sent. */
export class CircuitBreaker {
  hasAnswer = false;
  private brokenInARow = 0;
  private timeouts = 0;
  private readonly unserved = { requests: 0, sinceMs: 0, untilMs: 0 };

  constructor(private readonly windowMs: number) {}

  note({ fault, account, response, sentAtMs, receivedAtMs }: Exchange): void {
    // A firewall may reset connections after wrong keys. Such resets cost no time, and valid keys show whether the
    // server is still there. Other faults count, such as a refused connection: then nothing listens any more.
    if (account === null && this.hasAnswer && fault?.kind === 'reset') return;
    this.hasAnswer ||= fault === null;
    this.brokenInARow = fault === null ? 0 : this.brokenInARow + 1;
    if (fault?.kind === 'timeout') this.timeouts += 1;
    if (account === null) return;
    const { unserved } = this;
    const status = response?.status ?? 0;
    const isServed = fault === null && ((status >= 200 && status < 300) || OF_A_LIMITER.includes(status));
    if (isServed || unserved.requests === 0) unserved.sinceMs = sentAtMs;
    unserved.requests = isServed ? 0 : unserved.requests + 1;
    unserved.untilMs = receivedAtMs;
  }

  /** Whether the server answered before, and then broke many answers in a row. It may be starting again. */
  get isBrokenOff(): boolean {
    return this.hasAnswer && this.brokenInARow >= BROKEN_IN_A_ROW;
  }

  /** True once the server has broken or withheld so many answers that more requests would only take time. */
  get isOpen(): boolean {
    const { requests, sinceMs, untilMs } = this.unserved;
    const isOut = requests >= UNSERVED.requests && untilMs - sinceMs >= UNSERVED.windows * this.windowMs;
    const isNeverThere = !this.hasAnswer && this.brokenInARow >= BROKEN_FROM_THE_START;
    return this.isBrokenOff || isNeverThere || this.timeouts >= TIMEOUTS_IN_ALL || isOut;
  }
}
