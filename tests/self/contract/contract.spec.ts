/** Every clause of the contract has its rule and its test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { allRules } from '../../../scripts/matrix/in-process';
import { clauseTexts } from '../../../src/contract/clauses';
import { clause } from '../../../src/playwright/clause';

const root = join(__dirname, '..', '..', '..');

const ids = clauseTexts.map(({ id }) => id);

test('every clause has one rule, and every rule has a clause', () => {
  expect(allRules.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('each clause is tested once, in the file of its area, in the order of the contract', () => {
  for (const area of new Set(clauseTexts.map((text) => text.area))) {
    const spec = readFileSync(join(root, 'tests', `${area}.spec.ts`), 'utf8');
    const tested = [...spec.matchAll(/^test\(\.\.\.clause\('([^']+)'\)\);$/gm)].map(([, id]) => id);
    expect(tested).toEqual(ids.filter((id) => id.startsWith(`${area}.`)));
  }
});

test('a test of a clause that is not in the contract cannot be declared', () => {
  expect(() => clause('auth.no-such-clause')).toThrow('The contract has no clause auth.no-such-clause.');
});
