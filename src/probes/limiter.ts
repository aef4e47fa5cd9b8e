/**
 * What the rate limit is judged on (API description, section 8): requests one after another, at one moment, and after
 * a refusal. Each look begins with a budget that is certainly whole, and at another phase than the look before,
 * so that no boundary between windows can explain twice what is seen.
 */

import { longestHonestSeconds } from '../contract/bounds';
import { serverClockAtLeast, waitAskedSeconds } from '../evidence/clock';
import type { Exchange } from '../evidence/exchange';
import { rateHeaderOf } from '../evidence/headers';
import { needsAnotherLook } from '../evidence/looks';
import { isAccepted, isRefused } from '../evidence/outcome';
import { type Group, isSameProbe, probe } from '../evidence/probe';
import { LEAD_MS, MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { burstSize } from '../target/target';
import { read } from './requests';

/** No look is repeated more often than this. */
const MOST_LOOKS = 3;
/**
 * After a burst's fast requests, so far from its start in windows, it is seen again and again whether there is budget:
 * a window that is shorter than declared ends at a time that nobody knows.
 */
const LATER_IN_WINDOWS = Array.from({ length: 19 }, (_, i) => 0.55 + (i * 1.1) / 18);
/** So many fewer are sent as fast as they answer. */
const KEPT_FOR_LATER = 3;
/** So many at a time, so that much of a budget that is there again is used up. */
const LATER_EACH = 2;

export class LimiterProbes {
  constructor(private readonly recorder: Recorder) {}

  /**
   * Sends requests one after another as fast as they answer, half of them over one connection and half over fresh
   * ones, then three more that span the next windows.
   * @param onUsedUp called once the budget is certainly used up: a request beyond it was refused, or has to queue.
   */
  async sequence(account: string, onUsedUp: () => void): Promise<void> {
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      const exchanges = await this.turn(account, () => this.oneSequence(account, look, onUsedUp));
      if (!exchanges || !needsAnotherLook(this.evidence, 'sequence', account)) return;
    }
  }

  private async oneSequence(account: string, look: number, onUsedUp: () => void): Promise<boolean> {
    const { recorder, windowMs } = this;
    const sentFor = probe('sequence', { account, look });
    const size = burstSize(recorder.target);
    const fast = Math.max(1, size - KEPT_FOR_LATER);
    const reused = recorder.connection();
    const atMs = await this.freshMoment(account, 'sequence', look);
    const endMs = atMs + Math.max(...LATER_IN_WINDOWS) * windowMs;
    let faults = 0;
    try {
      for (let i = 0; i < fast && (i === 0 || recorder.now() < endMs); i += 1) {
        const via = i < Math.ceil(fast / 2) ? { via: reused } : {};
        const callOff = i < recorder.target.rate.requests ? null : recorder.clock.after(windowMs / 4, onUsedUp);
        const exchange = await recorder.send(read(account, sentFor), i === 0 ? { atMs, ...via } : via);
        callOff?.();
        if (!exchange) return false;
        if (isRefused(exchange, this.evidence)) onUsedUp();
        if (exchange.fault) faults += 1;
        // Answers that break cost their whole time limit each, and the second one tells no more.
        if (faults > 1) return true;
      }
    } finally {
      await reused.close();
    }
    for (const windows of LATER_IN_WINDOWS) {
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

  /** Sends requests at one moment over connections opened beforehand, then waits as the last refusal asks and reads. */
  async concurrent(account: string, withRecovery: boolean, withPaths: boolean): Promise<void> {
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      await this.turn(account, async () => {
        const burst = await this.oneConcurrent(account, look);
        if (withRecovery) await this.recovery(account, look, burst, withPaths && look === 1);
      });
      const again =
        needsAnotherLook(this.evidence, 'concurrent', account) ||
        (withRecovery && needsAnotherLook(this.evidence, 'recovery', account));
      // What another account did meanwhile must not explain a second refusal.
      if (withRecovery && needsAnotherLook(this.evidence, 'recovery', account)) this.recorder.pace.share();
      if (!again || this.recorder.givenUp) return;
    }
  }

  private async oneConcurrent(account: string, look: number): Promise<Exchange[]> {
    const { recorder } = this;
    const size = this.queues(account) ? 2 * recorder.target.rate.requests + 1 : burstSize(recorder.target);
    const atMs = await this.freshMoment(account, 'concurrent', look);
    const soon = Math.max(atMs, recorder.now() + LEAD_MS / 4);
    const requests = Array.from({ length: size }, () => read(account, probe('concurrent', { account, look })));
    return recorder.burst(requests, { atMs: soon });
  }

  /**
   * Sends one request when the last refusal says that there is budget again: after its Retry-After, or when
   * the server's clock has passed its Reset, whichever is sooner. Sooner shows the later one as well.
   */
  private async recovery(account: string, look: number, burst: Exchange[], withPaths: boolean): Promise<void> {
    const { recorder } = this;
    const refused = burst.filter((one) => isRefused(one, this.evidence) && one.response !== null);
    const last = refused.sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1);
    const sentFor = probe('recovery', { account, look });
    if (!last) {
      recorder.skip(sentFor, 'no request of the burst was refused, so there was nothing to recover from');
      if (withPaths) await this.twoPaths(account, look, recorder.pace.freshAtMs(account));
      return;
    }
    const atMs = this.promisedAtMs(last, burst) ?? recorder.pace.freshAtMs(account);
    if (withPaths) return this.twoPaths(account, look, atMs, sentFor);
    await recorder.send(read(account, sentFor), { atMs });
  }

  /** When a refusal promises budget, on the run's clock; a wait that is too long to be honest is not waited for. */
  private promisedAtMs(refusal: Exchange, burst: Exchange[]): number | null {
    const longestSeconds = longestHonestSeconds(this.recorder.target.rate);
    const waitSeconds = waitAskedSeconds(refusal, this.evidence)?.most ?? null;
    const afterRetryMs =
      waitSeconds === null || waitSeconds > longestSeconds + 1
        ? null
        : refusal.receivedAtMs + waitSeconds * 1000 + MARGIN_MS;
    const reset = rateHeaderOf(refusal, 'Reset');
    const clock = serverClockAtLeast(refusal.receivedAtMs, [...this.recorder.exchanges, ...burst]);
    const untilReset = reset === null || clock === null ? null : reset + 1 - clock;
    const afterResetMs =
      untilReset === null || untilReset < 0 || untilReset > longestSeconds + 1
        ? null
        : refusal.receivedAtMs + untilReset * 1000 + MARGIN_MS;
    if (afterRetryMs === null || afterResetMs === null) return afterRetryMs ?? afterResetMs;
    return Math.min(afterRetryMs, afterResetMs);
  }

  /** One request to each of the two paths, the second as soon as the first is answered. */
  async paths(account: string): Promise<void> {
    const firstLook = this.recorder.exchanges.some(
      (one) => one.probe.group === 'paths' && one.probe.account === account,
    )
      ? 2
      : 1;
    for (let look = firstLook; look <= MOST_LOOKS; look += 1) {
      if (look > 1 && !needsAnotherLook(this.evidence, 'paths', account)) return;
      await this.turn(account, async () =>
        this.twoPaths(account, look, await this.freshMoment(account, 'paths', look)),
      );
      if (this.recorder.givenUp) return;
    }
  }

  /** As many reads as the rate allows, at one moment, and as soon as they are answered one of the base path. */
  private async twoPaths(
    account: string,
    look: number,
    atMs: number,
    firstProbe = probe('paths', { account, look }),
  ): Promise<void> {
    const { recorder } = this;
    const reads = Array.from({ length: recorder.target.rate.requests }, () => read(account, firstProbe));
    const answered = await recorder.burst(reads, { atMs });
    if (answered.length === 0 || !answered.every(isAccepted)) return;
    await recorder.send({ ...read(account, probe('paths', { account, look })), path: '/' });
  }

  /** True where this server was seen to answer late instead of refusing. */
  private queues(account: string): boolean {
    const first = probe('sequence', { account });
    const sequence = this.recorder.exchanges.filter((one) => isSameProbe(one.probe, first));
    const late = sequence.filter((one) => isAccepted(one) && one.receivedAtMs - one.sentAtMs > this.windowMs / 2);
    return late.length > 0 && !sequence.some((one) => isRefused(one, this.evidence));
  }

  /** The next moment with a whole budget whose phase is another third of a window than that of earlier looks. */
  private async freshMoment(account: string, group: Group, look: number): Promise<number> {
    const dueMs = Math.max(this.recorder.pace.freshAtMs(account), this.recorder.now());
    // The first look at the paths begins with a recovery.
    const groups: Group[] = group === 'paths' ? ['paths', 'recovery'] : [group];
    const firsts = groups.map((name) => probe(name, { account }));
    const first = this.recorder.exchanges.find((one) => firsts.some((sentFor) => isSameProbe(one.probe, sentFor)));
    if (!first || look === 1) return dueMs;
    const wanted = (first.sentAtMs + ((look - 1) * this.windowMs) / 3) % this.windowMs;
    return dueMs + ((((wanted - dueMs) % this.windowMs) + this.windowMs) % this.windowMs);
  }

  private turn<T>(account: string, work: () => Promise<T>): Promise<T> {
    return this.recorder.pace.turn(account, work);
  }

  private get windowMs(): number {
    return this.recorder.pace.windowMs;
  }

  private get evidence() {
    return this.recorder.evidence();
  }
}
