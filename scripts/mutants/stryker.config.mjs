/**
 * `npm run mutants`: builds small mistakes into the judges and the limiter, one at a time, and runs the tests of each.
 *
 * - `MUTATED_LINES`: how many lines of code to draw; default: 80, some 200 mistakes. `all` tries every line.
 * - `TEST_SEED`: which lines are drawn; default: 1
 */
import { readdirSync, readFileSync } from 'node:fs';

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

/** The generator of `fixtures/random.ts`. */
function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function drawn(count, seed) {
  const random = randomFrom(seed);
  return lines
    .map((line) => ({ line, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ line }) => line);
}

const { MUTATED_LINES = '80', TEST_SEED = '1' } = process.env;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutants/vitest.config.mts' },
  // Stryker reads the project's configuration with the compiler's old interface, which TypeScript 7 does not have.
  tsconfigFile: 'no-tsconfig.json',
  mutate: MUTATED_LINES === 'all' ? lines : drawn(Number(MUTATED_LINES), Number(TEST_SEED)),
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
