/** Every clause of the contract has its test, and what is published about it is what clauses.yaml says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { withClausesTable } from '../../scripts/clauses-table';
import { allClauses } from '../../scripts/matrix/in-process';
import { clauseTexts } from '../../src/contract/clauses';
import { clause } from '../../src/playwright/clause';

const root = join(__dirname, '..', '..');

test('every clause has exactly one test', async () => {
  const tested = (await allClauses()).map(({ id }) => id);
  expect([...tested].sort()).toEqual(clauseTexts.map(({ id }) => id).sort());
});

test('each clause is tested in the file of its area', async () => {
  const declared = (area: string) =>
    [...readFileSync(join(root, 'tests', `${area}.spec.ts`), 'utf8').matchAll(/^clause\(\s*'([^']+)'/gm)].map(
      ([, id]) => id,
    );
  const tested = (await allClauses()).map(({ id }) => id);
  const areas = [...new Set(tested.map((id) => id.split('.')[0] ?? ''))];
  expect(areas.flatMap(declared).sort()).toEqual([...tested].sort());
  for (const area of areas) expect(declared(area).filter((id) => !id?.startsWith(`${area}.`))).toEqual([]);
});

test('a test of a clause that is not in the contract cannot be declared', () => {
  expect(() => clause('auth.no-such-clause', [], () => ({ breaches: [], evidence: [], notTested: null }))).toThrow(
    'The contract has no clause auth.no-such-clause.',
  );
});

test('the README says of every clause what clauses.yaml says', () => {
  const file = join(root, 'README.md');
  const readme = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(readme, 'bring it up to date with `npx tsx scripts/clauses-table.ts`').toBe(withClausesTable(readme));
});
