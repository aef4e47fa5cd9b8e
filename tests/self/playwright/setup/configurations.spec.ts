/** Configurations, reporters, shards and files of other people's: no run of theirs ends well by mistake. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ALL } from '../../level';
import { counting, masking } from '../../support/bends';
import { runHere } from '../../support/run-here';
import {
  directoryWith,
  fileWith,
  ROOT,
  runAgainst,
  served,
  stackLines,
  type WholeRun,
  wholeRun,
} from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const BASE = JSON.stringify(join(ROOT, 'playwright.config'));
const ONE = ['-g', 'settings.password-null'];

/** A configuration elsewhere that is ours but for some members, as source. */
const but = (members: string) =>
  fileWith('playwright.config.ts', `import base from ${BASE}; export default { ...base, ${members} };`);

/** What was recorded of a server that breaks `settings.password-null`. */
async function brokenEvidence(): Promise<string> {
  const { file, close } = await served({ bends: [masking] });
  const run = await runHere({ TARGET: file }, /password-null/);
  await close();
  return join(run.results, 'evidence.har');
}

test('without our reporter the clauses fail and say why, and own tests run', async () => {
  const nothing = fileWith('nothing.js', 'module.exports = class { printsToStdio() { return false; } };');
  const run = await wholeRun({
    config: but("reporter: 'list'"),
    arguments: ['-g', 'version.base|nobody reads settings'],
    environment: { PW_TEST_REPORTER: nothing },
  });
  expect(run.status, run.output).toBe(1);
  expect(run.output).toMatch(/✘ .*version\.base/);
  expect(run.output).toContain('without the suite');
  expect(run.output).toMatch(/✓ .*nobody reads settings/);
});

test('where nothing was prepared, the tests fail and say what to do', async () => {
  const config = fileWith(
    'playwright.config.ts',
    `export default { testDir: ${JSON.stringify(join(ROOT, 'tests'))}, testMatch: 'version.spec.ts', reporter: 'list' };`,
  );
  const run = await wholeRun({ config, arguments: ['-g', 'version.base'] });
  expect(run.status, run.output).toBe(1);
  expect(run.output).toContain('1 failed');
  expect(run.output).toContain('the configuration lacks the suite’s globalSetup');
  expect(stackLines(run.output)).toEqual([]);
});

test('a run is never divided among shards', { tag: ALL }, async () => {
  const counter = counting();
  const { file, close } = await served({ bends: [counter, masking] });
  const run = await wholeRun({ arguments: [...ONE, '--shard=2/2'], environment: { TARGET: file } });
  await close();
  expect(run.status, run.output).toBe(2);
  expect(run.output.replace(/\s+/g, ' ')).toContain('several machines would use one key at the same time');
  expect(counter.count).toBe(0);
});

test('another reporter that throws wherever it is called changes no verdict', { tag: ALL }, async () => {
  const throwing = ['onBegin', 'onTestEnd', 'onEnd'].map(
    (name) => `${name}() { throw new Error('${name} is broken'); }`,
  );
  const other = fileWith('other.js', `module.exports = class { ${throwing.join(' ')} };`);
  const config = but(`reporter: [[${JSON.stringify(other)}], ...base.reporter]`);
  const run = await runAgainst({}, { config, arguments: ONE });
  expect(run.status, run.output).toBe(1);
  const { verdict, error } = run.conformance();
  expect({ verdict, error }).toEqual({ verdict: 'incomplete', error: null });
  expect(run.ids('pass')).toEqual(['settings.password-null']);
  for (const name of ['onBegin', 'onTestEnd', 'onEnd']) expect(run.text('summary.md')).toContain(`${name} is broken`);
});

test('what machines read on standard output is left alone, and no failure is told twice', { tag: ALL }, async () => {
  const REPLAY = await brokenEvidence();
  const run = (...words: string[]) => wholeRun({ arguments: [...ONE, ...words], environment: { REPLAY } });
  const [json, junit, list, dot, ours] = await Promise.all([
    run('--reporter=json'),
    run('--reporter=junit'),
    run('--reporter=list'),
    run('--reporter=dot', '--retries=1'),
    run('--retries=1', '--repeat-each=2'),
  ]);
  for (const { status, output } of [json, junit, list, dot, ours]) expect(status, output).toBe(1);
  expect((JSON.parse(json.printed) as { stats: { unexpected: number } }).stats.unexpected).toBe(1);
  expect(junit.printed).toMatch(/^<testsuites[\s\S]*<\/testsuites>\s*$/);
  for (const { output } of [json, junit, list, dot]) expect(output).toContain('NON-CONFORMANT');
  const told = ({ output }: WholeRun) => output.split('settings.password-null (MUST').length - 1;
  expect([list, ours].map(told)).toEqual([1, 1]);
  expect(dot.output).not.toContain('✘ settings');
});

test('the embedded server is not judged by mistake', async () => {
  const environment = { API_KEY: 'someKeyOfMine123' };
  const [here, ci, nothing] = await Promise.all([
    runHere({ ...environment, RISKY_PROBES: '1' }, /password-null/),
    runHere({ ...environment, CI: '1' }, /password-null/),
    runHere({ CI: '1' }, /password-null/),
  ]);
  expect(here.status, here.output).toBe(0);
  expect(here.output).toContain('!!! API_KEY and RISKY_PROBES are set but neither BASE_URL nor TARGET is');
  expect(ci.status, ci.output).toBe(2);
  expect(ci.conformance().error).toContain('API_KEY is set but neither');
  expect(nothing.status, nothing.output).toBe(0);
});

test('a mistyped project and an unreadable .env end with one message', async () => {
  const runs = await Promise.all([
    wholeRun({ directory: directoryWith({ '.env': Buffer.from('API_KEY=\xff', 'latin1') }) }),
    ...[
      ['--project', 'acm'],
      ['--project=ACME', '--project=acm'],
    ].map((words) => wholeRun({ arguments: words, environment: { TARGETS: directoryWith({ 'acme.yaml': '' }) } })),
  ]);
  const said = [/^\.env: \S+ cannot be read: it is not UTF-8\.\n$/, ...Array(2).fill(/^--project: .+ are: acme\.\n$/)];
  for (const [i, { status, output }] of runs.entries()) {
    expect(status, output).toBe(2);
    expect(output).toMatch(said[i]);
  }
});

test('what holds evidence is for its owner alone', async () => {
  const { results } = await runHere({}, /password-null/);
  expect(statSync(results).mode & 0o777).toBe(0o700);
  for (const name of ['evidence.har', 'index.html', 'conformance.json'])
    expect(statSync(join(results, name)).mode & 0o777, name).toBe(0o600);
});
