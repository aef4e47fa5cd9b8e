/**
 * What the rate limit is judged on (API description, section 8): requests one after another, at one moment, and after
 * a refusal. Each look begins with a budget that is certainly whole, and at another phase than the look before,
 * so that no boundary between windows can explain twice what is seen.
 */

import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import { passesAtMs, waitAskedSeconds } from '../evidence/clock';
import type { Exchange } from '../evidence/exchange';
import { dateOf, rateHeaderOf } from '../evidence/headers';
import { isHeldBack, usualLatencyMs } from '../evidence/held-back';
import { isOverRate, looksOf, needsAnotherLook } from '../evidence/looks';
import { isAccepted, isRefused } from '../evidence/outcome';
import { type Group, isSameProbe, probe } from '../evidence/probe';
import { ownOf } from '../evidence/turns';
import { LEAD_MS, MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { burstSize } from '../target/target';
import { read } from './requests';

/** No look is repeated more often than this. */
const MOST_LOOKS = 3;
/** Two for each of the two promises of a refusal. */
const MOST_RECOVERIES = 4;
/**
 * After a burst's fast requests, so far from its start in windows, it is seen again and again whether there is budget:
 * a window that is shorter than declared ends at a time that nobody knows.
 */
const LATER_IN_WINDOWS = Array.from({ length: 19 }, (_, i) => 0.55 + (i * 1.1) / 18);
/** So many fewer are sent as fast as they answer. */
const KEPT_FOR_LATER = 3;
/** Answering the last of a queue must leave so much of the time limit. */
const SPARE_MS = 500;
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
    if (isOverRate(looksOf(this.evidence, 'sequence', account), this.evidence, account)) {
      onUsedUp();
      return true;
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
    for (let look = 1; look <= MOST_RECOVERIES; look += 1) {
      await this.turn(account, async () => {
        const burst = await this.oneConcurrent(account, look);
        // Nothing recovers on a server that is known not to keep a limit.
        const isOver = isOverRate(looksOf(this.evidence, 'concurrent', account), this.evidence, account);
        if (withRecovery && !isOver) await this.recovery(account, look, burst, withPaths && look === 1);
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
    const size = this.queues(account) ? this.queueableSize() : burstSize(recorder.target);
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
    const atMs = this.promisedAtMs(last, look) ?? recorder.pace.freshAtMs(account);
    if (withPaths) return this.twoPaths(account, look, atMs, sentFor);
    await recorder.send(read(account, sentFor), { atMs });
  }

  /**
   * When a refusal promises budget, on the run's clock; a wait that is too long to be honest is not waited for. The
   * sooner promise shows the later one as well where it is kept. Where it was broken twice, the later one is waited for.
   */
  private promisedAtMs(refusal: Exchange, look: number): number | null {
    const longestMs = (longestHonestSeconds(this.recorder.target.rate) + 1) * 1000;
    const isHonest = (atMs: number | null) => atMs !== null && atMs <= refusal.receivedAtMs + longestMs;
    const waitSeconds = waitAskedSeconds(refusal, this.evidence)?.most ?? null;
    const reset = rateHeaderOf(refusal, 'Reset');
    const byRetryAfter = waitSeconds === null ? null : refusal.receivedAtMs + waitSeconds * 1000;
    const byReset = reset === null ? null : passesAtMs(reset, refusal, this.evidence);
    const promised = [byReset, byRetryAfter].filter(isHonest) as number[];
    const choose = look <= 2 ? Math.min : Math.max;
    return promised.length > 0 ? choose(...promised) + LITTLE_MS + MARGIN_MS / 2 : null;
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
    const sequence = ownOf(this.evidence, account).filter(({ probe }) => probe.group === 'sequence');
    return (
      sequence.some((one) => isHeldBack(one, this.evidence)) && !sequence.some((one) => isRefused(one, this.evidence))
    );
  }

  /** A whole burst, or as much of it as a server that holds all back can answer in the time that it has. */
  private queueableSize(): number {
    const { rate, limits } = this.recorder.target;
    const leftMs = limits.timeoutSeconds * 1000 - 3 * usualLatencyMs(this.evidence) - SPARE_MS;
    const fits = Math.floor((leftMs / this.windowMs) * rate.requests) + 1;
    return Math.max(2 * rate.requests + 1, Math.min(burstSize(this.recorder.target), fits));
  }

  /**
   * Where an accepted read promises budget sooner than a window has passed: a read as soon as that promise is due, with
   * nothing sent meanwhile.
   */
  async promise(account: string): Promise<void> {
    const { recorder } = this;
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      const isPromised = ownOf(this.evidence, account).some((one) => this.earlyMs(one) !== null);
      const reads = recorder.exchanges.filter((one) => one.probe.group === 'promise');
      const refused = reads.filter((one) => isRefused(one, this.evidence));
      if (!isPromised || refused.length > 1 || recorder.givenUp) return;
      await this.turn(account, async () => {
        const sentFor = probe('promise', { account, look });
        const first = await recorder.send(read(account, sentFor), { atMs: this.lateInASecond(account) });
        const atMs = first && this.earlyMs(first);
        if (atMs !== null) await recorder.send(read(account, sentFor), { atMs });
      });
    }
  }

  /** When the Reset of an accepted response has passed, if that is certainly sooner than a window after it. */
  private earlyMs(accepted: Exchange): number | null {
    const reset = isAccepted(accepted) ? rateHeaderOf(accepted, 'Reset') : null;
    const passed = reset === null ? null : passesAtMs(reset, accepted, this.evidence);
    const dueMs = passed === null ? null : passed + LITTLE_MS + MARGIN_MS / 2;
    return dueMs !== null && dueMs < accepted.sentAtMs + this.windowMs - LITTLE_MS ? dueMs : null;
  }

  /** A moment with a whole budget, late in a second of the server's clock: a Reset that names that second has soon passed. */
  private lateInASecond(account: string): number {
    const freshMs = Math.max(this.recorder.pace.freshAtMs(account), this.recorder.now());
    const [last] = ownOf(this.evidence, account).slice(-1);
    const date = last && dateOf(last);
    const secondMs = last && date !== null && date !== undefined ? passesAtMs(date, last, this.evidence) : null;
    if (secondMs === null) return freshMs;
    const wanted = secondMs + 600;
    return freshMs + ((((wanted - freshMs) % 1000) + 1000) % 1000);
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
