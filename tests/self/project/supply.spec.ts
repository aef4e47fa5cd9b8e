/** What is installed to run the suite: a fixed list, without scripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const root = join(__dirname, '..', '..', '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** Whoever adds one has looked at what it does. */
const DIRECT = ['@inquirer/prompts', 'ajv', 'ajv-formats', 'dotenv', 'proper-lockfile', 'yaml'];

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

test('the runtime dependencies are those that were looked at, and none has an install script', () => {
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(read('package.json')) as Manifest;
  expect(Object.keys(dependencies).sort()).toEqual(DIRECT);
  // A clone gets the peer without development dependencies, too: named among those, `--omit=dev` would leave it out.
  expect(peerDependencies).toEqual({ '@playwright/test': '>=1.57 <2' });
  expect(Object.keys(devDependencies)).not.toContain('@playwright/test');
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const running = Object.entries(packages).filter(
    ([name, one]) => name !== '' && !one.dev && !one.devOptional && !one.optional,
  );
  expect(running.map(([name]) => name)).toContain('node_modules/@playwright/test');
  expect(read('package-lock.json')).not.toContain('"resolved"');
  expect(running.length).toBeGreaterThan(5);
  expect(running.filter(([, one]) => one.hasInstallScript).map(([name]) => name)).toEqual([]);
});
