/** Decides how many targets are run at a time: as many as the process keeps up with. */
import { setTimeout as pause } from 'node:timers/promises';

/** At least this many targets are run at a time, however busy the process is. */
const ALWAYS = 4;
const SAMPLE_MS = 25;
/** If a timer fires later than this, the process is busy enough. */
const LATE_MS = 20;

/** Starts targets as the process has time for them: a busy one notices answers late, and their times show less. */
export class Admission {
  private underWay = 0;
  private last: Promise<void> = Promise.resolve();

  /** @param latenessMs measures how many milliseconds late a timer of this process fires */
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

async function lateness(): Promise<number> {
  const dueMs = performance.now() + SAMPLE_MS;
  await pause(SAMPLE_MS);
  return performance.now() - dueMs;
}
