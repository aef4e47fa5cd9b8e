/** A run against one or many targets: its first messages, its results, and its end. */
import { join, relative } from 'node:path';
import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { failureOf } from '../../common/errors';
import { compact, plural } from '../../common/text';
import { readPast, storeRun } from '../../history/history';
import { reportInputOf } from '../../report/assemble';
import { clearResults, writeOverview, writeResults } from '../../report/files';
import { closingTable, fleetTable, folded, targetLine } from '../../report/terminal';
import { type FleetTarget, fleetTargetOf, OUTCOME, runOutcomeOf, targetsByOutcome } from '../../report/words';
import { nothingRecorded, type Run } from '../../run/run';
import { isWatched, type Runs } from '../service';
import { type ConsoleOutput, UNDONE } from './console';
import type { Selection } from './selection';

export interface Ended {
  status: FullResult['status'];
  /** `null` leaves it to Playwright. */
  exitStatus: number | null;
}

export class Results {
  /** Whether each project is a target of its own, with a directory of its name. */
  private readonly isFleet: boolean;
  /** The directory of the results, as people are told where to look. */
  private readonly where: string;
  /** The first reason why results could not be written or read. */
  private problem: string | null = null;

  /**
   * Begins the run of each target that has tests, or lets it wait for them.
   * @param targets with their tests; a single one has an empty name
   * @param directory where the results go
   * @param waitsForTest whether a run begins only when a test asks: projects that the clauses depend on come before
   */
  constructor(
    private readonly targets: readonly Selection[],
    private readonly runs: Runs | null,
    private readonly directory: string,
    waitsForTest: boolean,
    private readonly out: ConsoleOutput,
  ) {
    this.isFleet = runs?.isFleet ?? false;
    const near = relative(process.cwd(), directory) || '.';
    // A way up and down again is hard to follow, and no terminal opens it.
    this.where = near.startsWith('..') ? directory : near;
    if (!runs) return;
    this.attempt(() => {
      // What an earlier run left is never taken for this run's.
      for (const { name } of targets) clearResults(join(directory, name));
    });
    this.begin(runs, waitsForTest);
  }

  private begin(runs: Runs, waitsForTest: boolean): void {
    const { out, targets } = this;
    const selected = targets.filter(({ name, isEmpty }) => runs.prepared.has(name) && !isEmpty);
    for (const target of selected) {
      const { name, ids } = target;
      for (const notice of runs.prepared.get(name)?.notices ?? []) out.print(folded(notice, out.width));
      const begin = () => {
        const run = runs.begin(name, ids);
        if (run && !this.isFleet) this.announce(run, target);
      };
      if (waitsForTest) runs.waiting.set(name, begin);
      else begin();
    }
    if (!this.isFleet) return;
    const counted = plural(selected.length, 'target');
    out.print(counted);
    this.attempt(() => writeOverview(this.directory, this.overview()));
    const sentTo = ({ name, outcome }: Selection) =>
      outcome?.conformance?.requests ?? runs.underWay.get(name)?.sofar().evidence.exchanges.length ?? 0;
    const sent = () => selected.reduce((sum, target) => sum + sentTo(target), 0);
    out.showProgress(() => `${plural(sent(), 'request')} to ${counted}`);
  }

  private announce(run: Run, { ids, own }: Selection): void {
    const { name, baseURL, accounts } = run.sofar().evidence.target;
    // What could not be used is reported at the end.
    if (accounts.length === 0) return;
    const what = compact(plural(ids.length, 'clause'), own.length > 0 && plural(own.length, 'own test'));
    const line = `${name} (${baseURL}): ${[...what, plural(accounts.length, 'account')].join(', ')}`;
    this.out.print(folded(line, this.out.width));
    this.out.showProgress(() => run.doing());
  }

  /** Notes a test that ended. One target of many is finished when its last test has ended. */
  onTestEnd(name: string, test: TestCase, result: TestResult): void {
    const target = this.targets.find((each) => each.name === name);
    if (!target) return;
    target.add(test, result);
    if (this.isFleet && target.outcome === null && target.isFinished) this.finish(target, 'passed', []);
  }

  /**
   * Writes the results that are left.
   * @param errors what went wrong besides the tests
   */
  end(status: FullResult['status'], errors: readonly string[]): Ended {
    const { directory, out, targets } = this;
    if (errors.length === 0 && targets.every(({ isEmpty }) => isEmpty)) {
      out.print('No test was selected, so nothing was sent.');
      // Playwright passes a list of tests that selects none. An interruption may come before any test is loaded.
      const isAsked = status === 'interrupted' || isWatched() || process.argv.includes('--pass-with-no-tests');
      return isAsked ? { status, exitStatus: null } : { status: 'failed', exitStatus: UNDONE };
    }
    for (const target of targets) if (target.outcome === null) this.finish(target, status, errors);
    const overview = this.overview();
    if (this.isFleet) {
      this.attempt(() => writeOverview(directory, overview, process.env.GITHUB_STEP_SUMMARY));
      const worst = targetsByOutcome(overview)[0]?.[0] ?? 'error';
      out.print(fleetTable(overview, this.where, out.width), OUTCOME[worst].tone);
      for (const error of errors) out.print(`${error}\n`);
    }
    if (this.problem !== null) out.print(this.problem);
    if (status === 'interrupted') return { status, exitStatus: null };
    const judged = overview.filter(({ verdict }) => verdict !== 'error');
    const isUndone = judged.length < targets.length || this.problem !== null;
    // Among many targets, a broken contract matters more than a target that could not be judged.
    const isBroken = judged.some(({ verdict, failures }) => verdict === 'non-conformant' || failures.length > 0);
    if (isBroken && (this.isFleet || !isUndone)) return { status: 'failed', exitStatus: 1 };
    if (isUndone) return { status: 'failed', exitStatus: UNDONE };
    return { status: errors.length > 0 && status === 'passed' ? 'failed' : status, exitStatus: null };
  }

  /** Writes and prints the results of a target. */
  private finish(target: Selection, status: FullResult['status'], errors: readonly string[]): void {
    const { isFleet, directory, out } = this;
    const { name, ids } = target;
    const isWaiting = this.runs?.waiting.has(name) ?? false;
    // A run for no clause sends nothing. It knows the target.
    const run = isWaiting ? this.runs?.begin(name, []) : this.runs?.underWay.get(name);
    const prepared = this.runs?.prepared.get(name);
    const recorded = run?.sofar() ?? nothingRecorded(name || 'none');
    const judgements = run?.judgements() ?? new Map();
    // A decided run keeps its verdicts, whatever else went wrong.
    const isDecided = isFleet ? target.isFinished : run && ids.every((id) => judgements.has(id));
    const notes = isDecided ? errors.map((error) => `Besides the tests, something went wrong: ${error}`) : [];
    const endedEarly = `The run ${status === 'interrupted' ? 'was interrupted' : 'ended'} before ${isWaiting ? 'its first test' : 'its clauses were decided'}.`;
    const input = reportInputOf({ ...recorded, notes: [...recorded.notes, ...notes] }, judgements, {
      error: isDecided ? null : errors.join('\n') || endedEarly,
      baseline: prepared?.baseline ?? null,
      own: target.ownResults(),
      past: prepared?.history ? readPast(prepared.history) : null,
      ...(prepared && { asked: prepared }),
    });
    const outcome = fleetTargetOf(name, input);
    target.outcome = outcome;
    this.attempt(() => {
      if (isFleet) writeResults(join(directory, name), { ...input, overview: '../index.html' });
      else writeResults(directory, input, process.env.GITHUB_STEP_SUMMARY);
      // An interrupted run says nothing about the server.
      if (prepared?.history && status !== 'interrupted') storeRun(prepared.history, input.conformance);
    });
    const tone = input.failures.length > 0 ? 'red' : OUTCOME[runOutcomeOf(outcome)].tone;
    const isWritten = this.problem === null;
    if (isFleet) {
      // The evidence of many targets is too much to keep until the last one ends.
      this.runs?.finished(name);
      const longest = Math.max(...this.targets.map((each) => each.name.length));
      out.print(targetLine(outcome, out.width, longest), tone);
    }
    // If nothing was sent and nothing written, only the problem is reported.
    else if (isWritten || run) out.print(closingTable(input, isWritten ? this.where : null, out.width), tone);
  }

  private overview(): FleetTarget[] {
    return this.targets.map(({ name, outcome }) => outcome ?? fleetTargetOf(name, null));
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (problem) {
      this.problem ??= failureOf(problem);
    }
  }
}
