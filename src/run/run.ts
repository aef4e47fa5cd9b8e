/** A run: one target, its recorder, and what becomes of them. Lives in the runner's main process. */
import { type Configuration, loadConfiguration } from '../config/configuration';
import type { Evidence } from '../exchange';
import { Conductor } from '../probes/conductor';
import type { Group } from '../probes/groups';
import { Recorder } from '../recorder/recorder';
import type { Target, Waiver } from '../target';
import { embeddedTarget } from './embedded';

/** What a worker needs to judge: everything but secrets. */
export interface RunData {
  evidence: Evidence;
  waivers: Waiver[];
  strict: boolean;
  /** `YYYY-MM-DD` */
  today: string;
  /** Why nothing could be judged. */
  error: string | null;
}

export class Run {
  private conducted: Promise<void> | null = null;
  /** What the run is busy with. */
  doing = '';

  private constructor(
    readonly configuration: Configuration,
    readonly target: Target,
    readonly recorder: Recorder,
    private readonly closeEmbedded: () => Promise<void>,
  ) {}

  /** Loads the configuration and starts the embedded server if no other is named. @throws UsageError */
  static async prepare(): Promise<Run> {
    const configuration = loadConfiguration();
    const embedded = configuration.target === null ? await embeddedTarget() : null;
    const target = configuration.target ?? embedded?.target;
    if (!target) throw new Error('There is no target.');
    const recorder = new Recorder(target, {
      insecureTls: configuration.insecureTls,
      riskyProbes: configuration.riskyProbes,
      environment: configuration.variables,
    });
    return new Run(configuration, target, recorder, embedded?.close ?? (async () => undefined));
  }

  /** Begins to send what the groups need; what it takes to judge them is there when `data` resolves. */
  begin(groups: Iterable<Group>): void {
    const conductor = new Conductor(this.recorder, groups, this.configuration.riskyProbes, (what) => {
      this.doing = what;
    });
    this.conducted = conductor.conduct();
  }

  /** Everything recorded, once all that was planned is sent. */
  async data(): Promise<RunData> {
    await this.conducted;
    return {
      evidence: this.recorder.evidence(),
      waivers: this.target.waivers,
      strict: this.configuration.strict,
      today: new Date().toISOString().slice(0, 10),
      error: this.recorder.error,
    };
  }

  async close(): Promise<void> {
    await this.closeEmbedded();
  }
}
