/** Many targets in one view: which of them break what, and the way to the report of each. */

import { renderSuites } from '../junit';
import type { FleetTarget } from '../model';
import { errorOf, overviewOf } from './overview-model';
import { renderOverviewPage } from './overview-page';
import { renderOverviewSummary } from './overview-summary';

/** The overview as a page in HTML, as Markdown, and as JUnit XML with a suite for each target. */
export function renderOverview(fleet: readonly FleetTarget[]): { page: string; summary: string; junit: string } {
  const overview = overviewOf(fleet);
  return {
    page: renderOverviewPage(overview),
    summary: renderOverviewSummary(overview),
    junit: renderOverviewJUnit(overview.targets),
  };
}

function renderOverviewJUnit(targets: FleetTarget[]): string {
  const suites = targets.map((target) => ({
    name: target.name,
    clauses: target.conformance?.clauses ?? [],
    seconds: target.durationMs / 1000,
    error: errorOf(target),
  }));
  return renderSuites('conformance', suites, { seconds: suites.reduce((sum, suite) => sum + suite.seconds, 0) });
}
