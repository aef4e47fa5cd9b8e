/** The words of the clauses: clauses.yaml says everything once, and each clause has a rule and a test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { allRules } from '../../../scripts/matrix/in-process';
import { clauseTexts } from '../../../src/contract/clauses';
import { clause } from '../../../src/playwright/clause';
import { SCHEMAS } from '../support/schemas';
import { ROOT } from '../support/whole-runs';

interface Clause {
  id: string;
  level: string;
  section: string;
  statement: string;
  conforms: string;
  headline?: string;
  profile: string;
}

const clauses = parse(readFileSync(join(SCHEMAS, 'clauses.yaml'), 'utf8')) as {
  version: number;
  clauses: Clause[];
  observations: Array<{ id: string; section: string; what: string }>;
};

const section = /^(?:RFC [0-9]+ )?[0-9]+(?:\.[0-9]+)*$/;
const sentences = /^[A-Z`].*[^.]\.$/s;

test('clauses.yaml says of each clause everything and nothing else', () => {
  for (const clause of clauses.clauses) {
    const { headline, ...words } = clause;
    expect(Object.keys(words), clause.id).toEqual(['id', 'level', 'section', 'statement', 'conforms', 'profile']);
    expect(headline ?? 'None', clause.id).toMatch(/^[A-Z].*[^.]$/);
    expect(['must', 'should'], clause.id).toContain(clause.level);
    expect(clause.id).toMatch(/^(?:auth|settings|rate|version|event|transport)\.[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(clause.section, clause.id).toMatch(section);
    expect(clause.statement, clause.id).toMatch(sentences);
    expect(clause.conforms, clause.id).toMatch(/^[^A-Z].*[^.]$/);
    expect(clause.profile, clause.id).toBe(clause.id.startsWith('event.') ? 'event' : 'core');
  }
});

test('clauses.yaml says of each observation everything and nothing else', () => {
  for (const observation of clauses.observations) {
    expect(Object.keys(observation), observation.id).toEqual(['id', 'section', 'what']);
    expect(observation.id).toMatch(/^[a-z]+(?:-[a-z]+)*(?:\.[a-z]+(?:-[a-z]+)*)*$/);
    expect(observation.section, observation.id).toMatch(section);
    expect(observation.what, observation.id).toMatch(sentences);
  }
});

test('clauses.yaml uses no id, statement or observation twice', () => {
  const twice = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index);
  expect(twice([...clauses.clauses, ...clauses.observations].map(({ id }) => id))).toEqual([]);
  expect(twice(clauses.clauses.map(({ statement }) => statement))).toEqual([]);
  expect(twice(clauses.observations.map(({ what }) => what))).toEqual([]);
});

const ids = clauseTexts.map(({ id }) => id);

test('every clause has one rule, and every rule has a clause', () => {
  expect(allRules.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('each clause is tested once, in the file of its area, in the order of the contract', () => {
  for (const area of new Set(clauseTexts.map((text) => text.area))) {
    const spec = readFileSync(join(ROOT, 'tests', `${area}.spec.ts`), 'utf8');
    const tested = [...spec.matchAll(/^test\(\.\.\.clause\('([^']+)'\)\);$/gm)].map(([, id]) => id);
    expect(tested).toEqual(ids.filter((id) => id.startsWith(`${area}.`)));
  }
});

test('a test of a clause that is not in the contract cannot be declared', () => {
  const { TEST_WORKER_INDEX } = process.env;
  // The process that selects the tests looks, and no worker does it again.
  delete process.env.TEST_WORKER_INDEX;
  expect(() => clause('auth.no-such-clause')).toThrow('The contract has no clause auth.no-such-clause.');
  Object.assign(process.env, { TEST_WORKER_INDEX });
});
