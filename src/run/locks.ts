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

/** So many targets go side by side: a busy process notices answers late, and their times show less. */
const SIDE_BY_SIDE = 10;

/** Runs targets: those that share a key one after another, and no more at a time than the process keeps up with. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();
  private taken = 0;

  /** Does the work once every earlier turn that shares a key or the place with the target is over. */
  async take(target: Target, work: () => Promise<void>): Promise<void> {
    const budgets = budgetsOf(target);
    const isShared = budgets.some((budget) => this.last.has(budget));
    const names = [...budgets, `place ${this.taken % SIDE_BY_SIDE}`];
    this.taken += 1;
    const before = names.flatMap((name) => this.last.get(name) ?? []);
    const done = Promise.allSettled(before).then(async () => {
      if (isShared) await pause(target.rate.seconds * 1000 + MARGIN_MS);
      await work();
    });
    for (const name of names) this.last.set(name, done);
    return done;
  }
}

/** Returns a name for the budget of each account. */
function budgetsOf({ accounts, baseURL }: Target): string[] {
  const { href } = new URL(baseURL);
  return accounts.map(({ apiKey }) => `${href}\n${apiKey}`);
}
