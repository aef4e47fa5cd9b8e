/** Asks all accounts at one moment after wrong keys, to see mixed-up accounts and budgets that wrong keys use up. */
import { floodOf, isSameProbe, type ProbeRequest, probe } from '../catalogue/catalogue';
import { LITTLE_MS, longestMemoryMs } from '../contract/bounds';
import { type Exchange, exchangesOf } from '../evidence/model';
import { isAccepted, isWhole, letThrough } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { bansOf, letInWithoutKey } from '../evidence/responder/guards';
import { isQueue, usualLatencyMs } from '../evidence/responder/queueing';
import { ONE_MOMENT_MS, ownOf } from '../evidence/time/in-flight';
import { asksBeyondWindow } from '../evidence/time/server-clock';
import { seemingWindowSeconds } from '../limiter/stricter';
import {
  isCharged,
  isUnsure,
  MOST_UNSURE,
  mayRepeat,
  otherPhaseMs,
  repeatedReads,
  trialsAfterWrongKeys,
} from '../limiter/wrong-keys';
import type { Recorder } from '../recorder/recorder';
import { awaitBanEnd } from './first-reads';
import { mostHeld, nextOfPhase } from './moments';
import type { PendingRequests } from './pending';
import { keysOf, read, type Spacing, shiftOf } from './requests';
import type { WrongKeyRetries } from './wrong-key-retries';

/** So many requests without a valid key are sent at one moment at most. */
const MOST_OF_A_FLOOD = 16;
/** A flood's answers are waited for so many times as long as one takes usually. */
const PATIENCE = 4;
/** Accepted this often in a row without wrong keys before, an account is under no stricter limit. */
const IN_A_ROW = 2;

export class SimultaneousReads {
  /** Whether reads were repeated, before it was known that the server queues (`false`) or after (`true`). */
  private repeatedForQueue: boolean | null = null;
  /** Whether reads were repeated no more because longer windows explained what was seen until then. */
  private seemedLonger = false;
  /** Whether reads were repeated, and refused each time right after wrong keys. */
  wasCharged = false;

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
    private readonly wrongKeys: WrongKeyRetries,
    private readonly open: readonly string[],
    private readonly pending: PendingRequests,
  ) {}

  /**
   * Sends as many requests without a key as would use up a budget, and at once a read of every account at one moment.
   * @returns false where valid keys are refused for good
   */
  async first(): Promise<boolean> {
    const { recorder, spacing, open } = this;
    await recorder.pace.until(Math.max(...open.map((account) => recorder.pace.freshAtMs(account)), this.uncountedAtMs));
    // Not in the order of the first reads: if connections go to replicas in turn, each account meets another one.
    const sent = await this.floodAndRead([...open.slice(1), ...open.slice(0, 1)], 1);
    const again = (account: string) => spacing.send(this.readOf(account, 1), 1);
    if (sent.length > 0 && !sent.some(isAccepted)) {
      const before = recorder.exchanges.length;
      if (!(await awaitBanEnd(recorder, open))) return false;
      if (bansOf(recorder.evidence()).length > 0) {
        await Promise.all(open.map(again));
        return true;
      }
      // It is no ban: a repeated request was accepted. A neighbour does not refuse all accounts at one moment, so later
      // trials show the cause.
      spacing.firstRefused ??= sent.find((exchange) => spacing.isOverLimit(exchange))?.account ?? null;
      sent.splice(0, sent.length, ...recorder.exchanges.slice(before));
    }
    for (const exchange of sent) if (spacing.isOverLimit(exchange)) spacing.noteRefused(exchange);
    // What failed for another reason than the rate may have been an accident.
    const failed = open.filter((account) => this.isRefused(account) && this.overLimit([account]) === null);
    if (failed.length > 0) await recorder.pace.until(recorder.now() + ONE_MOMENT_MS);
    await Promise.all(failed.map(again));
    return true;
  }

  /** Whether some are to be repeated that were not, or not since it is known that the server queues or has no longer windows. */
  get isToBeRepeated(): boolean {
    const evidence = this.recorder.evidence();
    const seemedLonger = this.seemedLonger && seemingWindowSeconds(evidence) === null;
    const wasRepeated = this.repeatedForQueue === isQueue(evidence) && !seemedLonger;
    return !wasRepeated && bansOf(evidence).length === 0 && this.toRepeat.length > 0;
  }

  private get toRepeat(): string[] {
    return this.open.filter((name) => this.isRefused(name) || this.isCharged(name));
  }

  /**
   * Repeats reads that were refused right after wrong keys, or show otherwise that these were charged, in windows between
   * those of requests that are pending. Accounts that are not charged then are not asked again.
   * @returns whether some were charged each time
   */
  async again(): Promise<boolean> {
    const { recorder, spacing, open } = this;
    const { pace } = recorder;
    this.repeatedForQueue = isQueue(recorder.evidence());
    this.seemedLonger = false;
    pace.share();
    let left = this.toRepeat;
    let trials = trialsAfterWrongKeys(left.length, open.length);
    const from = this.lastTrial + 1;
    for (let trial = from; trial < from + trials; trial += 1) {
      if (!(await this.areWholeOtherwise(left, trial, trial === from ? IN_A_ROW : 1))) return false;
      const [first = ''] = left;
      const sent = await pace.turn(first, async () => {
        // A client that polls one key may meet every trial at equal distances. It does not refuse several accounts at one
        // moment.
        const shift = left.length > 1 ? 0 : shiftOf(trial - 1) / 2;
        await pace.until(spacing.freeAtMs(first) + shift * pace.windowMs);
        return this.floodAndRead(left, trial);
      });
      const known = recorder.evidence();
      const turnedAway = sent.filter((exchange) => isCharged(exchange, known));
      if (turnedAway.length < left.length) {
        // Windows longer than declared refuse some and accept others.
        this.seemedLonger = seemingWindowSeconds(known) !== null;
        if (this.seemedLonger || turnedAway.some((exchange) => asksBeyondWindow(exchange, known))) return false;
        // Another client may use the key of one account, so that is asked more often.
        trials = trialsAfterWrongKeys(1, open.length);
      }
      left = turnedAway.flatMap(({ account }) => account ?? []);
      if (left.length === 0) return false;
    }
    this.wasCharged = true;
    return true;
  }

  /**
   * Whether budgets are whole without wrong keys before, so often in a row since the last of them. If not, another client
   * may be why they were used up, or a stricter limit. Where one request fits into a window, those that are pending show it.
   */
  private async areWholeOtherwise(accounts: readonly string[], trial: number, inARow: number): Promise<boolean> {
    const { recorder, spacing, open } = this;
    const { pace, target } = recorder;
    const [first = ''] = accounts;
    const aRead = (account: string) => read(account, probe('apart', { account, trial: trial - 1 }));
    const isOne = target.rate.requests === 1;
    // A queue still holds what wrong keys brought into it, and what is reported where several requests fit into a window shows
    // only after all is forgotten.
    const isRemembered = !isOne || isQueue(recorder.evidence());
    const silenceMs = isRemembered ? longestMemoryMs(target.rate) - pace.windowMs : 0;
    let areInTurn = spacing.hasNeighbours;
    for (let seen = isOne ? this.acceptedSinceWrongKeys(first) : inARow - 1; seen < inARow; seen += 1) {
      const pending = isOne ? this.pending.row(open) : [];
      const reads = accounts.filter((name) => !pending.some(({ account }) => account === name)).map(aRead);
      const row = [...pending, ...reads].slice(0, areInTurn ? 1 : undefined);
      const sent = await pace.turn(first, () =>
        recorder.burst(row, { atMs: Math.max(...open.map((account) => spacing.freeAtMs(account))) + silenceMs }),
      );
      const own = sent.filter(({ account }) => areInTurn || accounts.includes(account ?? ''));
      const turnedAway = own.filter((exchange) => isCharged(exchange, recorder.evidence()));
      if (turnedAway.length === own.length) return false;
      // One budget for all lets one of them in.
      areInTurn ||= turnedAway.length > 0;
    }
    return true;
  }

  /** How often an account was let in since the last request without a valid key. */
  private acceptedSinceWrongKeys(account: string): number {
    const evidence = this.recorder.evidence();
    const keyless = evidence.exchanges.findLastIndex((exchange) => exchange.account === null);
    const since = ownOf(evidence, account).filter(({ index }) => index > keyless);
    return letThrough(since, evidence).length;
  }

  /**
   * Repeats, at other phases, reads that were accepted so long after wrong keys that a window may have ended in between, or
   * after none that was answered.
   * Ends once no one phase of windows explains what was accepted, or enough reads were turned away.
   */
  async askUnsureAgain(): Promise<void> {
    const { recorder, spacing, open } = this;
    const { pace } = recorder;
    const from = this.lastTrial + 1;
    for (let trial = from; trial < from + MOST_UNSURE && !recorder.givenUp; trial += 1) {
      const evidence = whileServing(recorder.evidence());
      if (!mayRepeat(evidence)) return;
      const turnedAway = (name: string) => repeatedReads(evidence, name).filter((read) => isCharged(read, evidence));
      const charged = open.filter((name) => turnedAway(name).length > 0 && isUnsure(evidence, name));
      const enough = trialsAfterWrongKeys(charged.length, open.length);
      // All wrong keys of the first moment may have failed by chance.
      const isUnseen = exchangesOf(evidence, 'keyless').length === 0 && bansOf(recorder.evidence()).length === 0;
      const isOpen = (name: string) => isUnseen || (isUnsure(evidence, name) && turnedAway(name).length < enough);
      const unsure = open.filter(isOpen);
      const [first] = unsure;
      if (first === undefined) return;
      const freeAtMs = Math.max(...unsure.map((name) => spacing.freeAtMs(name)), this.uncountedAtMs, recorder.now());
      await pace.turn(first, async () => {
        await pace.until(nextOfPhase(freeAtMs, otherPhaseMs(evidence, first), pace.windowMs));
        await this.floodAndRead(unsure, trial);
      });
    }
  }

  /** Sends what would use up a budget without a valid key, and at once a read of each account. */
  private async floodAndRead(accounts: readonly string[], trial: number): Promise<Exchange[]> {
    const { recorder, open } = this;
    const { pace, target } = recorder;
    // A request whose answer is still hidden comes first, while the budget is whole.
    if (trial > 1) await this.wrongKeys.askNext();
    const letIn = letInWithoutKey(recorder.exchanges);
    const requests = floodOf(keysOf(recorder), open, mostHeld(recorder), trial, letIn).map((request) => ({ request }));
    // Of several accounts, first reads come over connections that wrong keys came over before. One that is still under way is not
    // waited for.
    const via = trial === 1 && target.accounts.length === 1 ? recorder.connection() : undefined;
    let isOver = false;
    const overVia =
      via &&
      this.wrongKeys.sendAll(requests.splice(0, 1).map((each) => ({ ...each, via }))).then(() => {
        isOver = true;
      });
    // Once the first flood was answered, a whole one at one moment leaves less time for a window to end.
    const flood = Promise.all([overVia, this.wrongKeys.sendAll(requests, trial > 1 ? MOST_OF_A_FLOOD : undefined)]);
    // What queues behind a single wrong key then is late by more than half of that time, which tells it from a slow answer.
    // Few answers that take much longer than usual are not waited for: a window might end meanwhile.
    const isHeld = isQueue(recorder.evidence());
    const usualMs = PATIENCE * usualLatencyMs(recorder.evidence()) + LITTLE_MS;
    const soonMs = pace.windowMs / target.rate.requests / 4;
    const patienceMs = isHeld || (trial > 1 && 2 * usualMs > pace.windowMs) ? soonMs : usualMs;
    await Promise.race([flood, pace.until(recorder.now() + patienceMs)]);
    const reads = accounts.map((account) => this.readOf(account, trial));
    const sent = await recorder.burst(reads, { atMs: recorder.now(), via: isOver ? via : undefined });
    await flood;
    await via?.close();
    return sent;
  }

  /** When a window has passed since the last request without a valid key: an earlier one counts no longer. */
  private get uncountedAtMs(): number {
    const keyless = this.recorder.exchanges.filter(({ account }) => account === null);
    return Math.max(...keyless.map(({ receivedAtMs }) => receivedAtMs)) + this.recorder.pace.windowMs;
  }

  private get lastTrial(): number {
    return Math.max(...exchangesOf(this.recorder.evidence(), 'together').map(({ probe }) => probe.trial));
  }

  /** Whether an account's read at the common moment was answered, but not accepted. */
  isRefused(account: string): boolean {
    const first = this.firstOf(account);
    return first !== undefined && isWhole(first) && !isAccepted(first);
  }

  /**
   * Whether reads at the common moment show that wrong keys used up budgets: accepted ones, or refused ones that were
   * asked again when it was not known that the server queues, so that held back ones showed nothing.
   */
  get areCharged(): boolean {
    const isTelling = (account: string) => !this.isRefused(account) || this.repeatedForQueue === false;
    return this.open.some((account) => isTelling(account) && this.isCharged(account));
  }

  private isCharged(account: string): boolean {
    const first = this.firstOf(account);
    return first !== undefined && isCharged(first, this.recorder.evidence());
  }

  /** Returns one of some accounts whose read at the common moment was refused because of the rate, as far as known by now. */
  overLimit(accounts = this.open): string | null {
    const isOver = (first: Exchange | undefined) => first !== undefined && this.spacing.isOverLimit(first);
    return accounts.find((account) => isOver(this.firstOf(account))) ?? null;
  }

  private firstOf(account: string): Exchange | undefined {
    const wanted = probe('together', { account, trial: 1 });
    return this.recorder.exchanges.find((exchange) => isSameProbe(exchange.probe, wanted));
  }

  private readOf(account: string, trial: number): ProbeRequest {
    return read(account, probe('together', { account, trial }));
  }
}
