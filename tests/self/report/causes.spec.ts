import { expect, test } from '@playwright/test';
import { clauseTexts } from '../../../src/contract/clauses';
import { HARM, judgementOf } from '../../../src/judge/verdict';
import { reportInputOf } from '../../../src/report/assemble';
import { headlineOf } from '../../../src/report/causes';
import { breach } from '../support/evidence-of';
import { errorRun, failingRun } from '../support/report-samples';

test('causes stand in one order, whichever clause was judged first', () => {
  const { conformance, evidence } = failingRun();
  const [exchange] = evidence.exchanges;
  const judged = ['settings.kind-url', 'rate.reset-format', 'version.base'].map((id) => {
    const finding = {
      breaches: exchange ? [breach('answer', id, 'odd', exchange)] : [],
      evidence: [0],
      notTested: null,
    };
    return [id, judgementOf(id, finding, evidence, '2026-01-01')] as const;
  });
  const recorded = { evidence, error: null, waitedMs: 0, durationMs: 1, startedAtEpochMs: 0, notes: [] };
  const causesIn = (order: typeof judged) =>
    reportInputOf(recorded, new Map(order), () => '', { error: null, baseline: conformance }).causes;
  expect(causesIn([...judged].reverse())).toEqual(causesIn(judged));
});

test('what was seen before a run broke off is no cause of anything', () => {
  const { evidence } = errorRun();
  const finding = {
    breaches: [breach('answer', '', 'nothing', ...evidence.exchanges)],
    evidence: [0],
    notTested: null,
  };
  const judgement = judgementOf('transport.complete', finding, evidence, '2026-01-01');
  const recorded = { evidence, error: 'It broke off.', waitedMs: 0, durationMs: 1, startedAtEpochMs: 0, notes: [] };
  const ending = { error: null, baseline: null };
  const input = reportInputOf(recorded, new Map([[judgement.id, judgement]]), () => '', ending);
  expect(input.causes).toEqual([]);
});

test('every cause has a headline in plain words, and strangers who can read come with their own', () => {
  const headline = (id: string, harm: number) =>
    headlineOf({ clauses: [id], reason: '', telling: null, fields: new Set(), harm });
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
