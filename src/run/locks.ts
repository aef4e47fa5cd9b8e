/** Keeps two runs from writing to one directory, and of many targets those from running at once that share a key, or are too many. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { UsageError } from '../common/errors';
import type { Target } from '../config/target';

/** A lock that was not renewed for this long belongs to a process that is gone. */
const STALE_MS = 10_000;
/** A server may count a request a little later than it was sent. */
const MARGIN_MS = 100;

/** Another run writes to the directory of results. */
export class Taken extends UsageError {}

/** Locks a directory of results for a run. @throws Taken if another run writes there */
export async function lockResults(directory: string): Promise<() => Promise<void>> {
  try {
    const release = await lock(directory, {
      stale: STALE_MS,
      realpath: false,
      onCompromised: () => undefined,
      lockfilePath: join(directory, '.running'),
    });
    // It fails where it was released before, or the directory is gone meanwhile: then there is nothing to release.
    return () => release().catch(() => undefined);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ELOCKED') throw new UsageError(`${directory} cannot be locked for this run (${code}).`);
    throw new Taken(
      `Another run writes to ${directory}: set RESULTS_DIR to another directory, or wait. ` +
        `If that run was killed, wait ${STALE_MS / 1000} s.`,
    );
  }
}

/** At least this many targets are run at a time, however busy the process is. */
const ALWAYS = 4;
const SAMPLE_MS = 25;
/** If a timer fires later than this, the process is busy enough: it notices answers late, and their times show less. */
const LATE_MS = 20;

/** Runs targets: those that share a key one after another, and no more at a time than the process keeps up with. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();
  private admission: Promise<void> = Promise.resolve();
  private underWay = 0;

  /** @param latenessMs measures how many milliseconds late a timer of this process fires */
  constructor(private readonly latenessMs: () => Promise<number> = lateness) {}

  /** Does the work once every earlier turn that shares a key with the target is over, and there is room. */
  async take(target: Target, work: () => Promise<void>): Promise<void> {
    const budgets = budgetsOf(target);
    const before = budgets.map((budget) => this.last.get(budget)).filter((turn) => turn !== undefined);
    const done = Promise.all(before).then(async () => {
      if (before.length > 0) await pause(target.rate.seconds * 1000 + MARGIN_MS);
      this.admission = this.admission.then(() => this.untilThereIsRoom());
      await this.admission;
      await work().finally(() => {
        this.underWay -= 1;
      });
    });
    for (const budget of budgets) this.last.set(budget, done);
    return done;
  }

  private async untilThereIsRoom(): Promise<void> {
    while (this.underWay >= ALWAYS && (await this.latenessMs()) > LATE_MS);
    this.underWay += 1;
  }
}

function budgetsOf({ accounts, baseURL }: Target): string[] {
  const { href } = new URL(baseURL);
  return accounts.map(({ apiKey }) => `${href}\n${apiKey}`);
}

async function lateness(): Promise<number> {
  const dueMs = performance.now() + SAMPLE_MS;
  await pause(SAMPLE_MS);
  return performance.now() - dueMs;
}
