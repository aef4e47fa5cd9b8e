/** The project's own tests as one script with all mutants built in, run without Playwright's runner. */
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';
import { expect } from '@playwright/test';
import { build } from 'esbuild';
import { mutatedFiles } from './bundle';
import { type Mutant, SWITCH } from './points';

const ROOT = join(__dirname, '..', '..');
/** What a test may take; with a mutant it may wait for what never comes. */
const LONGEST_MS = 20_000;

export interface OwnTest {
  title: string;
  run(): Promise<void>;
}

export interface TestBundle {
  mutants: Mutant[];
  /**
   * Loads all modules anew.
   * @param isActive called by each mutant's switch with its number, again and again
   * @returns the tests in order
   */
  start(isActive: (mutant: number) => boolean): Promise<OwnTest[]>;
}

/**
 * @param folders whose mutants are built in
 * @param specs paths of test files from the root; they may use `test`, `test.describe` and hooks for all of a file
 */
export async function bundledTests(folders: readonly string[], specs: readonly string[]): Promise<TestBundle> {
  const { texts, mutants } = mutatedFiles(folders);
  const { outputFiles } = await build({
    stdin: {
      contents: specs.map((spec) => `require(${JSON.stringify(`./${spec}`)});`).join('\n'),
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    external: ['@playwright/test'],
    write: false,
    plugins: [
      {
        name: 'mutants',
        setup(plugin) {
          plugin.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const { readFile } = await import('node:fs/promises');
            const text = texts.get(relative(ROOT, path)) ?? (await readFile(path, 'utf8'));
            return { contents: `const __dirname = ${JSON.stringify(dirname(path))};\n${text}`, loader: 'ts' };
          });
        },
      },
    ],
  });
  const script = new Script(`(function (require, module, exports, ${SWITCH}) {${outputFiles[0]?.text}\n})`);
  const load = script.runInThisContext();
  return {
    mutants,
    async start(isActive) {
      const runner = new Runner();
      const module = { exports: {} };
      load(
        (name: string) => (name === '@playwright/test' ? runner.exports : require(name)),
        module,
        module.exports,
        isActive,
      );
      for (const hook of runner.before) await hook();
      return runner.tests;
    },
  };
}

type Work = (fixtures: object) => unknown;

/** As much of Playwright's runner as pure tests use. */
class Runner {
  readonly tests: OwnTest[] = [];
  readonly before: (() => unknown)[] = [];
  readonly exports = { expect, test: this.test() };

  private test() {
    const nothing = () => undefined;
    const add = (title: string, ...rest: unknown[]) => {
      const work = rest.at(-1) as Work;
      this.tests.push({ title, run: () => inTime(Promise.resolve().then(() => work({}))) });
    };
    const group = (...words: unknown[]) => (words.at(-1) as () => void)();
    return Object.assign(add, {
      describe: Object.assign(group, { configure: nothing }),
      beforeAll: (hook: () => unknown) => this.before.push(hook),
      afterAll: nothing,
      afterEach: nothing,
      beforeEach: nothing,
      setTimeout: nothing,
      slow: nothing,
      skip: nothing,
      use: nothing,
      step: (_title: string, work: () => unknown) => work(),
    });
  }
}

function inTime(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The test took too long.')), LONGEST_MS);
    work.then(() => resolve(), reject).finally(() => clearTimeout(timer));
  });
}
