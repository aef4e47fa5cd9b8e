/** The README, followed to the letter: its first five minutes, its target files, its links. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { scripts } from '../../../package.json';
import { loadTarget } from '../../../src/config/target-file';
import type { Conformance } from '../../../src/contract/result';
import { startReference } from '../../../src/reference/server';
import { ALL } from '../level';
import { freshDirectory, ROOT, startProcess, targetFile } from '../support/whole-runs';

const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const README = readText('README.md');
const NOTIFICATIONS = readText('docs/notifications.md');
const PAGES = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
);
const blocks = (language: string, text = README) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((block) => block[1] ?? '');

/** The first five minutes have a test of their own. */
const [, FIRST = ''] = /## The first five minutes\n([\s\S]*?)\n## /.exec(README) ?? [];

test('its first five minutes lead from a broken practice server to a mended one', { tag: ALL }, async () => {
  test.setTimeout(180_000);
  const [install = '', judge = ''] = blocks('sh', FIRST);
  const [variables = ''] = blocks('ini', FIRST);
  const [ci, start = ''] = install.trim().split('\n');
  expect(ci).toBe('npm ci');
  const free = await startReference();
  await free.close();
  const { port } = new URL(free.baseURL);
  const directory = freshDirectory();
  const results = join(directory, 'results');
  const here = (text: string) =>
    text
      .replaceAll('practice.yaml', join(directory, 'practice.yaml'))
      .replaceAll(':4010', `:${port}`)
      // What npx and npm do for commands of this project, without a process of their own.
      .replaceAll('npx playwright', join(ROOT, 'node_modules', '.bin', 'playwright'))
      .replace(/^npm run (\w+)(?: --)?/, (_, script: 'reference') => `exec ${scripts[script]}`);
  const server = async (command: string) => {
    const env = { ...process.env, PORT: port };
    const started = startProcess('sh', ['-c', here(command)], { cwd: ROOT, env });
    await started.says('Ctrl-C stops it.');
    return async () => {
      started.child.kill('SIGINT');
      return (await started.ended).output;
    };
  };
  const run = async (more: string) => {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, RESULTS_DIR: results, ...parse(here(variables) + more) };
    const { status, output } = await startProcess('sh', ['-c', here(judge)], { cwd: ROOT, env }).ended;
    const { verdict, clauses } = JSON.parse(readFileSync(join(results, 'conformance.json'), 'utf8')) as Conformance;
    const failed = clauses.filter((clause) => clause.verdict === 'fail').map(({ id }) => id);
    return { status, verdict, failed, output };
  };

  const stop = await server(start);
  const broken = await run('');
  expect(broken, broken.output).toMatchObject({
    status: 1,
    verdict: 'non-conformant',
    failed: ['settings.password-null'],
  });
  await stop();
  const mended = /\(`(npm run reference)`\)/.exec(FIRST)?.[1] ?? '';
  const stopAgain = await server(mended);
  const fine = await run('');
  expect(fine, fine.output).toMatchObject({ status: 0, verdict: 'incomplete', failed: [] });
  const [, risky = ''] = /`(RISKY_PROBES=1)` to `\.env`/.exec(FIRST) ?? [];
  expect(await run(risky)).toMatchObject({ status: 0, verdict: 'conformant', failed: [] });
  await stopAgain();
});

for (const file of PAGES)
  test(`the scripts that ${file} names are there`, () => {
    const named = [...readText(file).matchAll(/npm run ([a-z-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

test('the files that CONTRIBUTING.md links to are there', () => {
  const linked = [...readText('CONTRIBUTING.md').matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
  for (const path of linked) expect(() => readText(path), path).not.toThrow();
});

test('the target files that they show can be used', () => {
  const shown = [...blocks('yaml'), ...blocks('yaml', NOTIFICATIONS)].filter((block) => /^ *accounts:/m.test(block));
  expect(shown.length).toBeGreaterThan(1);
  for (const block of shown) {
    const indent = /^ */.exec(block)?.[0] ?? '';
    const lines = block.split('\n').map((line) => line.slice(indent.length));
    const file = targetFile(lines.join('\n'));
    const named = [...block.matchAll(/\$\{(\w+)\}/g)].map(([, name = ''], i) => [name, `some-value-${i}`]);
    expect(() => loadTarget(file, Object.fromEntries(named)), block).not.toThrow();
  }
});

test('the first page is short, and says what each variable and each exit status is', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(225);
  const names = [...readText('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(8);
  for (const name of [...names, 'REPLAY', 'INSECURE_TLS']) expect(README).toContain(`| \`${name}\` |`);
  for (const status of [0, 1, 2, 130]) expect(README).toContain(`| ${status} |`);
});
