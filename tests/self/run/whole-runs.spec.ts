/** Runs as users start them: exit status, what the terminal says, what is sent, and what is left. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { clauseText, clauseTexts, observationTexts } from '../../../src/contract/clauses';
import { hidden, masking } from '../support/bends';
import { runHere } from '../support/run-here';
import { faultyPlaces, isResult, type Json, newAjv, schemas } from '../support/schemas';
import {
  fileWith,
  freePort,
  freshDirectory,
  RESULT_FILES,
  ROOT,
  runAgainst,
  served,
  stackLines,
  startRun,
  targetFile,
  type WholeRun,
  wholeRun,
} from '../support/whole-runs';
import { elementsIn } from '../support/xml';

test.describe.configure({ mode: 'parallel' });
const isEvidence = newAjv().compile(schemas.get('evidence.schema.json') as Json);

/** Checks that a run left all of its files, each complete and well-formed, and that its summary begins with `told`. */
function expectAllFiles(run: WholeRun, told: string = run.conformance().verdict): void {
  expect(readdirSync(run.results).filter((name) => RESULT_FILES.includes(name))).toEqual(RESULT_FILES);
  const result = run.conformance();
  expect(isResult(result), JSON.stringify(isResult.errors)).toBe(true);
  expect(result.clauses.map((clause) => clause.id)).toEqual(clauseTexts.map((text) => text.id));
  expectHar(run);
  const cases = casesIn(run.text('junit.xml'));
  const own = result.own.map(({ title }) => title);
  expect([...cases.keys()].filter((id = '') => id !== 'run' && !own.includes(id)).sort()).toEqual(
    clauseTexts.map((text) => text.id).sort(),
  );
  expect(cases.has('run')).toBe(result.verdict === 'error');
  casesIn(run.text('badge.svg'));
  expect(run.text('index.html')).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i);
  expect(run.text('summary.md').toLowerCase()).toMatch(new RegExp(`^## (?:\\S )?${told}\\b`));
}

/** The cases of a JUnit file: by name, the names of their child elements. @throws if the XML is not well-formed */
function casesIn(xml: string): Map<string | undefined, string[]> {
  const cases = elementsIn(xml).filter(({ name }) => name === 'testcase');
  return new Map(cases.map(({ attributes, children }) => [attributes.name, children.map(({ name }) => name)]));
}

/** The entries of the evidence that are requests, not notifications. */
const sentIn = (run: WholeRun) => run.har().log.entries.flatMap((entry) => ('_delivery' in entry ? [] : [entry]));

/** Checks the evidence against its schema, and that each request of the run is in it. */
function expectHar(run: WholeRun): void {
  expect(faultyPlaces(isEvidence, run.har())).toEqual([]);
  expect(sentIn(run)).toHaveLength(run.conformance().requests);
}

test('without anything set, the embedded server conforms, and all files are there', async () => {
  // A developer's own .env would change what is run; CI has none.
  const directory = existsSync(join(ROOT, '.env')) ? freshDirectory() : ROOT;
  const run = await wholeRun({ directory });
  expect(run.status, run.output).toBe(0);
  const result = run.conformance();
  const known = observationTexts.map(({ id }) => id);
  expect(Object.keys(result.observations).filter((id) => !known.includes(id))).toEqual([]);
  expect(result.verdict).toBe('conformant');
  expect(result.certifiable).toBe(true);
  expect(result.profiles).toEqual({ core: 'pass', event: 'pass' });
  expect(result.clauses.filter((clause) => clause.verdict !== 'pass' && clause.id !== 'transport.https')).toEqual([]);
  expectAllFiles(run);
  expect(run.output).toContain('CONFORMANT: embedded reference server');
  expect(stackLines(run.output)).toEqual([]);
  expect(readdirSync(ROOT).filter((name) => /^(?:test-results|playwright-report|blob-report)$/.test(name))).toEqual([]);
});

test('a server that does not conform fails the run, and the message says all there is to say', async () => {
  const summary = fileWith('step-summary.md', '# before\n');
  const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  const run = await runAgainst(
    { bends: [masking] },
    { arguments: ['-g', 'settings.(password|username)'], environment },
  );
  expect(run.status).toBe(1);
  expect(run.conformance().verdict).toBe('non-conformant');
  expectAllFiles(run);
  const { section, statement } = clauseText('settings.password-null');
  const message = run.output.slice(run.output.indexOf('✘'), run.output.indexOf('──'));
  expect(message.replace(/\s+/g, ' ')).toContain(
    `settings.password-null (MUST, section ${section}): ${statement.trim()}`,
  );
  expect(message).toMatch(/ sent +curl .*apiKey: \$API_KEY_WITH_PASSWORD/);
  expect(message).toMatch(/ evidence +entries 0, 5, 6, 7 of evidence\.har/);
  expect(stackLines(run.output)).toEqual([]);
  expect(casesIn(run.text('junit.xml')).get('settings.password-null')).toContain('failure');
  expect(run.clause('settings.password-null')).toMatchObject({ verdict: 'fail', evidence: [0, 5, 6, 7] });
  // An annotation on GitHub would stand on a line of the suite, not of the user's.
  expect(run.output).not.toMatch(/::(?:error|warning|notice)/);
  expect(readFileSync(summary, 'utf8')).toBe(`# before\n${run.text('summary.md')}\n`);
});

test('a warning fails a strict run, and no other', async () => {
  const { file, close } = await served({ bends: [hidden] });
  const [lenient, strict] = await Promise.all([
    runHere({ TARGET: file }, /rejection-401-403/),
    runHere({ TARGET: file, STRICT: '1' }, /rejection-401-403/),
  ]);
  await close();
  for (const run of [lenient, strict]) {
    expect(run.ids('warn')).toEqual(['auth.rejection-401-403']);
    expect(run.conformance().verdict).not.toBe('non-conformant');
    expect(run.output).toContain('1 warning');
  }
  expect(lenient.status, lenient.output).toBe(0);
  expect(strict.status, strict.output).toBe(1);
  expect(strict.output).toContain('auth.rejection-401-403 (SHOULD');
});

test('an address and a key alone leave a run incomplete, which only REQUIRE_COMPLETE minds', async () => {
  const { reference, accounts, close } = await served();
  const free = await runHere({ BASE_URL: `${reference.baseURL}/`, API_KEY: accounts[0]?.apiKey ?? '' });
  await close();
  const REPLAY = join(free.results, 'evidence.har');
  const required = await runHere({ REPLAY, REQUIRE_COMPLETE: '1' });
  expect(free.status, free.output).toBe(0);
  expect(required.status, required.output).toBe(1);
  expect(required.output).toContain('REQUIRE_COMPLETE');
  expect(free.output).not.toContain('REQUIRE_COMPLETE');
  for (const run of [free, required]) {
    const { verdict, certifiable, clauses, target } = run.conformance();
    expect({ verdict, certifiable }).toEqual({ verdict: 'incomplete', certifiable: false });
    expect(target.accounts).toEqual(['default']);
    expect(run.ids('fail')).toEqual([]);
    const untested = clauses.filter((clause) => clause.verdict === 'not-tested');
    expect(untested.map((clause) => clause.id)).toEqual(
      expect.arrayContaining(['auth.own-settings', 'auth.isolation', 'rate.per-user', 'settings.has-password-stored']),
    );
    for (const { id, reason } of untested) expect(reason, id).toMatch(/declare|RISKY_PROBES|RISKY/i);
    expectAllFiles(run);
  }
  expect(free.conformance().target.baseURL).toBe(reference.baseURL);
});

test('a server that cannot be reached is one message and no verdict', async () => {
  const port = await freePort();
  const runs = await Promise.all([
    runHere({ BASE_URL: `http://127.0.0.1:${port}/api/v2`, API_KEY: 'some-key-1234' }),
    runHere({ BASE_URL: 'https://no-such-host.invalid/api/v2', API_KEY: 'some-key-1234' }),
  ]);
  for (const run of runs) {
    expect(run.status).toBe(2);
    expect(run.output.match(/could not be reached/g), run.output).toHaveLength(1);
    expect(run.output).not.toContain('✘');
    expect(stackLines(run.output)).toEqual([]);
    expect(run.conformance().verdict).toBe('error');
    expect(run.conformance().error).toContain('could not be reached');
    expect(new Set(run.conformance().clauses.map((clause) => clause.verdict))).toEqual(new Set(['not-tested']));
    expectAllFiles(run);
  }
});

test('a trigger that does not work fails the run, and leaves the core its verdict', async () => {
  const { reference, accounts, close } = await served();
  const listen = `127.0.0.1:${await freePort()}`;
  const TARGET = targetFile({
    baseURL: reference.baseURL,
    accounts: accounts.map(({ name, apiKey }) => ({ name, apiKey })),
    notifications: { listen, accounts: [accounts[0]?.name], trigger: 'exit 3', waitSeconds: 0.5 },
  });
  const run = await runHere({ TARGET }, /^settings\.json|^event/);
  const alone = await runHere({ TARGET }, /^event/);
  await close();
  expect(run.status, run.output).toBe(1);
  expect(run.output.replace(/\s+/g, ' ')).toContain('The trigger failed');
  expect(run.conformance().profiles).toEqual({ core: 'pass', event: 'not-tested' });
  expect(run.clause('event.enabled-sent')?.reason).toContain('ended with status 3');
  expect(alone.status, alone.output).toBe(2);
  const error = expect.stringContaining('ended with status 3');
  expect(alone.conformance()).toMatchObject({ verdict: 'error', error });
  expect(alone.output.match(/ended with status 3/g)).toHaveLength(1);
});

test('an interrupted run leaves what it saw, and says that it judged nothing', async () => {
  // One account makes the run long. Its progress message shows that it has begun.
  const { reference, accounts, close } = await served();
  const under = startRun({ environment: { BASE_URL: reference.baseURL, API_KEY: accounts[0]?.apiKey ?? '' } });
  await under.says(' requests; ');
  // As a CI server ends a job; Ctrl-C sends SIGINT.
  under.child.kill('SIGTERM');
  const run = await under.ended;
  await close();
  expect(run.status, run.output).toBe(130);
  const { requests, verdict, error, clauses } = run.conformance();
  expect(requests).toBeGreaterThan(0);
  expect({ verdict, error }).toEqual({
    verdict: 'error',
    error: 'The run was interrupted before its clauses were decided.',
  });
  expect(new Set(clauses.map((clause) => clause.verdict))).toEqual(new Set(['not-tested']));
  expect(run.output).toContain(error);
  expect(stackLines(run.output)).toEqual([]);
  expectAllFiles(run);
});
