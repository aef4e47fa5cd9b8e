/** The GitHub action: what it passes on, and that no input can become a command. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { directoryWith, ROOT } from '../support/whole-runs';

interface Step {
  id?: string;
  if?: string;
  run?: string;
  env?: Record<string, string>;
  uses?: string;
  with?: Record<string, string>;
}

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
};
const scripts = action.runs.steps.filter((step) => step.run !== undefined);

test('puts no input into a script, where it would be run', () => {
  for (const step of scripts) expect(step.run).not.toContain('${{');
});

test('names outputs of steps that tell them, which come before', () => {
  const { steps } = action.runs;
  const told = steps.map(({ id, run = '' }) => (id && /GITHUB_OUTPUT|action-outputs/.test(run) ? [id] : []));
  for (const [i, step] of steps.entries())
    for (const [, id = ''] of JSON.stringify(step).matchAll(/steps\.(\w+)\.outputs/g))
      expect(told.slice(0, i).flat()).toContain(id);
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value.replace(" || 'error'", '')).toBe(`$\{{ steps.${told.flat().at(-1)}.outputs.${name} }}`);
  // Where the step did not come to be, nothing was judged.
  expect(action.outputs.verdict?.value).toContain("|| 'error'");
});

test('makes paths the caller’s, and leaves unset ones unset', () => {
  const judge =
    scripts.find((step) => step.env?.BASE_URL !== undefined)?.run?.replace('npx playwright test', 'env') ?? '';
  const printed = execFileSync('bash', ['-c', judge], {
    env: {
      PATH: process.env.PATH ?? '',
      GITHUB_ACTION_PATH: '/',
      GITHUB_WORKSPACE: '/caller',
      TARGET: 'acme.yaml',
      TARGETS: '',
      BASELINE: '/abs/old.json',
      RESULTS_DIR: 'out',
    },
  }).toString();
  expect(printed).toContain('TARGET=/caller/acme.yaml\n');
  expect(printed).toContain('RESULTS_DIR=/caller/out\n');
  expect(printed).toContain('BASELINE=/abs/old.json\n');
  expect(printed).toContain('TARGETS=\n');
});

/** What the action tells its workflow of results. @param files their texts by path */
function outputsOf(files: Record<string, object>): Record<string, string> {
  const texts = Object.entries(files).map(([path, content]) => [join('out', path), JSON.stringify(content)]);
  const workspace = directoryWith(Object.fromEntries(texts));
  const output = join(workspace, 'github-output');
  execFileSync(process.execPath, [join(ROOT, 'commands', 'action-outputs.js')], {
    env: { GITHUB_WORKSPACE: workspace, RESULTS_DIR: 'out', GITHUB_OUTPUT: output },
  });
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  const told = Object.fromEntries(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
  expect(told['results-dir']).toBe(join(workspace, 'out'));
  return told;
}

test('tells its workflow the verdict, the failed clauses and whether the result can be certified', () => {
  const failed = { level: 'must', verdict: 'fail' };
  const broken = {
    verdict: 'non-conformant',
    certifiable: false,
    clauses: [
      { ...failed, id: 'rate.refusal-429' },
      { ...failed, id: 'x\nverdict=conformant' },
      { id: 'settings.no-extra', level: 'should', verdict: 'warn' },
    ],
  };
  const fine = { verdict: 'conformant', certifiable: true, clauses: [] };
  expect(Object.keys(action.outputs)).toEqual(['verdict', 'failed', 'certifiable', 'results-dir']);
  expect(outputsOf({ 'conformance.json': broken })).toMatchObject({
    verdict: 'non-conformant',
    failed: 'rate.refusal-429',
    certifiable: 'false',
  });
  const fleet = { targets: [{ name: 'a' }, { name: 'b' }] };
  expect(outputsOf({ 'fleet.json': fleet, 'a/conformance.json': fine, 'b/conformance.json': fine })).toMatchObject({
    verdict: 'conformant',
    failed: '',
    certifiable: 'true',
  });
  // A target without a result could not be judged.
  expect(outputsOf({ 'fleet.json': fleet, 'a/conformance.json': broken })).toMatchObject({
    verdict: 'error',
    failed: 'rate.refusal-429',
    certifiable: 'false',
  });
  expect(outputsOf({})).toMatchObject({ verdict: 'error', failed: '', certifiable: 'false' });
});

test('keeps the history between runs, and gives jobs artefacts of their own', () => {
  const using = (name: string) => action.runs.steps.filter(({ uses }) => uses?.startsWith(name));
  const [restored] = using('actions/cache/restore@');
  const [saved] = using('actions/cache/save@');
  expect(restored?.with?.path).toBe(saved?.with?.path);
  expect(restored?.with?.key).toBe(saved?.with?.key);
  // A cache is never written twice: each run saves its own, and finds the newest by its beginning.
  expect(saved?.with?.key).toContain('github.run_id');
  expect(saved?.with?.key?.startsWith(restored?.with?.['restore-keys'] ?? '?')).toBe(true);
  expect(action.inputs.artifact?.default).toMatch(/github\.job.*strategy\.job-index/);
});

test('caches and uploads one path each, whatever an input says', () => {
  const [check] = scripts;
  expect(check?.env).toEqual({ HISTORY: `$\{{ inputs.history }}`, RESULTS_DIR: `$\{{ inputs.results-dir }}` });
  const refused = (name: string, path: string) =>
    spawnSync('bash', ['-e', '-c', check?.run ?? ''], {
      env: { PATH: process.env.PATH ?? '', HISTORY: '', RESULTS_DIR: '', [name]: path },
    }).status;
  const several = ['out\n/etc', 'out\r/etc', 'o*t', 'o?t', 'o[u]t', '!out', '~/out', '#out'];
  for (const name of ['HISTORY', 'RESULTS_DIR']) {
    for (const path of several) expect([path, refused(name, path)]).toEqual([path, 2]);
    for (const path of ['', 'out', '/tmp/my results/~out', 'C#/!out'])
      expect([path, refused(name, path)]).toEqual([path, 0]);
  }
  // Steps that run whatever failed ask whether this one did not.
  for (const step of action.runs.steps.filter(({ if: condition }) => condition?.includes('always()')))
    expect(step.if).toContain(`steps.${check?.id}.outcome == 'success'`);
});
