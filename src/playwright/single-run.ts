/** A run against one target: from what is said at its beginning to its results. */

import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { failureOf } from '../failure';
import { keep, readPast } from '../history/store';
import { reportInputOf } from '../report/assemble';
import { clearReports, clearResults, writeResults } from '../report/files';
import { closingTable } from '../report/terminal';
import { plural } from '../report/words';
import { nothingRecorded } from '../run/recorded';
import type { Prepared, Run } from '../run/run';
import { UNDONE } from './exit-status';
import type { Runs } from './runs';
import type { Selection } from './selection';
import type { Voice } from './voice';

/** Where the results go. */
export interface Place {
  /** Where the results go. */
  directory: string;
  /** Where Playwright's own reports go: RESULTS_DIR itself. */
  reports: string;
  /** The same as people read it. */
  where: string;
  /** Whether reports of other machines are merged. */
  isMerge: boolean;
}

/** How a run ended. */
export interface Ended {
  status: FullResult['status'];
  /** `null` leaves it to Playwright. */
  exitStatus: number | null;
}

export class SingleRun {
  private readonly startedAtEpochMs = Date.now();
  private readonly prepared: Prepared | null;
  private readonly run: Run | null;

  constructor(
    private readonly selection: Selection,
    runs: Runs | null,
    private readonly place: Place,
    private readonly voice: Voice,
  ) {
    this.prepared = runs?.prepared.get('') ?? null;
    // What an earlier run left must not be taken for this one's, whatever ends it.
    if (runs) clear(place);
    this.run = selection.ids.length + selection.own.count > 0 ? (runs?.begin('', selection.ids) ?? null) : null;
    if (this.run) this.sayBeginning(this.run, this.prepared?.notices ?? []);
  }

  private sayBeginning(run: Run, notices: readonly string[]): void {
    const { voice, selection } = this;
    const { target } = run.sofar().evidence;
    for (const notice of notices) voice.say(notice);
    const clauses = plural(selection.ids.length, 'clause');
    const own = selection.own.count > 0 ? `, ${plural(selection.own.count, 'own test')}` : '';
    voice.say(`${target.name} (${target.baseURL}): ${clauses}${own}, ${plural(target.accounts.length, 'account')}`);
    voice.showProgress(() => run.doing());
  }

  onTestEnd(_name: string, test: TestCase, result: TestResult): void {
    this.selection.add(test, result);
  }

  /**
   * Writes the results.
   * @param errors what went wrong besides the tests
   */
  end(status: FullResult['status'], errors: readonly string[]): Ended | null {
    const { run, prepared, selection, place, voice } = this;
    const judgements = run?.judgements() ?? new Map();
    // What was decided stays decided, whatever went wrong elsewhere.
    const isDecided = run !== null && selection.ids.every((id) => judgements.has(id));
    const recorded = run?.sofar() ?? nothingRecorded('none');
    const notes = isDecided ? errors.map((error) => `Besides the tests, something went wrong: ${error}`) : [];
    const input = reportInputOf(
      { ...recorded, notes: [...recorded.notes, ...notes] },
      judgements,
      (id) => selection.whyUndecided(id, status),
      {
        error: isDecided ? null : errors.join('\n') || null,
        startedAtEpochMs: this.startedAtEpochMs,
        baseline: prepared?.baseline ?? null,
        own: selection.own.results(),
        past: prepared?.history ? readPast(prepared.history) : null,
        ...(prepared && { asked: prepared }),
      },
    );
    try {
      writeResults(place.directory, input, process.env.GITHUB_STEP_SUMMARY);
      // What was interrupted says nothing of that night.
      if (prepared?.history && status !== 'interrupted') keep(prepared.history, input.conformance);
    } catch (problem) {
      // Where nothing was sent, this is what kept the run from being done.
      if (run) voice.say(closingTable(input, null));
      voice.say(failureOf(problem));
      return { status: 'failed', exitStatus: UNDONE };
    }
    voice.say(closingTable(input, place.where));
    if (status === 'interrupted') return { status, exitStatus: null };
    if (input.conformance.verdict === 'error') return { status: 'failed', exitStatus: UNDONE };
    const isBad = input.failures.length > 0 || errors.length > 0;
    return { status: isBad && status === 'passed' ? 'failed' : status, exitStatus: null };
  }
}

function clear({ directory, reports }: Place): void {
  try {
    clearResults(directory);
    clearReports(reports);
  } catch {
    // What keeps it from being cleared keeps the results from being written, which is told then.
  }
}
