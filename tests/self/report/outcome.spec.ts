/** What is told of a run: of a part that broke nothing, that it passed, and not that the rest is missing. */
import { expect, test } from '@playwright/test';
import type { Verdict } from '../../../src/contract/result';
import { reportInputOf } from '../../../src/report/assemble';
import { renderSummary } from '../../../src/report/ci/markdown';
import { renderPage } from '../../../src/report/page/page';
import { tablesOf } from '../../../src/report/tables';
import { closingTable } from '../../../src/report/terminal';
import { type FleetTarget, fleetTargetOf, runOutcomeOf } from '../../../src/report/words';
import { conformantRun, openRun } from '../support/report-samples';

/** A target of which two clauses were selected. */
async function part(first: Verdict, failures: string[] = []): Promise<FleetTarget> {
  const input = await conformantRun();
  const clauses = input.conformance.clauses.map((clause, i) => {
    const selected = { ...clause, verdict: i === 0 ? first : ('pass' as const), untested: null };
    return i < 2 ? selected : { ...clause, verdict: 'not-tested' as const, untested: 'not-selected' as const };
  });
  Object.assign(input.conformance, { verdict: 'incomplete', clauses });
  return { ...fleetTargetOf('part', input), failures };
}

test('a part that was tested whole and broke nothing has passed, and any other part is told as it is', async () => {
  for (const verdict of ['pass', 'warn', 'inapplicable'] as const)
    expect(runOutcomeOf(await part(verdict)), verdict).toBe('passed');
  for (const verdict of ['not-tested', 'waived'] as const)
    expect(runOutcomeOf(await part(verdict)), verdict).toBe('incomplete');
  expect(runOutcomeOf(await part('warn', ['STRICT is set, and there is 1 warning.']))).toBe('incomplete');
  expect(runOutcomeOf({ conformance: null, failures: [] })).toBe('error');
});

test('STRICT, REQUIRE_COMPLETE and a test of the own stand in every form of the banner where they fail the run', async () => {
  const { conformance, evidence } = await openRun();
  const [first] = conformance.clauses.filter(({ level }) => level === 'should');
  const judgements = new Map(
    conformance.clauses
      .filter(({ verdict }) => verdict !== 'not-tested')
      .map((clause) => [
        clause.id,
        { ...clause, verdict: clause === first ? ('warn' as const) : clause.verdict, breaches: [], note: null },
      ]),
  );
  const recorded = { evidence, error: null, waitedMs: 0, durationMs: 1, notes: [] };
  const failed = { title: 'mine', verdict: 'fail' as const, reason: 'No.', evidence: [] };
  const inputFor = (strict: boolean, requireComplete: boolean, own = [failed]) =>
    reportInputOf(recorded, judgements, {
      error: null,
      baseline: null,
      own,
      asked: { strict, requireComplete },
    });
  expect(inputFor(false, false, []).failures).toEqual([]);
  expect(inputFor(true, true).failures).toEqual([
    'STRICT is set, and there is 1 warning.',
    'REQUIRE_COMPLETE is set, and 7 MUST clauses of the core profile were not tested.',
    '1 of your own tests failed.',
  ]);
  const input = inputFor(true, false, []);
  for (const text of [renderPage(input), renderSummary(input), closingTable(input, null)])
    expect(text).toMatch(/incomplete, but the run failed[\s\S]*STRICT is set, and there is 1\s+warning\./i);
});

test('what keeps the core profile from being complete comes before what is optional, and is counted by what helps', async () => {
  const input = await openRun();
  for (const clause of input.conformance.clauses)
    if (clause.id.startsWith('event.'))
      Object.assign(clause, { verdict: 'not-tested', reason: 'Declare it.', untested: 'undeclared' });
    else if (clause.id === 'auth.isolation')
      Object.assign(clause, { reason: 'No refusal carried both.', untested: 'unseen' });
  const rows = tablesOf(input).untested.rows;
  expect(rows.at(-1)?.[0]).toBe('Declare it.');
  const sentence =
    'Nothing that was tested is broken; 13 clauses need something declared or switched on, 1 clause could not be judged.';
  for (const text of [renderPage(input), renderSummary(input)]) expect(text).toContain(sentence);
  expect(renderPage(input)).toContain('Core profile (all areas but notifications) passed as far as tested');
  input.conformance.profiles.core = 'not-tested';
  expect(renderPage(input)).toContain('Core profile (all areas but notifications) not tested');
});

test('a waived failure is called known, and nothing but the others unbroken', async () => {
  const input = await conformantRun();
  Object.assign(input.conformance.clauses[3] ?? {}, { verdict: 'waived', reason: 'TICKET-1' });
  Object.assign(input.conformance, { verdict: 'incomplete', certifiable: false });
  const told = closingTable(input, null).replace(/\s+/g, ' ');
  expect(told).toContain('1 known failure is waived; nothing else that was tested is broken; ');
  expect(told).not.toContain('Nothing that was tested is broken');
});
