/** Asks whether the base path shares the limit of /webhooks: one path after the other, and both at one moment. */
import { probe } from '../../catalogue/probe';
import type { Exchange } from '../../evidence/model';
import { isAccepted } from '../../evidence/responder/classify';
import { isQueue, usualLatencyMs } from '../../evidence/responder/queueing';
import { isAtTheBase } from '../../evidence/select';
import { ownOf } from '../../evidence/time/gaps';
import { isOneMoment, isPlain, MOST_TRIALS, needsAnotherTrial } from '../../limiter/another-trial';
import { trialsOf } from '../../limiter/kept';
import { reportedLimit } from '../../limiter/reported';
import { hasFailedOverLimit, timelineOf } from '../../limiter/timeline';
import { LEAD_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { afterUsedUp, answerable, read } from '../requests';
import type { Moments } from './moments';

export class BothPaths {
  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
  ) {}

  /** Sends requests to both paths, the second as soon as the first is answered, or where that takes long, with it. */
  async ask(account: string): Promise<void> {
    const wasLookedAt = trialsOf(this.evidence, 'paths', account).length > 0;
    for (let trial = wasLookedAt ? 2 : 1; trial <= MOST_TRIALS && !this.recorder.givenUp; trial += 1) {
      if (trial > 1 && !this.isDueAtOnce(account) && !needsAnotherTrial(this.evidence, 'paths', account)) return;
      await this.recorder.pace.turn(account, async () => {
        const atMs = this.moments.freshMs(account, 'paths', trial);
        if (this.areAskedAtOnce(account)) await this.askAtOnce(account, trial, atMs);
        else await this.askInTurn(account, trial, atMs);
      });
    }
  }

  /** Whether both paths are still to be asked at one moment: of several requests a window, that shows either order. */
  private isDueAtOnce(account: string): boolean {
    const wasAskedAtOnce = trialsOf(this.evidence, 'paths', account).some((trial) =>
      isOneMoment(trial.map(({ exchange }) => exchange)),
    );
    return (
      this.recorder.target.rate.requests > 1 && this.moments.areShort && !wasAskedAtOnce && this.areAskedAtOnce(account)
    );
  }

  /**
   * Whether both paths, of which the base path is served, are asked at one moment. Where answers take long, a bucket may
   * gain a request before the second path can be asked after the first.
   */
  private areAskedAtOnce(account: string): boolean {
    const { requests, seconds } = this.recorder.target.rate;
    // A bucket explains that all was let in.
    const wasTooSlow = trialsOf(this.evidence, 'paths', account).some(
      (trial) => trial.every(({ outcome }) => outcome === 'accepted') && isPlain(trial, this.evidence),
    );
    const isSlower = 3 * usualLatencyMs(this.evidence) > seconds * 1000;
    // What failed over the limit is asked again over the limit: there it may be no accident.
    const hasFailed = ownOf(this.evidence, account).some((exchange) => hasFailedOverLimit(exchange, this.evidence));
    const isServed = timelineOf(this.evidence, account).some(
      ({ exchange, outcome }) => isAtTheBase(exchange) && outcome === 'accepted',
    );
    const mayBe = isServed && !isQueue(this.evidence) && !hasFailed;
    return mayBe && (requests > 1 || isSlower || wasTooSlow);
  }

  /** Sends as many requests to each path, in turn, as the rate allows, all at one moment. */
  private async askAtOnce(account: string, trial: number, atMs: number): Promise<void> {
    const sentFor = probe('paths', { account, trial });
    const both = [read(account, sentFor), { ...read(account, sentFor), path: '/' }];
    const requests = Array.from({ length: this.recorder.target.rate.requests }, () => both).flat();
    await this.recorder.burst(requests, { atMs: Math.max(atMs, this.recorder.now() + LEAD_MS / 4) });
  }

  /** Sends as many reads as the rate allows at one moment, and one to the base path once all are accepted. */
  async askInTurn(
    account: string,
    trial: number,
    atMs: number,
    first = read(account, probe('paths', { account, trial })),
  ): Promise<Exchange[]> {
    const { recorder } = this;
    const { requests } = recorder.target.rate;
    // A queue is asked while it is full, unless it holds back fewer requests than it tells.
    const isToldMore = (reportedLimit(account, this.evidence) ?? 0) > requests;
    const isFilled = first.probe.group === 'paths' && !isToldMore && isQueue(this.evidence);
    const size = answerable(recorder, account, isFilled ? 2 * requests : requests);
    const reads = Array.from({ length: size }, () => first);
    await recorder.pace.until(atMs);
    const sending = recorder.burst(reads, { atMs });
    if (isFilled) await afterUsedUp(recorder, sending, () => this.askBase(account, trial), true);
    const answered = await sending;
    if (!isFilled && answered.length > 0 && answered.every(isAccepted)) await this.askBase(account, trial);
    return answered;
  }

  async askBase(account: string, trial: number): Promise<void> {
    await this.recorder.send({ ...read(account, probe('paths', { account, trial })), path: '/' });
  }

  private get evidence() {
    return this.recorder.evidence();
  }
}
