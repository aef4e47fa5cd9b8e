/** The workflows that are shown, and those of this repository: none is green after an error, hangs, or runs beside itself. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { directoryWith, ROOT } from '../support/whole-runs';

interface Step {
  if?: string;
  run?: string;
  uses?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
  'continue-on-error'?: boolean;
}

interface Job {
  'timeout-minutes'?: number;
  'continue-on-error'?: boolean;
  steps: Step[];
}

interface Workflow {
  concurrency?: { group?: string };
  jobs: Record<string, Job>;
}

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const yamlBlocks = (page: string) => [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const OWN = readdirSync(join(ROOT, '.github', 'workflows'));
const shown = PAGES.flatMap(yamlBlocks).filter((text) => /^jobs:/m.test(text));
const workflows = [...shown, ...OWN.map((name) => read('.github', 'workflows', name))].map(
  (text) => parse(text) as Workflow,
);
const jobs = workflows.flatMap((workflow) => Object.values(workflow.jobs));
const steps = jobs.flatMap((job) => job.steps);
const gitlab = yamlBlocks('docs/ci.md').find((text) => text.startsWith('# .gitlab-ci.yml')) ?? '';

/** The script of the one step that contains a text. */
function scriptWith(text: string): string {
  const found = steps.filter(({ run }) => run?.includes(text));
  expect(found).toHaveLength(1);
  return found[0]?.run ?? '';
}

/** Runs a script as a runner does. */
const bash = (script: string, options: { cwd: string; env?: Record<string, string> }) =>
  execFileSync('bash', ['-e', '-c', script], {
    ...options,
    env: { PATH: process.env.PATH ?? '', ...options.env },
    stdio: 'pipe',
  }).toString();

test('each runs alone with its keys, and has a time limit', () => {
  expect(shown).toHaveLength(3);
  for (const { concurrency } of workflows) expect(concurrency?.group).toBeTruthy();
  for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  const { conformance } = parse(gitlab) as { conformance: Record<string, unknown> };
  expect(conformance).toMatchObject({ timeout: expect.any(String), resource_group: expect.any(String) });
});

test('none is green where the run was not', () => {
  for (const one of [...jobs, ...steps]) expect(one['continue-on-error']).toBeUndefined();
  for (const { run = '' } of steps) expect(run).not.toMatch(/\|\| *(true|:)/);
  expect(gitlab).not.toContain('allow_failure');
});

test('a comment on a pull request is edited only by the workflow that wrote it', () => {
  const script = scriptWith('gh api');
  const mark = steps.find(({ run }) => run === script)?.env?.MARK ?? '';
  expect(mark).toMatch(/^<!-- \S.* -->$/);
  /** What the step asks of GitHub. @param comments those that are there, oldest first */
  function asked(comments: object[]): string {
    const directory = directoryWith({
      'comments.json': JSON.stringify(comments),
      'summary.md': '# Conformant',
      // The comments pass the step's own filter; any other request is noted.
      gh: `#!/bin/bash\nif [ "$2" = --paginate ]; then jq -r "$5" ${'"$RUNNER_TEMP"'}/comments.json; else echo "$@"; fi\n`,
    });
    chmodSync(join(directory, 'gh'), 0o755);
    const env = { PATH: `${directory}:${process.env.PATH}`, RUNNER_TEMP: directory, RESULTS: directory, MARK: mark };
    const printed = bash(script, { cwd: directory, env: { ...env, GITHUB_REPOSITORY: 'acme/api', NUMBER: '7' } });
    expect(readFileSync(join(directory, 'comment.md'), 'utf8')).toBe(`${mark}\n# Conformant`);
    return printed.replace(directory, '').trimEnd();
  }
  const bot = { login: 'github-actions[bot]' };
  const others = [
    { id: 1, user: { login: 'mallory' }, body: `${mark}\nnot ours` },
    { id: 2, user: bot, body: 'the coverage of another workflow' },
  ];
  expect(asked(others)).toBe('api --method POST repos/acme/api/issues/7/comments -F body=@/comment.md');
  const ours = { id: 3, user: bot, body: `${mark}\n# Non-conformant` };
  expect(asked([others[0] ?? {}, ours, others[1] ?? {}, { ...ours, id: 4 }])).toBe(
    'api --method PATCH repos/acme/api/issues/comments/3 -F body=@/comment.md',
  );
});

test('every one pins its actions, installs without scripts, and may only read', () => {
  const own = OWN.map((name) => read('.github', 'workflows', name));
  const [action, documents] = [read('action.yml'), read('docs/ci.md')];
  const all = [action, documents, ...own];
  for (const text of all) {
    const used = [...text.matchAll(/uses: (?!\.\/|your-org)(\S+)/g)].map(([, name = '']) => name);
    expect(used.length).toBeGreaterThan(0);
    for (const name of used) expect(name).toMatch(/@[0-9a-f]{40}$/);
    for (const [install] of text.matchAll(/run: npm ci.*/g)) expect(install).toContain('--ignore-scripts');
    for (const [, script = ''] of text.matchAll(/run: \|\n((?: {10}.*\n)+)/g)) expect(script).not.toContain('${{');
  }
  for (const text of own) expect(text).toMatch(/^permissions: \{ contents: read \}$/m);
  for (const text of shown) expect(text).toContain('permissions: { contents: read }');
  // One commit and one version of each, everywhere.
  const pins = all.flatMap((text) => [...text.matchAll(/uses: (actions\/[\w-]+)\S*(@\S+ # v[\d.]+)/g)]);
  expect(new Set(pins.map(([, name, pin]) => `${name}${pin}`)).size).toBe(new Set(pins.map(([, name]) => name)).size);
  // Examples name the Node that is supported longest, which is the newest that is tried.
  const tried = /node: \[(.*)\]/.exec(read('.github/workflows/ci.yml'))?.[1]?.split(', ') ?? [];
  const named = [action, documents, read('.github/workflows/release.yml')].flatMap((text) => [
    ...text.matchAll(/(?:node-version: |image: node:)(\d+)/g),
  ]);
  expect([...new Set(named.map(([, node]) => node))]).toEqual([tried.at(-1)]);
  // Playwright's own place for it is in a directory that other users of the machine share.
  expect(action).toMatch(/PLAYWRIGHT_TRANSFORM_CACHE_DIR: \$\{\{ runner\.temp \}\}\//);
});
