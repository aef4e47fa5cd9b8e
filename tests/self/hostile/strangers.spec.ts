/** Strangers at the receiver, in files, in logs and in names: nothing of theirs is obeyed, and nothing is lost by them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answering, withHeader } from '../../../fixtures/dialects/tools';
import { editing, put } from '../../../fixtures/faults/tools';
import { runInMemory } from '../../../scripts/matrix/in-process';
import { failureOf, UsageError } from '../../../src/common/errors';
import { visible, visibleJson } from '../../../src/common/text';
import { storeRun } from '../../../src/history/history';
import { judgementsOf, ruleOf } from '../../../src/profiles/rules';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';
import { inline } from '../../../src/report/ci/markdown';
import { writeResults } from '../../../src/report/files';
import { closingTable } from '../../../src/report/terminal';
import { exchangeOf, harTextOf, twoAnswers } from '../support/evidence-of';
import { resultsOf } from '../support/packages';
import { conformantRun } from '../support/report-samples';
import { freshDirectory } from '../support/whole-runs';

test('what a terminal or a CI server would obey is made visible', () => {
  const hostile = [
    ...['::stop-commands::x', 'a\n::error::x', '##vso[task.setvariable]', '##[command]x', '##teamcity[x]'],
    ...['\u001b[31m', '\u0007', '\u009b1m', '\u202e', '\0'],
  ];
  for (const text of hostile) {
    const shown = visible(text);
    expect(shown).not.toMatch(/::[a-z-]+(?:::|\s)|##(?:\[|vso|teamcity)|\p{Cc}(?<!\n)|\u202e/u);
    expect(visible(shown)).toBe(shown);
    const json = visibleJson({ [text]: [text] });
    expect(visible(json)).toBe(json);
    expect(JSON.parse(json)).toEqual({ [text]: [text] });
  }
  expect(visible('http://[::1]:9099 and ::1')).toBe('http://[::1]:9099 and ::1');
  expect(inline('see www.evil.example')).not.toContain('www.');
});

test('no file of JSON holds what a terminal or a CI server obeys, and each says what it said', async () => {
  const told = 'a\u202eb\u009b1m ::error::x ##vso[y]';
  const input = await conformantRun();
  const [first] = input.evidence.exchanges;
  Object.assign(first ?? {}, exchangeOf({ statusText: told, headers: [['X-Told', told]], body: told }));
  input.conformance.observations = { [told]: [told] };
  const directory = freshDirectory();
  const har = [Buffer.from(harTextOf(input.evidence, input.conformance))];
  writeResults(directory, { ...input, har });
  storeRun(directory, input.conformance);
  const files = readdirSync(directory).filter((name) => /json|har/.test(name));
  expect(files).toHaveLength(3);
  for (const name of files) {
    const text = readFileSync(join(directory, name), 'utf8');
    expect(visible(text), name).toBe(text);
    expect(JSON.stringify(JSON.parse(text)), name).toContain(JSON.stringify(told).slice(1, -1));
  }
});

test('of an error that nobody foresaw its kind and place are told, and never its message', () => {
  const secret = 'k3y/of/Alice+4711';
  const told = failureOf(Object.assign(new RangeError(`no ${secret} at src/${secret}`), { code: 'ERR_X' }));
  expect(told).toMatch(/^The suite failed: RangeError \(ERR_X\)/);
  expect(told).not.toContain(secret);
  expect(failureOf(secret)).not.toContain(secret);
  expect(failureOf(new UsageError('Set API_KEY.'))).toBe('Set API_KEY.');
});

test('a clause that cannot be judged is not tested and says why, and the others are judged', () => {
  const rule = ruleOf('settings.json');
  const { judge } = rule;
  rule.judge = () => {
    throw new TypeError('ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD');
  };
  const evidence = twoAnswers({ statusText: 'OK', headers: [], body: '{}', bodyEncoding: 'utf8' });
  const judged = judgementsOf(['settings.json', 'settings.envelope'], evidence, '2026-01-01');
  rule.judge = judge;
  expect(judged.get('settings.json')).toMatchObject({ verdict: 'not-tested', breaches: [] });
  expect(judged.get('settings.json')?.reason).toMatch(/^The suite failed: TypeError/);
  expect(judged.get('settings.json')?.reason).not.toContain('ouBYT');
  expect(judged.get('settings.envelope')?.verdict).toBe('fail');
});

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
    const { judgements } = await runInMemory([telling], { accounts });
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
