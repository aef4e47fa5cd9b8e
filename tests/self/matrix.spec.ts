/** The score of the suite: every fault caught, no conformant server accused. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faults } from '../../fixtures/catalogue';
import { missed, type Result, scoreOf, unexpected } from '../../scripts/matrix/jobs';
import { scoreText } from '../../scripts/matrix/score';
import { clauseTexts } from '../../src/contract/clauses';

const ROOT = join(__dirname, '..', '..');

test.describe.configure({ mode: 'serial', timeout: 900_000 });

let results: Result[] = [];

test.beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'matrix-')), 'results.json');
  const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const matrix = spawn(process.execPath, [tsx, 'scripts/matrix/main.ts', '--json', file], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [matrix.stdout, matrix.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => matrix.once('exit', resolve));
  console.log(printed);
  results = JSON.parse(readFileSync(file, 'utf8')) as Result[];
});

test('every fault is caught by every clause it breaks', () => {
  const survivors = results
    .filter((one) => missed(one).length > 0)
    .map((one) => `${one.name}: ${missed(one).join(', ')}`);
  expect(survivors).toEqual([]);
});

test('no conformant server is accused', () => {
  const alarms = results
    .filter((one) => one.kind !== 'fault' && unexpected(one).length > 0)
    .map(
      (one) =>
        `${one.name} (${one.says}): ${unexpected(one)
          .map((id) => `${id} ${one.found[id]}`)
          .join('; ')}`,
    );
  expect(alarms).toEqual([]);
});

test('the catalogue breaks every clause, every MUST at least twice', () => {
  expect(scoreOf(results).unproven).toEqual([]);
  const seldom = clauseTexts.filter(
    (text) => text.level === 'must' && faults.filter((fault) => fault.breaks.includes(text.id)).length < 2,
  );
  expect(seldom.map((text) => text.id)).toEqual([]);
  expect(faults.length).toBeGreaterThanOrEqual(120);
});

test('SCORE.md says what the matrix found', () => {
  expect(readFileSync(join(ROOT, 'SCORE.md'), 'utf8')).toBe(scoreText(results));
});
