/** Replays, comparisons with an earlier result, and waivers. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { randomFrom } from '../../../fixtures/random';
import { allRules } from '../../../scripts/matrix/in-process';
import { UsageError } from '../../../src/common/errors';
import type { Conformance } from '../../../src/contract/result';
import type { Har } from '../../../src/evidence/har';
import { fromHar } from '../../../src/evidence/har';
import { judgementOf } from '../../../src/judge/verdict';
import { guard } from '../../../src/redaction/gate';
import { Vault } from '../../../src/redaction/vault';
import { reportInputOf } from '../../../src/report/assemble';
import { renderJUnit } from '../../../src/report/ci/junit';
import { renderSummary } from '../../../src/report/ci/markdown';
import { renderPage } from '../../../src/report/page/page';
import { replayed } from '../../../src/run/run';
import { seed } from '../level';
import { counting, hidden, masking } from '../support/bends';
import { harTextOf } from '../support/evidence-of';
import { runHere } from '../support/run-here';
import { isResult } from '../support/schemas';
import { directoryWith, fileWith, served, targetFile, type WholeRun } from '../support/whole-runs';

let conformant: WholeRun;
let broken: WholeRun;
let brokenServer: Awaited<ReturnType<typeof served>>;
const counter = counting();

test.beforeAll(async () => {
  brokenServer = await served({ bends: [masking, hidden, counter] });
  [conformant, broken] = await Promise.all([runHere(), runHere({ TARGET: brokenServer.file, RISKY_PROBES: '1' })]);
  expect(conformant.status, conformant.output).toBe(0);
  expect(broken.status, broken.output).toBe(1);
});

test.afterAll(async () => {
  await brokenServer.close();
});

const harOf = (run: WholeRun) => join(run.results, 'evidence.har');
const replay = (run: WholeRun, environment: Record<string, string> = {}) =>
  runHere({ REPLAY: harOf(run), ...environment });

/** The part of a result that a replay must not change. */
function lasting({ clauses, observations, verdict, certifiable, profiles, target, requests, waitedMs }: Conformance) {
  return { clauses, observations, verdict, certifiable, profiles, target, requests, waitedMs };
}

test('what a replay masks for the first time was not edited, then or later', () => {
  const secret = 'hushHush4711qVtZxW9';
  // Somebody else's run, which did not know that this is a secret here.
  const har = fromHar(readFileSync(harOf(conformant), 'utf8'), 'some.har');
  const [first] = har.evidence.exchanges;
  if (first?.response) first.response.headers = [...first.response.headers, ['X-Any', secret]];
  const text = harTextOf(har.evidence, har);
  const judged = (content: string) => replayed(fileWith('evidence.har', content), null);
  const notesOf = (content: string) => judged(content).notes.filter((note) => note.includes('edited after its run'));
  const vault = new Vault([]);
  guard(vault);
  vault.add('[secret:header:X-Any]', secret);
  expect(notesOf(text)).toEqual([]);
  const { evidence, ...figures } = judged(text);
  const again = harTextOf(evidence, figures);
  expect(again).not.toContain(secret);
  expect(notesOf(again)).toEqual([]);
  expect(notesOf(text.replace(secret, `${secret}, edited`))).toHaveLength(1);
});

test('a run that is judged again comes to the same verdicts, and sends nothing', async () => {
  const before = counter.count;
  const [again, brokenAgain, twice] = await Promise.all([
    replay(conformant),
    replay(broken),
    // A replay judges what was recorded and ignores these variables.
    replay(broken, { BASE_URL: 'https://elsewhere.example/api/v2', RISKY_PROBES: '0' }),
  ]);
  expect(again.status, again.output).toBe(0);
  expect(lasting(again.conformance())).toEqual(lasting(conformant.conformance()));
  for (const run of [brokenAgain, twice]) {
    expect(run.status, run.output).toBe(1);
    expect(lasting(run.conformance())).toEqual(lasting(broken.conformance()));
  }
  expect(counter.count).toBe(before);
  // The evidence of a replay can be replayed too.
  expect(brokenAgain.har().log.entries).toEqual(broken.har().log.entries);
  expect(brokenAgain.output.replace(/\s+/g, ' ')).toMatch(
    /Replayed from .*evidence\.har, recorded by version \S+: nothing was sent/,
  );
  expect(brokenAgain.text('index.html')).toContain('nothing was sent');
  expect(brokenAgain.text('summary.md')).toContain('nothing was sent');
});

test('a run that sends nothing leaves the evidence of the run before, and says that it is an error', async () => {
  const whole = conformant.text('evidence.har');
  for (const [variable, path, evidence] of [
    ['TARGET', 'none.yaml', whole],
    ['REPLAY', 'link.json', whole.slice(0, -100)],
  ] as const) {
    const results = directoryWith({ 'evidence.har': evidence });
    symlinkSync(join(results, 'evidence.har'), join(results, 'link.json'));
    const run = await runHere({ [variable]: join(results, path), RESULTS_DIR: results });
    expect(run.status, run.output).toBe(2);
    expect(run.conformance()).toMatchObject({ verdict: 'error', requests: 0 });
    expect(run.text('evidence.har')).toBe(evidence);
    expect(run.text('summary.md')).toContain('Error');
  }
});

const REFUSAL =
  /^some\.har cannot be judged again: (?:nothing is recorded in it, because its run could not begin|it is not as a run of this suite writes it)\. Take the evidence\.har that a run left, unedited\.$/;

/** How many of the many places in the entries of a file are edited in one run of this test. */
const EDITED_SHARE = 0.12;

test('whatever is edited in a file, it is refused or judged, and nothing falls over', async () => {
  const har = broken.har();
  // A few entries of each kind are enough, and every member of theirs is tried.
  const kinds = new Map(
    har.log.entries.map((entry) => [JSON.stringify(['_probe' in entry && entry._probe.split('/')[0]]), entry]),
  );
  har.log.entries = [...kinds.values()];
  har.log._notSent.splice(3);
  const base = JSON.stringify(har);
  const junk: unknown[] = [null, undefined, '', 'junk', '\u0000', -1, 0, 1e21, 0.5, true, [], {}, [null], { name: 1 }];
  const paths = [...pathsIn(har)];
  const fallen = new Map<string, string>();
  const refusals: string[] = [];
  let judged = 0;
  // Each kind of junk is tried at many places, not at all of them; another seed tries others.
  const random = randomFrom(seed);
  const isTried = (path: string[]) => (path.length < 4 && path[1] !== 'entries') || random() < EDITED_SHARE;
  for (const path of paths.filter(isTried)) {
    for (const value of path.length < 4 && path[1] !== 'entries' ? junk : [junk[Math.floor(random() * junk.length)]]) {
      const copy = JSON.parse(base) as Har;
      const parent = path
        .slice(0, -1)
        .reduce<Record<string, unknown>>((inner, part) => inner[part] as never, copy as never);
      parent[path.at(-1) ?? ''] = value;
      try {
        report(JSON.stringify(copy));
        judged += 1;
      } catch (error) {
        if (error instanceof UsageError) refusals.push(error.message);
        else fallen.set(String((error as Error).stack).slice(0, 300), `${path.join('.')} = ${JSON.stringify(value)}`);
      }
    }
  }
  expect([...fallen], `TEST_SEED=${seed}`).toEqual([]);
  // Each message names the place and never quotes the value, which may be a secret.
  expect(refusals.filter((message) => !REFUSAL.test(message))).toEqual([]);
  expect(refusals.length).toBeGreaterThan(50);
  expect(judged).toBeGreaterThan(50);
});

/** Judges a HAR and renders its results. */
function report(text: string): void {
  const har = fromHar(text, 'some.har');
  const { evidence } = har;
  const decided = new Map(
    allRules.map(({ id, judge }) => [id, judgementOf(id, judge(evidence), evidence, '2026-01-01')] as const),
  );
  const input = reportInputOf({ ...har, notes: [] }, decided, { error: null, baseline: null });
  const { conformance } = input;
  if (!isResult(conformance)) throw new Error(`The result does not fit its schema: ${JSON.stringify(isResult.errors)}`);
  renderPage(input);
  renderSummary(input);
  renderJUnit(input);
  fromHar(harTextOf(evidence, har), 'again.har');
}

function* pathsIn(value: unknown, path: string[] = []): Generator<string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* pathsIn(inner, [...path, name]);
}

test('a baseline shows what changed, what is new and what vanished', async () => {
  const baseline = conformant.conformance();
  baseline.clauses = baseline.clauses.filter((clause) => clause.id !== 'version.base');
  const [first] = baseline.clauses;
  if (first) baseline.clauses.push({ ...first, id: 'auth.long-gone' });
  baseline.observations['gone.observation'] = [1, 'two'];
  delete baseline.observations['base-path.status'];
  const file = fileWith('baseline.json', JSON.stringify(baseline));
  const [changed, same] = await Promise.all([
    replay(broken, { BASELINE: file }),
    replay(broken, { BASELINE: join(broken.results, 'conformance.json') }),
  ]);
  const changes = changed.conformance().changes ?? [];
  expect(changes).toContainEqual({ id: 'settings.password-null', from: 'pass', to: 'fail' });
  expect(changes).toContainEqual({ id: 'auth.rejection-401-403', from: 'pass', to: 'warn' });
  expect(changes).toContainEqual({ id: 'version.base', from: null, to: 'pass' });
  expect(changes).toContainEqual({ id: 'auth.long-gone', from: 'pass', to: null });
  expect(changes).toContainEqual({ id: 'observations.gone.observation', from: ['two', 1], to: null });
  expect(changes).toContainEqual({ id: 'observations.rejection.status', from: [401], to: [404] });
  expect(changed.status).toBe(1);
  expect(same.conformance().changes).toEqual([]);
  expect(same.output).toContain('No verdict and no observation changed.');
  expect(broken.conformance().changes).toBeNull();
});

test('a waived failure fails no run, and every form of the results says so', async () => {
  const WAIVERS = targetFile({
    waivers: [
      { clause: 'settings.password-null', reason: 'TICKET-12, mended in 4.3', until: '2999-12-31' },
      { clause: 'auth.rejection-401-403', reason: 'TICKET-14' },
      { clause: 'version.base', reason: 'TICKET-13' },
    ],
  });
  const run = await replay(broken, { WAIVERS, STRICT: '1' });
  expect(run.status, run.output).toBe(0);
  expect(run.conformance()).toMatchObject({ verdict: 'incomplete', certifiable: false });
  expect(run.text('junit.xml')).toContain('waived');
  const plain = (text: string) =>
    text
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .replace(/\\(?=[^\w\s])/g, '');
  for (const text of [run.output, run.text('summary.md'), run.text('index.html')]) {
    expect(plain(text)).toContain('Waived until 2999-12-31: TICKET-12, mended in 4.3');
    expect(plain(text)).toContain('waiver of version.base is stale: the clause passes');
  }
});
