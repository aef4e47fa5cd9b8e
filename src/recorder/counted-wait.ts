/** A wait that a busy machine cannot shorten: it counts ticks of the event loop, each of which reads what came. */
import type { Clock } from './transport/wire';

const TICK_MS = 20;
/** The wait ends only after a tick this short: what arrived during a longer tick may not have been read yet. */
const ON_TIME_MS = 2 * TICK_MS;
/** If no tick is on time, the wait ends after this many times the ticks that it should take. */
const MOST_TIMES = 5;

export class CountedWait {
  readonly ended: Promise<void>;
  /** How many milliseconds longer than asked the wait has taken so far. */
  heldUpMs = 0;
  /** Stops the wait; `ended` then never resolves. */
  callOff: () => void = () => undefined;
  private ticksLeft: number;

  /** Begins to wait at once. @param leftMs how long, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private leftMs: number,
  ) {
    this.ticksLeft = Math.ceil((MOST_TIMES * leftMs) / TICK_MS);
    this.ended = new Promise((resolve) => this.tick(resolve));
  }

  private tick(end: () => void): void {
    const beganAtMs = this.clock.now();
    const askedMs = this.leftMs > 0 ? Math.min(TICK_MS, this.leftMs) : TICK_MS;
    this.callOff = this.clock.after(askedMs, () => {
      const tookMs = this.clock.now() - beganAtMs;
      const countedMs = Math.min(tookMs, askedMs, this.leftMs);
      this.leftMs -= countedMs;
      this.heldUpMs += tookMs - countedMs;
      this.ticksLeft -= 1;
      if ((this.leftMs <= 0 && tookMs <= ON_TIME_MS) || this.ticksLeft <= 0) end();
      else this.tick(end);
    });
  }
}
