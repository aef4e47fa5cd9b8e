/** Every clause of the contract has its test, and what is published about it is what clauses.yaml says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { withClausesTable } from '../../scripts/clauses-table';
import { allRules } from '../../scripts/matrix/in-process';
import { clauseTexts } from '../../src/contract/clauses';
import { clause } from '../../src/playwright/clause';

const root = join(__dirname, '..', '..');

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

test('the README says of every clause what clauses.yaml says', () => {
  const file = join(root, 'README.md');
  const readme = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(readme, 'bring it up to date with `npx tsx scripts/clauses-table.ts`').toBe(withClausesTable(readme));
});
