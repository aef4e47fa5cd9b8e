/** Clauses that one cause breaks are told as one, the most harmful first. */
import { expect, test } from '@playwright/test';
import { editing, put } from '../../../fixtures/faults/tools';
import { runOnBent } from '../../../scripts/matrix/in-process';
import { causesOf } from '../../../src/judge/causes';
import { type Bend, problem } from '../../../src/reference/behaviour';
import { fixedWindow } from '../../../src/reference/limiter';
import { messageOf } from '../../../src/report/breach/message';

const crashing: Bend = { name: 'crashing', bend: () => ({ rejection: () => problem(500, 'oops', 'Internal error.') }) };
const leaking: Bend = {
  name: 'leaking',
  bend: editing((document, account) => put(document, 'auth.basic.password', account.password ?? '')),
};
const unlike: Bend = {
  name: 'unlike',
  bend: editing((document) => {
    put(document, 'auth.basic.hasPassword', 'yes');
    put(document, 'start.status', 1);
  }),
};

const isKeyless = (id: string) => /^auth\.(?:missing|empty|unknown|altered|rejection|no-session|base-path-r)/.test(id);
const isSettings = (id: string) => /^settings\./.test(id);

test('"rejects with 500" is one cause, told in full once', async () => {
  const run = await runOnBent([crashing], {}, isKeyless);
  const failed = run.judgements.filter(({ verdict }) => verdict === 'fail');
  expect(failed.length).toBeGreaterThan(5);
  const causes = causesOf(run.judgements);
  expect(causes.map(({ clauses }) => clauses)).toEqual([failed.map(({ id }) => id)]);
  const [first, second] = failed.map((judgement, i) =>
    messageOf(judgement, run.recorder.evidence(), i === 0 ? null : (failed[0]?.id ?? '')),
  );
  expect(first).toContain('  conforms ');
  expect(second?.split('\n')).toHaveLength(4);
  expect(second).toContain(`  cause    the same as for ${failed[0]?.id}`);
});

test('a leaked password is one cause for the clauses that it breaks', async () => {
  const run = await runOnBent([leaking], {}, isSettings);
  const [cause, ...others] = causesOf(run.judgements);
  expect(cause?.clauses).toEqual(['settings.password-null', 'settings.password-absent']);
  expect(others).toEqual([]);
});

test('two members that are wrong in the same answers are two causes', async () => {
  const run = await runOnBent([unlike], {}, isSettings);
  const causes = causesOf(run.judgements);
  expect(causes.length).toBeGreaterThan(1);
  expect(causes.find(({ clauses }) => clauses.includes('settings.kind-status'))?.clauses).toEqual([
    'settings.kind-status',
  ]);
});

test('an accepted read shows many mistakes, and connects none of them', async () => {
  const unlimited: Bend = {
    name: 'unlimited',
    bend: () => ({
      limiter: fixedWindow({ requests: 1000, seconds: 1 }),
      document: () => ({ webhook: { start: null }, other: 1 }),
    }),
  };
  const isOfBoth = (id: string) => ['rate.enforced', 'settings.envelope', 'settings.kinds'].includes(id);
  const run = await runOnBent([unlimited], {}, isOfBoth);
  expect(causesOf(run.judgements).map(({ clauses }) => clauses)).toEqual(
    expect.arrayContaining([['rate.enforced'], ['settings.envelope'], ['settings.kinds']]),
  );
});

test('what lets strangers in comes before what only answers oddly, and failures before warnings', async () => {
  const mixed: Bend = {
    name: 'mixed',
    bend: () => ({
      rejection: ({ request }) =>
        request.headers.apikey === undefined ? problem(500, 'oops', 'No key.') : problem(200, 'ok', 'Fine.'),
    }),
  };
  const run = await runOnBent([mixed], {}, isKeyless);
  const causes = causesOf(run.judgements);
  const verdictOf = (id = '') => run.judgements.find((judgement) => judgement.id === id)?.verdict;
  const verdicts = causes.map(({ clauses }) => verdictOf(clauses[0]));
  expect(verdicts).toEqual([...verdicts].sort());
  expect(causes[0]?.reason).toMatch(/^200 /);
  expect(causes.some(({ reason }) => reason.startsWith('500 '))).toBe(true);
});

test('who gets the settings of another one, alone and at the same moment, gets them by one cause', async () => {
  const swapping: Bend = {
    name: 'swapping',
    bend: ({ accounts, document }) => ({
      document: (account, call) => document(accounts[accounts.indexOf(account) ^ 1] ?? account, call),
    }),
  };
  const run = await runOnBent([swapping], {}, (id) => /^auth\.(?:own-settings|isolation)$/.test(id));
  expect(causesOf(run.judgements).map(({ clauses }) => clauses)).toEqual([['auth.own-settings', 'auth.isolation']]);
});
