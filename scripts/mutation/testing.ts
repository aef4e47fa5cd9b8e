/** Mutants tried on the project's own tests, which are run without Playwright's runner, all in one process. */
import { expect } from '@playwright/test';
import { bundled, mutatedFiles, Switches } from './bundle';
import type { Fate, Killer } from './judging';

/** What a test may take; with a mutant it may wait for what never comes. */
const LONGEST_MS = 20_000;

interface OwnTest {
  title: string;
  run(): Promise<void>;
}

/** The tests of some files, and which mutants each of them would show. */
export class TestTrial {
  private readonly acts = new Switches();

  private constructor(
    private readonly start: (switches: Switches) => Promise<OwnTest[]>,
    /** By the numbers of mutants: the tests, by their places, in which it would change a value. */
    private readonly telling: ReadonlyMap<number, readonly number[]>,
    /** Tests that fail without any mutant when they are run in this way. */
    readonly unfit: readonly string[],
  ) {}

  /**
   * @param folder whose mutants are tried
   * @param specs paths of test files from the root; they may use `test`, `test.describe` and hooks for all of a file
   */
  static async of(folder: string, specs: readonly string[]): Promise<TestTrial> {
    const entry = specs.map((spec) => `require(${JSON.stringify(`./${spec}`)});`).join('\n');
    const looks = new Switches();
    const tests = await started(await bundled(mutatedFiles(folder, true), entry, true))(looks);
    const atStart = [...looks.passed];
    const telling = new Map<number, number[]>();
    const unfit: string[] = [];
    for (const [i, test] of tests.entries()) {
      looks.clear();
      const failure = await failureOf(test);
      if (failure) unfit.push(`${test.title}: ${failure.message.replace(/\s+/g, ' ').slice(0, 700)}`);
      else
        for (const mutant of new Set([...atStart, ...looks.telling]))
          telling.set(mutant, [...(telling.get(mutant) ?? []), i]);
    }
    const start = started(await bundled(mutatedFiles(folder, false), entry, true));
    return new TestTrial(start, telling, unfit);
  }

  /** Runs the tests in which a mutant would change a value, until one of them fails. */
  async on(fate: Fate): Promise<void> {
    const mine = this.telling.get(fate.number) ?? [];
    if (mine.length === 0) return;
    this.acts.clear();
    this.acts.active = fate.number;
    try {
      fate.killer = await this.killer(mine, fate);
    } catch (error) {
      fate.killer = { by: 'the start of the tests', what: (error as Error).message };
    } finally {
      this.acts.active = -1;
    }
  }

  private async killer(mine: readonly number[], fate: Fate): Promise<Killer | null> {
    const tests = await this.start(this.acts);
    for (const i of mine) {
      const test = tests[i];
      fate.tries += 1;
      this.acts.clear();
      const failure = test && (await failureOf(test));
      if (failure) return { by: test.title, what: failure.message.slice(0, 300) };
    }
    return null;
  }
}

function started(run: (switches: Switches, load: (name: string) => unknown) => unknown) {
  return async (switches: Switches): Promise<OwnTest[]> => {
    const runner = new Runner();
    run(switches, (name) => (name === '@playwright/test' ? runner.exports : require(name)));
    for (const hook of runner.before) await hook();
    return runner.tests;
  };
}

/** What went wrong beside the test that runs, which fails by it, as under Playwright. */
let stray: Error | null = null;
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error: unknown) => {
    stray = errorOf(error);
  });

async function failureOf(test: OwnTest): Promise<Error | null> {
  stray = null;
  return test.run().then(() => stray, errorOf);
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
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
