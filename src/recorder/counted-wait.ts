/**
 * A wait for others that a busy machine cannot shorten. It is counted in short ticks of this process's own event loop,
 * each of which reads what has arrived: a process that is held up waits longer.
 */
import type { Clock } from './wire/wire';

const TICK_MS = 20;
/** What arrived while a tick took longer may still have to be read: the wait ends with a tick on time. */
const ON_TIME_MS = 2 * TICK_MS;
/** How many times the ticks of a wait there may be, where none of them is on time. */
const MOST_TIMES = 5;

export class CountedWait {
  readonly ended: Promise<void>;
  /** How much longer the wait took, or has taken so far, than it should. */
  heldUpMs = 0;
  /** Waits no longer, and never ends. */
  callOff: () => void = () => undefined;
  private ticksLeft: number;

  /** Begins at once. @param leftMs how long, in milliseconds */
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
