/** Faults and dialects that the number of accounts could hide: each is judged with one account and with three. */
import { expect, test } from '@playwright/test';
import { dialects, type Fault, faults } from '../../../fixtures/catalogue';
import { idsOf, runInMemory } from '../../../scripts/matrix/in-process';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';
import { ALL } from '../level';

test.describe.configure({ mode: 'parallel' });

const limits = { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null, runSeconds: 600 };

/** @param count how many of the embedded accounts the server has; @param ids the clauses that are asked for, by default all */
async function runWith(bends: readonly Bend[], count: number, ids?: readonly string[]) {
  return runInMemory(bends, { target: { limits }, accounts: embeddedAccounts().slice(0, count) }, undefined, ids);
}

function named<T extends Bend>(all: readonly T[], name: string): T {
  const found = all.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`There is no server ${name}.`);
  return found;
}

for (const count of [1, 3]) {
  // The matrix has them with all accounts.
  const tag = count === 3 ? ALL : [];
  for (const name of [
    'version-0-is-gone-with-the-settings',
    'version-0-lists-events',
    'version-0-speaks-xml',
    'version-0-answers-scripts',
    'version-0-for-an-old-customer',
    'base-path-asks-for-no-header',
    'base-path-forbids-one-account',
    'base-path-crashes',
    'options-names-a-receiver',
    'options-with-the-settings',
    'password-on-the-base-path',
    'slash-behind-open',
  ]) {
    test(`${name} is found with accounts: ${count}`, { tag }, async () => {
      const fault: Fault = named(faults, name);
      expect(idsOf(await runWith([fault], count, fault.breaks), 'fail', 'warn')).toEqual(fault.breaks);
    });
  }

  test(`a spelling of the header that is not counted is found with accounts: ${count}`, async () => {
    const run = await runWith([named(faults, 'other-spelling-is-not-counted')], count);
    expect(idsOf(run, 'fail')).toContain('rate.enforced-concurrent');
  });

  test(`a sliding counter of two a second is no budget of each path with accounts: ${count}`, async () => {
    const two: Bend = {
      name: 'two a second',
      bend: ({ rate, limiterOf }) => ({ limiter: limiterOf({ ...rate, requests: 2 }) }),
    };
    const failed = idsOf(await runWith([named(dialects, 'sliding-counter'), two], count), 'fail');
    expect(failed).toContain('rate.enforced');
    expect(failed).not.toContain('rate.across-paths');
  });

  for (const name of [
    'options-in-sentences',
    'options-in-types',
    'unknown-version-in-sentences',
    'unknown-version-in-types',
    'username-like-a-marker',
    'rejection-with-an-id',
  ]) {
    test(`${name} breaks nothing with accounts: ${count}`, { tag }, async () => {
      expect(idsOf(await runWith([named(dialects, name)], count), 'fail', 'warn')).toEqual([]);
    });
  }

  for (const status of [301, 302, 400]) {
    test(`a base path that answers ${status} after 120 ms is a warning with accounts: ${count}`, async () => {
      const late: Bend = {
        name: 'late',
        bend: ({ around, pause }) => ({
          welcome: () => ({ status, headers: [['Location', 'https://docs.example/']], body: '' }),
          around: (call, answer) => pause(120).then(() => around(call, answer)),
        }),
      };
      expect(idsOf(await runWith([late], count), 'fail', 'warn')).toEqual(['auth.base-path-accepted']);
    });
  }

  for (const name of ['x-api-key-as-well', 'key-in-any-case', 'cookie-as-well']) {
    test(`a ban does not let ${name} pass with accounts: ${count}`, async () => {
      const fault = named(faults, name);
      const run = await runWith([fault, named(dialects, 'bans-after-wrong-keys')], count);
      expect(idsOf(run, 'pass')).not.toEqual(expect.arrayContaining(fault.breaks));
    });
  }
}

test('a password is found on the base path of the one account that has it', async () => {
  const ofTheLast: Bend = {
    name: 'password-of-the-last',
    bend: ({ accounts, welcome }) => ({
      welcome: (account, call) => {
        const password = account === accounts.at(-1) ? account.password : null;
        return { ...welcome(account, call), body: JSON.stringify({ password }) };
      },
    }),
  };
  expect(idsOf(await runWith([ofTheLast], 4), 'fail', 'warn')).toEqual(['settings.password-absent']);
});

for (const count of [1, 4])
  test(`a password is found at a path that does not exist, with accounts: ${count}`, async () => {
    const debugging: Bend = {
      name: 'debugging-page',
      bend: ({ around, basePath }) => ({
        async around(call, answer) {
          const result = await around(call, answer);
          const isDebugged = result.status === 404 && call.account && call.path.startsWith(`${basePath}/no-such`);
          return isDebugged ? { ...result, body: JSON.stringify({ account: call.account }) } : result;
        },
      }),
    };
    expect(idsOf(await runWith([debugging], count), 'fail')).toEqual(['settings.password-absent']);
  });
