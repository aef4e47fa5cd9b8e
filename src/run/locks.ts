/** What two runs of one machine, or of one process, must not do at once: write into one directory, and use one key. */
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { UsageError } from '../common/usage-error';
import { isWritable } from '../common/writable';
import { sha256Of } from '../contract/digest';
import type { Target } from '../target/target';
import { Admission } from './admission';

/** How the message of a directory begins that another run writes to. */
export const TAKEN = 'Another run writes to';
/** A lock that was not renewed for so long is of a process that is gone. */
const STALE_MS = 10_000;
const ASK_AGAIN_MS = 400;
/** A server may count a request a little later than it was sent. */
const MARGIN_MS = 100;

const options = { stale: STALE_MS, realpath: false, onCompromised: () => undefined };

/** Ends a lock. */
type Release = () => Promise<void>;

/**
 * Keeps a directory of results to one run.
 * @param shard which part of a run writes there: parts may share a directory
 * @throws UsageError where another run writes there
 */
export async function lockResults(directory: string, shard = ''): Promise<Release> {
  try {
    return await lock(directory, { ...options, lockfilePath: join(directory, `.running${shard && `-${shard}`}`) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    throw new UsageError(
      `${TAKEN} ${directory}: set RESULTS_DIR to another directory, or wait. ` +
        `If that run was killed, wait ${STALE_MS / 1000} s.`,
    );
  }
}

/**
 * Does some work while no other run of this machine uses a key of the target. Where it had to wait, a window of the rate limit
 * passes first.
 * @param onWait is called once if it has to wait
 */
export async function withKeysOf(target: Target, onWait: () => void, work: () => Promise<void>): Promise<void> {
  const directory = join(tmpdir(), `assessment-api-conformance-${userInfo().uid}`);
  // Where nothing can be kept, nothing can be agreed upon.
  if (target.embedded || !isWritable(directory)) return work();
  const releases: Release[] = [];
  let hasWaited = false;
  try {
    // In one order for all, so that no two wait for each other.
    for (const name of [...new Set(budgetsOf(target))].sort()) {
      for (;;) {
        const release = await lock(join(directory, name), options).catch((error: NodeJS.ErrnoException) => {
          // What cannot be locked for another reason is no reason not to run.
          return error.code === 'ELOCKED' ? null : async () => undefined;
        });
        if (release) {
          releases.push(release);
          break;
        }
        if (!hasWaited) onWait();
        hasWaited = true;
        await pause(ASK_AGAIN_MS);
      }
    }
    if (hasWaited) await pause(target.rate.seconds * 1000 + MARGIN_MS);
    await work();
  } finally {
    // A lock that went stale fails here: it belongs to another run by now.
    await Promise.allSettled(releases.map((release) => release()));
  }
}

/**
 * Lets targets of one run that share a key of one server go one after another, so that neither uses up the other's budget,
 * and no more of them at a time than the process keeps up with.
 */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();
  private readonly admission = new Admission();

  /** Does the work when the turns before it that share a key with the target are over, and there is room. */
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

/** A name for the budget of each account of a target, the same in every run; it tells nothing of the key. */
function budgetsOf({ accounts, baseURL }: Target): string[] {
  const { href } = new URL(baseURL);
  return accounts.map(({ apiKey }) => sha256Of(`${href}\n${apiKey}`));
}
