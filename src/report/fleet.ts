/** The results of many targets: each below its own directory, and an overview, at every moment of the run. */
import { join } from 'node:path';
import type { FullResult } from '@playwright/test/reporter';
import type { Conformance } from '../conformance';
import { noEvidence } from '../run/fleet';
import type { Recorded, Run } from '../run/run';
import { conformanceOf } from './conformance';
import type { Decided } from './decided';
import type { FleetTarget } from './input';
import { clearResults, writeOverview, writeResults } from './results';

/** The overview is written no more often than this while targets finish. */
const OVERVIEW_MS = 2000;

export class FleetResults {
  private readonly results = new Map<string, Conformance>();
  private readonly startedAtEpochMs = Date.now();
  private writtenAtMs = Number.NEGATIVE_INFINITY;

  /** Clears what an earlier run left of these targets, so that what is there was found in this one. */
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
      const conformance = this.results.get(name) ?? null;
      const failed = conformance?.clauses.filter((one) => one.verdict === 'fail' && one.level === 'must') ?? [];
      return {
        name,
        verdict: conformance?.verdict ?? 'error',
        failed: failed.map(({ id }) => id),
        durationMs: conformance?.durationMs ?? 0,
        conformance,
      };
    });
  }

  has(name: string): boolean {
    return this.results.has(name);
  }

  /**
   * Writes the results of one target.
   * @param unfinished why not all of its tests ran, if so
   * @throws UsageError where they cannot be written
   */
  finish(
    name: string,
    decided: Decided,
    run: Run | null,
    status: FullResult['status'],
    unfinished: string | null,
  ): Conformance {
    const recorded: Recorded = run?.sofar() ??
      decided.recorded ?? {
        evidence: noEvidence(name),
        error: null,
        waitedMs: 0,
        durationMs: null,
        startedAtEpochMs: null,
        notes: [],
      };
    const conformance = conformanceOf({
      evidence: recorded.evidence,
      decided: decided.clauses,
      undecided: (id) => decided.whyUndecided(id, status),
      startedAtEpochMs: recorded.startedAtEpochMs ?? this.startedAtEpochMs,
      durationMs: recorded.durationMs ?? 0,
      waitedMs: recorded.waitedMs,
      error: recorded.error ?? unfinished,
      baseline: null,
    });
    this.results.set(name, conformance);
    const notes = [...recorded.notes, ...decided.notes];
    writeResults(join(this.directory, name), conformance, recorded.evidence, notes, undefined);
    if (performance.now() - this.writtenAtMs > OVERVIEW_MS) this.writeOverview();
    return conformance;
  }

  /** @throws UsageError where it cannot be written */
  writeOverview(stepSummary?: string): void {
    writeOverview(this.directory, this.targets, stepSummary);
    this.writtenAtMs = performance.now();
  }
}
