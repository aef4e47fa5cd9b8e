/**
 * When each account was last used, so that no request goes over the rate limit by accident. Accounts wait side by
 * side. The time in which the whole run does nothing but wait is counted.
 */
import { LITTLE_MS, longestHonestSeconds, type Rate } from '../contract/bounds';
import type { Clock } from './wire/wire';

/** Waited after a window's end, before the next request: the network only adds to it. */
export const MARGIN_MS = 50;
/** Connections are opened this long before the requests over them are due. */
export const LEAD_MS = 200;

const newLane = () => ({
  lastMs: Number.NEGATIVE_INFINITY,
  /** The last answer that did not say how long to wait. */
  untoldMs: Number.NEGATIVE_INFINITY,
  /** Not before this, because the server asked for it. */
  holdMs: 0,
  /** What this server wants beyond the declared window, learned from refusals. */
  stretchMs: 0,
  tail: Promise.resolve() as Promise<unknown>,
});

export class Pace {
  private readonly lanes = new Map<string, ReturnType<typeof newLane>>();
  /** The last turn of all accounts, once they take turns. */
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

  /** Milliseconds in which nothing happened but waiting for windows of the rate limit. */
  get waitedMs(): number {
    this.tick();
    return Math.round(this.idleMs);
  }

  /** Whether the run does nothing but wait at this moment. */
  get isWaiting(): boolean {
    return this.idleSinceMs !== null;
  }

  /** Whether accounts were seen to use up each other's budget, so that they take turns. */
  get shared(): boolean {
    return this.common !== null;
  }

  /** From now on accounts take turns, the first one once all that is under way has ended. */
  share(): void {
    this.common ??= Promise.all([...this.lanes.values()].map((lane) => lane.tail));
  }

  /** From now on accounts wait side by side again, each once all that is under way has ended. */
  unshare(): void {
    const { common } = this;
    this.common = null;
    if (common) for (const lane of this.lanes.values()) lane.tail = common;
  }

  /** Runs `work` while nothing else uses the account (or, once accounts take turns, any account). */
  turn<T>(account: string, work: () => Promise<T>): Promise<T> {
    const lane = this.lane(account);
    const run = (this.common ?? lane.tail).then(work);
    const settled = run.catch(() => undefined);
    if (this.common) this.common = settled;
    else lane.tail = settled;
    return run;
  }

  /** When the next single request of the account may be sent. */
  spacedAtMs(account: string): number {
    return this.dueAtMs(account, this.windowMs / this.rate.requests);
  }

  /** When the account's whole budget is certainly there again. */
  freshAtMs(account: string): number {
    return this.dueAtMs(account, this.windowMs);
  }

  /**
   * Notes that a response to the account's key arrived just now.
   * @param askedMs how long it asks to wait, in milliseconds: 0 where it is no refusal, or asks for longer than is honest
   */
  used(account: string, receivedAtMs: number, askedMs = 0): void {
    const lane = this.lane(account);
    lane.lastMs = Math.max(lane.lastMs, receivedAtMs);
    if (askedMs > 0) lane.holdMs = Math.max(lane.holdMs, receivedAtMs + askedMs + MARGIN_MS);
    else lane.untoldMs = Math.max(lane.untoldMs, receivedAtMs);
  }

  /**
   * Notes that a request was refused though it kept its distance: the next ones keep more.
   * @param askedMs how long the refusal asks to wait, in milliseconds; `null` where it does not say so
   */
  refusedThoughSpaced(account: string, askedMs: number | null): void {
    const lane = this.lane(account);
    lane.stretchMs = Math.min(this.windowMs + 2000, lane.stretchMs + (askedMs ?? this.windowMs));
    this.hold(account, askedMs ?? this.windowMs);
  }

  /** Keeps an account unused for as long as a refusal asked, but no longer than is honest, and a little more. */
  hold(account: string, askedMs: number): void {
    const lane = this.lane(account);
    const waitMs = Math.min(askedMs, longestHonestSeconds(this.rate) * 1000) + LITTLE_MS + MARGIN_MS;
    lane.holdMs = Math.max(lane.holdMs, this.clock.now() + waitMs);
  }

  /** Notes an exchange on the wire for the time it takes, so that it does not count as waiting. */
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

  private dueAtMs(account: string, distanceMs: number): number {
    const lanes = this.common ? [...this.lanes.values()] : [this.lane(account)];
    const keptMs = distanceMs + MARGIN_MS;
    // What was learned about waiting adds nothing to what a refusal itself asks for.
    const stretchedMs = keptMs + this.lane(account).stretchMs;
    return Math.max(
      ...lanes.map(({ lastMs, untoldMs, holdMs }) => Math.max(lastMs + keptMs, untoldMs + stretchedMs, holdMs)),
    );
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

  /** Counts the time since the last tick, where the run was only waiting. */
  private tick(): void {
    const nowMs = this.clock.now();
    this.idleMs += nowMs - (this.idleSinceMs ?? nowMs);
    this.idleSinceMs = this.waiting > 0 && this.inFlight === 0 ? nowMs : null;
  }
}
