/** Earlier runs: what a baseline can be compared with, what is kept, and what many nights say of a clause. */
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runInMemory } from '../../../scripts/matrix/in-process';
import type { Conformance, Verdict } from '../../../src/contract/result';
import { comparedWith, pastOf, readPast, storeRun, trendsOf } from '../../../src/history/history';
import { neverAccepted } from '../../../src/judge/valid-keys';
import { observationsOf } from '../../../src/profiles/rules';
import { conformantRun } from '../support/report-samples';
import { serverNamed } from '../support/simulation';
import { directoryWith, freshDirectory } from '../support/whole-runs';

const ID = 'rate.enforced';
const BROKEN = {
  reason: 'Because.',
  finding: [{ subject: { kind: 'limit', name: 'alice' }, expected: '1 of 10', got: '2 of 10', evidence: [3] }],
} satisfies Partial<Conformance['clauses'][number]>;

let sample: Conformance;
test.beforeAll(async () => {
  sample = (await conformantRun()).conformance;
});

/** The result of a night on which one clause had a verdict; `null`: the run could not be done. */
function night(day: number, verdict: Verdict | null, observations: Record<string, unknown[]> = {}): Conformance {
  const result = structuredClone(sample);
  const clauses = result.clauses.map((clause) =>
    clause.id === ID && verdict ? { ...clause, verdict, ...(verdict === 'pass' ? {} : BROKEN) } : clause,
  );
  const startedAt = new Date(Date.UTC(2026, 0, day, 3)).toISOString();
  const error = verdict === null ? 'The server could not be reached.' : null;
  return {
    ...result,
    clauses,
    startedAt,
    error,
    ...(verdict === 'fail' && {
      verdict: 'non-conformant' as const,
      certifiable: false,
      profiles: { ...result.profiles, core: 'fail' as const },
    }),
    ...(error && { verdict: 'error' as const }),
    observations: { ...result.observations, ...observations },
  };
}

/** What a directory of these nights says of the clause on the last of them. */
function ofClause(verdicts: Array<Verdict | null>) {
  const directory = freshDirectory();
  const nights = verdicts.map((verdict, i) => night(i + 1, verdict));
  for (const result of nights.slice(0, -1)) storeRun(directory, result);
  return trendsOf(readPast(directory), nights.at(-1) as Conformance).find(({ id }) => id === ID)?.text;
}

const baseline = (result: Conformance) => ({ baseline: result, past: null });
const past = (runs: Conformance[]) => ({ baseline: null, past: { runs, notes: [] } });

test('a history is of one target, by name and address: runs of others are compared with nothing', () => {
  const at = (day: number, change: Partial<Conformance['target']>) => {
    const result = night(day, 'fail');
    return { ...result, target: { ...result.target, ...change } };
  };
  const tonight = night(9, 'pass');
  const renamed = at(2, { name: 'Borealis' });
  const moved = at(3, { baseURL: 'https://api.borealis.example/v2' });
  const runs = [night(1, 'pass'), renamed, moved, night(9, 'fail')];
  const ours = pastOf({ runs, notes: ['A note.'] }, tonight);
  // The run itself may have been judged before.
  expect(ours.runs).toEqual([runs[0]]);
  expect(ours.notes).toEqual(['A note.']);
  // The embedded server has another port each time.
  const embedded = (day: number, port: number) => at(day, { embedded: true, baseURL: `http://127.0.0.1:${port}/v2` });
  expect(pastOf({ runs: [embedded(1, 4001)], notes: [] }, embedded(2, 4002)).runs).toHaveLength(1);
});

test('a key that was accepted in the last run and is not any more is said to be rotated', () => {
  const rejecting = (day: number, ...accounts: string[]) => {
    const result = night(day, 'pass');
    const accepted = result.clauses.find(({ id }) => id === 'auth.accepted');
    const finding = accounts.map((account) => ({
      subject: { kind: 'request' as const, name: neverAccepted(account) },
      ...{ expected: 'a 2xx', got: '401', evidence: [0] },
    }));
    Object.assign(accepted ?? {}, { verdict: 'fail', reason: 'Because.', finding });
    return result;
  };
  const [account = ''] = night(1, 'pass').target.accounts;
  const told = (before: Conformance, now: Conformance) =>
    comparedWith(past([before]), now).notes.filter((note) => note.includes('rotated'));
  expect(told(night(1, 'pass'), rejecting(2, account))).toEqual([
    `The key of ${account} was accepted in the run of 2026-01-01 03:00 UTC, and is not any more: was it rotated?`,
  ]);
  // It is said where nothing could be judged as well, and never of a key that nobody knows to have been accepted.
  expect(told(night(1, 'pass'), { ...rejecting(2, account), error: 'No key was accepted.' })).toHaveLength(1);
  expect(told(rejecting(1, account), rejecting(2, account))).toEqual([]);
  expect(told(night(1, 'pass'), rejecting(2, 'a new account'))).toEqual([]);
});

test('a baseline that is an error is compared with nothing, and says so', () => {
  const { changes, notes } = comparedWith(baseline(night(1, null)), night(2, 'pass'));
  expect(changes).toBe(null);
  expect(notes.join()).toContain('The baseline of 2026-01-01 03:00 UTC is of a run that could not be done');
  expect(comparedWith(baseline(night(1, 'pass')), night(2, null)).changes).toBe(null);
});

test('a baseline of another target is said to be one', () => {
  const other = night(1, 'pass');
  other.target = { ...other.target, name: 'Borealis', baseURL: 'https://api.borealis.example/v2' };
  expect(comparedWith(baseline(other), night(2, 'pass')).notes.join()).toMatch(
    /is of another target: Borealis \(https/,
  );
  expect(comparedWith(baseline(night(1, 'pass')), night(2, 'pass')).notes).toEqual([
    'Compared with the baseline, a run of 2026-01-01 03:00 UTC.',
    'No verdict and no observation changed.',
  ]);
  expect(comparedWith(past([night(1, 'pass')]), night(2, 'pass')).notes).toEqual([
    'Compared with the last run of the history, of 2026-01-01 03:00 UTC.',
    'No verdict and no observation changed.',
  ]);
});

test('what only one of two runs was asked to test is no change', () => {
  const part = night(1, 'fail');
  for (const clause of part.clauses)
    if (clause.id !== ID) Object.assign(clause, { verdict: 'not-tested', untested: 'not-selected' });
  part.observations = {};
  for (const { changes, notes } of [
    comparedWith(baseline(part), night(2, 'pass')),
    comparedWith(baseline(night(1, 'pass')), part),
  ]) {
    expect(changes?.map(({ id }) => id)).toEqual([ID]);
    expect(notes.join()).toContain('Only a part of the clauses was selected');
  }
});

test('with a history, an observation that varies by chance is no change, and a new value is', () => {
  const nights = [[1], [1, 2], [2], [1]].map((values, i) => night(i + 1, 'pass', { 'reset.rounding': values }));
  const changes = (values: unknown[]) =>
    comparedWith(past(nights), night(9, 'pass', { 'reset.rounding': values })).changes?.map(({ id }) => id);
  expect(changes([2])).toEqual([]);
  expect(changes([1, 2])).toEqual([]);
  expect(changes([1, 3])).toEqual(['observations.reset.rounding']);
  // A week later nobody remembers.
  const later = [...nights, ...[5, 6, 7, 8, 9, 10, 11].map((day) => night(day, 'pass', { 'reset.rounding': [1] }))];
  const now = night(12, 'pass', { 'reset.rounding': [2] });
  expect(comparedWith(past(later), now).changes?.map(({ id }) => id)).toEqual(['observations.reset.rounding']);
});

test('a clause fails since the first night of an unbroken row, and a night that could not be done breaks none', () => {
  expect(ofClause(['pass', 'fail', null, 'fail'])).toBe('failing since 2026-01-02');
  expect(ofClause(['fail', 'fail'])).toBe('failing since 2026-01-01 or earlier');
  expect(ofClause(['pass', 'pass', 'fail'])).toBe('failing since 2026-01-03');
  expect(ofClause(['pass', 'fail', null])).toBe(undefined);
});

test('a clause that comes and goes is intermittent, and of one that passes nothing is reported', () => {
  expect(ofClause(['pass', 'fail', 'pass', 'fail', 'pass'])).toBe('intermittent: failed in 2 of the last 5 runs');
  expect(ofClause(['pass', 'pass'])).toBe(undefined);
  expect(ofClause(['fail', 'pass'])).toBe(undefined);
});

test('the last 90 judged runs are read; parts and errors are not kept', () => {
  const directory = freshDirectory();
  storeRun(directory, night(1, null));
  for (let day = 2; day <= 95; day += 1) storeRun(directory, night(day, 'pass'));
  storeRun(directory, night(96, null));
  const part = night(97, 'pass');
  for (const clause of part.clauses.slice(1))
    Object.assign(clause, { verdict: 'not-tested', untested: 'not-selected' });
  storeRun(directory, part);
  const { runs } = readPast(directory);
  expect(runs).toHaveLength(90);
  expect(runs[0]?.startedAt).toBe(night(6, 'pass').startedAt);
});

test('a file that was cut is left out with a word, and a directory that is not there is an empty past', () => {
  const directory = directoryWith({ '2026-01-02T03-00-00.000Z.json': '{"clauses": [' });
  storeRun(directory, night(1, 'pass'));
  const { runs, notes } = readPast(directory);
  expect(runs).toHaveLength(1);
  expect(notes.join()).toContain(
    '2026-01-02T03-00-00.000Z.json cannot be read: it is not whole JSON, and was left out.',
  );
  expect(readPast(join(directory, 'not-yet'))).toEqual({ runs: [], notes: [] });
  const file = join(directory, '2026-01-02T03-00-00.000Z.json');
  expect(() => storeRun(join(file, 'below'), night(2, 'pass'))).toThrow(
    /^HISTORY: \S+ cannot be written \(not a directory\): this run is not kept\.$/,
  );
  expect(readPast(file)).toEqual({ runs: [], notes: [] });
});

test('what a gateway answers while the server is down is no news', async () => {
  const down = [serverNamed('maintenance-begins')];
  const [calm, disturbed] = await Promise.all([[], down].map((bends) => runInMemory(bends)));
  const seenIn = (run: typeof calm) => run && observationsOf(run.recorder.evidence());
  for (const id of ['refusal.status', 'refusal.body-type', 'base-path.status', 'base-path.content-type'])
    expect(seenIn(disturbed)?.[id], id).toEqual(seenIn(calm)?.[id]);
  expect(seenIn(disturbed)?.['refusal.status']).toEqual([429]);
});
