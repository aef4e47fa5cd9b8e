/**
 * The parts of Playwright that it does not publish, and that this suite uses where it finds them. Without each of them
 * every verdict is the same, and a run takes longer. The figures are processor time of two busy cores:
 *
 * - `_baseTest`: else each test of a clause sets up what browsers and traces need, 1.2 s for each target.
 * - `_isFailure`: else each failing clause costs a new worker, 1 s.
 *
 * Playwright has no option against any of them, and each costs more than 10 s: for 100 targets, or for 20 failing clauses.
 *
 * - `_mode`: else a list of tests for UI mode or an editor is taken for a run.
 */
import type { TestInfo } from '@playwright/test';
import { playwright } from './client';

/** Playwright's `test` without the fixtures for browsers and traces, or else with them. */
export const plainTest: typeof playwright.test =
  (playwright as unknown as { _baseTest?: typeof playwright.test })._baseTest ?? playwright.test;

/** Returns what Playwright makes a reporter for: `test`, `list` or `merge`. @param options those that it is made with */
export function modeOf(options: { _mode?: string }): string {
  return options._mode ?? (process.argv.includes('merge-reports') ? 'merge' : 'test');
}

/** Keeps the worker after a failed test that leaves nothing behind. */
export function keepWorker(testInfo: TestInfo): void {
  const asked = testInfo as { _isFailure?: () => boolean };
  if (asked._isFailure) asked._isFailure = () => false;
}
