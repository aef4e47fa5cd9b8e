/** Decides after how many broken answers nothing more is sent. */
import type { Fault, KeyHolder } from '../evidence/model';

const BROKEN_IN_A_ROW = 8;
/** Fewer, as long as no exchange has worked. */
const BROKEN_FROM_THE_START = 3;
const TIMEOUTS_IN_ALL = 10;

export class CircuitBreaker {
  hasAnswer = false;
  private brokenInARow = 0;
  private timeouts = 0;

  /** Notes how an exchange ended. @param fault `null` for a whole answer @param account the owner of its valid key */
  note(fault: Fault | null, account: KeyHolder): void {
    // A firewall may reset connections after wrong keys. Such resets cost no time, and valid keys show whether the
    // server is still there. Other faults count, such as a refused connection: then nothing listens any more.
    if (account === null && this.hasAnswer && fault?.kind === 'reset') return;
    this.hasAnswer ||= fault === null;
    this.brokenInARow = fault === null ? 0 : this.brokenInARow + 1;
    if (fault?.kind === 'timeout') this.timeouts += 1;
  }

  /** True once the server has broken so many answers that more requests would only take time. */
  get isOpen(): boolean {
    const most = this.hasAnswer ? BROKEN_IN_A_ROW : BROKEN_FROM_THE_START;
    return this.brokenInARow >= most || this.timeouts >= TIMEOUTS_IN_ALL;
  }
}
