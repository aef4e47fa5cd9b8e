/** Many targets in one run: each target gets its own verdict. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import { fleetIn } from '../../../src/config/configuration';
import type { Conformance } from '../../../src/contract/result';
import type { Har } from '../../../src/evidence/har';
import { ALL } from '../level';
import { counting } from '../support/bends';
import { faultyPlaces, type Json, newAjv, schemas } from '../support/schemas';
import { serverNamed } from '../support/simulation';
import { messageOf } from '../support/usage-errors';
import {
  directoryWith,
  freshDirectory,
  RESULT_FILES,
  served,
  startRun,
  type WholeRun,
  wholeRun,
} from '../support/whole-runs';

/** The targets in `fleet.json`, which fits its schema. */
function targetsIn(run: WholeRun): Array<{ name: string; verdict: string; failed: string[] }> {
  const fleet = JSON.parse(run.text('fleet.json'));
  expect(faultyPlaces(newAjv().compile(schemas.get('fleet.schema.json') as Json), fleet)).toEqual([]);
  return fleet.targets;
}

const conformanceOf = (run: WholeRun, name: string) =>
  JSON.parse(run.text(join(name, 'conformance.json'))) as Conformance;

/** When a target's first request was sent and its last answer came. */
function spanOf(run: WholeRun, name: string) {
  const { log } = JSON.parse(run.text(join(name, 'evidence.har'))) as Har;
  const beganAtMs = Math.min(...log.entries.map((entry) => entry._sentAtMs));
  const endedAtMs = Math.max(...log.entries.map((entry) => entry._receivedAtMs));
  return { beganAtMs: log._startedAtEpochMs + beganAtMs, endedAtMs: log._startedAtEpochMs + endedAtMs };
}

test('each target gets its own verdict, a key used twice trips no limit, and a project sends for itself alone', async () => {
  const counter = counting();
  const [broken, fine] = await Promise.all([
    served({ bends: [counter, serverNamed('no-key-first-account')] }),
    served(),
  ]);
  const nowhere = (apiKey: string) =>
    stringify({ baseURL: 'http://127.0.0.1:1/api/v2', accounts: [{ name: 'a', apiKey }] });
  const TARGETS = directoryWith({
    'broken.yaml': readFileSync(broken.file, 'utf8'),
    ...Object.fromEntries(['once', 'twice'].map((name) => [`${name}.yaml`, readFileSync(fine.file, 'utf8')])),
    'unreachable.yaml': nowhere('fleetUnreachableKey1'),
    'misconfigured.yml': nowhere(`$\{FLEET_KEY_NOBODY_SET}`),
  });
  const run = await wholeRun({
    arguments: ['-g', 'auth.missing-key|settings.json|version.base'],
    environment: { TARGETS },
  });
  counter.count = 0;
  const words = ['--project', 'once', '--project', 'unreachable', '-g', 'settings.json'];
  const some = await wholeRun({ arguments: words, environment: { TARGETS } });
  await Promise.all([broken.close(), fine.close()]);

  expect(run.status, run.output).toBe(1);
  expect(targetsIn(run).map(({ name, verdict, failed }) => [name, verdict, failed])).toEqual([
    ['broken', 'non-conformant', ['auth.missing-key']],
    ['misconfigured', 'error', []],
    ['once', 'incomplete', []],
    ['twice', 'incomplete', []],
    ['unreachable', 'error', []],
  ]);
  for (const { name, verdict } of targetsIn(run)) {
    expect(readdirSync(join(run.results, name)).sort()).toEqual(RESULT_FILES);
    expect(conformanceOf(run, name).verdict).toBe(verdict);
  }
  expect(conformanceOf(run, 'misconfigured').error).toContain('FLEET_KEY_NOBODY_SET');
  expect(conformanceOf(run, 'unreachable').error).toContain('could not be reached');
  expect(run.output).toContain('without a valid key: auth.missing-key');
  expect(run.output).toContain('5 targets: 1 non-conformant, 2 error, 2 passed');
  for (const file of ['index.html', 'summary.md', 'junit.xml']) expect(run.text(file)).toContain('unreachable');
  const spans = ['once', 'twice'].map((name) => spanOf(run, name));
  const [first, second] = spans.sort((a, b) => a.beganAtMs - b.beganAtMs);
  expect((second?.beganAtMs ?? 0) - (first?.endedAtMs ?? 0)).toBeGreaterThan(1000);

  // Beside one that is not reached nothing is green.
  expect(some.status, some.output).toBe(2);
  expect(targetsIn(some).map(({ name }) => name)).toEqual(['once', 'unreachable']);
  expect(counter.count).toBe(0);
});

test('an interrupted run of many targets leaves an overview, in which what was not finished is an error', {
  tag: ALL,
}, async () => {
  const servers = await Promise.all([served(), served()]);
  const TARGETS = directoryWith(
    Object.fromEntries(servers.map(({ file }, i) => [`target-${i}.yaml`, readFileSync(file, 'utf8')])),
  );
  const under = startRun({ environment: { TARGETS } });
  await under.says(' to 2 targets');
  under.child.kill('SIGTERM');
  const run = await under.ended;
  await Promise.all(servers.map(({ close }) => close()));
  expect(run.status, run.output).toBe(130);
  expect(targetsIn(run).map(({ name, verdict }) => [name, verdict])).toEqual([
    ['target-0', 'error'],
    ['target-1', 'error'],
  ]);
  expect(run.text('summary.md')).toContain('interrupted');
});

test('a missing directory, and one without target files, is one clear message', () => {
  for (const TARGETS of [join(freshDirectory(), 'nowhere'), freshDirectory()])
    expect(messageOf(() => fleetIn({ TARGETS }))).toContain(`TARGETS: ${TARGETS} `);
});
