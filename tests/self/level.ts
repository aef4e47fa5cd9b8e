/**
 * What a run of the own tests proves. `npm test` leaves out the tests that are tagged `@all` and draws a sample of what is
 * many; `npm run test:all` leaves out nothing.
 */
import { execFileSync } from 'node:child_process';
import { shuffled } from '../../fixtures/random';

/** Tag of a test that only `npm run test:all` runs. */
export const ALL = '@all';

export const isAll = process.env.TEST_LEVEL === 'all';

/** The seed of what is drawn: that of the environment, else the commit's. A tarball without a repository has the seed 1. */
export const seed = Number(process.env.TEST_SEED ?? seedOfCommit());

/** Returns so many of the values, chosen by the seed, in their order; all of them at the level `all`. */
export function drawn<T>(values: readonly T[], count: number): readonly T[] {
  if (isAll || values.length <= count) return values;
  const chosen = new Set(shuffled([...values.keys()], seed).slice(0, count));
  return values.filter((_, i) => chosen.has(i));
}

/** Returns the tag of each value, by which `npm test` runs so many of them, chosen by the seed. */
export function tagsOf<T>(values: readonly T[], count: number): (value: T) => string[] {
  const chosen = new Set(isAll ? values : drawn(values, count));
  return (value) => (chosen.has(value) ? [] : [ALL]);
}

/** Returns how many cases a property is tried on: all that are given, or a tenth of them. */
export function casesOf(count: number): number {
  return isAll ? count : Math.ceil(count / 10);
}

function seedOfCommit(): number {
  try {
    const hash = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: __dirname, stdio: ['ignore', 'pipe', 'ignore'] });
    return Number.parseInt(hash.toString().slice(0, 7), 16);
  } catch {
    return 1;
  }
}
