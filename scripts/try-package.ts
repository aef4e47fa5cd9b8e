/**
 * `npm run try-package`: the tarball, installed as users install it, in projects of several kinds. It asks the registry; what
 * needs none is tried by `npm test`.
 *
 * - words: only the projects whose names hold one of them
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { peerDependencies, version } from '../package.json';
import { startReference } from '../src/reference/server';
import { targetOfReference } from '../src/run/recording';

const ROOT = join(__dirname, '..');
const PNPM = ['npx', '--yes', 'pnpm@10'];
/** The lowest Playwright that the package accepts: `>=1.57 <2` begins with it. */
const LOWEST = `${/\d+\.\d+/.exec(peerDependencies['@playwright/test'])?.[0]}.0`;
/** The configuration that the README shows. */
const [, README_CONFIG = ''] =
  /```ts\n(\/\/ playwright\.config\.ts\n[\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
const MODULE_CONFIG = `import { conformance } from 'assessment-api-conformance/config';
const { project, globalSetup, reporter } = conformance();
export default { globalSetup, reporter: [['list'], reporter], projects: [{ name: 'e2e', testDir: 'e2e' }, project] };
`;
const E2E = `import { expect, test } from '@playwright/test';\ntest('adds', () => expect(1 + 1).toBe(2));\n`;
/** One area of the clauses is enough: projects differ in what is found, not in what is judged. */
const FEW = ['-g', 'adds|version'];

/** A project of a user, in a directory whose path has a blank. */
class Project {
  private readonly home = join(mkdtempSync(join(tmpdir(), 'package-')), 'a team');

  /** @param files their texts by path */
  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.home, path)), { recursive: true });
      writeFileSync(join(this.home, path), content);
    }
  }

  /**
   * Runs a command.
   * @param says what it has to print
   * @throws with its output where it fails, or prints something else
   */
  async run(line: readonly string[], says = '', environment: Record<string, string> = {}, place = '.'): Promise<void> {
    const [file = '', ...words] = line;
    const child = spawn(file, words, { cwd: join(this.home, place), env: { ...process.env, ...environment } });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const [status, ...printed] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    const output = printed.join('');
    if (status !== 0 || !output.includes(says)) throw new Error(`${line.join(' ')}: exit ${status}\n${output}`);
  }

  read(path: string): string {
    return readFileSync(join(this.home, path), 'utf8');
  }

  remove(): void {
    rmSync(dirname(this.home), { recursive: true, force: true });
  }
}

/** A server to judge, and the text of a target file for it. */
async function served() {
  const server = await startReference();
  const { baseURL, accounts } = targetOfReference(server);
  return { target: stringify({ baseURL, accounts }), close: () => server.close() };
}

/** Each project, by what is special about it, with what it tries. */
const PROJECTS: Readonly<Record<string, (tarball: string) => Promise<Project>>> = {
  async 'npm, CommonJS, the newest Playwright'(tarball) {
    const { target, close } = await served();
    const files = { 'package.json': '{}', 'playwright.config.ts': README_CONFIG };
    const project = new Project({ ...files, 'acme.yaml': target, 'e2e/a.spec.ts': E2E });
    await project.run(['npm', 'install', '-D', '@playwright/test@1', tarball]);
    await project.run(['npx', 'playwright', 'test', ...FEW], '4 passed');
    await project.run(['npx', 'assessment-conformance', '-g', 'version.base'], 'PASSED');
    await close();
    return project;
  },

  async 'npm, ES modules, the lowest Playwright'(tarball) {
    const files = { 'package.json': '{ "type": "module" }', 'playwright.config.js': MODULE_CONFIG };
    const project = new Project({ ...files, 'e2e/a.spec.ts': E2E });
    await project.run(['npm', 'install', '-D', `@playwright/test@${LOWEST}`, tarball]);
    await project.run(['npx', 'playwright', 'test', ...FEW], '4 passed');
    return project;
  },

  async 'pnpm, many targets'(tarball) {
    const servers = await Promise.all([served(), served()]);
    const targets = servers.map(({ target }, i) => [`targets/server-${i}.yaml`, target]);
    const project = new Project({ 'package.json': '{}', ...Object.fromEntries(targets) });
    await project.run([...PNPM, 'add', '-D', '@playwright/test@1', tarball]);
    const words = [...PNPM, 'exec', 'assessment-conformance', '--grep', '@version'];
    await project.run(words, '', { TARGETS: 'targets' });
    for (const i of [0, 1]) {
      const { clauses } = JSON.parse(project.read(`results/part/server-${i}/conformance.json`));
      const judged = clauses.filter(({ verdict }: { verdict: string }) => verdict === 'pass');
      if (judged.length !== 3) throw new Error(`pnpm: server-${i} has ${judged.length} clauses that pass, not 3.`);
    }
    for (const { close } of servers) await close();
    return project;
  },

  async 'npm, a workspace beside another Playwright'(tarball) {
    const project = new Project({
      'package.json': '{ "workspaces": ["packages/*"] }',
      'packages/web/package.json': '{ "name": "web", "devDependencies": { "@playwright/test": "1.62.0" } }',
      'packages/api/package.json': '{ "name": "api" }',
      'packages/api/playwright.config.ts': MODULE_CONFIG,
      'packages/api/e2e/a.spec.ts': E2E,
    });
    await project.run(['npm', 'install']);
    await project.run(['npm', 'install', '-D', '-w', 'api', '@playwright/test@1.65', tarball]);
    await project.run(['npx', 'playwright', 'test', ...FEW], '4 passed', {}, 'packages/api');
    return project;
  },

  async 'its form'(tarball) {
    const project = new Project({ 'package.json': '{}' });
    await project.run(['npx', '--yes', 'publint@0.3', tarball, '--strict']);
    await project.run(['npx', '--yes', '@arethetypeswrong/cli@0.18', tarball, '--format', 'ascii']);
    return project;
  },
};

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const home = mkdtempSync(join(tmpdir(), 'tarball-'));
  const packing = new Project({ 'package.json': '{}' });
  await packing.run(['npm', 'pack', ROOT, '--pack-destination', home]);
  const tarball = join(home, `assessment-api-conformance-${version}.tgz`);
  for (const [name, attempt] of Object.entries(PROJECTS)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    try {
      (await attempt(tarball)).remove();
      console.log(`works  ${name}`);
    } catch (error) {
      console.log(`FAILS  ${name}\n${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  packing.remove();
  rmSync(home, { recursive: true, force: true });
}

void main();
