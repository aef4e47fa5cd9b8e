/**
 * All accounts at one moment, right after requests without a valid key: whether accounts are mixed up, and whether
 * bad keys use up a budget.
 */
import type { Exchange, HeaderLines } from '../evidence/exchange';
import { isAccepted, isWhole } from '../evidence/outcome';
import { isSameProbe, probe } from '../evidence/probe';
import { bansOf, ONE_MOMENT_MS } from '../evidence/service';
import type { ProbeRequest, Recorder } from '../recorder/recorder';
import { awaitBanEnd } from './ban';
import { keyless, keylessRequests, madeUpLike } from './keyless';
import type { KeylessRound } from './keyless-round';
import { read, shiftOf } from './requests';
import type { Spacing } from './spacing';

/** Near-miss keys that a limiter running before authentication may charge to the account. */
const NEAR_MISSES = ['case-swapped', 'last-character-changed'];
/** Of a single account; of one among several, which somebody else may use; of several that are refused at the same moment. */
const LOOKS = { ofTheOnly: 4, ofOne: 5, ofSeveral: 3 };
/** No more requests without a valid key than this are sent of each kind to use up a budget. */
const MOST_OF_EACH = 60;

export class Together {
  private isSeenAgain = false;

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
    private readonly round: KeylessRound,
    private readonly open: readonly string[],
  ) {}

  /**
   * As many requests without a key as would use up a budget, and at once a read of every account at one moment.
   * @param due what an account is to be asked next, if it is a read
   * @returns false where valid keys are refused for good
   */
  async first(due?: ProbeRequest): Promise<boolean> {
    const { recorder, spacing } = this;
    await recorder.pace.until(Math.max(...this.open.map((account) => recorder.pace.freshAtMs(account))));
    await this.keylessBurst(1);
    // In another order than the first reads: where connections go to replicas in turn, each account meets another one.
    const turned = [...this.open.slice(1), ...this.open.slice(0, 1)];
    const sent = await recorder.burst(
      turned.map((account) => this.readOf(account, 1)),
      { atMs: recorder.now() },
    );
    const refused = sent.filter((exchange) => !isAccepted(exchange));
    if (refused.length > 0 && refused.length === this.open.length) {
      const isOver = await awaitBanEnd(recorder, this.open, due);
      if (!isOver) return false;
      if (bansOf(recorder.evidence()).length > 0) {
        // Wrong keys go on one by one: all at once, they would bring the next ban.
        this.round.slowDown();
        for (const account of this.open) await spacing.send(this.readOf(account, 1));
        return true;
      }
      // What was asked once more was accepted. A neighbour does not refuse all of one moment: the looks to come show what did.
      spacing.refusedThoughSpaced ??= refused.find((exchange) => spacing.isOverLimit(exchange))?.account ?? null;
      await this.askFailedAgain();
      return true;
    }
    for (const exchange of refused) if (spacing.isOverLimit(exchange)) spacing.noteRefused(exchange);
    for (const account of this.open) if (this.isOverLimit(account)) await spacing.send(this.readOf(account, 1), 1);
    await this.askFailedAgain();
    return true;
  }

  /** Reads again, at one moment, for each account whose read failed, but not because of the rate: was it an accident? */
  private async askFailedAgain(): Promise<void> {
    const { recorder } = this;
    const failed = this.open.filter((account) => this.isRefused(account) && !this.isOverLimit(account));
    if (failed.length === 0) return;
    const spacedAtMs = failed.map((account) => recorder.pace.spacedAtMs(account));
    await recorder.pace.until(Math.max(recorder.now() + ONE_MOMENT_MS, ...spacedAtMs));
    await recorder.burst(
      failed.map((account) => this.readOf(account, 1)),
      { atMs: recorder.now() },
    );
  }

  /**
   * Where reads right after requests without a key were refused: the same again, with nothing else going on.
   * @returns whether all of them were refused each time
   */
  async again(): Promise<boolean> {
    const { pace } = this.recorder;
    const refused = this.open.filter((name) => this.isRefused(name));
    const [first] = refused;
    if (first === undefined || this.isSeenAgain || bansOf(this.recorder.evidence()).length > 0) return false;
    this.isSeenAgain = true;
    pace.share();
    // Somebody else's use of one key does not explain that several are refused at one moment.
    const ofOne = this.open.length > 1 ? LOOKS.ofOne : LOOKS.ofTheOnly;
    const looks = refused.length > 1 ? LOOKS.ofSeveral : ofOne;
    for (let look = 2; look <= looks; look += 1) {
      const sent = await pace.turn(first, async () => {
        await pace.until(this.spacing.freeAtMs(first) + (1 + shiftOf(look - 1)) * pace.windowMs);
        await this.keylessBurst(look);
        const reads = refused.map((account) => this.readOf(account, look));
        return this.recorder.burst(reads, { atMs: this.recorder.now() });
      });
      if (sent.length === 0 || !sent.every((exchange) => this.spacing.isOverLimit(exchange))) return false;
      if (refused.length === 1 && !(await this.isAcceptedOtherwise(first, look))) return false;
    }
    return true;
  }

  /** Whether an account is accepted with nothing before it. Somebody else who uses a single key may be why it was refused. */
  private async isAcceptedOtherwise(account: string, look: number): Promise<boolean> {
    const request = read(account, probe('apart', { account, look }));
    const atMs = this.spacing.freeAtMs(account);
    const exchange = await this.recorder.pace.turn(account, () => this.recorder.send(request, { atMs }));
    return exchange !== null && isAccepted(exchange);
  }

  /** Whether an account's read at the common moment was answered, and not accepted. */
  isRefused(account: string): boolean {
    const first = this.firstOf(account);
    return first !== undefined && isWhole(first) && !isAccepted(first);
  }

  /** An account whose read at the common moment was refused because of the rate, as far as refusals are known by now. */
  overLimit(): string | null {
    return this.open.find((account) => this.isOverLimit(account)) ?? null;
  }

  private isOverLimit(account: string): boolean {
    const first = this.firstOf(account);
    return first !== undefined && this.spacing.isOverLimit(first);
  }

  private firstOf(account: string): Exchange | undefined {
    const wanted = probe('together', { account, look: 1 });
    return this.recorder.exchanges.find((exchange) => isSameProbe(exchange.probe, wanted));
  }

  private readOf(account: string, look: number) {
    return read(account, probe('together', { account, look }));
  }

  /** As many requests as would use up a budget: without a key, with made-up ones, and with each account's own altered. */
  private async keylessBurst(look: number): Promise<void> {
    const { accounts, rate } = this.recorder.target;
    const ofEach = Math.min(MOST_OF_EACH, rate.requests);
    const made = Array.from({ length: 2 * ofEach }, (_, i): HeaderLines => {
      const key = madeUpLike(accounts[0]?.apiKey ?? '');
      return i % 2 === 0 ? [['apiKey', key]] : [];
    });
    // Where altered keys let in, they use up budgets as valid ones do: that is for auth.altered-key.
    const isLetIn = this.recorder.exchanges.some(
      (exchange) => exchange.probe.group === 'altered-key' && isAccepted(exchange),
    );
    const altered = keylessRequests(this.recorder, new Set(['altered-key']), false);
    const nearMisses = (isLetIn ? [] : this.open).flatMap((account) => {
      const own = altered.filter(
        (request) => request.probe.account === account && NEAR_MISSES.includes(request.probe.form),
      );
      return own.flatMap(({ headers = [] }) => Array.from({ length: ofEach }, () => headers));
    });
    const sentFor = probe('keyless', { account: 'all', look });
    await this.round.sendAll([...made, ...nearMisses].map((headers) => ({ request: keyless(sentFor, headers) })));
  }
}
