/** Configurations, reporters, shards and files of other people's: no run of theirs ends well by mistake. */

import { copyFileSync, cpSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { UsageError } from '../../../../src/common/errors';
import { asOfConfiguration, embedding } from '../../../../src/playwright/setup/suite-config';
import { ALL, tagsOf } from '../../level';
import { counting, masking } from '../../support/bends';
import { runHere } from '../../support/run-here';
import {
  directoryWith,
  freshDirectory,
  ROOT,
  runAgainst,
  served,
  stackLines,
  targetFile,
  type WholeRun,
  wholeRun,
} from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const BASE = JSON.stringify(join(ROOT, 'playwright.config'));
const PLAYWRIGHT = JSON.stringify(join(ROOT, 'node_modules', '@playwright', 'test'));
const ONE = ['-g', 'settings.password-null'];
const UNREACHABLE = { baseURL: 'http://127.0.0.1:1/api/v2', accounts: [{ name: 'a', apiKey: 'unreachableKey1' }] };

/** Writes a file and gives its path. */
const written = (name: string, text: string, directory?: string) =>
  join(directoryWith({ [name]: text }, directory), name);

/** A configuration elsewhere that is ours but for some members, as source. */
const but = (members: string, ...more: [directory?: string]) =>
  written('playwright.config.ts', `import base from ${BASE}; export default { ...base, ${members} };`, ...more);

/** What was recorded of a server that breaks `settings.password-null`. */
async function brokenEvidence(): Promise<string> {
  const { file, close } = await served({ bends: [masking] });
  const run = await runHere({ TARGET: file }, /password-null/);
  await close();
  return join(run.results, 'evidence.har');
}

const failedIn = (run: WholeRun) =>
  run
    .conformance()
    .clauses.filter(({ verdict }) => verdict === 'fail')
    .map(({ id }) => id);

const CONFIGURATIONS = [
  ['that spreads ours', `import base from ${BASE}; export default { ...base, reporter: [['list']] };`],
  [
    'that goes through defineConfig',
    `import base from ${BASE}; import { defineConfig } from ${PLAYWRIGHT}; export default defineConfig(base, { reporter: 'dot' });`,
  ],
  [
    'that adds projects',
    `import base from ${BASE}; export default { ...base, projects: [{ name: 'api' }, { name: 'none', testMatch: 'none.ts' }], reporter: 'null' };`,
  ],
] as const;
const tags = tagsOf<string>(
  CONFIGURATIONS.map(([what]) => what),
  1,
);
for (const [what, text] of CONFIGURATIONS) {
  test(`a configuration elsewhere ${what} fails on a broken server and leaves its results`, {
    tag: tags(what),
  }, async () => {
    const config = written('playwright.config.ts', text);
    const run = await runAgainst({ bends: [masking] }, { config, arguments: ONE });
    expect(run.status, run.output).toBe(1);
    expect(failedIn(run)).toEqual(['settings.password-null']);
  });
}

test('without our reporter the clauses fail and say why, and own tests run', async () => {
  const nothing = written('nothing.js', 'module.exports = class { printsToStdio() { return false; } };');
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
  const config = written(
    'playwright.config.ts',
    `export default { testDir: ${JSON.stringify(join(ROOT, 'tests'))}, testMatch: 'version.spec.ts', reporter: 'list' };`,
  );
  const run = await wholeRun({ config, arguments: ['-g', 'version.base'] });
  expect(run.status, run.output).toBe(1);
  expect(run.output).toContain('1 failed');
  expect(run.output).toContain('the configuration lacks the suite’s globalSetup');
  expect(stackLines(run.output)).toEqual([]);
});

test('the exit status of many targets tells a broken server from a run that could not be done', {
  tag: ALL,
}, async () => {
  const servers = await Promise.all([served({ bends: [masking] }), served()]);
  const runs = await Promise.all(
    servers.map(({ file }) => {
      const fleet = freshDirectory();
      copyFileSync(file, join(fleet, 'there.yaml'));
      copyFileSync(targetFile(UNREACHABLE), join(fleet, 'gone.yaml'));
      return wholeRun({ arguments: ONE, environment: { TARGETS: fleet } });
    }),
  );
  await Promise.all(servers.map(({ close }) => close()));
  expect(runs.map(({ status }) => status)).toEqual([1, 2]);
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
  const other = written('other.js', `module.exports = class { ${throwing.join(' ')} };`);
  const config = but(`reporter: [[${JSON.stringify(other)}], ...base.reporter]`);
  const run = await runAgainst({}, { config, arguments: ONE });
  expect(run.status, run.output).toBe(1);
  const { verdict, clauses, error } = run.conformance();
  expect({ verdict, error }).toEqual({ verdict: 'incomplete', error: null });
  expect(clauses.find(({ id }) => id === 'settings.password-null')?.verdict).toBe('pass');
  for (const name of ['onBegin', 'onTestEnd', 'onEnd']) expect(run.text('summary.md')).toContain(`${name} is broken`);
});

test('what machines read on standard output is left alone, and no failure is told twice', { tag: ALL }, async () => {
  const REPLAY = await brokenEvidence();
  const run = (...words: string[]) => wholeRun({ arguments: [...ONE, ...words], environment: { REPLAY } });
  const [json, junit, list, dot, ours] = (await Promise.all([
    run('--reporter=json'),
    run('--reporter=junit'),
    run('--reporter=list'),
    run('--reporter=dot', '--retries=1'),
    run('--retries=1', '--repeat-each=2'),
  ])) as [WholeRun, WholeRun, WholeRun, WholeRun, WholeRun];
  for (const { status, output } of [json, junit, list, dot, ours]) expect(status, output).toBe(1);
  expect((JSON.parse(json.printed) as { stats: { unexpected: number } }).stats.unexpected).toBe(1);
  expect(junit.printed).toMatch(/^<testsuites[\s\S]*<\/testsuites>\s*$/);
  for (const { output } of [json, junit, list, dot]) expect(output).toContain('NON-CONFORMANT');
  const told = ({ output }: WholeRun) => output.split('settings.password-null (MUST').length - 1;
  expect([list, ours].map(told)).toEqual([1, 1]);
  expect(dot.output).not.toContain('✘ settings');
});

test('our reporter named twice sends once', { tag: ALL }, async () => {
  const counter = counting();
  const reporter = join(ROOT, 'src/playwright/reporter/reporter.ts');
  const run = await runAgainst({ bends: [counter] }, { arguments: [...ONE, `--reporter=${reporter},${reporter}`] });
  expect(run.status, run.output).toBe(0);
  expect(counter.count).toBe(4);
  expect(run.har().log.entries).toHaveLength(4);
});

test('reports that the command line chooses are written below RESULTS_DIR', { tag: ALL }, async () => {
  const REPLAY = await brokenEvidence();
  const results = freshDirectory();
  const directory = freshDirectory();
  const run = await wholeRun({
    directory,
    arguments: [...ONE, '--reporter=html,perfetto'],
    environment: { REPLAY, RESULTS_DIR: results, PLAYWRIGHT_HTML_OPEN: 'never' },
  });
  expect(run.status, run.output).toBe(1);
  expect(readdirSync(results)).toEqual(expect.arrayContaining(['playwright-report', 'perfetto-report']));
  expect(readdirSync(directory).filter((name) => name !== '.env')).toEqual([]);
});

test('what --list prints fits a narrow terminal and can be given back, and a line names its clause', {
  tag: ALL,
}, async () => {
  const counter = counting();
  const { file, close } = await served({ bends: [counter, masking] });
  const environment = { TARGET: file };
  const unsent = await wholeRun({ arguments: ['--list'], environment });
  const { printed } = unsent;
  expect([unsent.status, counter.count, existsSync(unsent.results)]).toEqual([0, 0, false]);
  const all = printed.split('\n').filter((text) => /^ +\S+\.spec\.ts:/.test(text));
  expect(all.length).toBeGreaterThan(70);
  for (const text of all.filter((line) => !line.includes('own/'))) expect(text.length).toBeLessThan(80);
  const lines = all.filter((text) => /settings\.(?:password-null|json)\b/.test(text)).map((text) => text.trim());
  const list = written('list.txt', `${lines.join('\n')}\n`);
  const place = lines.find((text) => text.includes('settings.password-null'))?.split(' ')[0] ?? '';
  expect(place).toMatch(/^settings\.spec\.ts:\d+/);
  const [listed, one] = (await Promise.all([
    wholeRun({ arguments: ['--test-list', list], environment }),
    wholeRun({ arguments: [place.replace(/(:\d+):\d+$/, '$1')], environment }),
  ])) as [WholeRun, WholeRun];
  await close();
  for (const run of [listed, one]) {
    expect(run.status, run.output).toBe(1);
    expect(failedIn(run)).toEqual(['settings.password-null']);
  }
});

test('.env beside the configuration is found from another working directory', { tag: ALL }, async () => {
  const project = freshDirectory();
  for (const name of ['src', 'tests', 'assets', 'schemas', 'playwright.config.ts', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(project, name), { recursive: true, filter: (path) => !path.endsWith('self') });
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  copyFileSync(await brokenEvidence(), join(project, 'evidence.har'));
  writeFileSync(join(project, '.env'), 'REPLAY=evidence.har\n');
  const run = await wholeRun({ config: join(project, 'playwright.config.ts'), arguments: ONE });
  expect(run.status, run.output).toBe(1);
  expect(failedIn(run)).toEqual(['settings.password-null']);
});

test('the embedded server is not judged by mistake', async () => {
  const environment = { API_KEY: 'someKeyOfMine123' };
  const [here, ci, nothing] = (await Promise.all([
    runHere({ ...environment, RISKY_PROBES: '1' }, /password-null/),
    runHere({ ...environment, CI: '1' }, /password-null/),
    runHere({ CI: '1' }, /password-null/),
  ])) as [WholeRun, WholeRun, WholeRun];
  expect(here.status, here.output).toBe(0);
  expect(here.output).toContain('!!! API_KEY and RISKY_PROBES are set but neither BASE_URL nor TARGET is');
  expect(ci.status, ci.output).toBe(2);
  expect(ci.conformance().error).toContain('API_KEY is set but neither');
  expect(nothing.status, nothing.output).toBe(0);
});

test('in CI no test may be focused', { tag: ALL }, async () => {
  const directory = freshDirectory();
  const own = JSON.stringify(join(ROOT, 'src/own'));
  written('mine.spec.ts', `import { test } from ${own}; test.only('mine', () => {});`, directory);
  const run = await wholeRun({ config: but("testDir: '.'", directory), environment: { CI: '1' } });
  expect(run.status).not.toBe(0);
  expect(run.output).toContain('focused');
});

test('a user whom the system knows by number alone, as in containers, can run it', { tag: ALL }, async () => {
  const thrown = `Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' })`;
  const nameless = written('nameless.cjs', `require('node:os').userInfo = () => { throw ${thrown}; };`);
  const run = await wholeRun({
    arguments: ['-g', 'version.base'],
    environment: { NODE_OPTIONS: `--require ${nameless}` },
  });
  expect(run.status, run.output).toBe(0);
});

test('what holds evidence is for its owner alone', async () => {
  const { results } = await runHere({}, /password-null/);
  expect(statSync(results).mode & 0o777).toBe(0o700);
  for (const name of ['evidence.har', 'index.html', 'conformance.json'])
    expect(statSync(join(results, name)).mode & 0o777, name).toBe(0o600);
});

test('what is wrong with the target file of conformance() names that option, and not a variable that nobody set', () => {
  const error = new UsageError('TARGET: acme.yaml cannot be read.');
  expect(asOfConfiguration(error)).toBe(error);
  embedding.options = { name: 'conformance', target: 'acme.yaml' };
  expect(asOfConfiguration(error)).toMatchObject({ message: 'conformance({ target }): acme.yaml cannot be read.' });
  embedding.options = { name: 'conformance', target: undefined };
  expect(asOfConfiguration(error)).toBe(error);
  embedding.options = null;
});
