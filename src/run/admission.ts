/** How many targets are sent to at a time: as many as the process keeps up with. */
import { setTimeout as pause } from 'node:timers/promises';

/** So many are sent to however busy the machine is. */
const ALWAYS = 4;
const SAMPLE_MS = 25;
/** A timer that fires later than this shows a process that has enough to do. */
const LATE_MS = 20;

/**
 * Lets targets in one after another, each when the process has time for it. Requests that leave late, and answers that
 * are noticed late, blur what their times show, so that less could be judged.
 */
export class Admission {
  private underWay = 0;
  private last: Promise<void> = Promise.resolve();

  /** @param latenessMs by how much a timer of this process fires late */
  constructor(private readonly latenessMs: () => Promise<number> = lateness) {}

  /** Does the work of a target once there is room for it. */
  async take(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(() => this.untilThereIsRoom());
    await this.last;
    try {
      await work();
    } finally {
      this.underWay -= 1;
    }
  }

  private async untilThereIsRoom(): Promise<void> {
    while (this.underWay >= ALWAYS && (await this.latenessMs()) > LATE_MS);
    this.underWay += 1;
  }
}

/** By how many milliseconds a timer fires late. */
async function lateness(): Promise<number> {
  const dueMs = performance.now() + SAMPLE_MS;
  await pause(SAMPLE_MS);
  return performance.now() - dueMs;
}
