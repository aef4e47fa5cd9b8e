/** A run: one target and what is recorded of it, sent now or read from an earlier run. In the runner's main process. */
import { type Configuration, loadConfiguration } from '../config/configuration';
import { textOf } from '../config/readable';
import type { Conformance } from '../conformance';
import type { Evidence, Waiver } from '../exchange';
import { Conductor } from '../probes/conductor';
import type { Group } from '../probes/groups';
import { Recorder } from '../recorder/recorder';
import { fromHar, type RecordedHar } from '../report/har';
import { suite } from '../suite';
import type { Target } from '../target';
import { UsageError } from '../usage-error';
import { embeddedTarget } from './embedded';
import type { Turns } from './fleet';

/** What a worker needs to judge: everything but secrets. */
export interface RunData {
  evidence: Evidence;
  waivers: Waiver[];
  strict: boolean;
  /** `YYYY-MM-DD` */
  today: string;
  /** Why nothing could be judged. */
  error: string | null;
  figures: Figures;
}

/** The figures of a run, and what is to be said of it as a whole. */
export interface Figures {
  waitedMs: number;
  /** `null` where the whole of the process is the run. */
  durationMs: number | null;
  startedAtEpochMs: number | null;
  /** Remarks on the run as a whole. */
  notes: string[];
}

/** What was recorded of a run, and its figures. */
export type Recorded = Figures & { evidence: Evidence; error: string | null };

export interface Run {
  /** Things the user may not have meant, one sentence each. */
  notices: string[];
  /** Whether a MUST of the core profile that was not tested fails the run. */
  requireComplete: boolean;
  /** Begins to send what the groups need; it is there when `data` resolves. */
  begin(groups: Iterable<Group>): void;
  /** Everything recorded, once all that was planned is sent. */
  data(): Promise<RunData>;
  /** What is recorded so far, and the figures of the run. */
  sofar(): Recorded;
  /** How many requests were sent so far. */
  requests(): number;
  /** What the run is busy with, for people who wait. */
  doing(): string;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
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
  if (configuration.target !== null) return runAgainst(configuration.target, configuration, baseline);
  const embedded = await embeddedTarget();
  return { ...runAgainst(embedded.target, configuration, baseline), close: embedded.close };
}

/**
 * A run that sends what is asked for.
 * @param turns where the target is one of many: then its time is its own, and not that of the process
 */
export function runAgainst(
  target: Target,
  configuration: Configuration,
  baseline: Conformance | null,
  turns: Turns | null = null,
): Run {
  const recorder = new Recorder(target, {
    insecureTls: configuration.insecureTls,
    riskyProbes: configuration.riskyProbes,
    environment: configuration.variables,
  });
  const notes = configuration.insecureTls
    ? ['INSECURE_TLS was set: the certificate of the server was not verified.']
    : [];
  let conducted: Promise<void> | null = null;
  let doing = '';
  let beganAtMs: number | null = null;
  let endedAtMs: number | null = null;
  const figures = (): Figures => ({
    waitedMs: recorder.pace.waitedMs,
    durationMs: turns && (beganAtMs === null ? 0 : (endedAtMs ?? recorder.now()) - beganAtMs),
    startedAtEpochMs: turns && recorder.evidence().startedAtEpochMs + (beganAtMs ?? 0),
    notes,
  });
  return {
    notices: configuration.notices,
    requireComplete: configuration.requireComplete,
    baseline,
    begin(groups) {
      const conductor = new Conductor(recorder, groups, configuration.riskyProbes, (what) => {
        doing = what;
      });
      const conduct = async () => {
        beganAtMs = recorder.now();
        await conductor.conduct().catch((problem: Error) => {
          // What was recorded is still worth reading, and what stopped the run is told once.
          recorder.error ??= problem instanceof UsageError ? problem.message : `The suite failed: ${problem.message}`;
        });
        endedAtMs = recorder.now();
      };
      conducted = turns ? turns.take(target, conduct) : conduct();
    },
    async data() {
      await conducted;
      return dataOf(recorder.evidence(), configuration, target.waivers, recorder.error, figures());
    },
    sofar: () => ({ evidence: recorder.evidence(), error: recorder.error, ...figures() }),
    requests: () => recorder.exchanges.length,
    doing: () =>
      `${recorder.exchanges.length} requests; ${doing}${recorder.pace.isWaiting ? ': waiting for a window of the rate limit' : ''}`,
    close: async () => undefined,
  };
}

/** A run that sends nothing: all is answered from what an earlier one recorded. */
function replayed(configuration: Configuration, file: string, baseline: Conformance | null): Run {
  const recorded: RecordedHar = fromHar(textOf('REPLAY', file), file);
  const { version } = recorded.recordedBy;
  const other = version === suite.version ? '' : `; this is version ${suite.version}`;
  const waivers = configuration.target?.waivers ?? recorded.evidence.target.waivers ?? [];
  const figures = {
    waitedMs: recorded.waitedMs,
    durationMs: recorded.durationMs,
    startedAtEpochMs: recorded.evidence.startedAtEpochMs,
    notes: [`Replayed from ${file}, recorded by version ${version}${other}: nothing was sent.`],
  };
  return {
    notices: configuration.notices,
    requireComplete: configuration.requireComplete,
    baseline,
    begin: () => undefined,
    data: async () => dataOf(recorded.evidence, configuration, waivers, recorded.error, figures),
    sofar: () => ({ evidence: recorded.evidence, error: recorded.error, ...figures }),
    requests: () => 0,
    doing: () => 'judging what was recorded',
    close: async () => undefined,
  };
}

function dataOf(
  evidence: Evidence,
  configuration: Configuration,
  waivers: Waiver[],
  error: string | null,
  figures: Figures,
): RunData {
  const today = new Date().toISOString().slice(0, 10);
  return { evidence, waivers, strict: configuration.strict, today, error, figures };
}

function baselineFrom(file: string): Conformance {
  const text = textOf('BASELINE', file);
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
