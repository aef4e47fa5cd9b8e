/** What is installed to run the suite: a fixed list, without scripts; workflows use what cannot be exchanged. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const root = join(__dirname, '..', '..', '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** Whoever adds one has looked at what it does. */
const DIRECT = ['@inquirer/prompts', 'ajv', 'ajv-formats', 'dotenv', 'fastest-levenshtein', 'proper-lockfile', 'yaml'];

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

test('every workflow pins its actions, installs without scripts, and may only read', () => {
  const documents = [read('docs/ci.md')];
  const texts = [read('action.yml'), ...documents];
  for (const text of texts) {
    const used = [...text.matchAll(/uses: (actions\/\S+)/g)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/);
    for (const [install] of text.matchAll(/run: npm ci.*/g)) expect(install).toContain('--omit=dev --ignore-scripts');
  }
  for (const name of readdirSync(join(root, '.github', 'workflows'))) {
    const text = read(join('.github', 'workflows', name));
    const used = [...text.matchAll(/uses: (?!\.\/)(\S+)/g)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/);
    for (const [install] of text.matchAll(/run: npm ci.*/g)) expect(install).toContain('--ignore-scripts');
    expect(text).toMatch(/^permissions: \{ contents: read \}$/m);
    for (const [, script = ''] of text.matchAll(/run: \|\n((?: {10}.*\n)+)/g)) expect(script).not.toContain('${{');
  }
  // One commit and one version of each, everywhere.
  const workflowTexts = readdirSync(join(root, '.github', 'workflows')).map((name) =>
    read(join('.github', 'workflows', name)),
  );
  const pins = [...texts, ...workflowTexts].flatMap((text) => [
    ...text.matchAll(/uses: (actions\/[\w-]+)\S*(@\S+ # v[\d.]+)/g),
  ]);
  expect(new Set(pins.map(([, name, pin]) => `${name}${pin}`)).size).toBe(new Set(pins.map(([, name]) => name)).size);
  // Examples name the Node that is supported longest, which is the newest that is tried.
  const tried = /node: \[(.*)\]/.exec(read('.github/workflows/ci.yml'))?.[1]?.split(', ') ?? [];
  const shown = [...texts, read('.github/workflows/release.yml')].flatMap((text) => [
    ...text.matchAll(/(?:node-version: |image: node:)(\d+)/g),
  ]);
  expect(shown.length).toBeGreaterThan(1);
  expect([...new Set(shown.map(([, node]) => node))]).toEqual([tried.at(-1)]);
  // Playwright's own place for it is in a directory that other users of the machine share.
  expect(read('action.yml')).toMatch(/PLAYWRIGHT_TRANSFORM_CACHE_DIR: \$\{\{ runner\.temp \}\}\//);
  const workflows = documents.flatMap((text) =>
    [...text.matchAll(/```yaml\n(# \.github[\s\S]*?|(?:on|permissions|jobs):[\s\S]*?)```/g)].map(
      ([, found = '']) => found,
    ),
  );
  expect(workflows.length).toBeGreaterThan(1);
  for (const workflow of workflows) expect(workflow).toContain('permissions: { contents: read }');
});
