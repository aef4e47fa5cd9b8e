/**
 * The Playwright that runs this process. In a workspace another one may be installed nearer to this package, and
 * Playwright refuses a second one. `playwright` itself is a dependency of `@playwright/test`, and none of this package.
 */
import { createRequire } from 'node:module';
import type * as Playwright from '@playwright/test';

/** Codes of Node for a file that is not there, or not for others. */
const MISSING = ['MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'];

/** What `@playwright/test` exports. */
export const playwright: typeof Playwright = ofPlaywright('playwright/test') ?? require('@playwright/test');

/** Loads a file of Playwright, as its own script sees it, or else as `@playwright/test` does; `null` if there is none. */
export function ofPlaywright<T>(path: string): T | null {
  for (const from of [require.main?.filename, require.resolve('@playwright/test/package.json')])
    try {
      if (from !== undefined) return createRequire(from)(path);
    } catch (error) {
      if (!MISSING.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  return null;
}
