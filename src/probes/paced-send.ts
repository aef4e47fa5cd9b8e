/** Sends requests that keep their distance from an account's last one, and tells what it means if one is refused. */

import type { ProbeRequest } from '../catalogue/probe';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole, statusOf } from '../evidence/responder/classify';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import { waitAskedSeconds } from '../evidence/time/server-clock';
import { isStricter } from '../limiter/stricter';
import { areApart } from '../limiter/timeline';
import { isPlainlyStricter } from '../limiter/worlds';
import type { Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/transport/wire';

/** How often a request that was refused although it kept its distance is sent again. */
const MOST_RETRIES = 2;
/** So often one of them is repeated at once: what refuses at random lets it in, which no budget that is used up does. */
const MOST_AT_ONCE = 4;

export class Spacing {
  /** The first account that was refused although its request kept its distance. */
  firstRefused: string | null = null;
  /** Whether it is known why such requests are refused: accounts use up each other's budget. */
  hasNeighbours = false;
  private hasFailed = false;
  private atOnce = 0;

  constructor(private readonly recorder: Recorder) {}

  /** Sends a request when the account's pace allows it, and again after longer waits if it is refused. */
  async send(request: ProbeRequest, retried = 0, via: { via?: Connection } = {}): Promise<Exchange | null> {
    const account = request.account ?? '';
    const { pace } = this.recorder;
    // After a first refusal, requests come a little later so that refusals count, until their reason is known.
    const isKnown = this.hasNeighbours || this.isPlainlyStricter;
    const littleMs = (isKnown || this.firstRefused === null) && !this.hasFailed ? 0 : LITTLE_MS;
    const exchange = await pace.turn(account, async () => {
      const first = await this.recorder.send(request, { atMs: pace.spacedAtMs(account) + littleMs, ...via });
      if (!first || retried > 0 || !this.isOverLimit(first) || isKnown || this.atOnce >= MOST_AT_ONCE) return first;
      this.atOnce += 1;
      return (await this.recorder.send(request, { atMs: this.recorder.now(), ...via })) ?? first;
    });
    if (!exchange || isAccepted(exchange) || !isWhole(exchange)) return exchange;
    const isOverLimit = this.isOverLimit(exchange);
    if (isOverLimit) this.noteRefused(exchange);
    // A failure may be a refusal, with a status that no refusal has shown yet.
    const mayBeRefused =
      isOverLimit ||
      (request.path === '/webhooks' && statusOf(exchange) < 500) ||
      (request.path === '/' && statusOf(exchange) === 403) ||
      statusOf(exchange) === 503;
    const mayBeAccident = retried === 0 && statusOf(exchange) >= 500 && /^\/(?:webhooks)?$/.test(request.path);
    // What failed may have come to a store that forgets late, and fails over the limit.
    this.hasFailed ||= mayBeAccident && !isOverLimit;
    if (!(mayBeRefused || mayBeAccident) || retried >= MOST_RETRIES) return exchange;
    // The last retry waits longer than any limiter of this rate remembers: no such limit can refuse it.
    const silenceMs = longestHonestSeconds(this.recorder.target.rate) * 1000;
    if (retried >= MOST_RETRIES - 1) pace.hold(account, silenceMs);
    else pace.hold(account, this.waitMs(exchange) ?? (mayBeRefused ? pace.windowMs : ONE_MOMENT_MS));
    return this.send(request, retried + 1, via);
  }

  /** Notes a request that was refused although it kept its distance, and whether another account may be why. */
  noteRefused(refusal: Exchange): void {
    const { exchanges, pace } = this.recorder;
    const evidence = this.recorder.evidence();
    const isOtherActive = exchanges.some(
      ({ account, sentAtMs, receivedAtMs }) =>
        sentAtMs <= refusal.receivedAtMs &&
        account !== null &&
        account !== refusal.account &&
        receivedAtMs > refusal.sentAtMs - pace.windowMs &&
        !areApart(account, refusal.account, evidence),
    );
    this.mayBeANeighbour ||= isOtherActive;
    this.firstRefused ??= refusal.account;
  }

  /** Whether another account was busy, perhaps with the same budget, when one was refused despite its distance. */
  mayBeANeighbour = false;

  /** Whether the limit is known to be stricter than declared, which explains further refusals. */
  get isStricter(): boolean {
    return isStricter(this.recorder.evidence());
  }

  /** Whether that shows without further trials. */
  get isPlainlyStricter(): boolean {
    return isPlainlyStricter(this.recorder.evidence());
  }

  /** When an account's budget is whole again and a refusal counts: a little after a window and any wait. */
  freeAtMs(account: string): number {
    return this.recorder.pace.freshAtMs(account) + LITTLE_MS;
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
