/** Stands for Playwright's `test` and `expect` where Vitest runs the specs of pure code. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test as run } from 'vitest';

type Work = () => void;
const ignore = () => undefined;
const declare = (title: string, ...rest: unknown[]) => run(title, rest.at(-1) as Work);
const group = (...words: unknown[]) =>
  typeof words[0] === 'string' ? describe(words[0], words.at(-1) as Work) : (words[0] as Work)();

const test = Object.assign(declare, {
  describe: Object.assign(group, { configure: ignore }),
  ...{ afterAll, afterEach, beforeAll, beforeEach, setTimeout: ignore, slow: ignore, use: ignore },
});

export { expect, test };
