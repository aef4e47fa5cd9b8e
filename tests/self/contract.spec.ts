/** Every clause of the contract has its test, and every published table holds the words of clauses.yaml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { allClauses } from '../../scripts/matrix/in-process';
import { withWords } from '../../scripts/matrix/score';
import { clauseTexts } from '../../src/contract/clauses';
import { clause } from '../../src/playwright/clause';

const root = join(__dirname, '..', '..');

test('every clause has exactly one test', async () => {
  const tested = (await allClauses()).map(({ id }) => id);
  expect([...tested].sort()).toEqual(clauseTexts.map(({ id }) => id).sort());
});

test('each clause is tested in the file of its area', async () => {
  const declared = (area: string) =>
    [...readFileSync(join(root, 'tests', `${area}.spec.ts`), 'utf8').matchAll(/clause\(\s*'([^']+)'/g)].map(
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

test('SCORE.md lists every clause in the words of clauses.yaml', () => {
  const score = readFileSync(join(root, 'SCORE.md'), 'utf8');
  expect(score, 'bring it up to date with `npm run score -- --words`').toBe(withWords(score));
});
