/** When trials at the rate limit begin: with a whole budget, and each at another phase than the one before. */
import type { Group } from '../../catalogue/catalogue';
import { LITTLE_MS, longestMemoryMs } from '../../contract/bounds';
import { parsedHeaders } from '../../evidence/http/headers';
import { isRefused } from '../../evidence/responder/classify';
import { usualLatencyMs } from '../../evidence/responder/queueing';
import { ownOf } from '../../evidence/time/gaps';
import { passesAtMs } from '../../evidence/time/server-clock';
import { depthOf } from '../../limiter/level';
import { reportedLimit } from '../../limiter/reported';
import { timelineOf, userOf } from '../../limiter/timeline';
import { MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { SHORT_WINDOW_MS } from '../requests';

/** A promise is asked for this late in a second of the server's clock, and once more even later where it was kept. */
const LATE_IN_A_SECOND_MS = 800;
const LAST_IN_A_SECOND_MS = 950;
/** In budgets. Windows of the declared rate look nearly as deep where the end of one falls between requests. */
export const DEEP = 1.6;
/** A bucket is waited for so long at most, and `SHORT_WINDOW_MS`: more than twice the rate at once needs no second trial. */
export const MOST_REFILLED_WINDOWS = 3;

/** At most this many of the last requests tell how deep a bucket is. The number bounds the work. */
const TELLING = 150;

/** All moments are in milliseconds of the run's clock. */
export class Moments {
  /** The account whose first burst comes after a silence. */
  private quiet: string | null = null;

  constructor(private readonly recorder: Recorder) {}

  /**
   * The next moment with a whole budget, at a phase a third of a window from those of earlier trials. The first account
   * that is asked for a burst is silent before it, where windows are short, for as long as any limiter remembers: what a
   * limiter has stored meanwhile shows, and what it says of a whole budget.
   * @param phase the trial whose phase is met once more
   */
  freshMs(account: string, group: Group, trial: number, phase = trial): number {
    if (group === 'concurrent') this.quiet ??= account;
    const isQuiet = group === 'concurrent' && this.quiet === account && this.areShort;
    // A store that forgets late must not look like a budget already begun, or like a burst refused as a whole.
    const wasRefused = ownOf(this.evidence, account).some((exchange) => isRefused(exchange, this.evidence));
    const isCareful = group === 'concurrent' || wasRefused || this.recorder.target.rate.requests > 1;
    const littleMs = isCareful ? LITTLE_MS : 0;
    const dueMs = Math.max(
      this.recorder.pace.freshAtMs(account) + littleMs,
      this.recorder.now(),
      this.forgottenAtMs(account),
      this.refilledAtMs(account),
      isQuiet ? this.silentAtMs(account) : 0,
    );
    // The first trial at the paths may begin with a recovery.
    const groups = [group, ...(group === 'paths' ? ['recovery' as const] : [])];
    const first = this.recorder.exchanges.find(
      ({ probe }) => groups.includes(probe.group) && probe.account === account && probe.trial === 1,
    );
    if (!first || trial === 1) return dueMs;
    const { requests } = this.recorder.target.rate;
    // Where a third of a window is whole ticks of a bucket, trials are shifted by a third of a tick too.
    const shiftMs = this.windowMs / 3 + (requests % 3 === 0 ? this.windowMs / requests / 3 : 0);
    return nextOfPhase(dueMs, first.sentAtMs + (phase - 1) * shiftMs, this.windowMs);
  }

  /**
   * A moment with a whole budget, late in a second of the server's clock, so that its Reset soon passes.
   * @param kept how many such promises were kept: by as many seconds it comes later in windows of the clock. In those
   * of a second it comes later in that: a window's end between promise and request gives budget whatever was promised
   */
  lateInASecondMs(account: string, kept: number, leastMs = this.recorder.pace.freshAtMs(account)): number {
    const freshMs = Math.max(leastMs, this.recorder.now());
    const last = ownOf(this.evidence, account).at(-1);
    const date = last ? parsedHeaders(last).dateSeconds : null;
    const secondMs = last && date !== null ? passesAtMs(date, last, this.evidence) : null;
    if (secondMs === null || date === null) return freshMs;
    const seconds = Math.max(1, Math.round(this.windowMs / 1000));
    const laterSeconds = (kept - (date % seconds) + seconds) % seconds;
    const isLast = seconds === 1 && kept > 0;
    const lateMs = isLast ? LAST_IN_A_SECOND_MS - usualLatencyMs(this.evidence) : LATE_IN_A_SECOND_MS;
    return nextOfPhase(freshMs, secondMs + lateMs + laterSeconds * 1000, seconds * 1000);
  }

  /** Whether a silence costs little. */
  get areShort(): boolean {
    return 2 * this.windowMs <= SHORT_WINDOW_MS;
  }

  get areOfSeveralSeconds(): boolean {
    return this.windowMs > 1000 && this.windowMs <= SHORT_WINDOW_MS;
  }

  /** When no limiter remembers anything of an account, where more is told than declared: a refusal then shows a lie. */
  private forgottenAtMs(account: string): number {
    const told = reportedLimit(account, this.evidence) ?? 0;
    return told > this.recorder.target.rate.requests ? this.silentAtMs(account) : 0;
  }

  /** When a bucket that let more than the rate through would be full again. */
  private refilledAtMs(account: string): number {
    const { rate } = this.recorder.target;
    const { accepted } = userOf(timelineOf(this.evidence, account).slice(-TELLING));
    const depth = depthOf(accepted, rate) / rate.requests;
    if (depth < DEEP) return 0;
    const refillMs = Math.min(Math.ceil(depth) * this.windowMs, MOST_REFILLED_WINDOWS * this.windowMs, SHORT_WINDOW_MS);
    return Math.max(...accepted.map(({ toMs }) => toMs)) + refillMs + MARGIN_MS;
  }

  /** When an account has asked nothing for as long as any limiter remembers. */
  private silentAtMs(account: string): number {
    const answeredAtMs = ownOf(this.evidence, account).map(({ receivedAtMs }) => receivedAtMs);
    return Math.max(...answeredAtMs) + longestMemoryMs(this.recorder.target.rate) + MARGIN_MS;
  }

  private get windowMs(): number {
    return this.recorder.pace.windowMs;
  }

  private get evidence() {
    return this.recorder.evidence();
  }
}

/** Returns the first moment from `fromMs` on that is a whole number of periods away from `phaseMs`. */
export function nextOfPhase(fromMs: number, phaseMs: number, periodMs: number): number {
  return fromMs + ((((phaseMs - fromMs) % periodMs) + periodMs) % periodMs);
}
