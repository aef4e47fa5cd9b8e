/** Answers that mean harm: what they hide is found, and what they show too much of is cut. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answering, withHeader } from '../../../fixtures/dialects/tools';
import { editing, put } from '../../../fixtures/faults/tools';
import type { Account } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';
import { runHere } from '../support/run-here';
import { filesBelow, served } from '../support/whole-runs';

test.describe.configure({ mode: 'parallel' });

/** An account of the reference server without a password. */
function account(name: string): Account {
  const kind = { status: true, url: `https://hooks.example/${name}` };
  const basic = { username: `${name}-user` };
  const auth = { status: true, type: 'basic', basic, apikey: { header: null, apikey: null } };
  const settings = { start: kind, submission: kind, updates: kind, auth };
  return { name, apiKey: `key-of-${name}-4711-AbCd`, password: null, settings };
}

test('a password that stands in the answer of the base path is found, whichever account has it', async () => {
  for (const holder of ['a', 'b', 'c']) {
    const open = (name: string): Account => ({
      ...account(name),
      password: name === holder ? 'basePasswordSekret' : null,
    });
    const telling: Bend = {
      name: 'telling',
      bend: answering((answer, call) => {
        const { password } = call.account ?? {};
        return password && call.path.endsWith('/') ? withHeader(answer, 'X-Debug', password) : answer;
      }),
    };
    const { file, close } = await served({ accounts: ['a', 'b', 'c'].map(open), bends: [telling] });
    const run = await runHere({ TARGET: file }, /^(?:settings|auth)/);
    await close();
    const absent = run.conformance().clauses.find(({ id }) => id === 'settings.password-absent');
    expect(absent?.verdict, holder).toBe('fail');
  }
});

/** @param levels how many lists stand within one another */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

for (const [what, name, value, clause, reason] of [
  ['a member name of 900 KB the beginning is told', 'x'.repeat(900_000), 'a', 'settings.no-extra', /x{400,500}…/],
  ['lists that are nested too deeply it is told', 'x', nested(500), 'settings.json', /more than 500 levels deep/],
] as const)
  test(`of ${what}`, async () => {
    const bend: Bend = { name: 'odd', bend: editing((document) => put(document, name, value)) };
    const { file, close } = await served({ bends: [bend] });
    const run = await runHere({ TARGET: file }, /^settings/);
    await close();
    expect(run.output.length).toBeLessThan(20_000);
    const small = filesBelow(run.results).filter((name) => !/evidence\.har|index\.html/.test(name));
    for (const name of small) expect(statSync(join(run.results, name)).size, name).toBeLessThan(60_000);
    const { clauses } = run.conformance();
    expect(clauses.find(({ id }) => id === clause)?.reason).toMatch(reason);
    expect(clauses.filter(({ verdict }) => /fail|warn/.test(verdict)).map(({ id }) => id)).toEqual([clause]);
  });
