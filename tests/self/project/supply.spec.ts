/** What is installed to run the suite: a fixed list, without scripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { dependencies, devDependencies, peerDependencies } from '../../../package.json';
import { ROOT } from '../support/whole-runs';

/** Whoever adds one has looked at what it does. */
const DIRECT = ['@inquirer/prompts', 'ajv', 'ajv-formats', 'dotenv', 'proper-lockfile', 'yaml'];

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

test('the runtime dependencies are those that were looked at, and none has an install script', () => {
  expect(Object.keys(dependencies).sort()).toEqual(DIRECT);
  // A clone gets the peer without development dependencies, too: named among those, `--omit=dev` would leave it out.
  expect(peerDependencies).toEqual({ '@playwright/test': '>=1.57 <2' });
  expect(Object.keys(devDependencies)).not.toContain('@playwright/test');
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  const running = Object.entries(packages).filter(
    ([name, one]) => name !== '' && !one.dev && !one.devOptional && !one.optional,
  );
  expect(running.map(([name]) => name)).toContain('node_modules/@playwright/test');
  expect(lock).not.toContain('"resolved"');
  expect(running.length).toBeGreaterThan(5);
  expect(running.filter(([, one]) => one.hasInstallScript).map(([name]) => name)).toEqual([]);
});
