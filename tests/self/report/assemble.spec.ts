import { expect, test } from '@playwright/test';
import { clauseTexts } from '../../../src/contract/clauses';
import { HARM, judgementOf } from '../../../src/judge/verdict';
import { reportInputOf } from '../../../src/report/assemble';
import { viewsOf } from '../../../src/report/model';
import { breach } from '../support/evidence-of';
import { errorRun, failingRun } from '../support/report-samples';
import { isResult } from '../support/result-schema';

test('a result has the statement of each clause, tested or not, and the notes of the run', async () => {
  const { evidence } = await failingRun();
  const recorded = { evidence, error: null, waitedMs: 0, durationMs: 1, startedAtEpochMs: 0, notes: ['A note.'] };
  const judgement = judgementOf(
    'auth.accepted',
    { breaches: [], evidence: [0], notTested: null },
    evidence,
    '2026-01-01',
  );
  const ending = { error: null, baseline: null };
  const { conformance } = reportInputOf(recorded, new Map([[judgement.id, judgement]]), () => null, ending);
  expect(isResult(JSON.parse(JSON.stringify(conformance))), JSON.stringify(isResult.errors)).toBe(true);
  expect(conformance.clauses.map(({ statement }) => statement)).toEqual(clauseTexts.map(({ statement }) => statement));
  expect(conformance.notes).toContain('A note.');
});

test('causes stand in one order, whichever clause was judged first', async () => {
  const { conformance, evidence } = await failingRun();
  const [exchange] = evidence.exchanges;
  const judged = ['settings.kind-url', 'rate.reset-format', 'version.base'].map((id) => {
    const finding = {
      breaches: exchange ? [breach('answer', id, 'odd', exchange)] : [],
      evidence: [0],
      notTested: null,
    };
    return [id, judgementOf(id, finding, evidence, '2026-01-01')] as const;
  });
  const recorded = { evidence, error: null, waitedMs: 0, durationMs: 1, notes: [] };
  const causesIn = (order: typeof judged) =>
    reportInputOf(recorded, new Map(order), () => '', { error: null, baseline: conformance }).causes;
  expect(causesIn([...judged].reverse())).toEqual(causesIn(judged));
});

test('what was seen before a run broke off is no cause of anything', async () => {
  const { evidence } = await errorRun();
  const finding = {
    breaches: [breach('answer', '', 'nothing', ...evidence.exchanges)],
    evidence: [0],
    notTested: null,
  };
  const judgement = judgementOf('transport.complete', finding, evidence, '2026-01-01');
  const recorded = { evidence, error: 'It broke off.', waitedMs: 0, durationMs: 1, notes: [] };
  const ending = { error: null, baseline: null };
  const input = reportInputOf(recorded, new Map([[judgement.id, judgement]]), () => '', ending);
  expect(input.causes).toEqual([]);
});

test('every cause has a headline in plain words, and strangers who can read come with their own', async () => {
  const { conformance, evidence } = await failingRun();
  const headline = (id: string, harm: number) => {
    const cause = { clauses: [id], reason: '', telling: null, fields: new Set<string>(), harm };
    return viewsOf(conformance, evidence, [cause]).causes[0]?.headline;
  };
  const plain = clauseTexts.filter(
    ({ id }) => headline(id, HARM.disclosed) === headline('auth.missing-key', HARM.disclosed),
  );
  expect(plain.map(({ id }) => id)).toEqual([
    ...['missing-key', 'empty-key', 'unknown-key', 'altered-key', 'other-carrier', 'key-in-url', 'no-session'].map(
      (id) => `auth.${id}`,
    ),
    ...['base-path-rejected', 'every-path', 'every-method', 'rejection-status'].map((id) => `auth.${id}`),
  ]);
  const told = [HARM.disclosed, HARM.letIn, HARM.answered].map((harm) => headline('auth.missing-key', harm));
  expect(new Set(told).size).toBe(3);
});
