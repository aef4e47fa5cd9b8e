/** IMPLEMENTATIONS.md and docs/measuring.md speak of the limiters that are there. The limiters need not be installed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { dependencies, description } from '../../../implementations/package.json';
import { clauseTexts } from '../../../src/contract/clauses';
import { ROOT } from '../support/whole-runs';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGE = textOf('IMPLEMENTATIONS.md');

/** Every file of a limiter, and the package that it is about. */
const limiters = readdirSync(join(ROOT, 'implementations/limiters')).map((file) => {
  const path = `implementations/limiters/${file}`;
  return { path, limiter: /packages: \[\s*'([^']+)'/.exec(textOf(path))?.[1] ?? '' };
});

test('IMPLEMENTATIONS.md has a row and a section for every limiter', () => {
  const missing = limiters.filter(
    ({ path, limiter }) => !PAGE.includes(`\n| [${limiter}](${path}) `) || !PAGE.includes(`\n### ${limiter}\n`),
  );
  expect(missing).toEqual([]);
});

test('IMPLEMENTATIONS.md has nothing of limiters that are not there', () => {
  const linked = [...PAGE.matchAll(/\]\((implementations\/limiters\/[^)]+)\)/g)].map(([, path]) => path);
  expect(linked).not.toEqual([]);
  expect(linked.filter((path) => !limiters.some((limiter) => limiter.path === path))).toEqual([]);
});

test('IMPLEMENTATIONS.md was measured with the versions that are declared', () => {
  const declared: Record<string, string> = dependencies;
  const others = limiters.filter(({ path, limiter }) => !PAGE.includes(`](${path}) ${declared[limiter]} |`));
  expect(others).toEqual([]);
});

test('IMPLEMENTATIONS.md shows every clause of the rate limit', () => {
  const ids = clauseTexts.filter(({ area }) => area === 'rate').map(({ id }) => id);
  expect(ids.filter((id) => !PAGE.includes(`\n| \`${id}\``))).toEqual([]);
});

test('the page of figures names every limiter', () => {
  const page = textOf('docs/measuring.md');
  expect(page).toContain('(../IMPLEMENTATIONS.md)');
  expect(limiters.map(({ limiter }) => limiter).filter((name) => !page.includes(name))).toEqual([]);
});

test('the limiters are a package of their own, which names no registry', () => {
  expect(description).toContain('npm run implementations');
  expect(textOf('implementations/package-lock.json')).not.toContain('"resolved"');
  const own = JSON.parse(textOf('package.json')) as { workspaces?: unknown; dependencies: Record<string, string> };
  expect(own.workspaces).toBeUndefined();
  expect(Object.keys(own.dependencies).filter((name) => limiters.some(({ limiter }) => limiter === name))).toEqual([]);
});
