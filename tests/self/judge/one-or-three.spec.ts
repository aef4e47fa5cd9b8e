/** Faults and dialects that a single account could hide: the matrix has them with all accounts. */
import { expect, test } from '@playwright/test';
import type { Fault } from '../../../fixtures/catalogue';
import { idsOf } from '../../../scripts/matrix/in-process';
import type { Bend } from '../../../src/reference/behaviour';
import { runAgainstBent, serverNamed } from '../support/simulation';

test.describe.configure({ mode: 'parallel' });

for (const name of [
  ...['version-0-is-gone-with-the-settings', 'version-0-lists-events', 'version-0-speaks-xml'],
  ...['version-0-answers-scripts', 'version-0-for-an-old-customer', 'base-path-asks-for-no-header'],
  ...['base-path-forbids-one-account', 'base-path-crashes', 'options-names-a-receiver'],
  ...['options-with-the-settings', 'password-on-the-base-path', 'slash-behind-open'],
]) {
  test(`${name} is found with one account`, async () => {
    const fault = serverNamed(name) as Fault;
    const run = await runAgainstBent([fault], { accounts: 1, ids: fault.breaks });
    expect(idsOf(run, 'fail', 'warn')).toEqual(fault.breaks);
  });
}

test('a spelling of the header that is not counted is found with one account', async () => {
  const run = await runAgainstBent([serverNamed('other-spelling-is-not-counted')], { accounts: 1 });
  expect(idsOf(run, 'fail')).toContain('rate.enforced-concurrent');
});

test('a sliding counter of two a second is no budget of each path with one account', async () => {
  const two: Bend = {
    name: 'two a second',
    bend: ({ rate, limiterOf }) => ({ limiter: limiterOf({ ...rate, requests: 2 }) }),
  };
  const failed = idsOf(await runAgainstBent([serverNamed('sliding-counter'), two], { accounts: 1 }), 'fail');
  expect(failed).toContain('rate.enforced');
  expect(failed).not.toContain('rate.across-paths');
});

for (const name of [
  ...['options-in-sentences', 'options-in-types', 'unknown-version-in-sentences'],
  ...['unknown-version-in-types', 'username-like-a-marker', 'rejection-with-an-id'],
]) {
  test(`${name} breaks nothing with one account`, async () => {
    expect(idsOf(await runAgainstBent([serverNamed(name)], { accounts: 1 }), 'fail', 'warn')).toEqual([]);
  });
}

for (const name of ['x-api-key-as-well', 'key-in-any-case', 'cookie-as-well']) {
  test(`a ban does not let ${name} pass with one account`, async () => {
    const fault = serverNamed(name) as Fault;
    const run = await runAgainstBent([fault, serverNamed('bans-after-wrong-keys')], { accounts: 1 });
    expect(idsOf(run, 'pass')).not.toEqual(expect.arrayContaining(fault.breaks));
  });
}
