/** Time that stands still while anything is computed, and then leaps to what is due next. */
import type { Clock } from '../recorder/transport/wire';

export class VirtualTime implements Clock {
  private nowMs = 0;
  private due: Array<{ atMs: number; happen: () => void }> = [];

  now(): number {
    return this.nowMs;
  }

  after(ms: number, happen: () => void): () => void {
    const event = { atMs: this.nowMs + ms, happen };
    const before = this.due.findLastIndex(({ atMs }) => atMs <= event.atMs);
    this.due.splice(before + 1, 0, event);
    return () => {
      this.due = this.due.filter((other) => other !== event);
    };
  }

  /** @returns once so many milliseconds have passed */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /**
   * Lets time pass until the work is done.
   * @throws what the work throws, and where it waits for something that is not due at any time
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return done;
      const next = this.due.shift();
      if (!next) throw new Error('The simulated run waits for something that never happens.');
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.happen();
    }
  }
}
