/** Asks in ways that a careless limiter does not count, when the budget is used up (API description, section 8). */
import type { Need } from '../../catalogue/catalogue';
import { formsOf, type ProbeRequest } from '../../catalogue/requests';
import { isQueue } from '../../evidence/responder/queueing';
import { MOST_TRIALS } from '../../limiter/another-trial';
import { isRoundTheLimit, mayBeRoundTheLimit } from '../../limiter/bypass';
import type { Recorder } from '../../recorder/recorder';
import { answerable, keysOf } from '../requests';
import type { Moments } from './moments';

/** At one request a window, two that are let in beside a plain one are more than the end of a window explains. */
const OF_EACH = 2;

export class Respelled {
  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
  ) {}

  /**
   * Sends each spelling beside as many plain reads as the rate allows. The first time, other trials have just used the budget up.
   * Again in fresh windows, at other phases, where only the end of a window would explain what was let in.
   */
  async ask(account: string, planned: ReadonlySet<Need>): Promise<void> {
    const { recorder } = this;
    for (let trial = 1; trial <= MOST_TRIALS && !recorder.givenUp; trial += 1) {
      const evidence = recorder.evidence();
      const isOpen = mayBeRoundTheLimit(evidence, account) && !isRoundTheLimit(evidence, account);
      if (trial > 1 && !isOpen) return;
      const others = this.formsOf('other-answers', account).filter(({ method }) => method !== 'HEAD');
      const isFirst = trial === 1 && planned.has('other-answers');
      const requests = [...(isFirst ? others : []), ...this.spelled(account, trial)];
      await recorder.pace.turn(account, () => {
        const atMs = trial > 1 ? this.moments.freshMs(account, 'respelled', trial) : recorder.now();
        return recorder.burst(requests, { atMs });
      });
    }
  }

  private spelled(account: string, trial: number): ProbeRequest[] {
    const { recorder } = this;
    const { requests } = recorder.target.rate;
    // A queue answers one after another, and what it does not count shows at once.
    const isHeld = isQueue(recorder.evidence());
    const isSent = (form: string, round: number) =>
      form === 'plain' ? !isHeld && round < requests : round < (isHeld ? 1 : OF_EACH);
    const rounds = Array.from({ length: Math.max(OF_EACH, requests) }, (_, round) =>
      this.formsOf('respelled', account).filter(({ probe: { form } }) => isSent(form, round)),
    );
    const numbered = rounds.flat().map((request) => ({ ...request, probe: { ...request.probe, trial } }));
    return isHeld ? numbered.slice(0, answerable(recorder, account, numbered.length)) : numbered;
  }

  private formsOf(group: 'respelled' | 'other-answers', account: string): ProbeRequest[] {
    return formsOf(group, keysOf(this.recorder), account);
  }
}
