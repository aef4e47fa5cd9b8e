/** The prepared targets of this process, and the run of each that is under way. */
import { clauseTexts } from '../contract/clauses';
import type { Prepared, Run } from '../run/run';

/** Who asks for a judgement, or sends a request of an own test. */
export interface Asker {
  /** Name of the Playwright project. */
  project: string;
  /** The clause; `null` for an own test. */
  id: string | null;
  /** Index of the worker: Playwright never uses one twice in a process. */
  worker: number;
  /** Whether it is a retry or a repetition of a test. */
  isAgain: boolean;
}

/** Their run, and whether somebody writes its results. */
export interface Found {
  run: Run;
  prepared: Prepared;
  isReported: boolean;
}

/** A worker that comes so long after a failure is none that Playwright started in the place of another. */
const RESTARTED_WITHIN_MS = 5000;

/** A run that no reporter began. Whether it is still the same one can only be told from who asks. */
const unreported = (run: Run, prepared: Prepared) => ({
  run,
  prepared,
  isReported: false,
  /** Projects and clauses. */
  asked: new Set<string>(),
  workers: new Set<number>(),
  /** How many wait for an answer. */
  waiting: 0,
  /** Whether any judgement was given. */
  isJudged: false,
  /** When a judgement failed its test last: then Playwright starts a new worker. */
  failedAtMs: Number.NEGATIVE_INFINITY,
});

type Unreported = ReturnType<typeof unreported>;

export class Runs {
  /** The project of each test whose worker serves many, by the ids that Playwright gives both. */
  projects: ReadonlyMap<string, string> = new Map();
  private readonly reported = new Map<string, Run>();
  /** Runs that no reporter began: nobody has written their results. */
  readonly unreported = new Map<string, Unreported>();

  /**
   * @param prepared by project; one target alone stands under an empty name
   * @param isFleet whether each target has a project of its own; a single target is that of every project
   * @param isSparing whether nobody looks on or asked for a trace: then there is one run, and what only they need is left out
   */
  constructor(
    readonly prepared: Map<string, Prepared>,
    readonly isFleet: boolean,
    readonly isSparing = false,
  ) {}

  /** The name under which the target of a project stands. */
  nameFor(project: string): string {
    return this.isFleet ? project : '';
  }

  /** Begins a run whose results somebody writes; `null` where there is no such target. */
  begin(name: string, ids: Iterable<string>): Run | null {
    const run = this.prepared.get(name)?.begin(ids) ?? null;
    if (run) this.reported.set(name, run);
    return run;
  }

  /** Lets go of a target whose results are written: no test asks for it any more. */
  finished(name: string): void {
    this.reported.get(name)?.stop();
    this.reported.delete(name);
    if (this.isSparing) this.prepared.delete(name);
  }

  /** Ends the sending of the runs that were begun; who asks after this gets a fresh one. */
  end(): void {
    for (const run of this.reported.values()) run.stop();
    this.reported.clear();
  }

  /**
   * The run for somebody who asks. Where no reporter has begun one, it begins now, with every clause: which tests were
   * selected is not known then.
   * @returns `null` where the project has no target
   */
  runFor(asker: Asker): Found | null {
    const name = this.nameFor(asker.project);
    const prepared = this.prepared.get(name);
    if (!prepared) return null;
    const reported = this.reported.get(name);
    if (reported) return { run: reported, prepared, isReported: true };
    let known = this.unreported.get(name);
    if (!known || isOver(known, asker)) {
      known = unreported(prepared.begin(asker.id === null ? [] : clauseTexts.map(({ id }) => id)), prepared);
      this.unreported.set(name, known);
    }
    known.workers.add(asker.worker);
    if (asker.id !== null) known.asked.add(`${asker.project} ${asker.id}`);
    return known;
  }

  /** Notes that a judgement was given in a run that no reporter began. */
  given(project: string, hasFailed: boolean): void {
    const known = this.unreported.get(this.nameFor(project));
    if (!known) return;
    known.isJudged = true;
    if (hasFailed) known.failedAtMs = performance.now();
  }

  /**
   * Notes that somebody waits.
   * @returns what to call when they do no longer: where all who waited went away, a run that no reporter began ends
   */
  waits(project: string): (isGone: boolean) => void {
    const name = this.nameFor(project);
    const known = this.unreported.get(name);
    if (!known) return () => undefined;
    known.waiting += 1;
    return (isGone) => {
      known.waiting -= 1;
      if (!isGone || known.waiting > 0 || known.isJudged) return;
      known.run.stop();
      if (this.unreported.get(name) === known) this.unreported.delete(name);
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.prepared.values()].map((prepared) => prepared.close?.()));
  }
}

/**
 * Whether who asks belongs to a later run: a new worker that asks for what was asked before, or that comes though none had to
 * be started. In doubt it does: then the evidence is fresh, which costs time and no truth.
 */
function isOver(known: Unreported, { project, id, worker, isAgain }: Asker): boolean {
  if (id !== null && !known.run.ids.includes(id)) return true;
  if (isAgain || known.workers.has(worker) || !known.isJudged) return false;
  const wasAsked = id !== null && known.asked.has(`${project} ${id}`);
  return wasAsked || performance.now() - known.failedAtMs > RESTARTED_WITHIN_MS;
}

/** `null` where nothing was prepared: when tests are only listed, when reports are merged, or for an unusable configuration. */
export const current: { runs: Runs | null } = { runs: null };
