/** The GitHub action: what it passes on, and that no input can become a command. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';

interface Step {
  run?: string;
  env?: Record<string, string>;
  shell?: string;
  uses?: string;
}

const action = parse(readFileSync(join(__dirname, '..', '..', '..', 'action.yml'), 'utf8')) as {
  inputs: Record<string, { description: string; default: string }>;
  runs: { using: string; steps: Step[] };
};
const scripts = action.runs.steps.filter((step) => step.run !== undefined);

test('is a composite action whose steps name a shell or an action', () => {
  expect(action.runs.using).toBe('composite');
  for (const step of action.runs.steps) expect(step.shell ?? step.uses).toBeTruthy();
  for (const input of Object.values(action.inputs)) expect(input.description).not.toBe('');
});

test('puts no input into a script, where it would be run', () => {
  for (const step of scripts) expect(step.run).not.toContain('${{');
});

test('uses every input, under a variable of the suite', () => {
  const used = JSON.stringify(action.runs.steps);
  for (const name of Object.keys(action.inputs)) expect(used).toContain(`inputs.${name}`);
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
