/** The package, from its tarball: a team's project uses it as the README shows. No registry is asked. */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { version } from '../../../package.json';
import { endServer, listenOn } from '../../../src/common/suite';
import type { Conformance } from '../../../src/contract/result';
import type { Bend } from '../../../src/reference/behaviour';
import { ALL } from '../level';
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
    if (process.env.SLOW) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6500);
    writeFileSync('stopped', '');
  }, { scope: 'worker' }],
});
test('the team’s own page', ({ server }) => expect(server).toBe('up'));
`;
const BROKEN = `import { test } from '@playwright/test';
test('a page that is broken', () => { throw new Error('the page is broken'); });
`;

test('holds what is built, the assets, the schemas and the documents, and no source', () => {
  const files = filesBelow(unpacked);
  const outside = files.filter((file) => !/^(?:assets|dist|schemas|docs)\//.test(file)).sort();
  expect(outside).toEqual([
    ...['CHANGELOG.md', 'CONTRIBUTING.md', 'IMPLEMENTATIONS.md', 'LICENSE', 'README.md', 'SCORE.md', 'SECURITY.md'],
    'package.json',
  ]);
  expect(files.filter((file) => /(?<!\.d)\.m?ts$/.test(file))).toEqual([]);
  // Types of Playwright alone, so that a team's compiler reads none of ours.
  for (const file of files.filter((name) => /\.d\.m?ts$/.test(name))) {
    const text = readFileSync(join(unpacked, file), 'utf8');
    const named = [...text.matchAll(/(?:from |import\()['"]([^'"]+)/g)].map(([, from]) => from);
    expect(
      [...new Set(named)].filter(
        (from) => !/^(?:@playwright\/test|\.\/(?:conformance|evidence)\.js)$/.test(from ?? ''),
      ),
    ).toEqual([]);
  }
});

test('no link of its README or of a page behind it is dead', () => {
  const pages = filesBelow(unpacked).filter((file) => /^(?:README|docs\/.*)\.md$/.test(file));
  const links = pages.flatMap((page) =>
    [...readFileSync(join(unpacked, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) =>
      join(unpacked, dirname(page), to),
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((to) => !existsSync(to))).toEqual([]);
});

test('the configuration of the README runs the clauses beside a team’s own tests, and says how both went', async () => {
  const { file, close } = await served({});
  const home = project({ 'playwright.config.ts': SHOWN, 'e2e/page.spec.ts': SLOW, 'e2e/broken.spec.ts': BROKEN });
  renameSync(file, join(home, 'acme.yaml'));
  const before = filesBelow(join(home, 'node_modules', NAME)).length;
  const whole = await playwright(home, ['--grep', 'page|settings|version'], { SLOW: '1' });
  const { own, clauses } = resultsIn(join(home, 'results')).conformance();
  rmSync(join(home, 'acme.yaml'));
  const mine = await playwright(home, ['--project', 'e2e', '--grep', 'own page']);
  const undone = await playwright(home, ['page.spec', 'version.spec']);
  await close();
  expect(SHOWN).toContain('conformance(');
  // The clauses passed, and one of the team's tests did not: both are told, and the exit status is a failure.
  expect(whole.status, whole.output).toBe(1);
  expect(whole.output).toMatch(/1 failed\n[\s\S]*\d+ passed \(/);
  expect(whole.output).toContain('the page is broken');
  expect(existsSync(join(home, 'stopped'))).toBe(true);
  // Other reporters show the clause, and not the path of the package before it.
  expect(whole.output).toMatch(/\[conformance\] › version\.spec\.js:\d+:\d+ › version\.base /);
  expect(whole.output).not.toContain(join(NAME, 'dist'));
  expect(own).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(20);
  // Without a clause, a target that cannot be used keeps nobody from testing, and no results are written.
  expect(mine.status, mine.output).toBe(0);
  expect(mine.output).not.toContain('acme.yaml');
  // With clauses it is told, with the exit status of a run that could not be done.
  expect(undone.status).toBe(2);
  expect(undone.output).toMatch(/TARGET: .*acme\.yaml cannot be read/);
  expect(undone.output).toMatch(/1 passed/);
  expect(stackLines(undone.output)).toEqual([]);
  // Nothing is written beside the results: the package may be read-only.
  expect(filesBelow(join(home, 'node_modules', NAME)).length).toBe(before);
});

test('imports and requires share one call of conformance(), and what is no export cannot be loaded', async () => {
  const home = project({
    'esm.mjs': `import { createRequire } from 'node:module';
import { conformance } from '${NAME}/config';
import { expect, test } from '${NAME}';
const require = createRequire(import.meta.url);
console.log(typeof expect, typeof test, require('${NAME}/package.json').name, conformance().project.name);
require('${NAME}/schemas/target.schema.json');
for (const door of ['reporter', 'schemas/clauses.yaml', 'schemas/sections.yaml'])
  try { console.log(require.resolve('${NAME}/' + door)); } catch ({ code }) { console.log(code); }
try { require('${NAME}/config').conformance({ target: 'second.yaml' }); } catch ({ message }) { console.log(message); }`,
  });
  const { output } = await run(home, ['esm.mjs']);
  expect(output.trim().split('\n')).toEqual([
    `function function ${NAME} conformance`,
    ...Array(3).fill('ERR_PACKAGE_PATH_NOT_EXPORTED'),
    expect.stringMatching(/^conformance\(\) is called twice.*TARGETS/),
  ]);
});

test('the project in a configuration of many: its target, its tests and what it depends on', async () => {
  /** Answers of the target before `setup` has ended, and requests to a server that is none of the suite's business. */
  let [early, strangers] = [0, 0];
  const home = project({
    'ci/playwright.config.ts': `import { conformance } from '${NAME}/config';
const suite = conformance({ target: 'acme.yaml' });
const setup = { name: 'setup', testDir: '..', testMatch: 'setup.ts', testIgnore: [], grep: /./ };
export default {
  globalSetup: suite.globalSetup, reporter: [['line'], suite.reporter],
  testIgnore: '**', testMatch: 'nothing.ts', grep: /nothing/, grepInvert: /./, metadata: { team: 'a' },
  projects: [
    { ...setup, grepInvert: [] },
    { ...suite.project, metadata: { owner: 'a' }, dependencies: ['setup'], ...(process.env.EMPTY && { grep: /no such clause/ }) },
  ],
};
`,
    'setup.ts': `import { test } from '@playwright/test';
import { writeFileSync } from 'node:fs';
test('signs in', async () => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  writeFileSync('signed-in', '');
  if (process.env.BROKEN) throw new Error('nobody can sign in');
});
`,
  });
  const isReady = () => existsSync(join(home, 'signed-in'));
  const waiting: Bend = {
    name: 'waiting',
    bend: ({ document }) => ({
      document: (...call) => {
        if (!isReady()) early += 1;
        return document(...call);
      },
    }),
  };
  const shop = createServer((_request, response) => {
    strangers += 1;
    response.end();
  });
  const port = await listenOn(shop);
  const { file, close } = await served({ bends: [waiting] });
  renameSync(file, join(home, 'ci', 'acme.yaml'));
  const config = ['-c', 'ci/playwright.config.ts'];
  const environment = { BASE_URL: `http://127.0.0.1:${port}/v1`, API_KEY: 'theKeyOfTheShop1', RESULTS_DIR: 'out' };
  const whole = await playwright(
    home,
    [...config, '--project=conformance', '-g', 'settings.json|signs in'],
    environment,
  );
  const judged = resultsIn(join(home, 'out')).conformance();
  rmSync(join(home, 'signed-in'));
  const broken = await playwright(home, config, { ...environment, BROKEN: '1' });
  const undone = JSON.parse(readFileSync(join(home, 'out', 'conformance.json'), 'utf8')) as Conformance;
  const empty = await playwright(home, config, { ...environment, EMPTY: '1' });
  await close();
  await endServer(shop);
  // The configuration's target is judged, from its own place, and the shop never hears of it.
  expect(whole.status, whole.output).toBe(0);
  expect(judged.clauses.find(({ id }) => id === 'settings.json')?.verdict).toBe('pass');
  expect(strangers).toBe(0);
  // Nothing was sent before the setup had ended, or after it had failed.
  expect(early).toBe(0);
  expect(broken.status, broken.output).toBe(1);
  expect(undone).toMatchObject({
    verdict: 'error',
    error: expect.stringContaining('before its first test'),
    requests: 0,
  });
  expect(undone.target.baseURL).toBe(judged.target.baseURL);
  // All of its tests are left out by what the team's configuration chose.
  expect(empty.status, empty.output).toBe(2);
  expect(empty.output).toContain('No test of the project "conformance" is part of this run');
});

test('a strict compiler finds nothing in it', { tag: ALL }, async () => {
  const home = project({
    'playwright.config.ts': SHOWN,
    'own/api.spec.ts': `import { expect, test } from '${NAME}';
test('reads settings', async ({ api, request }, { project }) => {
  const name: string = project.name + api.accounts.join();
  await request.get(name);
  await expect(await api.as('with-password').get('webhooks')).toBeOK();
});
`,
    'read.ts': `import type { Account, Conformance } from '${NAME}/types';
const { clauses, own } = JSON.parse('') as Conformance;
console.log(clauses.map(({ id, verdict, finding }) => [id, verdict, finding?.map(({ subject }) => subject)]), own, {} as Account);
`,
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
  const [help, number, typo, one, verify, init] = await Promise.all([
    command(home, ['--help']),
    command(home, ['--version']),
    command(home, ['verfiy']),
    command(home, ['-g', 'version.base']),
    command(home, ['verify', 'nowhere']),
    command(home, ['init']),
  ]);
  expect(help.output).toContain(`npx assessment-conformance COMMAND`);
  expect(number.output).toBe(`${NAME} ${version}\n`);
  expect(typo.status).toBe(2);
  expect(typo.output).toMatch(/^There is no command verfiy\. --help shows all\./);
  expect(one.status, one.output).toBe(0);
  expect(one.output).toContain('PASSED: ');
  expect(verify.status).toBe(2);
  expect(verify.output).toMatch(/nowhere cannot be read: no such file/);
  expect(init.status).toBe(2);
  expect(init.output).toMatch(/Which address\?/);
});
