/** From judgements to the files of a run: words, causes in order, notes, and what is written where. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { PROBES, probesText } from '../../../scripts/probes';
import { samples } from '../../../scripts/sample';
import { catalogue, groups } from '../../../src/catalogue/catalogue';
import { UsageError } from '../../../src/common/errors';
import { loadConfiguration, pathOf } from '../../../src/config/configuration';
import { clauseTexts } from '../../../src/contract/clauses';
import type { Evidence } from '../../../src/evidence/model';
import { HARM } from '../../../src/judge/verdict';
import { reportInputOf } from '../../../src/report/assemble';
import { writeResults } from '../../../src/report/files';
import { headlineOf } from '../../../src/report/words';
import { breach, judgedWith } from '../support/evidence-of';
import { conformantRun, errorRun, failingRun } from '../support/report-samples';
import { isResult } from '../support/schemas';
import { directoryWith, fileWith, freshDirectory } from '../support/whole-runs';

const ENDING = { error: null, baseline: null };
const recordedIn = (evidence: Evidence, error: string | null = null) => ({
  ...{ evidence, error, waitedMs: 0, durationMs: 1, notes: ['A note.'] },
});

test('a result has the statement of each clause, tested or not, and the notes of the run', async () => {
  const { evidence } = await failingRun();
  const judgement = judgedWith('auth.accepted', [], evidence, [0]);
  const { conformance } = reportInputOf(recordedIn(evidence), new Map([[judgement.id, judgement]]), ENDING);
  expect(isResult(JSON.parse(JSON.stringify(conformance))), JSON.stringify(isResult.errors)).toBe(true);
  expect(conformance.clauses.map(({ statement }) => statement)).toEqual(clauseTexts.map(({ statement }) => statement));
  expect(conformance.notes).toContain('A note.');
});

test('causes stand in one order, whichever clause was judged first', async () => {
  const { conformance, evidence } = await failingRun();
  const judged = ['settings.kind-url', 'rate.reset-format', 'version.base'].map((id) => {
    const breaches = evidence.exchanges.slice(0, 1).map((exchange) => breach('answer', id, 'odd', exchange));
    return [id, judgedWith(id, breaches, evidence)] as const;
  });
  const causesIn = (order: typeof judged) =>
    reportInputOf(recordedIn(evidence), new Map(order), { error: null, baseline: conformance }).causes;
  expect(causesIn([...judged].reverse())).toEqual(causesIn(judged));
});

test('what was seen before a run broke off is no cause of anything', async () => {
  const { evidence } = await errorRun();
  const seen = breach('answer', '', 'nothing', ...evidence.exchanges);
  const judgement = judgedWith('transport.complete', [seen], evidence);
  const recorded = recordedIn(evidence, 'It broke off.');
  const input = reportInputOf(recorded, new Map([[judgement.id, judgement]]), ENDING);
  expect(input.causes).toEqual([]);
});

test('every cause has a headline in plain words, and strangers who can read come with their own', () => {
  const headline = (id: string, harm: number, ...more: string[]) => headlineOf({ clauses: [id, ...more], harm });
  const plain = clauseTexts.filter(
    ({ id }) => headline(id, HARM.disclosed) === headline('auth.missing-key', HARM.disclosed),
  );
  expect(plain.map(({ id }) => id)).toEqual([
    ...['missing-key', 'empty-key', 'unknown-key', 'altered-key', 'no-session'].map((id) => `auth.${id}`),
    ...['base-path-rejected', 'every-path', 'every-method', 'rejection-status'].map((id) => `auth.${id}`),
  ]);
  const told = [HARM.disclosed, HARM.letIn, HARM.answered].map((harm) => headline('auth.missing-key', harm));
  expect(new Set(told).size).toBe(3);
  // A caller with a valid key is not anyone, unless the same hole lets anyone in.
  expect(headline('auth.other-carrier', HARM.disclosed)).toBe('A valid key outside its header is not rejected');
  expect(headline('auth.other-carrier', HARM.disclosed, 'auth.every-path')).toBe(told[0]);
});

test('a full disk is called so, and the file is named', async () => {
  test.skip(!existsSync('/dev/full'), 'needs /dev/full, which is always full');
  const run = await conformantRun();
  const write = () => writeResults(freshDirectory(), run, '/dev/full');
  expect(write).toThrow(UsageError);
  expect(write).toThrow('/dev/full cannot be written (no space left on device): GITHUB_STEP_SUMMARY names it.');
});

test('a summary is appended to a file, and no older overview of many targets stays', async () => {
  const directory = directoryWith({ 'fleet.json': '{}' });
  const file = fileWith('summary', 'of a step before\n');
  writeResults(directory, await conformantRun(), file);
  expect(readFileSync(file, 'utf8')).toBe(`of a step before\n${readFileSync(join(directory, 'summary.md'), 'utf8')}\n`);
  expect(existsSync(join(directory, 'fleet.json'))).toBe(false);
});

test('a ~ that no shell expanded is the home directory, and nothing else is', () => {
  const home = directoryWith({
    'x.yaml': 'baseURL: https://a.example/v2\naccounts: [{ name: at-home, apiKey: an-api-key-1 }]\n',
  });
  const { HOME = homedir() } = process.env;
  process.env.HOME = home;
  try {
    expect(loadConfiguration({ TARGET: '~/x.yaml' }).target?.accounts.map(({ name }) => name)).toEqual(['at-home']);
  } finally {
    process.env.HOME = HOME;
  }
  expect(pathOf('~/targets/a.yaml')).toBe(join(homedir(), 'targets/a.yaml'));
  expect(pathOf('~')).toBe(homedir());
  expect(pathOf('~other/a.yaml')).toBe(join(process.cwd(), '~other/a.yaml'));
  expect(pathOf('a~/b')).toBe(join(process.cwd(), 'a~/b'));
});

test('the sample reports hold nothing of the machine', async () => {
  const made = await samples();
  expect(Object.keys(made)).toHaveLength(4);
  expect(made['acme/index.html']).toContain('settings.password-null');
  for (const text of Object.values(made)) expect(text).not.toMatch(/127\.0\.0\.1:|\/work\//);
});

test('docs/probes.md is current: `npm run probes` writes the same, and names every group that sends', () => {
  expect(readFileSync(PROBES, 'utf8') === probesText(), 'npm run probes').toBe(true);
  for (const group of groups.filter((each) => Object.keys(catalogue[each].forms).length > 0))
    expect(probesText()).toContain(`| \`${group}\` | \`curl `);
});
