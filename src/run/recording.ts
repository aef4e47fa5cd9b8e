/** A run that sends: what some clauses need goes to one target, and everything that comes of it is recorded. */

import { failureOf } from '../failure';
import { needsOf } from '../judge/rules';
import { Conductor } from '../probes/conductor';
import { Spacing } from '../probes/spacing';
import type { Recorder } from '../recorder/recorder';
import type { Recorded } from '../report/model';
import type { Configuration } from '../target/configuration';
import { withKeysOf } from './locks';
import { SentOwn } from './own';
import { Run } from './run';
import type { Turns } from './turns';

export class Recording extends Run {
  readonly own: SentOwn;
  private readonly conducted: Promise<void>;
  /** What the run is busy with. */
  private what = '';
  private beganAtMs: number | null = null;
  private endedAtMs: number | null = null;

  /**
   * Begins to send.
   * @param turns where the target is one of many: then its time is its own, and not that of the process
   * @param earlier the run of the same target before this one: its requests still count for the rate limit
   */
  constructor(
    ids: readonly string[],
    private readonly recorder: Recorder,
    private readonly configuration: Configuration,
    private readonly turns: Turns | null,
    earlier: Recording | null,
  ) {
    super(ids);
    const onWait = () => {
      this.what = 'waiting for another run of this machine that uses the same key';
    };
    const conduct = () => withKeysOf(recorder.target, onWait, () => this.conduct(earlier));
    this.conducted = turns ? turns.take(recorder.target, conduct) : conduct();
    this.own = new SentOwn(recorder, this.conducted);
  }

  private async conduct(earlier: Recording | null): Promise<void> {
    const { recorder } = this;
    if (earlier) {
      await earlier.conducted;
      await recorder.pace.until(recorder.now() + earlier.msUntilFree());
    }
    this.beganAtMs = recorder.now();
    const conductor = new Conductor(recorder, needsOf(this.ids), this.configuration.riskyProbes, (what) => {
      this.what = what;
    });
    await conductor.conduct().catch((problem: unknown) => {
      // What was recorded is still worth reading, and what stopped the run is told once.
      recorder.error ??= recorder.masked(failureOf(problem));
    });
    recorder.settle();
    this.endedAtMs = recorder.now();
  }

  /** How long it takes until the budget of every account is whole again. */
  private msUntilFree(): number {
    const { recorder } = this;
    const spacing = new Spacing(recorder);
    const free = recorder.target.accounts.map(({ name }) => spacing.freeAtMs(name));
    return Math.max(0, ...free.map((atMs) => atMs - recorder.now()));
  }

  async recorded(): Promise<Recorded> {
    await this.conducted;
    return this.sofar();
  }

  sofar(): Recorded {
    const { recorder } = this;
    const isOneOfMany = this.turns !== null;
    const evidence = recorder.evidence();
    const lastsMs = this.beganAtMs === null ? 0 : (this.endedAtMs ?? recorder.now()) - this.beganAtMs;
    return {
      evidence,
      error: recorder.error,
      waitedMs: recorder.pace.waitedMs,
      durationMs: isOneOfMany ? lastsMs : null,
      startedAtEpochMs: isOneOfMany ? evidence.startedAtEpochMs + (this.beganAtMs ?? 0) : null,
      notes: this.configuration.insecureTls
        ? ['INSECURE_TLS was set: the certificate of the server was not verified.']
        : [],
    };
  }

  protected get isRecorded(): boolean {
    return this.endedAtMs !== null && !this.recorder.isStopped;
  }

  requests(): number {
    return this.recorder.exchanges.length;
  }

  doing(): string {
    const waits = this.recorder.pace.isWaiting ? ': waiting for a window of the rate limit' : '';
    return `${this.requests()} requests; ${this.what}${waits}`;
  }

  stop(): void {
    if (this.endedAtMs === null) this.recorder.stop();
  }
}
