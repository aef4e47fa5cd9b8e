/** The package, from its tarball: a team's project uses it as the README shows. No registry is asked. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { version } from '../../../package.json';
import {
  directoryWith,
  type Ended,
  filesBelow,
  freshDirectory,
  ROOT,
  resultsIn,
  served,
  stackLines,
  startProcess,
} from '../support/whole-runs';

const NAME = 'assessment-api-conformance';
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** The configuration that the README shows, whole. */
const [, SHOWN = ''] = /```ts\n(\/\/ playwright\.config\.ts\n[\s\S]*?)```/.exec(README) ?? [];

/** What is in the tarball, unpacked. */
let unpacked = '';
test.beforeAll(() => {
  const home = freshDirectory();
  execFileSync('npm', ['pack', '--pack-destination', home], { cwd: ROOT, stdio: 'pipe' });
  execFileSync('tar', ['xzf', `${NAME}-${version}.tgz`], { cwd: home });
  unpacked = join(home, 'package');
});
/** Writes a project that has installed the package, with a blank in its path. @param files by path */
function project(files: Record<string, string>): string {
  const home = join(freshDirectory(), 'a team');
  const modules = join(home, 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(unpacked, join(modules, NAME), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  return directoryWith(files, home);
}

function run(cwd: string, words: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
  return startProcess(process.execPath, words, { cwd, env }).ended;
}

const playwright = (cwd: string, words: readonly string[], environment: Record<string, string> = {}) =>
  run(cwd, [join(cwd, 'node_modules', '@playwright', 'test', 'cli.js'), 'test', ...words], environment);

const command = (cwd: string, words: readonly string[]) =>
  run(cwd, [join(cwd, 'node_modules', NAME, 'dist', 'commands', 'main.js'), ...words]);

/** A test of the team's that takes longer to stop its worker than a worker of clauses may. */
const SLOW = `import { expect, test as base } from '@playwright/test';
import { writeFileSync } from 'node:fs';
const test = base.extend<object, { server: string }>({
  server: [async ({}, use) => {
    await use('up');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6500);
    writeFileSync('stopped', '');
  }, { scope: 'worker' }],
});
test('the team’s own page', ({ server }) => expect(server).toBe('up'));
`;
const BROKEN = `import { test } from '@playwright/test';
test('a page that is broken', () => { throw new Error('the page is broken'); });
`;
const OWN = `import { expect, test } from '${NAME}';
test('reads settings', async ({ api }) => {
  const response = await api.as('with-password').get('webhooks');
  await expect(response).toMatchSchema('assessment-api-conformance/schemas/webhook-settings.schema.json');
});
`;

test('holds what is built, the assets, the schemas and the documents, and no source', () => {
  const files = filesBelow(unpacked);
  const outside = files.filter((file) => !/^(?:assets|dist|schemas)\//.test(file)).sort();
  expect(outside).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']);
  expect(files.filter((file) => /(?<!\.d)\.m?ts$/.test(file))).toEqual([]);
  // Types of Playwright alone, so that a team's compiler reads none of ours.
  for (const file of files.filter((name) => /\.d\.m?ts$/.test(name))) {
    const text = readFileSync(join(unpacked, file), 'utf8');
    const named = [...text.matchAll(/(?:from |import\()['"]([^'"]+)/g)].map(([, from]) => from);
    expect([...new Set(named)].filter((from) => !/^@playwright\/test(?:\/reporter)?$/.test(from ?? ''))).toEqual([]);
  }
});

test('the configuration of the README runs the clauses beside a team’s own tests, and says how both went', async () => {
  const { file, close } = await served({});
  const home = project({ 'playwright.config.ts': SHOWN, 'e2e/page.spec.ts': SLOW, 'e2e/broken.spec.ts': BROKEN });
  renameSync(file, join(home, 'acme.yaml'));
  const before = filesBelow(join(home, 'node_modules', NAME)).length;
  const whole = await playwright(home, ['--grep-invert', 'broken|rate']);
  const { own, clauses } = resultsIn(join(home, 'results')).conformance();
  const broken = await playwright(home, ['broken.spec', 'version.spec', '--reporter=dot']);
  const mine = await playwright(home, ['--project', 'e2e', '--grep', 'own page'], { TARGET: 'nowhere.yaml' });
  const undone = await playwright(home, ['page.spec', 'version.spec'], { TARGET: 'nowhere.yaml' });
  await close();
  expect(SHOWN).toContain('conformance(');
  expect(whole.status, whole.output).toBe(0);
  expect(existsSync(join(home, 'stopped'))).toBe(true);
  expect(whole.output).toMatch(/\d+ passed \(/);
  expect(own).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(20);
  // The clauses passed, and the team's test did not: both are told, and the exit status is a failure.
  expect(broken.status).toBe(1);
  expect(broken.output).toMatch(/1 failed/);
  expect(broken.output).toContain('the page is broken');
  expect(broken.output).toContain('pass: 3 tests');
  // Without a clause, a target that cannot be used keeps nobody from testing, and no results are written.
  expect(mine.status, mine.output).toBe(0);
  expect(mine.output).not.toContain('nowhere.yaml');
  // With clauses it is told, with the exit status of a run that could not be done.
  expect(undone.status).toBe(2);
  expect(undone.output).toMatch(/TARGET: .*nowhere\.yaml cannot be read/);
  expect(undone.output).toMatch(/1 passed/);
  expect(stackLines(undone.output)).toEqual([]);
  // Nothing is written beside the results: the package may be read-only.
  expect(filesBelow(join(home, 'node_modules', NAME)).length).toBe(before);
});

test('an ES module gets the same, extends the configuration of the suite alone, and tests of its own use the API', async () => {
  const home = project({
    'package.json': '{ "type": "module" }',
    'playwright.config.ts': `import base, { conformance } from '${NAME}/config';
const { project, globalSetup, reporter } = conformance({ name: 'clauses' });
if (!('testDir' in base)) throw new Error('The default export is no configuration.');
export default { globalSetup, reporter: [reporter], projects: [{ name: 'mine', testDir: 'own' }, project] };
`,
    'alone.config.ts': `import base from '${NAME}/config';\nexport default { ...base };\n`,
    'own/api.spec.ts': OWN,
    'own/hand.spec.ts': OWN.replace("'webhooks'", "'webhooks', { headers: { apiKey: 'mine' } }"),
  });
  const both = await playwright(home, ['own/', 'version.spec']);
  expect(both.status, both.output).toBe(1);
  expect(both.output).toMatch(/4 passed \(/);
  // A test is the results' own if it tried to send something.
  expect(resultsIn(join(home, 'results')).conformance().own).toMatchObject([
    { verdict: 'pass' },
    { verdict: 'fail', reason: expect.stringContaining('the header apiKey was set by hand, so nothing was sent') },
  ]);
  const alone = await playwright(home, ['-c', 'alone.config.ts', '-g', 'version.base']);
  expect(alone.status, alone.output).toBe(0);
  expect(alone.output).toContain('pass: version.base');
});

test('imports and requires give default and named exports, and the suite’s configuration loses nothing', async () => {
  const home = project({
    'esm.mjs': `import config, { conformance } from '${NAME}/config';
import { expect, test } from '${NAME}';
import Reporter, { ConformanceReporter } from '${NAME}/reporter';
console.log([typeof config.testDir, typeof conformance, typeof expect, typeof test, typeof ConformanceReporter]);`,
    'cjs.cjs': `const { default: config, conformance } = require('${NAME}/config');
const { suiteConfig } = require('./node_modules/${NAME}/dist/src/playwright/setup/suite-config.js');
const lost = Object.keys(suiteConfig()).filter((name) => !(name in config));
require('${NAME}/schemas/target.schema.json');
console.log([typeof config.testDir, typeof conformance, require('${NAME}/package.json').name, ...lost]);`,
  });
  const [esm, cjs] = await Promise.all([run(home, ['esm.mjs']), run(home, ['cjs.cjs'])]);
  expect(esm.output).toBe("[ 'string', 'function', 'function', 'function', 'function' ]\n");
  expect(cjs.output).toBe(`[ 'string', 'function', '${NAME}' ]\n`);
});

test('a strict compiler finds nothing in it', async () => {
  const home = project({
    'playwright.config.ts': SHOWN,
    'own/api.spec.ts': OWN.replace('async ({ api })', 'async ({ api, request }, { project })').replace(
      'const response',
      'const name: string = project.name + api.accounts.join();\n  await request.get(name);\n  const response',
    ),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        module: 'nodenext',
        target: 'es2023',
        lib: ['esnext'],
        noEmit: true,
        types: ['node'],
        skipLibCheck: false,
      },
      include: ['*.ts', 'own'],
    }),
  });
  const { output } = await run(home, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')]);
  // What Playwright's own declarations lack is not ours.
  expect(output.split('\n').filter((line) => line !== '' && !/playwright(?:-core)?\/types\//.test(line))).toEqual([]);
});

test('the command needs no clone: its words are known, and mistakes are told in one message', async () => {
  const home = project({});
  expect(statSync(join(home, 'node_modules', NAME, 'dist', 'commands', 'main.js')).isFile()).toBe(true);
  const [help, one, verify, init] = await Promise.all([
    command(home, ['--help']),
    command(home, ['-g', 'version.base']),
    command(home, ['verify', 'nowhere']),
    command(home, ['init']),
  ]);
  expect(help.output).toContain(`npx assessment-conformance COMMAND`);
  expect(one.status, one.output).toBe(0);
  expect(one.output).toContain('pass: version.base');
  expect(verify.status).toBe(1);
  expect(verify.output).toMatch(/nowhere cannot be read: there is no such/);
  expect(init.status).toBe(2);
  expect(init.output).toMatch(/Which address\?/);
});
