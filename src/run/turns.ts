/** When each of the targets of one run is sent to. */
import { setTimeout as pause } from 'node:timers/promises';
import { MARGIN_MS } from '../recorder/pace';
import type { Target } from '../target/target';
import { Admission } from './admission';
import { budgetsOf } from './budgets';

/**
 * Lets targets that share a key of one server go one after another, so that neither uses up the other's budget, and no more
 * of them at a time than the process keeps up with.
 */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();
  private readonly admission = new Admission();

  /** Does the work when the turns before it that share a key with the target are over, and there is room. */
  async take(target: Target, work: () => Promise<void>): Promise<void> {
    const budgets = budgetsOf(target);
    const before = budgets.map((budget) => this.last.get(budget)).filter((one) => one !== undefined);
    const done = Promise.all(before).then(async () => {
      if (before.length > 0) await pause(target.rate.seconds * 1000 + MARGIN_MS);
      await this.admission.take(work);
    });
    for (const budget of budgets) this.last.set(budget, done);
    return done;
  }
}
