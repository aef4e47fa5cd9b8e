/** What a run says of a clause that a conformant server keeps from being judged, or that does not happen on it. */
import { expect, test } from '@playwright/test';
import { OF_REFUSALS } from '../../../fixtures/dialects/limiters';
import { type InProcessRun, idsOf } from '../../../scripts/matrix/in-process';
import { observationsOf } from '../../../src/profiles/rules';
import { runAgainstBent, serverNamed } from '../support/simulation';

test.describe.configure({ mode: 'parallel' });

const runAgainst = (name: string) => runAgainstBent([serverNamed(name)]);

function verdictOf({ judgements }: InProcessRun, id: string) {
  const { verdict, reason } = judgements.find((judgement) => judgement.id === id) ?? {};
  return `${verdict}: ${reason}`;
}

for (const name of ['queue', 'queue-with-a-timer']) {
  test(`on a server that is a ${name} nothing is refused: what is said of refusals is inapplicable`, async () => {
    const run = await runAgainst(name);
    expect(idsOf(run, 'inapplicable').sort()).toEqual([...OF_REFUSALS].sort());
    expect(idsOf(run, 'fail', 'warn')).toEqual([]);
  });
}

for (const name of ['headers-on-accepted', 'reset-on-accepted-alone']) {
  test(`${name}: nothing on a refusal has to agree with Retry-After`, async () => {
    const run = await runAgainst(name);
    expect(idsOf(run, 'inapplicable')).toEqual(['rate.retry-after-agrees']);
  });
}

test('a ban that stays is told, with how many wrong keys it took and what to ask of the operator', async () => {
  const run = await runAgainst('bans-for-good');
  expect(verdictOf(run, 'rate.enforced')).toMatch(
    /^not-tested: After 15 wrong keys .* until the run ended: ask the operator to exempt it/,
  );
  expect(idsOf(run, 'fail', 'warn')).toEqual([]);
  expect(idsOf(run, 'pass')).toContain('settings.password-null');
  const { 'defence.ban': bans } = observationsOf(run.recorder.evidence());
  expect(bans).toEqual([{ answer: 403, wrongKeys: 15, seconds: null }]);
});
