/** Blob reports come from other machines: no name in them leads a merge to files outside. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { faults } from '../../../../fixtures/faults/index';
import { runInMemory } from '../../../../scripts/matrix/in-process';
import { UsageError } from '../../../../src/common/errors';
import { fleetIn, isTargetName } from '../../../../src/config/directory';
import { clauseTexts } from '../../../../src/contract/clauses';
import { CLAUSE } from '../../../../src/playwright/annotations';
import { unpacked } from '../../../../src/playwright/recorded-attachment';
import type { ConsoleOutput } from '../../../../src/playwright/reporter/console';
import { Results } from '../../../../src/playwright/reporter/results';
import { Selection } from '../../../../src/playwright/reporter/selection';
import type { Bend } from '../../../../src/reference/behaviour';
import { embeddedAccounts } from '../../../../src/reference/embedded-accounts';
import { ALL } from '../../level';
import { freshDirectory, served, wholeRun } from '../../support/whole-runs';

const WHOLE = ['fleet.json', 'index.html', 'honest/conformance.json'];

test('a target of a blob report cannot be called as no file is', { tag: ALL }, async () => {
  const { file, close } = await served();
  const fleet = freshDirectory();
  writeFileSync(join(fleet, 'honest.yaml'), readFileSync(file));
  const part = await wholeRun({ arguments: ['-g', 'version.base', '--shard=1/1'], environment: { TARGETS: fleet } });
  await close();
  expect(part.status, part.output).toBe(0);
  const zip = unzipSync(readFileSync(join(part.results, '..', 'blob-report', 'shard-1.zip')));
  const merge = async (name: string) => {
    const home = freshDirectory();
    const blobs = join(home, 'blobs');
    mkdirSync(blobs);
    const renamed = Object.entries(zip).map(([path, bytes]) => [
      path,
      path.endsWith('.jsonl') ? strToU8(strFromU8(bytes).replaceAll('"honest"', JSON.stringify(name))) : bytes,
    ]);
    writeFileSync(join(blobs, 'shard-1.zip'), zipSync(Object.fromEntries(renamed)));
    const RESULTS_DIR = join(home, 'a', 'b', 'results');
    mkdirSync(join(RESULTS_DIR, 'honest'), { recursive: true });
    for (const file of WHOLE) writeFileSync(join(RESULTS_DIR, file), 'of a whole run');
    const run = await wholeRun({ command: 'merge-reports', arguments: [blobs], environment: { RESULTS_DIR } });
    return { run, home, left: WHOLE.map((file) => readFileSync(join(RESULTS_DIR, file), 'utf8')) };
  };
  const honest = await merge('honest');
  expect(honest.run.status, honest.run.output).toBe(0);
  expect(JSON.parse(honest.run.text('honest/conformance.json')).requests).toBeGreaterThanOrEqual(0);
  // The shards ran a part of the clauses, so that what a whole run left stays.
  expect(honest.run.results).toMatch(/part$/);
  expect(new Set(honest.left)).toEqual(new Set(['of a whole run']));
  const strange = await merge('../../escaped');
  expect(strange.run.status, strange.run.output).not.toBe(0);
  expect(strange.run.output).toContain('its name is none of a file');
  expect(existsSync(join(strange.home, 'a', 'escaped'))).toBe(false);
});

/** What a merge of one run's reports ends with, in an environment. */
async function mergedStatus(environment: Record<string, string>, bends: readonly Bend[], accounts: number) {
  const { recorder } = await runInMemory(bends, {
    accounts: embeddedAccounts().slice(0, accounts),
    target: { limits: { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null, runSeconds: 600 } },
  });
  const ids = clauseTexts.map(({ id }) => id);
  const tests = ids.map((id) => ({ id, annotations: [{ type: CLAUSE, description: id }] }) as unknown as TestCase);
  const selection = new Selection(tests);
  const result = { status: 'passed', retry: 0, annotations: [], attachments: [] } as unknown as TestResult;
  for (const each of tests) selection.add(Object.assign(each, { retries: 0, outcome: () => 'expected' }), result);
  selection.recorded = {
    evidence: recorder.evidence(),
    error: null,
    waitedMs: 0,
    durationMs: 1,
    notes: [],
  };
  const said: string[] = [];
  const out = { print: (text: string) => said.push(text), showProgress: () => undefined, width: 80 };
  const directory = freshDirectory();
  const place = {
    directory,
    given: [],
    reports: null,
    isFleet: false,
    isMerge: true,
    failOnFlakyTests: false,
    waitsForTest: false,
  };
  const before = { ...process.env };
  Object.assign(process.env, environment);
  try {
    const { status } = new Results(new Map([['', selection]]), [], null, place, out as unknown as ConsoleOutput).end(
      'passed',
      [],
    );
    return { status, said: said.join('\n') };
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

test('merged reports fail on a warning where STRICT says so, and on what was not tested where REQUIRE_COMPLETE does', async () => {
  const warned = faults.filter(({ breaks }) => breaks.join() === 'rate.refusal-429').slice(0, 1);
  expect(warned).toHaveLength(1);
  expect(await mergedStatus({}, warned, 3)).toMatchObject({ status: 'passed' });
  const strict = await mergedStatus({ STRICT: '1' }, warned, 3);
  expect(strict.status, strict.said).toBe('failed');
  expect(await mergedStatus({ STRICT: '1' }, [], 3)).toMatchObject({ status: 'passed' });
  expect(await mergedStatus({}, [], 1)).toMatchObject({ status: 'passed' });
  const complete = await mergedStatus({ REQUIRE_COMPLETE: '1' }, [], 1);
  expect(complete.status, complete.said).toBe('failed');
});

test('an attachment that holds no record is no defect of the suite, however deep it is', () => {
  for (const text of ['', 'null', '[]', '{"har":1}', `{"har":${'['.repeat(50_000)}${']'.repeat(50_000)}}`])
    expect(() => unpacked(text), text.slice(0, 20)).toThrow(UsageError);
});

test('names of targets are names of files', () => {
  for (const name of ['acme', 'acme 4.2', 'größe', 'a-b_c']) expect(isTargetName(name), name).toBe(true);
  for (const name of ['', '.', '..', '.hidden', 'a/b', 'a\\b', '../x', 'a\0', 'a\nb', 'playwright', 'x'.repeat(300)])
    expect(isTargetName(name), JSON.stringify(name)).toBe(false);
  // Playwright prints the names of projects as they are.
  for (const mark of ['\u202e', '\u2066', '\u200f', '\u061c', '\u001b', '\u0085', '\u2028']) {
    const TARGETS = freshDirectory();
    writeFileSync(join(TARGETS, `a${mark}b.yaml`), '');
    expect(isTargetName(`a${mark}b`), JSON.stringify(mark)).toBe(false);
    expect(() => fleetIn({ TARGETS }), JSON.stringify(mark)).toThrow(UsageError);
  }
});
