/**
 * Keeps two runs of one machine or process from writing to one directory and from using one key at a time, and bounds how
 * many targets run at once.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { UsageError } from '../common/errors';
import { isOurTemporary, OWN_TEMPORARY } from '../common/files';
import { sha256Of } from '../common/text';
import type { Target } from '../config/target';

/** A lock that was not renewed for this long belongs to a process that is gone. */
const STALE_MS = 10_000;
const ASK_AGAIN_MS = 400;
/** A server may count a request a little later than it was sent. */
const MARGIN_MS = 100;

const options = { stale: STALE_MS, realpath: false, onCompromised: () => undefined };

/** Another run writes to the directory of results. */
export class Taken extends UsageError {}

type Release = () => Promise<void>;

/** Locks a directory of results for a run. @throws Taken if another run writes there */
export async function lockResults(directory: string): Promise<Release> {
  try {
    const release = await lock(directory, { ...options, lockfilePath: join(directory, '.running') });
    // It fails where the directory is gone, or is another one meanwhile: then there is nothing to release.
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

/**
 * Does some work while no other run of this machine uses a key of the target. If it had to wait, it lets a window of
 * the rate limit pass first. Each run has an end of its own (`limits.runSeconds`), and so has the wait for it.
 * @param onWait is called once if it has to wait
 */
export async function withKeysOf(
  target: Target,
  onWait: () => void,
  work: () => Promise<void>,
  directory = OWN_TEMPORARY,
): Promise<void> {
  // No other run uses the embedded server. Where others may write, or this user may not, locks are impossible.
  if (target.embedded || !isOurTemporary(directory)) return work();
  const releases: Release[] = [];
  let hasWaited = false;
  const take = async (name: string): Promise<void> => {
    try {
      releases.push(await lock(join(directory, name), options));
    } catch (error) {
      // Any other error is no reason to give up the run.
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') return;
      if (!hasWaited) onWait();
      hasWaited = true;
      await pause(ASK_AGAIN_MS);
      await take(name);
    }
  };
  try {
    // All runs lock in the same order, so that no two wait for each other.
    for (const name of [...new Set(budgetsOf(target))].sort()) await take(name);
    if (hasWaited) await pause(target.rate.seconds * 1000 + MARGIN_MS);
    await work();
  } finally {
    // Releasing a stale lock fails, because it belongs to another run by now.
    await Promise.allSettled(releases.map((release) => release()));
  }
}

/** Runs targets: those that share a key one after another, and no more at a time than the process keeps up with. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();
  private readonly admission = new Admission();

  /** Does the work once every earlier turn that shares a key with the target is over, and there is room. */
  async take(target: Target, work: () => Promise<void>): Promise<void> {
    const budgets = budgetsOf(target);
    const before = budgets.map((budget) => this.last.get(budget)).filter((turn) => turn !== undefined);
    const done = Promise.all(before).then(async () => {
      if (before.length > 0) await pause(target.rate.seconds * 1000 + MARGIN_MS);
      await this.admission.take(work);
    });
    for (const budget of budgets) this.last.set(budget, done);
    return done;
  }
}

/** Returns a name for the budget of each account. It is the same in every run, and reveals nothing of the key. */
function budgetsOf({ accounts, baseURL }: Target): string[] {
  const { href } = new URL(baseURL);
  return accounts.map(({ apiKey }) => sha256Of(`${href}\n${apiKey}`));
}

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
