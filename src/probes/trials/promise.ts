/** Reads when budget was promised sooner than a window, by an accepted answer or by a refusal (API description, section 8). */
import { type ProbeRequest, probe } from '../../catalogue/probe';
import { LITTLE_MS, ROUNDING_SECONDS } from '../../contract/bounds';
import { parsedHeaders } from '../../evidence/http/headers';
import type { Exchange } from '../../evidence/model';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { usualLatencyMs } from '../../evidence/responder/queueing';
import { isAtTheBase } from '../../evidence/select';
import { ownOf, turnsOf, waitedMs } from '../../evidence/time/gaps';
import { passesAtMs, waitAskedSeconds } from '../../evidence/time/server-clock';
import { MOST_TRIALS } from '../../limiter/another-trial';
import { MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { read } from '../requests';
import type { Moments } from './moments';

/** Of what is left of a window, rounding to whole seconds makes 0 when it is less than this. */
const ROUNDED_DOWN_MS = 500;

export class EarlyPromises {
  /** The paths on which promises of refusals were tried. */
  private readonly tried = new Set<string>();

  constructor(
    private readonly recorder: Recorder,
    private readonly moments: Moments,
  ) {}

  /**
   * Where an accepted read promises budget sooner than a window: reads when that is due, with nothing sent between. A
   * promise that was kept is tried again: in another second of windows that last several, else later in a second.
   */
  async ask(account: string): Promise<void> {
    const { recorder, windowMs } = this;
    const beginnings = turnsOf(this.evidence, account).filter((turn) => waitedMs(turn) >= windowMs);
    let isPromised = beginnings.some(({ next }) => this.earlyMs(next) !== null || isPromisedAtOnce(next));
    const phases = Math.min(MOST_TRIALS, Math.max(2, Math.ceil(windowMs / 1000)));
    const most = this.moments.areShort || this.moments.areOfSeveralSeconds ? phases : 1;
    for (let [kept, broken] = [0, 0]; isPromised && kept < most && broken < 2 && !recorder.givenUp; ) {
      const wasRefused = await recorder.pace.turn(account, async () => {
        const sentFor = probe('promise', { account, trial: 1 + kept + broken });
        const first = await recorder.send(read(account, sentFor), {
          atMs: this.moments.lateInASecondMs(account, kept),
        });
        const atMs = first && this.earlyMs(first);
        const second = atMs === null ? null : await recorder.send(read(account, sentFor), { atMs });
        isPromised = second !== null || this.moments.areOfSeveralSeconds;
        return second !== null && isRefused(second, this.evidence);
      });
      if (wasRefused) broken += 1;
      else kept += 1;
    }
  }

  /**
   * Where a refusal of a path promises budget sooner than a window after what was accepted before it: is refused there, and reads when that is
   * due, with nothing sent between. Twice in fresh windows, as the end of one may have come between.
   */
  async askAfterRefusals(account: string): Promise<void> {
    for (const path of ['/webhooks', '/'] as const) {
      if (this.tried.has(path) || !this.isPromisedByRefusals(path)) continue;
      this.tried.add(path);
      for (let [kept, broken] = [0, 0]; kept < 2 && broken < 2 && !this.recorder.givenUp; ) {
        const isBroken = await this.recorder.pace.turn(account, () =>
          this.isBrokenAfterRefusal(account, path, 1 + kept + broken, kept),
        );
        if (isBroken) broken += 1;
        else kept += 1;
      }
    }
  }

  private async isBrokenAfterRefusal(account: string, path: string, trial: number, kept: number): Promise<boolean> {
    const { recorder, windowMs } = this;
    const { requests } = recorder.target.rate;
    // Numbers that no other trial has.
    const sentFor = probe('promise', { account, trial: (path === '/' ? 20 : 10) + trial });
    const whole: ProbeRequest[] = Array.from({ length: requests }, () => read(account, sentFor));
    const isOnBase = path === '/';
    const wholeMs = recorder.pace.wholeAtMs(account);
    const first = await recorder.burst(whole, {
      atMs:
        isOnBase && kept === 0 ? this.moments.lateInASecondMs(account, 0, wholeMs) : wholeMs + (kept * windowMs) / 3,
    });
    // So late in the window that the wait is rounded down, and so soon that it has passed before the window ends.
    const leftMs = (ROUNDED_DOWN_MS + usualLatencyMs(this.evidence) + LITTLE_MS) / 2;
    const lateMs = Math.max(...first.map(({ sentAtMs }) => sentAtMs)) + windowMs - leftMs;
    const refused = await recorder.send({ ...read(account, sentFor), path }, { atMs: isOnBase ? 0 : lateMs });
    const promisedMs = refused && isRefused(refused, this.evidence) ? this.promisedMs(refused) : null;
    if (promisedMs === null) return false;
    const second = await recorder.send(read(account, sentFor), { atMs: promisedMs });
    return second !== null && isRefused(second, this.evidence);
  }

  /**
   * Whether a refusal on a path promised budget before a window begun by what was accepted before it would end: by Retry-After, or on the base
   * path by a Reset of its own. Bursts ask for the Reset of refusals of /webhooks, as does whoever names the same on both paths.
   */
  private isPromisedByRefusals(path: string): boolean {
    const { recorder, windowMs } = this;
    return recorder.target.accounts.some(({ name }) => {
      let acceptedMs = Number.NEGATIVE_INFINITY;
      const resets = new Set<number | null>();
      return ownOf(this.evidence, name).some((exchange) => {
        const { reset } = parsedHeaders(exchange);
        if (isAccepted(exchange)) {
          acceptedMs = exchange.sentAtMs;
          resets.clear();
        }
        if (!isAtTheBase(exchange)) resets.add(reset);
        if (isAtTheBase(exchange) !== (path === '/') || !isRefused(exchange, this.evidence)) return false;
        const isOwn = path === '/' && !resets.has(reset);
        return (this.promisedMs(exchange, isOwn ? 0 : null) ?? Number.POSITIVE_INFINITY) < acceptedMs + windowMs;
      });
    });
  }

  /**
   * When a refusal's Retry-After or Reset has passed, the sooner of them; `null` where it promises nothing.
   * @param roundedSeconds by how much Reset may be rounded down: without that, at some phases it passes too soon; `null` leaves Reset out
   */
  private promisedMs(refusal: Exchange, roundedSeconds: number | null = ROUNDING_SECONDS): number | null {
    const { reset } = parsedHeaders(refusal);
    const asked = waitAskedSeconds(refusal, this.evidence);
    const moments = [
      asked === null ? null : refusal.receivedAtMs + asked.most * 1000,
      reset === null || roundedSeconds === null
        ? null
        : passesAtMs(reset - ROUNDING_SECONDS + roundedSeconds, refusal, this.evidence),
    ].filter((ms) => ms !== null);
    return moments.length > 0 ? Math.max(refusal.receivedAtMs, Math.min(...moments)) + LITTLE_MS + MARGIN_MS / 2 : null;
  }

  /** When an accepted response's Reset has passed, if that is certainly sooner than a window after it. */
  private earlyMs(accepted: Exchange): number | null {
    const reset = isAccepted(accepted) ? parsedHeaders(accepted).reset : null;
    const passed = reset === null ? null : passesAtMs(reset, accepted, this.evidence);
    const dueMs = passed === null ? null : passed + LITTLE_MS + MARGIN_MS / 2;
    return dueMs !== null && dueMs < accepted.sentAtMs + this.windowMs - LITTLE_MS ? dueMs : null;
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
  const { reset, dateSeconds } = parsedHeaders(exchange);
  return isAccepted(exchange) && reset !== null && dateSeconds !== null && reset <= dateSeconds;
}
