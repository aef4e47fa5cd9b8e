/** Clauses that one cause breaks are shown as one, with the exchange that shows it. */
import { expect, test } from '@playwright/test';
import { clauseTexts } from '../../../src/contract/clauses';
import { causesOf } from '../../../src/judge/causes';
import { type Bend, problem } from '../../../src/reference/behaviour';
import { messageOf } from '../../../src/report/breach/message';
import { runAgainstBent, serverNamed } from '../support/simulation';

const crashing: Bend = { name: 'crashing', bend: () => ({ rejection: () => problem(500, 'oops', 'Internal error.') }) };

const KEYLESS = clauseTexts
  .map(({ id }) => id)
  .filter((id) => /^auth\.(?:missing|empty|unknown|altered|rejection|no-session|base-path-r)/.test(id));

test('"rejects with 500" is one cause, told in full once', async () => {
  const run = await runAgainstBent([crashing], { ids: KEYLESS });
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

test('who gets the settings of another one, alone and at the same moment, gets them by one cause', async () => {
  const swapping: Bend = {
    name: 'swapping',
    bend: ({ accounts, document }) => ({
      document: (account, call) => document(accounts[accounts.indexOf(account) ^ 1] ?? account, call),
    }),
  };
  const run = await runAgainstBent([swapping], { ids: ['auth.own-settings', 'auth.isolation'] });
  expect(causesOf(run.judgements).map(({ clauses }) => clauses)).toEqual([['auth.own-settings', 'auth.isolation']]);
});

test('an account that is refused because of another is shown refused, and not the other one let in', async () => {
  const { judgements, recorder } = await runAgainstBent([serverNamed('one-budget-for-all')]);
  const judgement = judgements.find(({ id }) => id === 'rate.per-user');
  const message = judgement && messageOf(judgement, recorder.evidence());
  expect(message).toMatch(/^ {2}came {5}.*refused while .*\n {11}429$/m);
});
