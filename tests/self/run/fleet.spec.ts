/** Many targets in one run: each target gets its own verdict. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import Ajv from 'ajv/dist/2020';
import { stringify } from 'yaml';
import { faults } from '../../../fixtures/catalogue';
import fleetSchema from '../../../schemas/fleet.schema.json';
import { fleetIn } from '../../../src/config/environment';
import type { Conformance } from '../../../src/contract/result';
import type { Har } from '../../../src/evidence/har/write';
import type { Bend } from '../../../src/reference/behaviour';
import { type Reference, startReference } from '../../../src/reference/server';
import { targetOfReference } from '../../../src/run/embedded';
import { ALL } from '../level';
import { counting } from '../support/bends';
import { messageOf } from '../support/usage-errors';
import { freshDirectory, RESULT_FILES, startRun, type UnderWay, type WholeRun } from '../support/whole-runs';

interface Fleet {
  targets: Array<{ name: string; verdict: string; failed: string[]; durationMs: number }>;
}

// Each test runs the whole suite, so they would slow each other down.
test.describe.configure({ mode: 'serial' });

const scratch = freshDirectory();
const mixed = join(scratch, 'mixed');
const servers: Reference[] = [];
/** Counts the requests that reach the server of that name. */
const bystander = counting();
let together: Fleet;

test.beforeAll(async () => {
  mkdirSync(mixed);
  const fault = faults.find(({ name }) => name === 'no-key-first-account');
  if (!fault) throw new Error('There is no such fault.');
  declare(mixed, 'broken', await started([fault]));
  declare(mixed, 'bystander', await started([bystander]));
  const server = await started([]);
  for (const name of ['once', 'twice']) declare(mixed, name, server);
  writeFileSync(
    join(mixed, 'unreachable.yaml'),
    stringify({ baseURL: 'http://127.0.0.1:1/api/v2', accounts: [{ name: 'a', apiKey: 'fleetUnreachableKey1' }] }),
  );
  writeFileSync(
    join(mixed, 'misconfigured.yml'),
    `baseURL: http://127.0.0.1:1/api/v2\naccounts:\n  - { name: a, apiKey: $\{FLEET_KEY_NOBODY_SET} }\n`,
  );
});

test.afterAll(async () => {
  for (const server of servers) await server.close();
});

test('each target gets its own verdict, and a key used twice trips no limit', async () => {
  const run = await fleetRun('together', mixed).ended;
  expect(run.status, run.output).toBe(1);
  together = fleetOf('together');
  expect(verdictsOf(together)).toEqual({
    broken: 'non-conformant',
    bystander: 'conformant',
    misconfigured: 'error',
    ...{ once: 'conformant', twice: 'conformant' },
    unreachable: 'error',
  });
  expect(together.targets.find(({ name }) => name === 'broken')?.failed).toContain('auth.missing-key');
  for (const { name, verdict, failed } of together.targets) {
    expect(readdirSync(join(scratch, 'together', name)).sort()).toEqual(RESULT_FILES);
    const conformance = conformanceOf('together', name);
    expect(conformance.verdict).toBe(verdict);
    expect(
      failed.every((id) => conformance.clauses.some((clause) => clause.id === id && clause.verdict === 'fail')),
    ).toBe(true);
  }
  expect(conformanceOf('together', 'misconfigured').error).toContain('FLEET_KEY_NOBODY_SET');
  expect(conformanceOf('together', 'unreachable').error).toContain('could not be reached');
  expect(run.output).toContain('without a valid key: auth.missing-key');
  expect(run.output).toContain('6 targets: 1 non-conformant, 2 error, 3 conformant');
  for (const file of ['index.html', 'summary.md', 'junit.xml'])
    expect(readFileSync(join(scratch, 'together', file), 'utf8')).toContain('unreachable');

  const [first, second] = ['once', 'twice']
    .map((name) => spanOf('together', name))
    .sort((a, b) => a.beganAtMs - b.beganAtMs);
  expect((second?.beganAtMs ?? 0) - (first?.endedAtMs ?? 0)).toBeGreaterThan(1000);
});

test('one project sends only its own requests, and beside one that is not reached nothing is green', async () => {
  bystander.count = 0;
  const run = await fleetRun('one', mixed, ['--project', 'once', '--project', 'unreachable', '-g', '@version']).ended;
  expect(run.status, run.output).toBe(2);
  // A run of a part leaves the results of whole runs alone.
  expect(fleetOf(join('one', 'part')).targets.map(({ name }) => name)).toEqual(['once', 'unreachable']);
  expect(bystander.count).toBe(0);
});

test('an interrupted run says which targets were not finished', { tag: ALL }, async () => {
  const under = fleetRun('interrupted', mixed);
  // Its progress message shows that it is under way.
  await under.says(' requests to 6 targets');
  under.child.kill('SIGINT');
  const run = await under.ended;
  expect(run.status).not.toBe(0);
  expect(run.output).toContain('── INTERRUPTED: 6 targets: ');
  const fleet = fleetOf('interrupted');
  expect(new Set(Object.values(verdictsOf(fleet)))).toEqual(new Set(['error']));
  expect(fleet.targets).toHaveLength(together.targets.length);
  const { clauses, error } = conformanceOf('interrupted', 'once');
  expect(error).toBe('The run was interrupted before this target was finished.');
  expect(clauses.every((clause) => clause.verdict === 'not-tested' && clause.reason?.includes('interrupted'))).toBe(
    true,
  );
  expect(readFileSync(join(scratch, 'interrupted', 'summary.md'), 'utf8')).toContain('interrupted');
});

test('a missing directory, and one without target files, is one clear message', () => {
  for (const TARGETS of [join(scratch, 'nowhere'), freshDirectory()])
    expect(messageOf(() => fleetIn({ TARGETS }))).toContain(`TARGETS: ${TARGETS} `);
});

async function started(bends: readonly Bend[]): Promise<Reference> {
  const server = await startReference({ bends });
  servers.push(server);
  return server;
}

/** Writes a target file with the accounts of a server. */
function declare(directory: string, name: string, server: Reference): void {
  const { baseURL, accounts } = targetOfReference(server);
  writeFileSync(join(directory, `${name}.yaml`), stringify({ baseURL, accounts }));
}

/** Runs the suite over a directory of targets, with its results in `scratch`. */
function fleetRun(results: string, targets: string, options: string[] = []): UnderWay<WholeRun> {
  const environment = { TARGETS: targets, RESULTS_DIR: join(scratch, results), RISKY_PROBES: '1' };
  return startRun({ arguments: options, environment });
}

function fleetOf(results: string): Fleet {
  const fleet = JSON.parse(readFileSync(join(scratch, results, 'fleet.json'), 'utf8')) as Fleet;
  const validate = new Ajv({ strict: false }).compile(fleetSchema);
  expect(validate(fleet), JSON.stringify(validate.errors)).toBe(true);
  return fleet;
}

function verdictsOf({ targets }: Fleet): Record<string, string> {
  return Object.fromEntries(targets.map(({ name, verdict }) => [name, verdict]));
}

function conformanceOf(results: string, name: string): Conformance {
  return JSON.parse(readFileSync(join(scratch, results, name, 'conformance.json'), 'utf8')) as Conformance;
}

/** When a target's first request was sent and its last answer came. */
function spanOf(results: string, name: string) {
  const { log } = JSON.parse(readFileSync(join(scratch, results, name, 'evidence.har'), 'utf8')) as Har;
  const at = (ms: number) => log._startedAtEpochMs + ms;
  return {
    beganAtMs: at(Math.min(...log.entries.map((entry) => entry._sentAtMs))),
    endedAtMs: at(Math.max(...log.entries.map((entry) => entry._receivedAtMs))),
  };
}
