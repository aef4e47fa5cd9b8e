/** Requests that keep their distance from an account's last one, and what it means where one is refused all the same. */
import { waitAskedSeconds } from '../evidence/clock';
import type { Exchange } from '../evidence/exchange';
import { isAccepted, isRefused, isWhole, statusOf } from '../evidence/outcome';
import { MARGIN_MS } from '../recorder/pace';
import type { ProbeRequest, Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/wire/connection';

/** A request that was refused though it kept its distance is sent again so many times. */
const MOST_RETRIES = 2;

export class Spacing {
  /** The first account that was refused though its request kept its distance. */
  refusedThoughSpaced: string | null = null;

  constructor(private readonly recorder: Recorder) {}

  /**
   * Sends a request when the account's pace allows it; where it is refused all the same, again after a longer wait.
   * @param retried how many of the retries count as used already
   */
  async send(request: ProbeRequest, retried = 0, via: { via?: Connection } = {}): Promise<Exchange | null> {
    const account = request.account ?? '';
    const { pace } = this.recorder;
    const exchange = await pace.turn(account, () =>
      this.recorder.send(request, { atMs: pace.spacedAtMs(account), ...via }),
    );
    if (!exchange || isAccepted(exchange) || !isWhole(exchange)) return exchange;
    const isOverLimit = this.isOverLimit(exchange);
    if (isOverLimit) this.noteRefused(exchange);
    // What fails may have been refused with a status that nothing has shown yet to be a refusal's.
    const mayBeRefused =
      isOverLimit ||
      (request.path === '/webhooks' && statusOf(exchange) < 500) ||
      (request.path === '/' && statusOf(exchange) === 403);
    if (!mayBeRefused || retried >= MOST_RETRIES) return exchange;
    pace.refusedThoughSpaced(account, this.waitMs(exchange));
    return this.send(request, retried + 1, via);
  }

  /** Notes a request that was refused though it kept its distance; accounts take turns if another one may be why. */
  noteRefused(refusal: Exchange): void {
    const { exchanges, pace } = this.recorder;
    const isOtherActive = exchanges.some(
      ({ index, account, receivedAtMs }) =>
        index < refusal.index &&
        account !== null &&
        account !== refusal.account &&
        receivedAtMs > refusal.sentAtMs - pace.windowMs,
    );
    if (isOtherActive) pace.share();
    this.refusedThoughSpaced ??= refusal.account;
  }

  /** When an account's budget is whole again, and any longer wait is over that its last refusal asked for. */
  freeAtMs(account: string): number {
    const { exchanges, pace } = this.recorder;
    const last = exchanges.findLast((exchange) => exchange.account === account);
    const asked = last && isRefused(last, this.recorder.evidence()) ? this.waitMs(last) : null;
    const mostMs = 2 * pace.windowMs + 5000;
    return Math.max(pace.freshAtMs(account), (last?.receivedAtMs ?? 0) + Math.min(asked ?? 0, mostMs) + MARGIN_MS);
  }

  /** How long a refusal asks to wait at most, in milliseconds; `null` where it does not say so. */
  waitMs(refusal: Exchange): number | null {
    const wait = waitAskedSeconds(refusal, this.recorder.evidence());
    return wait && wait.most * 1000;
  }

  /** Whether a whole answer to a valid key is a refusal because of the rate. */
  isOverLimit(exchange: Exchange): boolean {
    return isWhole(exchange) && isRefused(exchange, this.recorder.evidence());
  }
}
