/**
 * Sends requests of an account at one moment, more than the rate allows, and asks again when a refusal promises budget
 * (API description, section 8).
 */
import { type ProbeRequest, probe } from '../../catalogue/probe';
import { burstSize } from '../../config/target';
import { LITTLE_MS, longestHonestSeconds } from '../../contract/bounds';
import { parsedHeaders } from '../../evidence/http/headers';
import type { Exchange } from '../../evidence/model';
import { isRefused, letThrough } from '../../evidence/responder/classify';
import { ownOf } from '../../evidence/time/gaps';
import { passesAtMs, waitAskedSeconds } from '../../evidence/time/server-clock';
import { isEmptyBesideOthers, MOST_TRIALS, needsAnotherTrial } from '../../limiter/another-trial';
import { isOverRate, trialsOf } from '../../limiter/kept';
import { isUndisturbed } from '../../limiter/timeline';
import { LEAD_MS, MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { acceptedForms, answerable, isTurnedAway, read } from '../requests';
import type { Moments } from './moments';
import type { BothPaths } from './paths';
import type { Sequences } from './sequence';

/** This many recoveries rely on the sooner promise of a refusal, and as many on the later one. */
const SOONER_RECOVERIES = 2;
/** The most recoveries of an account in one turn. */
const MOST_RECOVERIES = 2 * SOONER_RECOVERIES + 1;

/** How often an account was asked whether its budget is back, and whether it was refused the last time. */
interface Recovered {
  trials: number;
  /** How often it was refused while no other account was busy: only that can break a promise. */
  broken: number;
  isRefused: boolean;
}

/** What is looked at besides a burst. */
interface Looks {
  withRecovery: boolean;
  withPaths: boolean;
  withSequence: boolean;
  /** What the first recovery sends in place of a read, where it is not yet shown. */
  recovery: ProbeRequest | null;
}

export class Bursts {
  /** The account whose recovery is tried again. */
  private repeating: string | null = null;

  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
    private readonly sequences: Sequences,
    private readonly paths: BothPaths,
  ) {}

  /**
   * Sends requests at one moment over open connections. Then waits as the last refusal asks and reads, again if that is
   * refused. This needs `withRecovery`, or a burst of which nothing was let through.
   */
  async ask(account: string, { withRecovery, withPaths, withSequence, recovery }: Looks): Promise<void> {
    const { pace } = this.recorder;
    let hasShared = false;
    let recovered: Recovered = { trials: 0, broken: 0, isRefused: false };
    let needsRecovery = withRecovery;
    /** The first trial after which the account had not recovered. */
    let brokenAt: number | null = null;
    for (let trial = 1; !this.recorder.givenUp; trial += 1) {
      // A wait that is rounded down is broken at some phases only: after one that was kept, at the one that was broken.
      const phase = brokenAt !== null && !recovered.isRefused ? brokenAt : trial;
      const isDue = () => trial === 1 || needsRecovery || needsAnotherTrial(this.evidence, 'concurrent', account);
      // Another account may have shown what this one was to show, while it waited for its turn.
      const after = await this.recorder.pace.turn(account, async () =>
        isDue()
          ? this.burstAndRecover(
              account,
              trial,
              phase,
              recovered,
              needsRecovery,
              withPaths && trial === 1,
              trial === 1 ? recovery : null,
            )
          : null,
      );
      if (!after) break;
      recovered = after;
      // Other accounts need not show again what one account shows.
      if (recovered.isRefused) {
        this.repeating ??= account;
        brokenAt ??= trial;
      }
      const isBroken =
        brokenAt !== null &&
        recovered.broken < SOONER_RECOVERIES &&
        this.repeating === account &&
        trial < brokenAt + MOST_TRIALS - 1;
      // In windows of several seconds, a wait rounded down shows at some phases only.
      const isAtOtherPhase =
        needsRecovery && brokenAt === null && trial < MOST_TRIALS && this.moments.areOfSeveralSeconds;
      const isOpen = trial === 1 && recovery !== null && isTurnedAway(this.recorder, recovery);
      needsRecovery = isBroken || isAtOtherPhase || isOpen;
      // Another account's requests must not explain a second refusal.
      if (isBroken || this.isEmptyBesideOthers(account)) {
        hasShared ||= !pace.shared;
        pace.share();
      }
      // A burst tells nothing about an account that does not recover.
      else if (!isAtOtherPhase && recovered.isRefused && recovered.broken > SOONER_RECOVERIES) break;
    }
    // An account that was refused alone too was not refused because of another one.
    if (hasShared && recovered.trials > 1) pace.unshare();
    if (withSequence && this.isOver(account)) await this.sequences.askAfterBursts(account);
  }

  /**
   * Sends one burst, and reads when it promises budget. After the sooner promise was broken twice, waits for the later
   * one in the same turn.
   * @param phase the trial whose phase of the windows the burst meets
   * @param first what the first recovery sends in place of a read
   */
  private async burstAndRecover(
    account: string,
    trial: number,
    phase: number,
    before: Recovered,
    needsRecovery: boolean,
    withPaths: boolean,
    first: ProbeRequest | null,
  ): Promise<Recovered> {
    const burst = await this.oneConcurrent(account, trial, phase);
    let refusal = this.lastRefusal(burst);
    // What is accepted later than the refusal may move what it promises, so another refusal is asked for.
    if (needsRecovery && refusal !== null && this.movedMs(refusal) > 0)
      refusal = this.lastRefusal(await this.oneMore(account, trial)) ?? refusal;
    // Only a recovery tells a limiter that refuses a whole burst from one that has not recovered.
    const isEmpty = refusal !== null && letThrough(burst, this.evidence).length === 0;
    const isAsked = needsRecovery || isEmpty || (refusal !== null && this.isPromisedSoon(refusal));
    // A server that is known to keep no limit has nothing to recover from.
    if (!isAsked || this.isOver(account)) {
      // The burst has used up the budget, so if the base path accepts, it has a budget of its own.
      if (withPaths) await this.paths.askBase(account, 1);
      return { ...before, isRefused: false };
    }
    let { broken } = before;
    for (let trials = before.trials + 1; ; trials += 1) {
      refusal = await this.recovery(account, trials, refusal, withPaths, broken >= SOONER_RECOVERIES, first);
      if (refusal === null) return { trials, broken, isRefused: false };
      if (isUndisturbed(refusal, this.evidence)) broken += 1;
      const [soonMs, lateMs] = this.promisedAtMs(refusal);
      const isLast = broken < SOONER_RECOVERIES || broken >= 2 * SOONER_RECOVERIES || soonMs === lateMs;
      if (isLast || trials >= MOST_RECOVERIES) return { trials, broken, isRefused: true };
    }
  }

  /**
   * Whether a refusal promises budget sooner than a window, which each account may be promised otherwise. Where windows are
   * short, that is asked of every account until one shows it broken; elsewhere the windows of a clock promise so.
   */
  private isPromisedSoon(refusal: Exchange): boolean {
    const [soonMs] = this.promisedAtMs(refusal);
    const isSoon = soonMs < this.recorder.pace.freshAtMs(refusal.account ?? '');
    return isSoon && this.moments.areShort && this.repeating === null;
  }

  private async oneConcurrent(account: string, trial: number, phase: number): Promise<Exchange[]> {
    const { recorder } = this;
    const size = answerable(recorder, account, burstSize(recorder.target));
    const atMs = this.moments.freshMs(account, 'concurrent', trial, phase);
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
    first: ProbeRequest | null,
  ): Promise<Exchange | null> {
    const { recorder } = this;
    const sentFor = probe('recovery', { account, trial });
    if (!refusal) recorder.skip(sentFor, 'no request of the burst was refused, so there was nothing to recover from');
    const [soonMs, lateMs] = refusal ? this.promisedAtMs(refusal) : [];
    const atMs = (isLater ? lateMs : soonMs) ?? recorder.pace.freshAtMs(account);
    const request = (trial === 1 && first) || read(account, sentFor);
    if (withPaths)
      return this.lastRefusal(await this.paths.askInTurn(account, trial, atMs, refusal ? request : undefined));
    const exchange = refusal && (await recorder.send(request, { atMs }));
    return this.lastRefusal(exchange ? [exchange] : []);
  }

  /**
   * When a refusal promises budget, on the run's clock: when its Retry-After and its Reset have passed, the sooner
   * first. A wait longer than is honest is not kept; if there is no other, a window is.
   */
  private promisedAtMs(refusal: Exchange): [soonMs: number, lateMs: number] {
    const longestMs = (longestHonestSeconds(this.recorder.target.rate) + 1) * 1000;
    const waitSeconds = waitAskedSeconds(refusal, this.evidence)?.most ?? null;
    const reset = parsedHeaders(refusal).reset;
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

  /** Whether another burst is due, and others may be why nothing of one was let through. */
  private isEmptyBesideOthers(account: string): boolean {
    const { evidence } = this;
    const isBeside = trialsOf(evidence, 'concurrent', account).some((burst) => isEmptyBesideOthers(burst, evidence));
    return isBeside && needsAnotherTrial(evidence, 'concurrent', account);
  }

  /** Whether an account's bursts let through more than any limiter of the declared rate. */
  private isOver(account: string): boolean {
    return isOverRate(this.evidence, 'concurrent', account);
  }

  private get windowMs(): number {
    return this.recorder.pace.windowMs;
  }

  private get evidence() {
    return this.recorder.evidence();
  }
}
