/** A prepared target, and a run against it; and runs that send nothing. UI mode and VS Code run a target many times: each run begins afresh. */
import type { ProbeRequest } from '../catalogue/catalogue';
import { MOST_BYTES, textIn } from '../common/files';
import { suite } from '../common/suite';
import { compact } from '../common/text';
import { factsOf, targetOf } from '../config/target';
import type { Conformance } from '../contract/result';
import { fromHar } from '../evidence/har';
import { type Exchange, type Waiver, withoutOwn } from '../evidence/model';
import type { Judgement } from '../judge/verdict';
import { judgementsOf } from '../profiles/rules';
import type { Asked } from '../report/assemble';
import type { Recorded } from '../report/words';

export interface Prepared extends Asked {
  /** Settings that the user may not have meant, one sentence each. */
  notices: string[];
  baseline: Conformance | null;
  /** The directory in which whole runs against this target are kept. */
  history: string | null;
  /** Ends the sending of the previous run, and begins a run that sends what some clauses need. */
  begin(ids: Iterable<string>): Run;
  close?(): Promise<void>;
}

/** A run that judges what was recorded before, or reports why nothing was. Those that send extend it. */
export class Run {
  /** Made once. What own tests send later changes nothing. */
  private judged: ReadonlyMap<string, Judgement> | null = null;

  readonly ids: readonly string[];
  /** Whether requests of own tests are sent. */
  readonly sends: boolean = false;
  /** Fulfilled once everything planned is sent. */
  protected conducted: Promise<void> = Promise.resolve();

  /** @param ids the clauses that the run is for */
  constructor(
    ids: Iterable<string>,
    private readonly before: Recorded,
  ) {
    this.ids = [...ids];
  }

  sofar(): Recorded {
    return this.before;
  }

  /** Whether everything is recorded, and can be judged. */
  protected get isRecorded(): boolean {
    return this.before.error === null;
  }

  /** What the run is busy with, for people who wait. */
  doing(): string {
    return 'judging what was recorded';
  }

  /** Sends an own test's request; `null` if stopped or not recorded. @param isWanted asked right before */
  async send(_request: ProbeRequest, _isWanted: () => boolean): Promise<Exchange | null> {
    return null;
  }

  /** Ends the sending; what is recorded stays. */
  stop(): void {}

  /** Returns everything recorded, once everything planned is sent. */
  async recorded(): Promise<Recorded> {
    await this.conducted;
    return this.sofar();
  }

  /** Returns the judgements of the run's clauses; none before everything is recorded. */
  judgements(): ReadonlyMap<string, Judgement> {
    if (!this.isRecorded) return new Map();
    const today = new Date().toISOString().slice(0, 10);
    this.judged ??= judgementsOf(this.ids, withoutOwn(this.sofar().evidence), today);
    return this.judged;
  }
}

/** Reads `evidence.har`. @param declared waivers; `null` keeps those in it @throws UsageError if it cannot be used */
export function replayed(file: string, declared: Waiver[] | null): Recorded {
  const har = fromHar(textIn(file, MOST_BYTES.evidence, 'REPLAY: '), `REPLAY: ${file}`);
  const { evidence, recordedBy, brokenSeal } = har;
  const other = recordedBy.version === suite.version ? '' : `; this is version ${suite.version}`;
  return {
    ...har,
    evidence: { ...evidence, target: { ...evidence.target, waivers: declared ?? evidence.target.waivers } },
    notes: compact(
      `Replayed from ${file}, recorded by version ${recordedBy.version}${other}: nothing was sent.`,
      brokenSeal && 'The evidence was edited after its run, so this result cannot be certified.',
    ),
  };
}

/** Returns what can be reported of a target if only its name is known. */
export function nothingRecorded(name: string, error: string | null = null): Recorded {
  const declared = targetOf({ baseURL: '', accounts: [] }, name);
  const target = factsOf(declared, { riskyProbes: false, insecureTls: false }, (text) => text);
  const evidence = { target, startedAtEpochMs: Date.now(), exchanges: [], notSent: [], deliveries: [], triggers: [] };
  return { evidence, error, waitedMs: 0, durationMs: 0, notes: [] };
}
