/** Part runs, runs at once and histories, as users start them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import { endServer, listenOn } from '../../../src/common/suite';
import { loadConfiguration } from '../../../src/config/configuration';
import { directoryFor } from '../../../src/playwright/setup/suite-config';
import { startReference } from '../../../src/reference/server';
import { lockResults, Turns } from '../../../src/run/locks';
import { recordingsOf, targetOfReference } from '../../../src/run/recording';
import { counting } from '../support/bends';
import { runHere } from '../support/run-here';
import { rowsOf } from '../support/table';
import { directoryWith, freshDirectory, served, stackLines, wholeRun } from '../support/whole-runs';

test('a part sends what it needs, and leaves the results of the whole run alone', async () => {
  const counter = counting();
  const { file, close, accounts } = await served({ bends: [counter] });
  const results = join(freshDirectory(), 'results');
  const kept = { 'conformance.json': 'of the whole run', 'playwright-report/index.html': 'of the whole run' };
  directoryWith(kept, results);
  const directory = freshDirectory();
  const environment = { TARGET: file, RESULTS_DIR: results, FORCE_COLOR: '1' };
  const run = await wholeRun({ arguments: ['-g', 'settings.json '], directory, environment });
  await close();
  expect(run.status, run.output).toBe(0);
  for (const [name, text] of Object.entries(kept)) expect(readFileSync(join(results, name), 'utf8')).toBe(text);
  expect(run.results).toBe(join(results, 'part'));
  expect(existsSync(join(run.results, 'playwright-report', 'index.html'))).toBe(true);
  expect(readdirSync(directory).filter((name) => name !== '.env')).toEqual([]);
  expect(run.har().log.entries.map((entry) => [entry._probe.split('/')[0], entry._account])).toEqual(
    accounts.map(({ name }) => ['read', name]),
  );
  expect(counter.count).toBe(4);
  const closing = run.output.slice(run.output.indexOf('──'));
  expect(run.output).toContain('\u001b[1m\u001b[32m── PASSED: target ─');
  expect(closing).not.toMatch(/incomplete|certifiable/i);
  expect(closing).toContain(`  open ${join(results, 'part', 'index.html')}\n`);
  expect(run.ids('pass')).toEqual(['settings.json']);
});

test('a part that what the server answered left open could not be done, and one that wants a declaration is fine', async () => {
  const page = createServer(({ headers }, response) => {
    response.writeHead(headers.apikey ? 200 : 401, { 'Content-Type': 'text/html', Connection: 'close' });
    response.end('<!doctype html><title>Log in</title>');
  });
  const baseURL = `http://127.0.0.1:${await listenOn(page)}/api/v2`;
  const { reference, close } = await served();
  const [unseen, undeclared] = await Promise.all([
    runHere({ BASE_URL: baseURL, API_KEY: 'part-key-4711-Aa' }, /^settings\.(?:kinds|as-configured)$/),
    runHere({ BASE_URL: reference.baseURL, API_KEY: reference.accounts[0]?.apiKey ?? '' }, /^settings\.as-configured$/),
  ]);
  await Promise.all([endServer(page), close()]);
  expect([unseen.status, unseen.conformance().verdict], unseen.output).toEqual([2, 'error']);
  expect(unseen.output.replace(/\s+/g, ' ')).toContain(
    'Nothing was judged. No document has what this is about. Fix settings.json first.',
  );
  expect([undeclared.status, undeclared.conformance().error], undeclared.output).toEqual([0, null]);
  expect(undeclared.output).toContain('Declare `settings` of an account in the target file');
});

/** Command lines of runs that failed before any test was loaded, and whether they ask for every clause. */
for (const [words = '', isWhole] of rowsOf(`
  test                                                                        | yes
  test -c playwright.config.ts --reporter list --workers=2 -x --trace on      | yes
  test -c playwright.config.ts rate                                           | no
  test -x tests/rate.spec.ts                                                  | no
  test -g settings.json                                                       | no
  test -grate                                                                 | no
  test --grep=@must                                                           | no
  test --project acme                                                         | no
  test --last-failed                                                          | no
  test --ui                                                                   | no
  test-server -c playwright.config.ts                                         | no
`))
  test(`where a run fails before its tests are loaded, \`${words}\` is the whole: ${isWhole}`, () => {
    const directory = isWhole === 'yes' ? 'results' : join('results', 'part');
    expect(directoryFor(null, 'results', words.split(' '))).toBe(directory);
  });

test('a pattern that matches nothing sends nothing', async () => {
  const counter = counting();
  const { file, close } = await served({ bends: [counter] });
  const run = await wholeRun({ arguments: ['-g', 'settings.pasword-null'], environment: { TARGET: file } });
  await close();
  expect([run.status, counter.count], run.output).toEqual([2, 0]);
  expect(stackLines(run.output)).toEqual([]);
  expect(run.output).toContain('No tests found');
});

test('a run lasts until the last answer to a test of one’s own, and says so where it took too long', async () => {
  const reference = await startReference();
  const variables = {};
  const configuration = { ...loadConfiguration(variables), riskyProbes: false };
  for (const fleet of [undefined, new Turns()]) {
    const target = { ...targetOfReference(reference), embedded: false };
    const run = recordingsOf(target, configuration, fleet)(['version.base']);
    const planned = await run.recorded();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const url = `${target.baseURL}/webhooks`;
    await run.send({ probe: probe('own', { form: 'mine' }), account: null, path: url }, () => true);
    const { evidence, durationMs } = run.sofar();
    const [first, last] = [evidence.exchanges[0], evidence.exchanges.at(-1)];
    expect(durationMs).toBeGreaterThanOrEqual(planned.durationMs + 250);
    expect(durationMs).toBeGreaterThanOrEqual((last?.receivedAtMs ?? 0) - (first?.sentAtMs ?? 0) - 1);
  }
  const short = targetOfReference(reference);
  const { notes } = await recordingsOf(
    { ...short, limits: { ...short.limits, runSeconds: 0 } },
    configuration,
  )(['version.base']).recorded();
  expect(notes).toEqual([expect.stringMatching(/^The run took longer than 0 s .*, so nothing more was sent/)]);
  await reference.close();
});

test('a lock of a process that is gone is nobody’s, and that of another run is respected', async () => {
  const results = freshDirectory();
  mkdirSync(join(results, '.running'));
  utimesSync(join(results, '.running'), 1, 1);
  const release = await lockResults(results);
  await expect(lockResults(results)).rejects.toThrow(`Another run writes to ${results}: set RESULTS_DIR`);
  await release();
});

test('a history keeps whole, judged runs', async () => {
  const history = join(freshDirectory(), 'history');
  const part = await runHere({ HISTORY: history }, /^settings\.json/);
  expect(existsSync(history) ? readdirSync(history) : []).toEqual([]);
  const judged = await runHere({ REPLAY: join(part.results, 'evidence.har'), HISTORY: history });
  expect(judged.conformance().verdict).toBe('incomplete');
  expect(readdirSync(history)).toHaveLength(1);
});
