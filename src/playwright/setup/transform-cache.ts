/** Playwright keeps translated code in the temporary directory, and runs what it finds there. */
import { chmodSync, lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GROUP_WRITES, isOurs, OTHERS_WRITE } from '../../common/writable';

/**
 * Returns why the cache of translated code cannot be trusted: one sentence, or `null`. A cache that a group can write
 * to is closed to the group. The check comes too late for code that an attacker has already put there. On a shared
 * machine, `PLAYWRIGHT_TRANSFORM_CACHE_DIR` names a place that only the user can write to.
 */
export function whyCacheIsUnsafe(environment: NodeJS.ProcessEnv = process.env): string | null {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  const directory =
    environment.PLAYWRIGHT_TRANSFORM_CACHE_DIR ||
    environment.PWTEST_CACHE_DIR ||
    join(tmpdir(), `playwright-transform-cache-${user}`);
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (!found) return null;
  if (!isOurs(found, OTHERS_WRITE))
    return `Another user can place code in Playwright's cache, ${directory}, and it would run with your keys: remove it, or set PLAYWRIGHT_TRANSFORM_CACHE_DIR to a directory that only you can write to.`;
  if (found.mode & GROUP_WRITES) chmodSync(directory, found.mode & ~GROUP_WRITES & 0o777);
  return null;
}
