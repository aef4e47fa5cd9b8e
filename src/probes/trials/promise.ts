/** Reads when the Reset of an accepted answer has passed, if that is sooner than a window (API description, section 8). */
import { probe } from '../../catalogue/probe';
import { LITTLE_MS } from '../../contract/bounds';
import { saidBy } from '../../evidence/http/headers';
import type { Exchange } from '../../evidence/model';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { turnsOf, waitedMs } from '../../evidence/time/gaps';
import { passesAtMs } from '../../evidence/time/server-clock';
import { MOST_TRIALS } from '../../limiter/another-trial';
import { MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { read } from '../requests';
import type { Moments } from './moments';

export class EarlyPromises {
  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
  ) {}

  /**
   * Where an accepted read promises budget sooner than a window: reads when that is due, with nothing sent between. A
   * promise that was kept is tried again: in another second of windows that last several, else later in a second.
   */
  async ask(account: string): Promise<void> {
    const { recorder, windowMs } = this;
    const beginnings = turnsOf(this.evidence, account).filter((turn) => waitedMs(turn) >= windowMs);
    let isPromised = beginnings.some(({ next }) => this.earlyMs(next) !== null || isPromisedAtOnce(next));
    const phases = Math.min(MOST_TRIALS, Math.max(2, Math.ceil(windowMs / 1000)));
    const most = this.moments.areShort || this.moments.areOfSeveralSeconds ? phases : 1;
    for (let [kept, broken] = [0, 0]; isPromised && kept < most && broken < 2 && !recorder.givenUp; ) {
      const wasRefused = await recorder.pace.turn(account, async () => {
        const sentFor = probe('promise', { account, trial: 1 + kept + broken });
        const first = await recorder.send(read(account, sentFor), {
          atMs: this.moments.lateInASecondMs(account, kept),
        });
        const atMs = first && this.earlyMs(first);
        const second = atMs === null ? null : await recorder.send(read(account, sentFor), { atMs });
        isPromised = second !== null || this.moments.areOfSeveralSeconds;
        return second !== null && isRefused(second, this.evidence);
      });
      if (wasRefused) broken += 1;
      else kept += 1;
    }
  }

  /** When an accepted response's Reset has passed, if that is certainly sooner than a window after it. */
  private earlyMs(accepted: Exchange): number | null {
    const reset = isAccepted(accepted) ? saidBy(accepted).reset : null;
    const passed = reset === null ? null : passesAtMs(reset, accepted, this.evidence);
    const dueMs = passed === null ? null : passed + LITTLE_MS + MARGIN_MS / 2;
    return dueMs !== null && dueMs < accepted.sentAtMs + this.windowMs - LITTLE_MS ? dueMs : null;
  }

  private get windowMs(): number {
    return this.recorder.pace.windowMs;
  }

  private get evidence() {
    return this.recorder.evidence();
  }
}

/** Whether Reset is no later than the response's own second: asked late in a second, it promises budget soon. */
function isPromisedAtOnce(exchange: Exchange): boolean {
  const { reset, dateSeconds } = saidBy(exchange);
  return isAccepted(exchange) && reset !== null && dateSeconds !== null && reset <= dateSeconds;
}
