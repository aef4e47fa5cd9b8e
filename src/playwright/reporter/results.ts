/** A run against one or many targets: its first messages, its results, and its end. */
import { join, relative } from 'node:path';
import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { failureOf } from '../../common/errors';
import { plural } from '../../common/text';
import { readPast, storeRun } from '../../history/history';
import { reportInputOf } from '../../report/assemble';
import { clearResults, writeOverview, writeResults } from '../../report/files';
import { closingTable, fleetTable, folded, targetLine } from '../../report/terminal';
import {
  type FleetTarget,
  fleetTargetOf,
  type ReportInput,
  type RunOutcome,
  runOutcomeOf,
  targetsByOutcome,
} from '../../report/words';
import { nothingRecorded, type Prepared, type Run } from '../../run/run';
import { isWatched, type Runs } from '../service';
import { type ConsoleOutput, type Tone, UNDONE } from './console';
import { endedBefore, type Selection } from './selection';

const TONE: Readonly<Record<RunOutcome, Tone>> = {
  conformant: 'green',
  passed: 'green',
  incomplete: 'yellow',
  'non-conformant': 'red',
  error: 'red',
};

export interface Ended {
  status: FullResult['status'];
  /** `null` leaves it to Playwright. */
  exitStatus: number | null;
}

/** One target with its tests, and with its run if one was begun. */
interface TargetRun {
  name: string;
  selection: Selection;
  prepared: Prepared | null;
  run: Run | null;
  /** Why nothing of it is judged, although it could be. */
  error: string | null;
  /** What came of it, once it is finished. */
  ended: FleetTarget | null;
}

export class Results {
  /** Whether each project is a target of its own, with a directory of its name. */
  readonly isFleet: boolean;
  private readonly targets: readonly TargetRun[];
  /** The first reason why results could not be written or read. */
  private problem: string | null = null;

  /**
   * Begins the run of each target that has tests, or lets it wait for them.
   * @param selections the tests by the names of their targets; a single target has an empty name
   * @param directory where the results go
   * @param waitsForTest whether a run begins only when a test asks: projects that the clauses depend on come before
   */
  constructor(
    selections: ReadonlyMap<string, Selection>,
    private readonly runs: Runs | null,
    readonly directory: string,
    waitsForTest: boolean,
    private readonly out: ConsoleOutput,
  ) {
    this.isFleet = runs?.isFleet ?? false;
    this.targets = [...selections].sort().map(([name, selection]) => {
      return { name, selection, run: null, error: null, prepared: runs?.prepared.get(name) ?? null, ended: null };
    });
    if (!runs) return;
    this.attempt(() => {
      // What an earlier run left is never taken for this run's.
      for (const { name } of this.targets) clearResults(join(directory, name));
    });
    this.begin(runs, waitsForTest);
  }

  private begin(runs: Runs, waitsForTest: boolean): void {
    const { out, directory } = this;
    const selected = this.targets.filter(({ prepared, selection }) => prepared !== null && !selection.isEmpty);
    for (const notice of selected.flatMap(({ prepared }) => prepared?.notices ?? []))
      out.print(folded(notice, out.width));
    for (const target of selected) {
      const begin = () => {
        target.run = runs.begin(target.name, target.selection.ids);
        if (!this.isFleet) this.announce(target);
        return target.run;
      };
      if (waitsForTest) runs.waiting.set(target.name, begin);
      else begin();
    }
    if (!this.isFleet) return;
    const targets = plural(selected.length, 'target');
    out.print(targets);
    this.attempt(() => writeOverview(directory, this.overview()));
    const requestsOf = ({ run, ended }: TargetRun) =>
      ended?.conformance?.requests ?? run?.sofar().evidence.exchanges.length ?? 0;
    const sent = () => selected.reduce((sum, target) => sum + requestsOf(target), 0);
    out.showProgress(() => `${plural(sent(), 'request')} to ${targets}`);
  }

  private announce({ run, selection }: TargetRun): void {
    const { out } = this;
    const target = run?.sofar().evidence.target;
    // What could not be used is reported at the end.
    if (!run || !target || target.accounts.length === 0) return;
    const own = selection.own.length > 0 ? `, ${plural(selection.own.length, 'own test')}` : '';
    const what = `${plural(selection.ids.length, 'clause')}${own}, ${plural(target.accounts.length, 'account')}`;
    out.print(folded(`${target.name} (${target.baseURL}): ${what}`, out.width));
    out.showProgress(() => run.doing());
  }

  targetOf(test: TestCase): string {
    return this.isFleet ? (test.parent.project()?.name ?? '') : '';
  }

  /** Notes a test that ended. One target of many is finished when its last test has ended. */
  onTestEnd(name: string, test: TestCase, result: TestResult): void {
    const target = this.targets.find((run) => run.name === name);
    if (!target) return;
    target.selection.add(test, result);
    if (this.isFleet && target.ended === null && target.selection.isFinished) this.finish(target, 'passed', []);
  }

  /**
   * Writes the results that are left.
   * @param errors what went wrong besides the tests
   */
  end(status: FullResult['status'], errors: readonly string[]): Ended {
    const { directory, out, targets } = this;
    if (errors.length === 0 && targets.every(({ selection }) => selection.isEmpty)) {
      out.print('No test was selected, so nothing was sent.');
      // Playwright passes a list of tests that selects none. An interruption may come before any test is loaded.
      const isAsked = status === 'interrupted' || isWatched() || process.argv.includes('--pass-with-no-tests');
      return isAsked ? { status, exitStatus: null } : { status: 'failed', exitStatus: UNDONE };
    }
    const unfinished = targets.filter(({ ended }) => ended === null);
    for (const target of unfinished) {
      const hasBegun = target.run !== null || target.prepared === null || target.selection.isEmpty;
      if (hasBegun) continue;
      if (status !== 'interrupted') target.error = endedBefore('its first test', status);
      // A run for no clause sends nothing. It knows the target.
      target.run = this.runs?.begin(target.name, []) ?? null;
    }
    const inputs = unfinished.map((target) => this.finish(target, status, errors));
    const near = relative(process.cwd(), directory) || '.';
    // A way up and down again is hard to follow, and no terminal opens it.
    const where = near.startsWith('..') ? directory : near;
    if (this.isFleet) {
      this.attempt(() => writeOverview(directory, this.overview(), process.env.GITHUB_STEP_SUMMARY));
      const worst = targetsByOutcome(this.overview())[0]?.[0] ?? 'error';
      out.print(fleetTable(this.overview(), where, out.width), TONE[worst]);
      for (const error of errors) out.print(`${error}\n`);
    } else if (this.problem === null || targets.some(({ run }) => run !== null))
      // If nothing was sent and nothing written, only the problem is reported.
      for (const input of inputs) {
        const tone = input.failures.length > 0 ? 'red' : TONE[runOutcomeOf(input)];
        out.print(closingTable(input, this.problem === null ? where : null, out.width), tone);
      }
    if (this.problem !== null) out.print(this.problem);
    if (status === 'interrupted') return { status, exitStatus: null };
    const judged = this.overview().filter(({ verdict }) => verdict !== 'error');
    const isUndone = judged.length < targets.length || this.problem !== null;
    // Among many targets, a broken contract matters more than a target that could not be judged.
    const isBroken = judged.some(({ verdict, failures }) => verdict === 'non-conformant' || failures.length > 0);
    if (isBroken && (this.isFleet || !isUndone)) return { status: 'failed', exitStatus: 1 };
    if (isUndone) return { status: 'failed', exitStatus: UNDONE };
    return { status: errors.length > 0 && status === 'passed' ? 'failed' : status, exitStatus: null };
  }

  private finish(target: TargetRun, status: FullResult['status'], errors: readonly string[]): ReportInput {
    const { isFleet, directory } = this;
    const { name, prepared } = target;
    const input = this.inputOf(target, status, errors);
    target.ended = fleetTargetOf(name, input);
    this.attempt(() => {
      if (isFleet) writeResults(join(directory, name), { ...input, overview: '../index.html' });
      else writeResults(directory, input, process.env.GITHUB_STEP_SUMMARY);
      // An interrupted run says nothing about the server.
      if (prepared?.history && status !== 'interrupted') storeRun(prepared.history, input.conformance);
    });
    if (isFleet) {
      // The evidence of many targets is too much to keep until the last one ends. What own tests left is masked then.
      if (target.selection.own.length === 0) target.run = null;
      this.runs?.finished(name);
      const longest = Math.max(...this.targets.map((each) => each.name.length));
      this.out.print(targetLine(target.ended, this.out.width, longest), TONE[runOutcomeOf(target.ended)]);
    }
    return input;
  }

  private inputOf(
    { name, selection, prepared, run, error }: TargetRun,
    status: FullResult['status'],
    errors: readonly string[],
  ): ReportInput {
    const { isFleet } = this;
    const recorded = run?.sofar() ?? nothingRecorded(name || 'none');
    const judgements = (error === null && run?.judgements()) || new Map();
    // A decided run keeps its verdicts, whatever else went wrong.
    const isDecided = isFleet ? selection.isFinished : run !== null && selection.ids.every((id) => judgements.has(id));
    const notes = isDecided ? errors.map((error) => `Besides the tests, something went wrong: ${error}`) : [];
    return reportInputOf({ ...recorded, notes: [...recorded.notes, ...notes] }, judgements, {
      error: isDecided ? null : error || errors.join('\n') || endedBefore('its clauses were decided', status),
      baseline: prepared?.baseline ?? null,
      own: selection.ownResults(),
      past: prepared?.history ? readPast(prepared.history) : null,
      ...(prepared && { asked: prepared }),
    });
  }

  private overview(): FleetTarget[] {
    return this.targets.map(({ name, ended }) => ended ?? fleetTargetOf(name, null));
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (problem) {
      this.problem ??= failureOf(problem);
    }
  }
}
