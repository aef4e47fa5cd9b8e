/**
 * Sends what the rate limit is judged on (API description, section 8): requests one after another, at one moment, and
 * after a refusal. Each trial begins with a whole budget, and at another phase than the trial before, so that no boundary
 * between windows explains both.
 */

import type { Group } from '../catalogue/catalogue';
import { isSameProbe, probe } from '../catalogue/probe';
import type { ProbeRequest } from '../catalogue/requests';
import { nextOfPhase } from '../common/phase';
import { burstSize } from '../config/target';
import { LITTLE_MS, longestHonestSeconds, longestMemoryMs } from '../contract/bounds';
import { saidBy } from '../evidence/http/headers';
import type { Exchange } from '../evidence/model';
import { isAccepted, isRefused, letThrough } from '../evidence/responder/classify';
import { isHeldBack, isQueue, usualLatencyMs } from '../evidence/responder/queueing';
import { ownOf, turnsOf, waitedMs } from '../evidence/time/gaps';
import { passesAtMs, waitAskedSeconds } from '../evidence/time/server-clock';
import { MOST_TRIALS, needsAnotherTrial } from '../rate-limit/another-trial';
import { isBaseServed, isOneMoment, pathTrials } from '../rate-limit/both-paths';
import { decisionOf, depthOf, TELLING_DECISIONS } from '../rate-limit/limiters';
import { isUndisturbed } from '../rate-limit/own-budgets';
import { refusedBelowLimit, toldTo } from '../rate-limit/told-limit';
import { isOverRate, trialsOf } from '../rate-limit/trials';
import { LEAD_MS, MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { acceptedForms, afterUsedUp, isSlow, queuedInTime, read, SHORT_WINDOW_MS } from './requests';

/** This many recoveries rely on the sooner promise of a refusal, and as many on the later one. */
const SOONER_RECOVERIES = 2;
/** The most recoveries of an account in one turn. */
const MOST_RECOVERIES = 2 * SOONER_RECOVERIES + 1;
/** When a sequence asks again, in windows from its start: a window shorter than declared ends at an unknown time. */
const LATER_IN_WINDOWS = Array.from({ length: 19 }, (_, i) => 0.55 + (i * 1.1) / 18);
/** A promise is asked for this late in a second of the server's clock. */
const LATE_IN_A_SECOND_MS = 800;
/** A sequence has this many fewer fast requests than a burst. */
const KEPT_FOR_LATER = 3;
/** The requests at each later time, so that much of the budget that came back is used up. */
const LATER_EACH = 2;

/** In budgets. Windows of the declared rate look nearly as deep where the end of one falls between requests. */
const DEEP = 1.6;
/** A bucket is waited for so long at most, and `SHORT_WINDOW_MS`: more than twice the rate at once needs no second trial. */
const MOST_REFILLED_WINDOWS = 3;

/** How often an account was asked whether its budget is back, and whether it was refused the last time. */
interface Recovered {
  trials: number;
  /** How often it was refused while no other account was busy: only that can break a promise. */
  broken: number;
  isRefused: boolean;
}

export class LimiterProbes {
  /** The account whose recovery is tried again. */
  private repeating: string | null = null;
  /** The account whose first burst comes after a silence. */
  private quiet: string | null = null;
  private hasAskedAfterBursts = false;

  constructor(private readonly recorder: Recorder) {}

  /**
   * Sends requests one after another as fast as they answer, half of them over one connection and half over fresh ones.
   * @param opener what is sent first, in place of a plain read
   * @param withLater whether to send more that span the next windows
   * @param onUsedUp called once the budget is certainly used up: a request beyond it was refused, or has to queue
   */
  async sequence(
    account: string,
    opener: ProbeRequest | null,
    withLater: boolean,
    onUsedUp: () => void,
  ): Promise<void> {
    const later = withLater ? LATER_IN_WINDOWS : [];
    for (let trial = 1; trial <= MOST_TRIALS; trial += 1) {
      // What is asked on both paths is asked again on both.
      const first = trial === 1 || opener?.path === '/' ? opener : null;
      const isSent = await this.turn(account, () => this.oneSequence(account, trial, first, later, onUsedUp));
      const isCertain = refusedBelowLimit(this.evidence).size > 0;
      if (!isSent || isCertain || !needsAnotherTrial(this.evidence, 'sequence', account)) return;
    }
  }

  private async oneSequence(
    account: string,
    trial: number,
    opener: ProbeRequest | null,
    later: readonly number[],
    onUsedUp: () => void,
  ): Promise<boolean> {
    const { recorder, windowMs } = this;
    const sentFor = probe('sequence', { account, trial });
    const size = burstSize(recorder.target);
    const fast = Math.max(1, size - KEPT_FOR_LATER);
    const reused = recorder.connection();
    const atMs = this.freshMoment(account, 'sequence', trial);
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
    if (this.isOver('sequence', account)) {
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
   * Sends requests at one moment over open connections. Then waits as the last refusal asks and reads, again if that is
   * refused. This needs `withRecovery`, or a burst of which nothing was let through.
   */
  async concurrent(
    account: string,
    { withRecovery, withPaths, withSequence }: Record<'withRecovery' | 'withPaths' | 'withSequence', boolean>,
  ): Promise<void> {
    const { pace } = this.recorder;
    const wereShared = pace.shared;
    let recovered: Recovered = { trials: 0, broken: 0, isRefused: false };
    let needsRecovery = withRecovery;
    for (let trial = 1; !this.recorder.givenUp; trial += 1) {
      const isDue = () => trial === 1 || needsRecovery || needsAnotherTrial(this.evidence, 'concurrent', account);
      // Another account may have shown what this one was to show, while it waited for its turn.
      const after = await this.turn(account, async () =>
        isDue() ? this.burstAndRecover(account, trial, recovered, needsRecovery, withPaths && trial === 1) : null,
      );
      if (!after) break;
      recovered = after;
      // Other accounts need not show again what one account shows.
      if (recovered.isRefused) this.repeating ??= account;
      const isBroken =
        recovered.isRefused &&
        recovered.broken < SOONER_RECOVERIES &&
        this.repeating === account &&
        trial < MOST_TRIALS;
      // In windows of several seconds, a wait rounded down shows at some phases only.
      const isAtOtherPhase = needsRecovery && !recovered.isRefused && trial === 1 && this.isOfSeveralSeconds;
      needsRecovery = isBroken || isAtOtherPhase;
      // Another account's requests must not explain a second refusal.
      if (isBroken) pace.share();
      // A burst tells nothing about an account that does not recover.
      else if (!isAtOtherPhase && recovered.isRefused && recovered.broken > SOONER_RECOVERIES) break;
    }
    // An account that was refused alone too was not refused because of another one.
    if (this.repeating === account && recovered.trials > 1 && !wereShared) pace.unshare();
    if (withSequence && this.isOver('concurrent', account)) await this.sequenceAfterBursts(account);
  }

  /**
   * Asks one after another what bursts were let through. A race lets more through at one moment alone; what a limiter
   * has stored lets it through either way.
   */
  private async sequenceAfterBursts(account: string): Promise<void> {
    const names = this.recorder.target.accounts.map(({ name }) => name);
    if (this.hasAskedAfterBursts || !this.areShort || names.some((name) => this.isOver('sequence', name))) return;
    this.hasAskedAfterBursts = true;
    const before = trialsOf(this.evidence, 'sequence', account).length;
    for (let trial = before + 1; trial <= before + 2; trial += 1) {
      this.recorder.pace.hold(account, MOST_REFILLED_WINDOWS * this.windowMs);
      const isSent = await this.turn(account, () => this.oneSequence(account, trial, null, [], () => undefined));
      const through = letThrough(trialsOf(this.evidence, 'sequence', account).at(-1) ?? [], this.evidence);
      const { rate } = this.recorder.target;
      if (!isSent || depthOf(through.map(decisionOf), rate) < DEEP * rate.requests) return;
    }
  }

  /**
   * Sends one burst, and reads when it promises budget. After the sooner promise was broken twice, waits for the later
   * one in the same turn.
   */
  private async burstAndRecover(
    account: string,
    trial: number,
    before: Recovered,
    needsRecovery: boolean,
    withPaths: boolean,
  ): Promise<Recovered> {
    const burst = await this.oneConcurrent(account, trial);
    let refusal = this.lastRefusal(burst);
    // What is accepted later than the refusal may move what it promises, so another refusal is asked for.
    if (needsRecovery && refusal !== null && this.movedMs(refusal) > 0)
      refusal = this.lastRefusal(await this.oneMore(account, trial)) ?? refusal;
    // Only a recovery tells a limiter that refuses a whole burst from one that has not recovered.
    const isEmpty = refusal !== null && letThrough(burst, this.evidence).length === 0;
    // A server that is known to keep no limit has nothing to recover from.
    if (!(needsRecovery || isEmpty) || this.isOver('concurrent', account)) {
      // The burst has used up the budget, so if the base path accepts, it has a budget of its own.
      if (withPaths) await this.otherPath(account, 1);
      return { ...before, isRefused: false };
    }
    let { broken } = before;
    for (let trials = before.trials + 1; ; trials += 1) {
      refusal = await this.recovery(account, trials, refusal, withPaths, broken >= SOONER_RECOVERIES);
      if (refusal === null) return { trials, broken, isRefused: false };
      if (isUndisturbed(refusal, this.evidence)) broken += 1;
      const [soonMs, lateMs] = this.promisedAtMs(refusal);
      const isLast = broken < SOONER_RECOVERIES || broken >= 2 * SOONER_RECOVERIES || soonMs === lateMs;
      if (isLast || trials >= MOST_RECOVERIES) return { trials, broken, isRefused: true };
    }
  }

  private async oneConcurrent(account: string, trial: number): Promise<Exchange[]> {
    const { recorder } = this;
    const size = this.answerable(account, burstSize(recorder.target));
    this.quiet ??= account;
    const atMs = Math.max(this.freshMoment(account, 'concurrent', trial), this.quietAtMs(account));
    const soon = Math.max(atMs, recorder.now() + LEAD_MS / 4);
    const sentFor = probe('concurrent', { account, trial });
    const ways = acceptedForms(sentFor, recorder);
    const requests = Array.from({ length: size }, (_, i) => ways[i % ways.length] ?? read(account, sentFor));
    return recorder.burst(requests, { atMs: soon });
  }

  /** Sends one request more, right after a burst. */
  private async oneMore(account: string, trial: number): Promise<Exchange[]> {
    const exchange = await this.recorder.send(read(account, probe('recovery', { account, trial })));
    return exchange ? [exchange] : [];
  }

  private lastRefusal(exchanges: readonly Exchange[]): Exchange | null {
    const refused = exchanges.filter((exchange) => isRefused(exchange, this.evidence) && exchange.response !== null);
    return refused.sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1) ?? null;
  }

  /**
   * Sends one request when the last refusal promises budget. If the sooner of its two promises is kept, so is the
   * later.
   * @param isLater whether to wait for the later one, because the sooner was broken twice
   * @returns the refusal that came, if one did
   */
  private async recovery(
    account: string,
    trial: number,
    refusal: Exchange | null,
    withPaths: boolean,
    isLater: boolean,
  ): Promise<Exchange | null> {
    const { recorder } = this;
    const sentFor = probe('recovery', { account, trial });
    if (!refusal) recorder.skip(sentFor, 'no request of the burst was refused, so there was nothing to recover from');
    const [soonMs, lateMs] = refusal ? this.promisedAtMs(refusal) : [];
    const atMs = (isLater ? lateMs : soonMs) ?? recorder.pace.freshAtMs(account);
    if (withPaths) return this.lastRefusal(await this.twoPaths(account, trial, atMs, refusal ? sentFor : undefined));
    const exchange = refusal && (await recorder.send(read(account, sentFor), { atMs }));
    return this.lastRefusal(exchange ? [exchange] : []);
  }

  /**
   * When a refusal promises budget, on the run's clock: when its Retry-After and its Reset have passed, the sooner
   * first. A wait longer than is honest is not kept; if there is no other, a window is.
   */
  private promisedAtMs(refusal: Exchange): [soonMs: number, lateMs: number] {
    const longestMs = (longestHonestSeconds(this.recorder.target.rate) + 1) * 1000;
    const waitSeconds = waitAskedSeconds(refusal, this.evidence)?.most ?? null;
    const reset = saidBy(refusal).reset;
    const promised = [
      waitSeconds === null ? null : refusal.receivedAtMs + waitSeconds * 1000,
      reset === null ? null : passesAtMs(reset, refusal, this.evidence),
    ]
      .filter((atMs) => atMs !== null && atMs <= refusal.receivedAtMs + longestMs)
      .map((atMs) => (atMs ?? 0) + LITTLE_MS + MARGIN_MS / 2);
    const movedMs = this.movedMs(refusal);
    // A refusal of a request that comes sooner is not blamed on the limit.
    const freshMs = this.recorder.pace.freshAtMs(refusal.account ?? '') + LITTLE_MS;
    if (promised.length === 0) return [freshMs, freshMs];
    return [Math.max(movedMs, Math.min(...promised)), Math.max(movedMs, ...promised)];
  }

  /** When a window that something accepted later than a refusal may have begun is over; 0 where nothing was. */
  private movedMs(refusal: Exchange): number {
    const later = letThrough(ownOf(this.evidence, refusal.account ?? ''), this.evidence).filter(
      ({ receivedAtMs }) => receivedAtMs > refusal.receivedAtMs,
    );
    return Math.max(0, ...later.map(({ receivedAtMs }) => receivedAtMs + this.windowMs + LITTLE_MS + MARGIN_MS / 2));
  }

  /** Sends requests to both paths, the second as soon as the first is answered, or where that takes long, with it. */
  async paths(account: string): Promise<void> {
    const wasLookedAt = trialsOf(this.evidence, 'paths', account).length > 0;
    for (let trial = wasLookedAt ? 2 : 1; trial <= MOST_TRIALS && !this.recorder.givenUp; trial += 1) {
      if (trial > 1 && !this.isDueAtOnce(account) && !needsAnotherTrial(this.evidence, 'paths', account)) return;
      await this.turn(account, async () => {
        const atMs = this.freshMoment(account, 'paths', trial);
        if (this.areAskedAtOnce(account)) await this.bothPaths(account, trial, atMs);
        else await this.twoPaths(account, trial, atMs);
      });
    }
  }

  /** Whether both paths are still to be asked at one moment: of several requests a window, that shows either order. */
  private isDueAtOnce(account: string): boolean {
    const wasAskedAtOnce = trialsOf(this.evidence, 'paths', account).some(isOneMoment);
    return this.recorder.target.rate.requests > 1 && this.areShort && !wasAskedAtOnce && this.areAskedAtOnce(account);
  }

  /**
   * Whether both paths, of which the base path is served, are asked at one moment. Where answers take long, a bucket may
   * gain a request before the second path can be asked after the first.
   */
  private areAskedAtOnce(account: string): boolean {
    const { requests, seconds } = this.recorder.target.rate;
    const wasTooSlow = pathTrials(this.evidence, account).some(({ shows }) => shows === 'nothing');
    const isSlower = 3 * usualLatencyMs(this.evidence) > seconds * 1000;
    const mayBe = isBaseServed(this.evidence, account) && !isQueue(this.evidence);
    return mayBe && (requests > 1 || isSlower || wasTooSlow);
  }

  /** Sends as many requests to each path, in turn, as the rate allows, all at one moment. */
  private async bothPaths(account: string, trial: number, atMs: number): Promise<void> {
    const sentFor = probe('paths', { account, trial });
    const both = [read(account, sentFor), { ...read(account, sentFor), path: '/' }];
    const requests = Array.from({ length: this.recorder.target.rate.requests }, () => both).flat();
    await this.recorder.burst(requests, { atMs: Math.max(atMs, this.recorder.now() + LEAD_MS / 4) });
  }

  /** Sends as many reads as the rate allows at one moment, and one to the base path once all are accepted. */
  private async twoPaths(
    account: string,
    trial: number,
    atMs: number,
    firstProbe = probe('paths', { account, trial }),
  ): Promise<Exchange[]> {
    const { recorder } = this;
    const { requests } = recorder.target.rate;
    // A queue is asked while it is full, unless it holds back fewer requests than it tells.
    const isToldMore = (toldTo(account, this.evidence) ?? 0) > requests;
    const isFilled = firstProbe.group === 'paths' && !isToldMore && isQueue(this.evidence);
    const size = this.answerable(account, isFilled ? 2 * requests : requests);
    const reads = Array.from({ length: size }, () => read(account, firstProbe));
    await recorder.pace.until(atMs);
    const sending = recorder.burst(reads, { atMs });
    if (isFilled) await afterUsedUp(recorder, sending, () => this.otherPath(account, trial), true);
    const answered = await sending;
    if (!isFilled && answered.length > 0 && answered.every(isAccepted)) await this.otherPath(account, trial);
    return answered;
  }

  private async otherPath(account: string, trial: number): Promise<void> {
    await this.recorder.send({ ...read(account, probe('paths', { account, trial })), path: '/' });
  }

  /** Whether an account’s trials let through more than any limiter of the declared rate. */
  private isOver(group: Group, account: string): boolean {
    return isOverRate(trialsOf(this.evidence, group, account), this.evidence, account);
  }

  /**
   * How many of `count` requests to send at one moment. To a server that queues and does not refuse, no more than the
   * queue can answer within the time limit.
   */
  private answerable(account: string, count: number): number {
    const sequence = ownOf(this.evidence, account).filter(({ probe }) => probe.group === 'sequence');
    const heldBack = sequence.findIndex((exchange) => isHeldBack(exchange, this.evidence));
    if (sequence.some((exchange) => isRefused(exchange, this.evidence))) return count;
    const queued = queuedInTime(this.recorder);
    if (heldBack >= 0) return Math.min(count, Math.max(heldBack, 1) + queued);
    const enough = 2 * this.recorder.target.rate.requests + 1;
    return isSlow(this.recorder) ? Math.min(count, Math.max(queued, enough)) : count;
  }

  /**
   * Where an accepted read promises budget sooner than a window: reads when that is due, with nothing sent between. A
   * promise that was kept is tried in another second of windows that last several.
   */
  async promise(account: string): Promise<void> {
    const { recorder, windowMs } = this;
    const beginnings = turnsOf(this.evidence, account).filter((turn) => waitedMs(turn) >= windowMs);
    let isPromised = beginnings.some(({ next }) => this.earlyMs(next) !== null || isPromisedAtOnce(next));
    const seconds = this.isOfSeveralSeconds ? Math.min(MOST_TRIALS, Math.ceil(windowMs / 1000)) : 1;
    for (let [kept, broken] = [0, 0]; isPromised && kept < seconds && broken < 2 && !recorder.givenUp; ) {
      const wasRefused = await this.turn(account, async () => {
        const sentFor = probe('promise', { account, trial: 1 + kept + broken });
        const first = await recorder.send(read(account, sentFor), { atMs: this.lateInASecond(account, kept) });
        const atMs = first && this.earlyMs(first);
        const second = atMs === null ? null : await recorder.send(read(account, sentFor), { atMs });
        isPromised = second !== null || seconds > 1;
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

  /**
   * A moment with a whole budget, late in a second of the server's clock, so that its Reset soon passes.
   * @param shift by how many seconds to come later in windows of the clock
   */
  private lateInASecond(account: string, shift: number): number {
    const freshMs = Math.max(this.recorder.pace.freshAtMs(account), this.recorder.now());
    const last = ownOf(this.evidence, account).at(-1);
    const date = last ? saidBy(last).dateSeconds : null;
    const secondMs = last && date !== null ? passesAtMs(date, last, this.evidence) : null;
    if (secondMs === null || date === null) return freshMs;
    const seconds = Math.max(1, Math.round(this.windowMs / 1000));
    const laterSeconds = (shift - (date % seconds) + seconds) % seconds;
    return nextOfPhase(freshMs, secondMs + LATE_IN_A_SECOND_MS + laterSeconds * 1000, seconds * 1000);
  }

  /** The next moment with a whole budget, at a phase a third of a window from those of earlier trials. */
  private freshMoment(account: string, group: Group, trial: number): number {
    // A store that forgets late must not look like a budget already begun, or like a burst refused as a whole.
    const wasRefused = ownOf(this.evidence, account).some((exchange) => isRefused(exchange, this.evidence));
    const isCareful = group === 'concurrent' || wasRefused || this.recorder.target.rate.requests > 1;
    const littleMs = isCareful ? LITTLE_MS : 0;
    const dueMs = Math.max(
      this.recorder.pace.freshAtMs(account) + littleMs,
      this.recorder.now(),
      this.forgottenAtMs(account),
      this.refilledAtMs(account),
    );
    // The first trial at the paths may begin with a recovery.
    const firsts = [group, ...(group === 'paths' ? ['recovery' as const] : [])].map((name) => probe(name, { account }));
    const first = this.recorder.exchanges.find((exchange) =>
      firsts.some((sentFor) => isSameProbe(exchange.probe, sentFor)),
    );
    if (!first || trial === 1) return dueMs;
    const { requests } = this.recorder.target.rate;
    // Where a third of a window is whole ticks of a bucket, trials are shifted by a third of a tick too.
    const shiftMs = this.windowMs / 3 + (requests % 3 === 0 ? this.windowMs / requests / 3 : 0);
    return nextOfPhase(dueMs, first.sentAtMs + (trial - 1) * shiftMs, this.windowMs);
  }

  /** When no limiter remembers anything of an account, where more is told than declared: a refusal then shows a lie. */
  private forgottenAtMs(account: string): number {
    const told = toldTo(account, this.evidence) ?? 0;
    return told > this.recorder.target.rate.requests ? this.silentAtMs(account) : 0;
  }

  /** When a bucket that let more than the rate through would be full again. */
  private refilledAtMs(account: string): number {
    const { rate } = this.recorder.target;
    const own = ownOf(this.evidence, account).slice(-TELLING_DECISIONS);
    const through = letThrough(own, this.evidence).map(decisionOf);
    const depth = depthOf(through, rate) / rate.requests;
    if (depth < DEEP) return 0;
    const refillMs = Math.min(Math.ceil(depth) * this.windowMs, MOST_REFILLED_WINDOWS * this.windowMs, SHORT_WINDOW_MS);
    return Math.max(...through.map(({ toMs }) => toMs)) + refillMs + MARGIN_MS;
  }

  /**
   * When the account that is to be silent has asked nothing for as long as any limiter remembers, where windows are
   * short. What a limiter has stored meanwhile shows, and what it says of a whole budget.
   */
  private quietAtMs(account: string): number {
    return this.quiet === account && this.areShort ? this.silentAtMs(account) : 0;
  }

  /** When an account has asked nothing for as long as any limiter remembers. */
  private silentAtMs(account: string): number {
    const answeredAtMs = ownOf(this.evidence, account).map(({ receivedAtMs }) => receivedAtMs);
    return Math.max(...answeredAtMs) + longestMemoryMs(this.recorder.target.rate) + MARGIN_MS;
  }

  /** Whether a silence costs little. */
  private get areShort(): boolean {
    return 2 * this.windowMs <= SHORT_WINDOW_MS;
  }

  private turn<T>(account: string, work: () => Promise<T>): Promise<T> {
    return this.recorder.pace.turn(account, work);
  }

  private get isOfSeveralSeconds(): boolean {
    return this.windowMs > 1000 && this.windowMs <= SHORT_WINDOW_MS;
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
