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

/** A worker that comes after so long is none that took the place of another within a run. */
const RESTARTED_WITHIN_MS = 5000;

/** A run that no reporter began. Whether it is still the same one can only be told from who asks. */
interface Unreported {
  run: Run;
  asked: Set<string>;
  worker: number;
  /** Whether the last judgement that was given failed its test, so that Playwright starts a new worker. */
  hasFailed: boolean;
  atMs: number;
}

export class Runs {
  private readonly reported = new Map<string, Run>();
  private readonly unreported = new Map<string, Unreported>();

  /**
   * @param prepared by project; one target alone stands under an empty name
   * @param isFleet whether each target has a project of its own; a single target is that of every project
   */
  constructor(
    readonly prepared: ReadonlyMap<string, Prepared>,
    readonly isFleet: boolean,
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

  /** The run that a reporter has begun. */
  reportedRun(name: string): Run | null {
    return this.reported.get(name) ?? null;
  }

  /** Ends the sending of the runs that were begun; who asks after this gets a fresh one. */
  end(): void {
    for (const run of this.reported.values()) run.stop();
    this.reported.clear();
  }

  /** Runs that no reporter began: nobody has written their results. */
  get withoutReporter(): Map<string, Run> {
    return new Map([...this.unreported].map(([name, { run }]) => [name, run]));
  }

  /**
   * The run for somebody who asks. Where no reporter has begun one, it begins now, with every clause: which tests were
   * selected is not known then.
   * @returns `null` where the project has no target
   */
  runFor(asker: Asker): { run: Run; prepared: Prepared; isReported: boolean } | null {
    const name = this.nameFor(asker.project);
    const prepared = this.prepared.get(name);
    if (!prepared) return null;
    const reported = this.reported.get(name);
    if (reported) return { run: reported, prepared, isReported: true };
    const known = this.unreported.get(name);
    const ids = asker.id === null ? [] : clauseTexts.map(({ id }) => id);
    const current: Unreported =
      known && !isOver(known, asker)
        ? known
        : { run: prepared.begin(ids), asked: new Set(), worker: asker.worker, hasFailed: false, atMs: 0 };
    current.worker = asker.worker;
    if (asker.id !== null) current.asked.add(`${asker.project} ${asker.id}`);
    this.unreported.set(name, current);
    return { run: current.run, prepared, isReported: false };
  }

  /** Notes that a judgement was given in a run that no reporter began. */
  given(project: string, hasFailed: boolean): void {
    const known = this.unreported.get(this.nameFor(project));
    if (known) Object.assign(known, { hasFailed, atMs: performance.now() });
  }

  /** Ends the sending for somebody who went away, in a run that no reporter began. */
  left(project: string): void {
    this.unreported.get(this.nameFor(project))?.run.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.prepared.values()].map((one) => one.close()));
  }
}

/**
 * Whether who asks belongs to a later run: it asks again what was asked, or is a new worker though none had to be started
 * anew. In doubt it does: then the evidence is fresh, which costs time and no truth.
 */
function isOver(known: Unreported, asker: Asker): boolean {
  if (asker.id !== null && !known.run.ids.includes(asker.id)) return true;
  if (asker.isAgain) return false;
  if (asker.id !== null && known.asked.has(`${asker.project} ${asker.id}`)) return true;
  const isRestarted = known.hasFailed && performance.now() - known.atMs < RESTARTED_WITHIN_MS;
  return asker.worker !== known.worker && !isRestarted;
}

let current: Runs | null = null;

/** Makes them known to the reporter. */
export function setCurrentRuns(runs: Runs | null): void {
  current = runs;
}

/** `null` where nothing was prepared: when tests are only listed, when reports are merged, or for an unusable configuration. */
export function currentRuns(): Runs | null {
  return current;
}
