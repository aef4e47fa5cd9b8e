/** The results of many targets: each below its own directory, and an overview, at every moment of the run. */
import { join } from 'node:path';
import type { FullResult } from '@playwright/test/reporter';
import { withoutOwn } from '../evidence/groups';
import { keep, readPast } from '../history/store';
import { judgementsOf } from '../judge/rules';
import { reportInputOf } from '../report/assemble';
import { clearResults, writeOverview, writeResults } from '../report/files';
import type { FleetTarget, ReportInput } from '../report/model';
import { nothingRecorded } from '../run/recorded';
import type { Run } from '../run/run';
import { isOn, variablesIn } from '../target/environment';
import type { Selection } from './selection';

/** The overview is written no more often than this while targets finish. */
const OVERVIEW_MS = 2000;

/** Collects the results of the targets and writes them as they come. */
export class FleetResults {
  private readonly results = new Map<string, ReportInput>();
  private readonly startedAtEpochMs = Date.now();
  private writtenAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Clears what an earlier run left of these targets, so that what is there was found in this one.
   * @throws UsageError where the directory cannot be written
   */
  constructor(
    private readonly directory: string,
    readonly names: readonly string[],
  ) {
    for (const name of names) clearResults(join(directory, name));
    this.writeOverview();
  }

  /** Every target, in the order of their names; one without a result is not finished. */
  get targets(): FleetTarget[] {
    return this.names.map((name) => {
      const { conformance = null, failures = [] } = this.results.get(name) ?? {};
      const failed = conformance?.clauses.filter((one) => one.verdict === 'fail' && one.level === 'must') ?? [];
      return {
        name,
        verdict: conformance?.verdict ?? 'error',
        failed: failed.map(({ id }) => id),
        durationMs: conformance?.durationMs ?? 0,
        failures,
        conformance,
      };
    });
  }

  /** Whether a target is finished. */
  has(name: string): boolean {
    return this.results.has(name);
  }

  /**
   * Writes the results of one target.
   * @param error why not all of its tests ran, if so
   * @param history the directory in which its whole runs are kept
   * @throws UsageError where they cannot be written
   */
  finish(
    name: string,
    selection: Selection,
    run: Run | null,
    status: FullResult['status'],
    error: string | null,
    history: string | null,
  ): void {
    const recorded = run?.sofar() ?? selection.recorded ?? nothingRecorded(name);
    const isRecorded = selection.recorded?.error === null;
    const variables = variablesIn(process.cwd());
    const today = new Date().toISOString().slice(0, 10);
    const judgements =
      run?.judgements() ?? judgementsOf(isRecorded ? selection.ids : [], withoutOwn(recorded.evidence), today);
    const ending = {
      error,
      startedAtEpochMs: this.startedAtEpochMs,
      baseline: null,
      own: selection.own.results(),
      past: history ? readPast(history) : null,
      asked: { strict: isOn(variables, 'STRICT'), requireComplete: isOn(variables, 'REQUIRE_COMPLETE') },
    };
    const input = reportInputOf(recorded, judgements, (id) => selection.whyUndecided(id, status), ending);
    this.results.set(name, input);
    writeResults(join(this.directory, name), { ...input, overview: '../index.html' });
    if (history && status !== 'interrupted') keep(history, input.conformance);
    if (performance.now() - this.writtenAtMs > OVERVIEW_MS) this.writeOverview();
  }

  /**
   * Writes the overview of all targets, finished or not.
   * @param stepSummary a file to append the summary to
   * @throws UsageError where it cannot be written
   */
  writeOverview(stepSummary?: string): void {
    writeOverview(this.directory, this.targets, stepSummary);
    this.writtenAtMs = performance.now();
  }
}
