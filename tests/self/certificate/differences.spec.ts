/** What `verify` says of a difference. */
import { expect, test } from '@playwright/test';
import { differencesBetween, entryDifferences } from '../../../src/certificate/result-checks';
import { clauseTexts } from '../../../src/contract/clauses';
import { resultIn } from '../../../src/contract/read-result';
import type { Conformance } from '../../../src/contract/result';

const clause = (id: string, ...evidence: number[]) => ({ id, evidence }) as unknown as Conformance['clauses'][number];

test('entries that differ are named, with the clauses that were judged on them', () => {
  const told = [clause('a.a', 1, 41), clause('b.b', 41), clause('c.c', 2, 41), clause('d.d', 3)];
  const due = [clause('a.a', 1), clause('b.b'), clause('c.c', 2), clause('d.d', 3, 4)];
  expect(entryDifferences(told, due, 99)).toEqual([
    '3 clauses name entry 41, and are not judged on it',
    'd.d is judged on entry 4, which is not named there',
  ]);
  // All behind an entry that was taken away have moved up, so that numbers alone do not tell which it was.
  expect(entryDifferences(told, due, 41)).toEqual([
    '1 entry missing: 3 clauses were judged on entry 41, and the last is 40',
  ]);
  expect(entryDifferences(told, told, 1)).toEqual([]);
});

test('long values are shown from where they differ', () => {
  const [is, due] = ['x'.repeat(500), `${'x'.repeat(499)}y`];
  expect(differencesBetween({ reason: is }, { reason: due })).toEqual([
    `reason is …${'x'.repeat(30)}x", not …${'x'.repeat(30)}y"`,
  ]);
});

test('what does not fit the schema is said in a sentence, and a clause by its id', () => {
  const [first] = clauseTexts;
  const messageOf = (result: object) => {
    try {
      resultIn(JSON.stringify(result), 'conformance.json');
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  expect(messageOf({ clauses: [] })).toMatch(
    /^conformance\.json is not the result of a run of this suite: it has no \w+\.$/,
  );
  expect(messageOf({ clauses: [{ id: first?.id, verdict: 'pass' }], verdict: 'conformant' })).not.toMatch(
    /must NOT|clauses\.0/,
  );
});
