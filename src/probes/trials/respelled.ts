/** Asks in ways that a careless limiter does not count, when the budget is used up (API description, section 8). */
import type { Need } from '../../catalogue/catalogue';
import { formsOf, type ProbeRequest } from '../../catalogue/probe';
import { isQueue } from '../../evidence/responder/queueing';
import { MOST_TRIALS } from '../../limiter/another-trial';
import { isRoundTheLimit, mayBeRoundTheLimit } from '../../limiter/kept';
import type { Recorder } from '../../recorder/recorder';
import { afterUsedUp, answerable, keysOf, mostHeld } from '../requests';
import type { Moments } from './moments';

/** At one request a window, two that are let in right after a plain one are more than the end of a window explains. */
const OF_EACH = 2;

export class Respelled {
  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
  ) {}

  /**
   * Uses up what is left of the budget with plain reads, and sends each spelling. Again in fresh windows, at other phases, where only the end of
   * a window would explain what was let in.
   */
  async ask(account: string, planned: ReadonlySet<Need>): Promise<void> {
    const { recorder } = this;
    const others = this.formsOf('other-answers', account).filter(({ method }) => method !== 'HEAD');
    for (let trial = 1; trial <= MOST_TRIALS && !recorder.givenUp; trial += 1) {
      const evidence = recorder.evidence();
      const isOpen = mayBeRoundTheLimit(evidence, account) && !isRoundTheLimit(evidence, account);
      if (trial > 1 && !isOpen) return;
      // A queue answers one after another, and what it does not count shows at once.
      const isHeld = isQueue(evidence);
      const ofEach = isHeld ? 1 : OF_EACH;
      const numbered = (count: number, isPlain: boolean) =>
        Array.from({ length: count }, () => this.formsOf('respelled', account))
          .flat()
          .filter(({ probe: { form } }) => (form === 'plain') === isPlain)
          .map((request) => ({ ...request, probe: { ...request.probe, trial } }));
      const spelled = [...(trial === 1 && planned.has('other-answers') ? others : []), ...numbered(ofEach, false)];
      await recorder.pace.turn(account, async () => {
        const atMs = trial > 1 ? this.moments.freshMs(account, 'respelled', trial) : recorder.now();
        await recorder.pace.until(atMs);
        const plain = recorder.burst(numbered(mostHeld(recorder) + (isHeld ? 1 : 0), true), { atMs });
        const count = isHeld ? answerable(recorder, account, spelled.length) : spelled.length;
        const sendAll = () => recorder.burst(spelled.slice(0, count), { atMs: recorder.now() });
        await afterUsedUp(recorder, plain, sendAll, isHeld);
      });
    }
  }

  private formsOf(group: 'respelled' | 'other-answers', account: string): ProbeRequest[] {
    return formsOf(group, keysOf(this.recorder), account);
  }
}
