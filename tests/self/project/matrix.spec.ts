/** The score of the suite: every fault caught, no conformant server accused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faults } from '../../../fixtures/catalogue';
import { isConformant, type MatrixResult } from '../../../scripts/matrix/jobs';
import { measured } from '../../../scripts/matrix/measured';
import { scoreText } from '../../../scripts/matrix/score';
import { missed, scoreOf, unexpected } from '../../../scripts/matrix/tally';
import { clauseTexts } from '../../../src/contract/clauses';
import { freshDirectory, ROOT, startProcess } from '../support/whole-runs';

test.describe.configure({ mode: 'serial' });

const results: MatrixResult[] = [];

test.beforeAll(async () => {
  test.setTimeout(1_200_000);
  const file = join(freshDirectory(), 'results.json');
  const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  for (const words of [[], ['--crossed', '--sample', '40']]) {
    const all = [tsx, 'scripts/matrix/main.ts', '--json', file, ...words];
    const { output } = await startProcess(process.execPath, all, { cwd: ROOT, env: process.env }).ended;
    console.log(output);
    results.push(...(JSON.parse(readFileSync(file, 'utf8')) as MatrixResult[]));
  }
});

const survivors = (isCrossed: boolean) =>
  results
    .filter(({ kind }) => kind.startsWith('crossed ') === isCrossed)
    .filter((result) => missed(result).length > 0)
    .map((result) => `${result.name}: ${missed(result).join(', ')}`);

test('every fault is caught by every clause it breaks', () => {
  expect(survivors(false)).toEqual([]);
});

/** SCORE.md says how many of all pairs are missed: of a sample of 40, this many may be. */
const MOST_MISSED = 1;

test('faults behind other limiters are caught but for a few', () => {
  expect(survivors(true).slice(MOST_MISSED)).toEqual([]);
});

test('no conformant server is accused', () => {
  const alarms = results
    .filter(isConformant)
    .flatMap((result) => unexpected(result).map((id) => `${result.name} (${result.says}): ${id} ${result.found[id]}`));
  expect(alarms).toEqual([]);
});

test('no other clause accuses a fault than those it breaks', () => {
  const more = results
    .filter((result) => !isConformant(result))
    .flatMap((result) => unexpected(result).map((id) => `${result.name} (${result.says}): ${id} ${result.found[id]}`));
  expect(more).toEqual([]);
});

test('the catalogue breaks every clause, every MUST at least twice', () => {
  expect(scoreOf(results).unproven).toEqual([]);
  const seldom = clauseTexts.filter(
    (text) => text.level === 'must' && faults.filter((fault) => fault.breaks.includes(text.id)).length < 2,
  );
  expect(seldom.map((text) => text.id)).toEqual([]);
});

test('SCORE.md says what the matrix found', () => {
  expect(readFileSync(join(ROOT, 'SCORE.md'), 'utf8')).toBe(
    scoreText(
      results.filter(({ kind }) => !kind.startsWith('crossed ')),
      measured(),
    ),
  );
});
