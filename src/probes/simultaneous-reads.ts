/** Reads all accounts at one moment after wrong keys, which shows mixed-up accounts and budgets that wrong keys use up. */
import { floodOf, isSameProbe, type ProbeRequest, probe } from '../catalogue/catalogue';
import { LITTLE_MS, longestMemoryMs } from '../contract/bounds';
import { type Exchange, exchangesOf } from '../evidence/model';
import { isAccepted, isWhole, letThrough } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { bansOf, letInWithoutKey } from '../evidence/responder/guards';
import { isQueue, usualLatencyMs } from '../evidence/responder/queueing';
import { ONE_MOMENT_MS, ownOf } from '../evidence/time/in-flight';
import { asksBeyondWindow } from '../evidence/time/server-clock';
import { SLACK_MS } from '../limiter/level';
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

/** How many requests without a valid key are sent at one moment at most. */
const MOST_OF_A_FLOOD = 16;
/** How many times the usual latency a flood's answers are waited for. */
const PATIENCE = 4;
/** How often in a row an account must be accepted without wrong keys before, to be under no stricter limit. */
const IN_A_ROW = 2;

export class SimultaneousReads {
  /** Whether reads were repeated, before it was known that the server queues (`false`) or after (`true`). */
  private repeatedForQueue: boolean | null = null;
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
   * @returns false if valid keys are refused for good
   */
  async first(): Promise<boolean> {
    const { recorder, spacing, open } = this;
    await recorder.pace.until(Math.max(...open.map((account) => recorder.pace.freshAtMs(account)), this.uncountedAtMs));
    // Another order than the first reads: if connections go to replicas in turn, each account meets another one.
    const sent = await this.floodAndRead([...open.slice(1), ...open.slice(0, 1)], 1);
    const again = (account: string) => spacing.send(this.readOf(account, 1), 1);
    if (sent.length > 0 && !sent.some(isAccepted)) {
      const before = recorder.exchanges.length;
      if (!(await awaitBanEnd(recorder, open))) return false;
      if (bansOf(recorder.evidence()).length > 0) {
        const reads = open.map((account) => this.readOf(account, 1));
        await recorder.burst(reads, { atMs: Math.max(...open.map((account) => spacing.freeAtMs(account))) });
        return true;
      }
      // It is no ban, since a repeated request was accepted. A shared budget does not refuse all accounts at one moment, so
      // later trials show the cause.
      spacing.firstRefused ??= sent.find((exchange) => spacing.isOverLimit(exchange))?.account ?? null;
      sent.splice(0, sent.length, ...recorder.exchanges.slice(before));
    }
    for (const exchange of sent) if (spacing.isOverLimit(exchange)) spacing.noteRefused(exchange);
    // A failure for another reason than the rate may have been an accident.
    const failed = open.filter((account) => this.isRefused(account) && this.overLimit([account]) === null);
    if (failed.length > 0) await recorder.pace.until(recorder.now() + ONE_MOMENT_MS);
    await Promise.all(failed.map(again));
    return true;
  }

  /** Whether reads are to be repeated: none was, or none since a queue was recognised. */
  get isToBeRepeated(): boolean {
    const evidence = this.recorder.evidence();
    return this.repeatedForQueue !== isQueue(evidence) && bansOf(evidence).length === 0 && this.toRepeat.length > 0;
  }

  private get toRepeat(): string[] {
    return this.open.filter((name) => this.isRefused(name) || this.isCharged(name));
  }

  /**
   * Repeats reads that were refused right after wrong keys, or show otherwise that these were charged. Accounts that are not
   * charged then are not asked again.
   * @returns whether some were charged each time
   */
  async again(): Promise<boolean> {
    const { recorder, spacing, open } = this;
    const { pace } = recorder;
    this.repeatedForQueue = isQueue(recorder.evidence());
    pace.shared = true;
    let left = this.toRepeat;
    let trials = trialsAfterWrongKeys(left.length, open.length);
    const from = this.lastTrial + 1;
    for (let trial = from; trial < from + trials; trial += 1) {
      if (!(await this.areWholeOtherwise(left, trial === from ? IN_A_ROW : 1))) return false;
      const [first = ''] = left;
      const sent = await pace.turn(first, async () => {
        // A client that polls one key may meet every trial at equal distances, but affects no other account.
        const shift = left.length > 1 ? 0 : shiftOf(trial - 1) / 2;
        await pace.until(spacing.freeAtMs(first) + shift * pace.windowMs);
        return this.floodAndRead(left, trial);
      });
      const known = recorder.evidence();
      const turnedAway = sent.filter((exchange) => isCharged(exchange, known));
      if (turnedAway.length < left.length) {
        // Windows longer than declared refuse some and accept others.
        const isLonger = seemingWindowSeconds(known) !== null;
        if (isLonger || turnedAway.some((exchange) => asksBeyondWindow(exchange, known))) return false;
        // Another client may use the key of a single account, so that one is asked more often.
        trials = trialsAfterWrongKeys(1, open.length);
      }
      left = turnedAway.flatMap(({ account }) => account ?? []);
      if (left.length === 0) return false;
    }
    this.wasCharged = true;
    return true;
  }

  /**
   * Control: whether these accounts are accepted so often in a row without wrong keys before. If not, another client or a
   * stricter limit may be the reason, and not wrong keys.
   */
  private async areWholeOtherwise(accounts: readonly string[], inARow: number): Promise<boolean> {
    const { recorder, spacing, open } = this;
    const { pace, target } = recorder;
    const [first = ''] = accounts;
    // A queue still holds wrong keys. Where several requests fit into a window, Remaining counts only after all is forgotten.
    const isRemembered = target.rate.requests > 1 || isQueue(recorder.evidence());
    const silenceMs = isRemembered ? longestMemoryMs(target.rate) - pace.windowMs : 0;
    let areInTurn = spacing.hasNeighbours;
    const evidence = recorder.evidence();
    const keyless = evidence.exchanges.findLastIndex((exchange) => exchange.account === null);
    const since = ownOf(evidence, first).filter(({ index }) => index > keyless);
    const accepted = target.rate.requests === 1 ? letThrough(since, evidence).length : inARow - 1;
    for (let seen = accepted; seen < inARow; seen += 1) {
      const row = accounts.slice(0, areInTurn ? 1 : undefined);
      const reads = row.map((account) => this.pending.next(account) ?? read(account, probe('apart', { account })));
      const atMs = Math.max(...open.map((account) => spacing.freeAtMs(account))) + silenceMs;
      const sent = await pace.turn(first, () => recorder.burst(reads, { atMs }));
      const turnedAway = sent.filter((exchange) => isCharged(exchange, recorder.evidence()));
      if (turnedAway.length === sent.length) return false;
      // One budget for all accepts one of them.
      areInTurn ||= turnedAway.length > 0;
    }
    return true;
  }

  /**
   * Repeats, at other phases, reads that were accepted so long after wrong keys that a window may have ended in between, or
   * after wrong keys without an answer. Ends when no single phase explains the accepted reads, or enough were turned away.
   */
  async askUnsureAgain(): Promise<void> {
    const { recorder, spacing, open } = this;
    const { pace } = recorder;
    const from = this.lastTrial + 1;
    for (let trial = from; trial < from + MOST_UNSURE && !recorder.givenUp; trial += 1) {
      const evidence = whileServing(recorder.evidence());
      if (!mayRepeat(evidence) || bansOf(recorder.evidence()).length > 0) return;
      const turnedAway = (name: string) => repeatedReads(evidence, name).filter((read) => isCharged(read, evidence));
      const charged = open.filter((name) => turnedAway(name).length > 0 && isUnsure(evidence, name));
      const enough = trialsAfterWrongKeys(charged.length, open.length);
      // All wrong keys of the first moment may have failed by chance.
      const isUnseen = exchangesOf(evidence, 'keyless').length === 0;
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
    // A request whose answer is still hidden comes first, while budgets are whole.
    if (trial > 1) await this.wrongKeys.askNext();
    const letIn = letInWithoutKey(recorder.exchanges);
    const requests = floodOf(keysOf(recorder), open, mostHeld(recorder), trial, letIn).map((request) => ({ request }));
    // With several accounts, the first reads have shown connections on which wrong keys came before.
    const via = trial === 1 && target.accounts.length === 1 ? recorder.connection() : undefined;
    let isOver = false;
    const overVia =
      via &&
      this.wrongKeys.sendAll(requests.splice(0, 1).map((each) => ({ ...each, via }))).then(() => {
        isOver = true;
      });
    // After the first flood, a whole one at one moment leaves less time for a window to end.
    const flood = Promise.all([overVia, this.wrongKeys.sendAll(requests, trial > 1 ? MOST_OF_A_FLOOD : undefined)]);
    // A read that queues behind a wrong key is then late by more than half of that time, unlike a slow answer. A few very
    // slow answers are not waited for, since a window might end meanwhile.
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

  /** When a window has certainly passed since the last request without a valid key, so that a flood begins anew. */
  private get uncountedAtMs(): number {
    const keyless = this.recorder.exchanges.filter(({ account }) => account === null);
    return Math.max(...keyless.map(({ receivedAtMs }) => receivedAtMs)) + this.recorder.pace.windowMs + SLACK_MS;
  }

  private get lastTrial(): number {
    return Math.max(...exchangesOf(this.recorder.evidence(), 'together').map(({ probe }) => probe.trial));
  }

  /** Whether an account's simultaneous read was answered but not accepted. */
  isRefused(account: string): boolean {
    const first = this.firstOf(account);
    return first !== undefined && isWhole(first) && !isAccepted(first);
  }

  private isCharged(account: string): boolean {
    const first = this.firstOf(account);
    return first !== undefined && isCharged(first, this.recorder.evidence());
  }

  /** Returns one of some accounts whose simultaneous read was refused because of the rate, as far as known by now. */
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
