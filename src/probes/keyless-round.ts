/**
 * Sends requests without a valid key, and asks again where an answer may be a refusal.
 *
 * A server that mistakes a bad key for an account's may answer 429 because that budget is spent, which looks like a
 * rejection. Such requests are repeated while all budgets are full.
 */
import { isAccepted, isWhole, looksRefused, statusOf } from '../evidence/outcome';
import { nameOf } from '../evidence/probe';
import type { Recorder } from '../recorder/recorder';
import type { Keyless } from './keyless';
import type { Spacing } from './spacing';

/** Requests without a key at one time. */
const AT_ONCE = 8;

export class KeylessRound {
  private asked: Keyless[] = [];
  /** The names of probes that were asked again while every budget was whole. */
  private readonly settled = new Set<string>();

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
  ) {}

  /** Remembers what was asked already, over a connection that is still open. */
  remember(asked: readonly Keyless[]): void {
    this.asked.push(...asked);
  }

  async send(requests: readonly Keyless[]): Promise<void> {
    this.remember(requests);
    await this.sendAll(requests);
  }

  /** Sends some at a time; only one at a time to a server that has not answered anything yet. */
  async sendAll(requests: readonly Keyless[]): Promise<void> {
    const waiting = [...requests];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await this.recorder.send(next.request, next.via ? { via: next.via } : {});
    };
    await Promise.all(Array.from({ length: this.recorder.hasAnswered ? AT_ONCE : 1 }, lane));
  }

  /**
   * Asks again what may have been refused. A request that is let in uses up the budget of the others, so these are
   * asked once more as long as that happens.
   * @param open the accounts whose budgets have to be whole
   */
  async askAgain(open: readonly string[]): Promise<void> {
    const { pace, exchanges } = this.recorder;
    for (let waiting = this.doubtful(); waiting.length > 0 && !this.recorder.givenUp; waiting = this.doubtful()) {
      await pace.until(Math.max(0, ...open.map((account) => this.spacing.freeAtMs(account))));
      const before = exchanges.length;
      await this.sendAll(waiting);
      const wasLetIn = exchanges.slice(before).some((exchange) => exchange.account === null && isAccepted(exchange));
      if (!wasLetIn) for (const { request } of waiting) this.settled.add(nameOf(request.probe));
    }
  }

  /** Closes the connections of accepted reads: nothing can be asked again over a connection that has ended. */
  async endSessions(): Promise<void> {
    for (const { via } of this.asked) await via?.close();
    this.asked = this.asked.filter(({ via }) => via === undefined);
  }

  /** What was asked, may have been refused, and is of a group of which nothing was let in. */
  private doubtful(): Keyless[] {
    const exchanges = this.recorder.exchanges.filter(({ account }) => account === null);
    const letIn = new Set(exchanges.filter(isAccepted).map(({ probe }) => probe.group));
    const usual = exchanges.filter(({ probe }) => probe.group === 'missing-key').map(statusOf);
    return this.asked.filter(({ request: { probe }, via }) => {
      const name = nameOf(probe);
      const last = exchanges.findLast((exchange) => nameOf(exchange.probe) === name);
      if (!last || this.settled.has(name) || letIn.has(probe.group)) return false;
      // With nothing in place of a key, an answer should be that to a missing one.
      const isOdd = via !== undefined && isWhole(last) && usual.length > 0 && !usual.includes(statusOf(last));
      return isOdd || looksRefused(last, this.recorder.evidence());
    });
  }
}
