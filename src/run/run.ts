/** A run: one target and what is recorded of it, sent now or read from an earlier run. In the runner's main process. */

import { wholenessOf } from '../certificate/wholeness/wholeness';
import type { Conformance } from '../contract/result';
import type { Waiver } from '../evidence/exchange';
import { fromHar } from '../evidence/har/read';
import { needsOf } from '../judge/rules';
import type { Judgement } from '../judge/verdict';
import { Conductor } from '../probes/conductor';
import { Recorder } from '../recorder/recorder';
import type { Recorded } from '../report/model';
import { suite } from '../suite';
import { type Configuration, loadConfiguration } from '../target/configuration';
import { readText } from '../target/readable';
import type { Target } from '../target/target';
import { UsageError } from '../usage-error';
import { embeddedTarget } from './embedded';
import type { Turns } from './fleet';
import { Judging } from './judging';
import { withKeysOf } from './locks';

/** One run, from its preparation to its results. */
export interface Run {
  /** Things the user may not have meant, one sentence each. */
  notices: string[];
  /** Whether a MUST of the core profile that was not tested fails the run. */
  requireComplete: boolean;
  /** Whether a warning fails the run. */
  strict: boolean;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
  /** Begins to send what some clauses need. */
  begin(ids: Iterable<string>): void;
  /** Everything recorded, once all that was planned is sent. */
  recorded(): Promise<Recorded>;
  /** What is recorded so far. */
  sofar(): Recorded;
  /** The judgement of a clause, once everything is recorded. It is made once. @throws for an id that has no rule */
  judgement(id: string): Judgement;
  /** The judgements of the clauses that the run was begun for; none before everything is recorded. */
  judgements(): ReadonlyMap<string, Judgement>;
  /** How many requests were sent so far. */
  requests(): number;
  /** What the run is busy with, for people who wait. */
  doing(): string;
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
  const { waivers } = configuration;
  if (configuration.replay !== null) {
    const declared = configuration.target?.waivers ?? waivers;
    return finishedRun(replayed(configuration.replay, declared), configuration, baseline);
  }
  const waived = (target: Target): Target => (waivers === null ? target : { ...target, waivers });
  if (configuration.target !== null) return runAgainst(waived(configuration.target), configuration, baseline);
  const embedded = await embeddedTarget();
  return { ...runAgainst(waived(embedded.target), configuration, baseline), close: embedded.close };
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
  const sofar = (): Recorded => ({
    evidence: recorder.evidence(),
    error: recorder.error,
    waitedMs: recorder.pace.waitedMs,
    durationMs: turns && (beganAtMs === null ? 0 : (endedAtMs ?? recorder.now()) - beganAtMs),
    startedAtEpochMs: turns && recorder.evidence().startedAtEpochMs + (beganAtMs ?? 0),
    notes,
  });
  const judging = new Judging(sofar);
  return {
    notices: configuration.notices,
    requireComplete: configuration.requireComplete,
    strict: configuration.strict,
    baseline,
    begin(ids) {
      judging.ids = [...ids];
      const conductor = new Conductor(recorder, needsOf(judging.ids), configuration.riskyProbes, (what) => {
        doing = what;
      });
      const onWait = () => {
        doing = 'waiting for another run of this machine that uses the same key';
      };
      const conduct = () => withKeysOf(target, onWait, send);
      const send = async () => {
        beganAtMs = recorder.now();
        await conductor.conduct().catch((problem: Error) => {
          // What was recorded is still worth reading, and what stopped the run is told once.
          recorder.error ??= problem instanceof UsageError ? problem.message : `The suite failed: ${problem.message}`;
        });
        endedAtMs = recorder.now();
      };
      conducted = turns ? turns.take(target, conduct) : conduct();
    },
    async recorded() {
      await conducted;
      return sofar();
    },
    sofar,
    judgement: (id) => judging.of(id),
    judgements: () => (endedAtMs === null ? new Map() : judging.all()),
    requests: () => recorder.exchanges.length,
    doing: () =>
      `${recorder.exchanges.length} requests; ${doing}${recorder.pace.isWaiting ? ': waiting for a window of the rate limit' : ''}`,
    close: async () => undefined,
  };
}

/** A run that sends nothing: all that is to be judged was recorded before, or could not be. */
export function finishedRun(
  recorded: Recorded,
  asked: Pick<Run, 'notices' | 'requireComplete' | 'strict'>,
  baseline: Conformance | null,
): Run {
  const judging = new Judging(() => recorded);
  return {
    notices: asked.notices,
    requireComplete: asked.requireComplete,
    strict: asked.strict,
    baseline,
    begin(ids) {
      judging.ids = [...ids];
    },
    recorded: async () => recorded,
    sofar: () => recorded,
    judgement: (id) => judging.of(id),
    judgements: () => judging.all(),
    requests: () => 0,
    doing: () => 'judging what was recorded',
    close: async () => undefined,
  };
}

/** What an earlier run left. The waivers of a target, if one is declared, stand in for those of then. */
function replayed(file: string, declared: Waiver[] | null): Recorded {
  const text = readText('REPLAY', file);
  const har = fromHar(text, file);
  const { evidence, recordedBy, ...figures } = har;
  const [doubt, ...more] = Object.values(wholenessOf(har, text)).flat();
  const other = recordedBy.version === suite.version ? '' : `; this is version ${suite.version}`;
  return {
    ...figures,
    evidence: {
      ...evidence,
      target: { ...evidence.target, waivers: declared ?? evidence.target.waivers },
    },
    startedAtEpochMs: evidence.startedAtEpochMs,
    notes: [
      `Replayed from ${file}, recorded by version ${recordedBy.version}${other}: nothing was sent.`,
      ...(doubt === undefined
        ? []
        : [
            `The evidence does not add up, so this result cannot be certified: ${doubt}${more.length > 0 ? ` (and ${more.length} more)` : ''}.`,
          ]),
    ],
    isWhole: doubt === undefined,
  };
}

function baselineFrom(file: string): Conformance {
  const text = readText('BASELINE', file);
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
