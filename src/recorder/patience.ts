/** How many broken answers are put up with before nothing more is sent. */
import type { Fault, KeyHolder } from '../evidence/exchange';

/** So many exchanges that broke one after another are enough … */
const BROKEN_IN_A_ROW = 8;
/** … or fewer, where none has worked so far … */
const BROKEN_FROM_THE_START = 3;
/** … or so many in all that ran out of time. */
const TIMEOUTS_IN_ALL = 10;

export class Patience {
  /** True once one whole answer has come. */
  hasAnswer = false;
  private brokenInARow = 0;
  private timeouts = 0;

  /** Notes how one exchange ended: with a fault, or with a whole answer. @param account whose valid key it carried */
  note(fault: Fault | null, account: KeyHolder): void {
    // A firewall may reset connections after wrong keys: valid keys tell whether the server is there, and none of it takes
    // time. Where nothing listens any more, the server is gone.
    if (account === null && this.hasAnswer && fault?.kind === 'reset') return;
    this.hasAnswer ||= fault === null;
    this.brokenInARow = fault === null ? 0 : this.brokenInARow + 1;
    if (fault?.kind === 'timeout') this.timeouts += 1;
  }

  /** True once the server has broken so many answers that asking on would only take time. */
  get isOver(): boolean {
    const most = this.hasAnswer ? BROKEN_IN_A_ROW : BROKEN_FROM_THE_START;
    return this.brokenInARow >= most || this.timeouts >= TIMEOUTS_IN_ALL;
  }
}
