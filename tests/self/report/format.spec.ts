/** What is told of a run: of a part that broke nothing, that it passed, and not that the rest is missing. */
import { expect, test } from '@playwright/test';
import type { Verdict } from '../../../src/contract/result';
import type { FleetTarget } from '../../../src/report/fleet-target';
import { outcomeOf } from '../../../src/report/outcome';
import { renderOverview } from '../../../src/report/overview';
import { fleetTable } from '../../../src/report/terminal';
import { fleet } from '../support/report-samples';

/** A target of which two clauses were selected. */
function part(first: Verdict, failures: string[] = []): FleetTarget {
  const [target] = fleet(1);
  if (!target?.conformance) throw new Error('There is no target.');
  const clauses = target.conformance.clauses.map((clause, i) => {
    const { untested: _, ...selected } = { ...clause, verdict: i === 0 ? first : ('pass' as const) };
    return i < 2 ? selected : { ...clause, verdict: 'not-tested' as const, untested: 'not-selected' as const };
  });
  const conformance = { ...target.conformance, verdict: 'incomplete' as const, clauses };
  return { ...target, conformance, verdict: 'incomplete', failed: [], causes: [], failures };
}

test('a part that was tested whole and broke nothing has passed, and any other part is told as it is', () => {
  for (const verdict of ['pass', 'warn', 'inapplicable'] as const)
    expect(outcomeOf(part(verdict)), verdict).toBe('passed');
  for (const verdict of ['not-tested', 'waived'] as const) expect(outcomeOf(part(verdict)), verdict).toBe('incomplete');
  expect(outcomeOf(part('warn', ['STRICT is set, and there is 1 warning.']))).toBe('incomplete');
  expect(outcomeOf({ conformance: null, failures: [] })).toBe('error');
});

test('many targets of which a part passed are told as passed everywhere', () => {
  const passed = part('pass');
  expect(fleetTable([passed], 'results')).toMatch(/── 1 target: 1 passed ─+\n {2}passed .* 2 passed\n/);
  const { page, summary } = renderOverview([passed]);
  expect(page).toContain('<td class="run-passed"><strong>Passed</strong></td>');
  expect(summary).toContain('## 1 target: 1 passed');
});
