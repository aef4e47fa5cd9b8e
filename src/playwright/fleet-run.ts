/** A run against many targets, or the merge of such runs: from what is said at its beginning to its results. */

import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { failureOf } from '../failure';
import { clearReports } from '../report/files';
import { fleetTable, targetLine } from '../report/terminal';
import { plural } from '../report/words';
import { UNDONE } from './exit-status';
import { FleetResults } from './fleet-results';
import type { Runs } from './runs';
import { Selection } from './selection';
import type { Ended, Place } from './single-run';
import type { Voice } from './voice';

export class FleetRun {
  private readonly errors: string[] = [];
  private readonly fleet: FleetResults | null = null;

  /**
   * @param isShard whether other machines write below the same directory
   */
  constructor(
    names: readonly string[],
    private readonly selections: ReadonlyMap<string, Selection>,
    private readonly runs: Runs | null,
    private readonly place: Place,
    private readonly voice: Voice,
    isShard: boolean,
  ) {
    try {
      this.fleet = new FleetResults(place.directory, [...new Set(names)].sort());
    } catch (problem) {
      this.errors.push(failureOf(problem));
    }
    if (!runs) return;
    if (!isShard) clearReports(place.reports);
    const begun = [...selections].flatMap(([name, { ids }]) => runs.begin(name, ids) ?? []);
    for (const { notices } of runs.prepared.values()) for (const notice of notices) voice.say(notice);
    voice.say(plural(begun.length, 'target'));
    const sent = () => begun.reduce((sum, run) => sum + run.requests(), 0);
    voice.showProgress(() => `${plural(sent(), 'request')} to ${plural(begun.length, 'target')}`);
  }

  onTestEnd(name: string, test: TestCase, result: TestResult): void {
    const selection = this.selections.get(name);
    this.attempt(() => selection?.add(test, result));
    if (selection?.isFinished) this.finish(name, 'passed', null);
  }

  private finish(name: string, status: FullResult['status'], error: string | null): void {
    const { fleet } = this;
    const run = this.runs?.reportedRun(name) ?? null;
    const selection = this.selections.get(name) ?? new Selection([]);
    const history = this.runs?.prepared.get(name)?.history ?? null;
    this.attempt(() => fleet?.finish(name, selection, run, status, error, history));
    const target = fleet?.targets.find((one) => one.name === name);
    if (target) this.voice.say(targetLine(target));
  }

  /**
   * Writes what is left to write.
   * @param errors what went wrong besides the tests
   */
  end(status: FullResult['status'], errors: readonly string[]): Ended {
    const { fleet, voice, place } = this;
    const why =
      errors.join('\n') ||
      (status === 'interrupted'
        ? 'The run was interrupted before this target was finished.'
        : place.isMerge
          ? 'No report that was merged holds all of this target: its shard did not finish.'
          : 'The run ended before this target was finished.');
    for (const name of fleet?.names ?? []) if (!fleet?.has(name)) this.finish(name, status, why);
    this.attempt(() => fleet?.writeOverview(process.env.GITHUB_STEP_SUMMARY));
    const targets = fleet?.targets ?? [];
    voice.say(fleetTable(targets, place.where));
    const problems = [...this.errors, ...errors];
    for (const problem of problems) voice.say(`${problem}\n`);
    if (status === 'interrupted') return { status, exitStatus: null };
    const isUndone = fleet === null || targets.some(({ verdict }) => verdict === 'error');
    // A server that breaks the contract is told before one that could not be judged.
    const isBroken =
      targets.some(({ verdict, failures }) => verdict === 'non-conformant' || failures.length > 0) ||
      (status === 'failed' && errors.length === 0 && !isUndone);
    if (isBroken) return { status: 'failed', exitStatus: 1 };
    if (isUndone) return { status: 'failed', exitStatus: UNDONE };
    return { status: problems.length > 0 ? 'failed' : status, exitStatus: null };
  }

  /** Keeps what cannot be written for the end, and once. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (problem) {
      const { message } = problem as Error;
      if (!this.errors.includes(message)) this.errors.push(message);
    }
  }
}
