/** A run: one target and what is recorded of it, sent now or read from an earlier run. In the runner's main process. */
import { readFileSync } from 'node:fs';
import { type Configuration, loadConfiguration } from '../config/configuration';
import type { Conformance } from '../conformance';
import type { Evidence, Waiver } from '../exchange';
import { Conductor } from '../probes/conductor';
import type { Group } from '../probes/groups';
import { Recorder } from '../recorder/recorder';
import { fromHar, type RecordedHar } from '../report/har';
import { suite } from '../suite';
import { UsageError } from '../usage-error';
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

export interface Run {
  configuration: Configuration;
  /** Begins to send what the groups need; it is there when `data` resolves. */
  begin(groups: Iterable<Group>): void;
  /** Everything recorded, once all that was planned is sent. */
  data(): Promise<RunData>;
  /** What is recorded so far, and the figures of the run. */
  sofar(): {
    evidence: Evidence;
    waitedMs: number;
    durationMs: number | null;
    startedAtEpochMs: number | null;
    error: string | null;
  };
  /** What the run is busy with, for people who wait. */
  doing(): string;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
  /** Remarks on the run as a whole. */
  notes: string[];
  close(): Promise<void>;
}

/**
 * Loads the configuration and prepares what it asks for: a recorder, with the embedded server if no other is named,
 * or the evidence of an earlier run.
 * @throws UsageError with one message that says what to mend
 */
export async function prepareRun(): Promise<Run> {
  const configuration = loadConfiguration();
  const baseline = configuration.baseline === null ? null : baselineFrom(configuration.baseline);
  if (configuration.replay !== null) return replayed(configuration, configuration.replay, baseline);
  const embedded = configuration.target === null ? await embeddedTarget() : null;
  const target = configuration.target ?? embedded?.target;
  if (!target) throw new Error('There is no target.');
  const recorder = new Recorder(target, {
    insecureTls: configuration.insecureTls,
    riskyProbes: configuration.riskyProbes,
    environment: configuration.variables,
  });
  let conducted: Promise<void> | null = null;
  let doing = '';
  return {
    configuration,
    baseline,
    notes: configuration.insecureTls ? ['INSECURE_TLS was set: the certificate of the server was not verified.'] : [],
    begin(groups) {
      const conductor = new Conductor(recorder, groups, configuration.riskyProbes, (what) => {
        doing = what;
      });
      conducted = conductor.conduct().catch((problem: Error) => {
        // What was recorded is still worth reading, and what stopped the run is told once.
        recorder.error ??= problem instanceof UsageError ? problem.message : `The suite failed: ${problem.message}`;
      });
    },
    async data() {
      await conducted;
      return dataOf(recorder.evidence(), configuration, target.waivers, recorder.error);
    },
    sofar: () => ({
      evidence: recorder.evidence(),
      waitedMs: recorder.pace.waitedMs,
      durationMs: null,
      startedAtEpochMs: null,
      error: recorder.error,
    }),
    doing: () =>
      `${recorder.exchanges.length} requests; ${doing}${recorder.pace.isWaiting ? ': waiting for a window of the rate limit' : ''}`,
    close: async () => embedded?.close(),
  };
}

/** A run that sends nothing: all is answered from what an earlier one recorded. */
function replayed(configuration: Configuration, file: string, baseline: Conformance | null): Run {
  const recorded: RecordedHar = fromHar(textOf(file, 'REPLAY'), file);
  const { version } = recorded.recordedBy;
  const other = version === suite.version ? '' : `; this is version ${suite.version}`;
  const waivers = configuration.target?.waivers ?? recorded.evidence.target.waivers ?? [];
  return {
    configuration,
    baseline,
    notes: [`Replayed from ${file}, recorded by version ${version}${other}: nothing was sent.`],
    begin: () => undefined,
    data: async () => dataOf(recorded.evidence, configuration, waivers, recorded.error),
    sofar: () => ({ ...recorded, startedAtEpochMs: recorded.evidence.startedAtEpochMs }),
    doing: () => 'judging what was recorded',
    close: async () => undefined,
  };
}

function dataOf(evidence: Evidence, configuration: Configuration, waivers: Waiver[], error: string | null): RunData {
  return { evidence, waivers, strict: configuration.strict, today: new Date().toISOString().slice(0, 10), error };
}

function baselineFrom(file: string): Conformance {
  const text = textOf(file, 'BASELINE');
  const unusable = new UsageError(
    `BASELINE: ${file} is not a conformance.json of this suite: take the one an earlier run left.`,
  );
  let result: Conformance;
  try {
    result = JSON.parse(text) as Conformance;
  } catch {
    throw unusable;
  }
  const hasClauses = Array.isArray(result?.clauses) && result.clauses.every((clause) => typeof clause?.id === 'string');
  if (!hasClauses || typeof result.observations !== 'object' || result.observations === null) throw unusable;
  return result;
}

function textOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      `${variable} names ${file}, but ${code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`}.`,
    );
  }
}
