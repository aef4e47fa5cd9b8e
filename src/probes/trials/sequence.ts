/** Sends requests of an account one after another, more than the rate allows (API description, section 8). */

import { isSameProbe, type ProbeRequest, probe } from '../../catalogue/probe';
import { burstSize } from '../../config/target';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { MOST_TRIALS, needsAnotherTrial } from '../../limiter/another-trial';
import { isOverRate, refusedBelowLimit, trialsOf } from '../../limiter/kept';
import { depthOf } from '../../limiter/level';
import { areApartInTime, userOf } from '../../limiter/timeline';
import { isPlainlyStricter } from '../../limiter/worlds';
import type { Recorder } from '../../recorder/recorder';
import { isTurnedAway, read } from '../requests';
import { DEEP, MOST_REFILLED_WINDOWS, type Moments } from './moments';

/** When a sequence asks again, in windows from its start: a window shorter than declared ends at an unknown time. */
const LATER_IN_WINDOWS = Array.from({ length: 19 }, (_, i) => 0.55 + (i * 1.1) / 18);
/** A sequence has this many fewer fast requests than a burst. */
const KEPT_FOR_LATER = 3;
/** The requests at each later time, so that much of the budget that came back is used up. */
const LATER_EACH = 2;

export class Sequences {
  private hasAskedAfterBursts = false;

  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
  ) {}

  /**
   * Sends requests one after another as fast as they answer, half of them over one connection and half over fresh ones.
   * @param opener what is sent first, in place of a plain read
   * @param withLater whether to send more that span the next windows
   * @param onUsedUp called once the budget is certainly used up: a request beyond it was refused, or has to queue
   */
  async ask(account: string, opener: ProbeRequest | null, withLater: boolean, onUsedUp: () => void): Promise<void> {
    const later = withLater ? LATER_IN_WINDOWS : [];
    for (let trial = 1; trial <= MOST_TRIALS; trial += 1) {
      // What is asked on both paths is asked again on both, unless the base path lets nobody in.
      const isAgain = opener?.path === '/' && !isTurnedAway(this.recorder, opener);
      const first = trial === 1 || isAgain ? opener : null;
      const isSent = await this.recorder.pace.turn(account, () =>
        this.oneSequence(account, trial, first, later, onUsedUp),
      );
      const isCertain = areApartInTime(
        this.accounts.flatMap((name) => refusedBelowLimit(this.evidence, name)),
        this.evidence,
      );
      // Behind a refused opener, the other order of the two paths was not seen.
      const isDue =
        (trial === 1 && this.wasRefusedAtTheBase(first)) || needsAnotherTrial(this.evidence, 'sequence', account);
      if (!isSent || isCertain || !isDue) return;
    }
  }

  /** Whether an opener on the base path was refused, though no stricter limit is known. */
  private wasRefusedAtTheBase(opener: ProbeRequest | null): boolean {
    if (opener?.path !== '/' || isPlainlyStricter(this.evidence)) return false;
    const answer = this.recorder.exchanges.findLast((exchange) => isSameProbe(exchange.probe, opener.probe));
    return answer !== undefined && isRefused(answer, this.evidence);
  }

  private async oneSequence(
    account: string,
    trial: number,
    opener: ProbeRequest | null,
    later: readonly number[],
    onUsedUp: () => void,
  ): Promise<boolean> {
    const { recorder, moments, windowMs } = this;
    const sentFor = probe('sequence', { account, trial });
    const size = burstSize(recorder.target);
    const fast = Math.max(1, size - KEPT_FOR_LATER);
    const reused = recorder.connection();
    const atMs = moments.freshMs(account, 'sequence', trial);
    const endMs = atMs + Math.max(...LATER_IN_WINDOWS) * windowMs;
    let faults = 0;
    try {
      const opened = opener && (await recorder.send(opener, { atMs, via: reused }));
      // A second request is sent even if the first answer takes longer than all this time.
      for (let i = opened && isAccepted(opened) ? 1 : 0; i < fast && (i < 2 || recorder.now() < endMs); i += 1) {
        const via = i < Math.ceil(fast / 2) ? { via: reused } : {};
        const callOff = i < recorder.target.rate.requests ? null : recorder.clock.after(windowMs / 4, onUsedUp);
        const exchange = await recorder.send(read(account, sentFor), { atMs, ...via });
        callOff?.();
        if (!exchange) return false;
        if (isRefused(exchange, this.evidence)) onUsedUp();
        if (exchange.fault) faults += 1;
        // Answers that break cost their whole time limit each, and the second tells no more.
        if (faults > 1) return true;
      }
    } finally {
      await reused.close();
    }
    if (this.isOver(account)) {
      onUsedUp();
      return true;
    }
    for (const windows of later) {
      const laterMs = atMs + windows * windowMs;
      if (laterMs < recorder.now()) continue;
      for (let i = 0; i < Math.min(LATER_EACH, recorder.target.rate.requests); i += 1) {
        const exchange = await recorder.send(read(account, sentFor), { atMs: laterMs });
        if (!exchange) return false;
        if (!isAccepted(exchange)) break;
      }
    }
    return true;
  }

  /**
   * Asks one after another what bursts were let through. A race lets more through at one moment alone; what a limiter
   * has stored lets it through either way.
   */
  async askAfterBursts(account: string): Promise<void> {
    if (this.hasAskedAfterBursts || !this.moments.areShort || this.accounts.some((name) => this.isOver(name))) return;
    this.hasAskedAfterBursts = true;
    const before = trialsOf(this.evidence, 'sequence', account).length;
    for (let trial = before + 1; trial <= before + 2; trial += 1) {
      this.recorder.pace.hold(account, MOST_REFILLED_WINDOWS * this.windowMs);
      const isSent = await this.recorder.pace.turn(account, () =>
        this.oneSequence(account, trial, null, [], () => undefined),
      );
      const { accepted } = userOf(trialsOf(this.evidence, 'sequence', account).at(-1) ?? []);
      const { rate } = this.recorder.target;
      if (!isSent || depthOf(accepted, rate) < DEEP * rate.requests) return;
    }
  }

  /** Whether an account's sequences let through more than any limiter of the declared rate. */
  private isOver(account: string): boolean {
    return isOverRate(this.evidence, 'sequence', account);
  }

  private get accounts(): string[] {
    return this.recorder.target.accounts.map(({ name }) => name);
  }

  private get windowMs(): number {
    return this.recorder.pace.windowMs;
  }

  private get evidence() {
    return this.recorder.evidence();
  }
}
