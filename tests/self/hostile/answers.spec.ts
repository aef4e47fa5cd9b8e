/** Answers that mean harm: what they hide is found, and what they show too much of is cut. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answering, withHeader } from '../../../fixtures/dialects/tools';
import { editing, put } from '../../../fixtures/faults/tools';
import { runInMemory } from '../../../scripts/matrix/in-process';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';
import { closingTable } from '../../../src/report/terminal';
import { resultsOf } from '../support/packages';

const limits = { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null, runSeconds: 600 };
const IDS = ['settings.json', 'settings.no-extra', 'settings.kinds', 'settings.password-absent', 'auth.accepted'];

test('a password that stands in the answer of the base path is found, whichever account has it, also a mere word', async () => {
  const telling: Bend = {
    name: 'telling',
    bend: answering((answer, call) => {
      const { password } = call.account ?? {};
      return password && call.path.endsWith('/') ? withHeader(answer, 'X-Debug', password) : answer;
    }),
  };
  for (const [holder, word] of ['basePathSekret', 'swordfish', 'hunter2'].entries()) {
    const accounts = embeddedAccounts()
      .slice(0, 3)
      .map((account, i) => ({ ...account, password: i === holder ? word : null }));
    const { judgements } = await runInMemory([telling], { accounts, target: { limits } });
    const absent = judgements.find(({ id }) => id === 'settings.password-absent');
    expect(absent?.verdict, word).toBe('fail');
  }
});

/** @param levels how many lists stand within one another */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

for (const [what, name, value, clause, reason] of [
  ['a member name of 200 KB the beginning is told', 'x'.repeat(200_000), 'a', 'settings.no-extra', /x{400,500}…/],
  ['lists that are nested too deeply it is told', 'x', nested(500), 'settings.json', /more than 500 levels deep/],
] as const)
  test(`of ${what}`, async () => {
    const bend: Bend = { name: 'odd', bend: editing((document) => put(document, name, value)) };
    const { directory, input } = await resultsOf([bend], {}, IDS);
    expect(closingTable(input, null).length).toBeLessThan(20_000);
    const small = readdirSync(directory).filter((name) => !/evidence\.har|index\.html/.test(name));
    for (const name of small) expect(statSync(join(directory, name)).size, name).toBeLessThan(60_000);
    const { clauses } = input.conformance;
    expect(clauses.find(({ id }) => id === clause)?.reason).toMatch(reason);
    expect(clauses.filter(({ verdict }) => /fail|warn/.test(verdict)).map(({ id }) => id)).toEqual([clause]);
  });
