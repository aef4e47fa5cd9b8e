/**
 * `npm run mutants`: builds small mistakes into the judges and the limiter, one at a time, and runs the tests of each.
 *
 * - `MUTATED_LINES`: how many lines of code to draw; default: 80, some 200 mistakes. `all` tries every line.
 * - `TEST_SEED`: which lines are drawn; default: 1
 */
import { readdirSync, readFileSync } from 'node:fs';
import { tsImport } from 'tsx/esm/api';

const FOLDERS = ['src/judge', 'src/limiter'];
/** Lines that can hold a mistake: an operator, and no comment or import. */
const CODE = /^(?!\s*(?:\*|\/\/|\/\*|import|export type)).*[<>=!&|?+*-]/;

const lines = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
)
  .sort()
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((text, i) => (CODE.test(text) ? [`${file}:${i + 1}-${i + 1}`] : [])),
  );

const { shuffled } = await tsImport('../../fixtures/random.ts', import.meta.url);
const { MUTATED_LINES = '80', TEST_SEED = '1' } = process.env;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutants/vitest.config.mts' },
  // Stryker reads the project's configuration with the compiler's old interface, which TypeScript 7 does not have.
  tsconfigFile: 'no-tsconfig.json',
  mutate: MUTATED_LINES === 'all' ? lines : shuffled(lines, Number(TEST_SEED)).slice(0, Number(MUTATED_LINES)),
  // Words of messages are held by the tests of the reports.
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 20,
  tempDirName: 'results/mutants',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'results/mutants.json' },
  clearTextReporter: { logTests: false },
};
