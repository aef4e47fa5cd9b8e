/** The prepared targets of this process, and the run of each that is under way. */
import type { Prepared, Run } from '../run/run';

export class Runs {
  /** If one worker serves many projects: the project id of each test, by test id. */
  projects: ReadonlyMap<string, string> = new Map();
  /** By name of the target. */
  private readonly underWay = new Map<string, Run>();
  /** What begins the runs that wait until a test asks, by name of the target. */
  private readonly waiting = new Map<string, () => Run | null>();
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

  /** Lets the run of a target wait until a test asks for a judgement, or for the API. */
  waitForTest(name: string, begin: () => Run | null): void {
    this.waiting.set(name, begin);
  }

  /** Begins a run for some clauses; `null` if there is no such target. */
  begin(name: string, ids: Iterable<string>): Run | null {
    const run = this.prepared.get(name)?.begin(ids) ?? null;
    if (run) this.underWay.set(name, run);
    return run;
  }

  /** Drops a target whose results are written. No test asks for it any more. */
  finished(name: string): void {
    this.drop(name);
    if (this.isSparing) this.prepared.delete(name);
  }

  /** Ends the sending of every run. A later test gets a fresh run. */
  end(): void {
    this.waiting.clear();
    for (const name of this.underWay.keys()) this.drop(name);
  }

  private drop(name: string): void {
    this.underWay.get(name)?.stop();
    this.underWay.delete(name);
  }

  /**
   * Returns the run for a test; `null` without a target. Where a tool leaves out the reporter, which begins runs, the run
   * is one for own tests alone: only a reporter knows when the clauses are to be judged anew.
   */
  runFor(project: string): Run | null {
    const name = this.nameFor(project);
    const begin = this.waiting.get(name);
    this.waiting.delete(name);
    return this.underWay.get(name) ?? begin?.() ?? this.begin(name, []);
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

/** Whether UI mode, an editor or a debugger shows the run, and may run the tests of this process again. */
export function isWatched(): boolean {
  return process.argv.some((argument) => /^(?:test-server$|--ui|--debug)/.test(argument));
}

/** `null` if nothing was prepared: tests are only listed, reports are merged, or the configuration is unusable. */
export const current = { runs: null as Runs | null, isTaken: false };
