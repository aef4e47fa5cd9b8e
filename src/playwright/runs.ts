/** The prepared targets of this process, and the run of each that is under way. */
import { clauseTexts } from '../contract/clauses';
import type { Prepared, Run } from '../run/run';

/** A test that asks for a judgement, or an own test that is about to send requests. */
interface Asker {
  project: string;
  /** The clause; `null` for an own test. */
  id: string | null;
  /** Index of the worker. Playwright uses no index twice in a process. */
  worker: number;
  /** Whether it is a retry or a repetition of a test. */
  isAgain: boolean;
}

/** Within this time after a failure, a new worker replaces the one that failed. A later one belongs to another run. */
const RESTARTED_WITHIN_MS = 5000;

/** A run under way. If no reporter has begun it, only the tests that ask show when the next run has begun. */
const begun = (run: Run, prepared: Prepared, isReported: boolean) => ({
  run,
  prepared,
  /** Whether a reporter has begun it, and writes its results. */
  isReported,
  /** The projects and clauses that were asked for. */
  asked: new Set<string>(),
  workers: new Set<number>(),
  waiting: 0,
  isJudged: false,
  /** When a judgement last failed its test. Playwright then starts a new worker. */
  failedAtMs: Number.NEGATIVE_INFINITY,
});

/** Notes that a judgement was given. */
export function noteJudged(known: Begun, hasFailed: boolean): void {
  known.isJudged = true;
  if (hasFailed) known.failedAtMs = performance.now();
}

export type Begun = ReturnType<typeof begun>;

export class Runs {
  /** If one worker serves many projects: the project id of each test, by test id. */
  projects: ReadonlyMap<string, string> = new Map();
  /** By name of the target. */
  private readonly underWay = new Map<string, Begun>();
  private isLocked = true;

  /**
   * @param prepared by project; a single target has an empty name
   * @param isFleet whether each project has its own target; otherwise all projects share the single one
   * @param isSparing whether no trace was asked for and no UI mode or editor watches: the process then makes only one
   *   run
   * @param unlock lets other runs write to the directory of results
   */
  constructor(
    readonly prepared: Map<string, Prepared>,
    readonly isFleet: boolean,
    readonly isSparing = false,
    private readonly unlock = async () => {},
  ) {}

  /** The name under which the target of a project stands. */
  nameFor(project: string): string {
    return this.isFleet ? project : '';
  }

  /** The runs that no reporter began, by name of the target. Their results are not written yet. */
  get unreported(): Array<[string, Begun]> {
    return [...this.underWay].filter(([, { isReported }]) => !isReported);
  }

  /** Begins a run whose results the reporter writes; `null` if there is no such target. */
  begin(name: string, ids: Iterable<string>): Run | null {
    const prepared = this.prepared.get(name);
    if (!prepared) return null;
    const run = prepared.begin(ids);
    this.underWay.set(name, begun(run, prepared, true));
    return run;
  }

  /** Drops a target whose results are written. No test asks for it any more. */
  finished(name: string): void {
    this.drop(name);
    if (this.isSparing) this.prepared.delete(name);
  }

  /** Ends the sending of the runs that a reporter has begun. A later test gets a fresh run. */
  end(): void {
    for (const [name, { isReported }] of this.underWay) if (isReported) this.drop(name);
  }

  private drop(name: string): void {
    this.underWay.get(name)?.run.stop();
    this.underWay.delete(name);
  }

  /** Returns the run for a test; `null` without a target. If no reporter has begun one, it begins for all clauses. */
  runFor(asker: Asker): Begun | null {
    const name = this.nameFor(asker.project);
    const prepared = this.prepared.get(name);
    if (!prepared) return null;
    const last = this.underWay.get(name);
    const ids = asker.id === null ? [] : clauseTexts.map(({ id }) => id);
    const known = last && !isOver(last, asker) ? last : begun(prepared.begin(ids), prepared, false);
    this.underWay.set(name, known);
    known.workers.add(asker.worker);
    known.asked.add(`${asker.project} ${asker.id}`);
    return known;
  }

  /**
   * Notes that a test waits. Call what it returns once the test is answered or gone: if no reporter has begun the run, the
   * last to go ends it.
   */
  waits(project: string): (isGone: boolean) => void {
    const name = this.nameFor(project);
    const known = this.underWay.get(name);
    if (!known) return () => undefined;
    known.waiting += 1;
    return (isGone) => {
      known.waiting -= 1;
      if (!isGone || known.waiting > 0 || known.isJudged || known.isReported) return;
      known.run.stop();
      if (this.underWay.get(name) === known) this.underWay.delete(name);
    };
  }

  /** Lets other runs write to the directory of results. */
  async leaveResults(): Promise<void> {
    if (!this.isLocked) return;
    this.isLocked = false;
    await this.unlock();
  }

  async close(): Promise<void> {
    await Promise.all([...this.prepared.values()].map((prepared) => prepared.close?.()));
  }
}

/**
 * Whether a test belongs to a later run. It does if no reporter has begun this one, and a new worker asks for a clause that
 * was asked for before, or comes although no test has just failed. In doubt it does, because fresh evidence costs time but
 * is never wrong.
 */
function isOver(known: Begun, { project, id, worker, isAgain }: Asker): boolean {
  if (known.isReported) return false;
  if (id !== null && !known.run.ids.includes(id)) return true;
  if (isAgain || known.workers.has(worker) || !known.isJudged) return false;
  const wasAsked = id !== null && known.asked.has(`${project} ${id}`);
  return wasAsked || performance.now() - known.failedAtMs > RESTARTED_WITHIN_MS;
}

/** `null` if nothing was prepared: tests are only listed, reports are merged, or the configuration is unusable. */
export const current = { runs: null as Runs | null, isTaken: false };
