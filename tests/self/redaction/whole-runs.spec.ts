/** Every byte that a run prints or leaves is searched for every secret it was given, in every form it may take. */
import { expect, test } from '@playwright/test';
import type { JSONReport } from '@playwright/test/reporter';
import { editing, put } from '../../../fixtures/faults/tools';
import { embeddedAccounts } from '../../../src/reference/account';
import { ACCOUNTS, leaksOf, SECRETS } from '../support/leaks';
import { runHere } from '../support/run-here';
import { filesBelow, fileWith, served, targetFile, type WholeRun, wholeRun } from '../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const held = embeddedAccounts()
  .slice(0, 2)
  .map((account, i) => ({ ...account, ...ACCOUNTS[i] }));
const TRACED = ['--trace=on', '--reporter=json,html'];

/** The annotations of a clause's test, as Playwright's JSON has them. */
function annotationsIn({ printed }: WholeRun, id: string): object[] {
  const { suites } = JSON.parse(printed) as JSONReport;
  return suites.flatMap(({ specs }) => specs).find(({ title }) => title === id)?.tests[0]?.annotations ?? [];
}

test('no secret is left anywhere, traces and reports included, not even a password that nobody declared', async () => {
  const show = editing((document, { password }) => put(document, 'auth.basic.password', password));
  const [first, second] = await Promise.all([
    served({ accounts: held, target: { headers: { 'X-Staging-Gate': SECRETS.GATE } } }),
    served({ accounts: held, bends: [{ name: 'shown', bend: show }] }),
  ]);
  const [declared, undeclared, embedded] = await Promise.all([
    wholeRun({
      arguments: [...TRACED, '-g', 'auth.a|settings|version'],
      environment: { TARGET: first.file, RISKY_PROBES: '1', PLAYWRIGHT_HTML_OPEN: 'never' },
    }),
    runHere({ BASE_URL: second.reference.baseURL, API_KEY: SECRETS.KEY_PLAIN }, /^(?:auth|settings)/),
    runHere({}, /^(?:auth|settings)/),
  ]);
  await Promise.all([first.close(), second.close()]);
  for (const run of [declared, undeclared]) expect(leaksOf(run, SECRETS)).toEqual([]);
  expect(declared.output + embedded.output).not.toContain('✘');
  expect(undeclared.ids('fail')).toEqual(['settings.password-null']);
  const files = filesBelow(declared.directory);
  expect(files.filter((name) => name.endsWith('trace.zip')).length, files.join('\n')).toBeGreaterThan(0);
  const own = embeddedAccounts().flatMap(({ name, apiKey, password }) => [
    [`KEY_${name}`, apiKey],
    ...(password ? [[`PASSWORD_${name}`, password]] : []),
  ]);
  expect(leaksOf(embedded, Object.fromEntries(own))).toEqual([]);
  expect(files).toContain('part/playwright-report/index.html');
  expect(annotationsIn(declared, 'settings.json')).toMatchObject([
    { type: 'clause' },
    { type: 'MUST, section 4.1 of the API description' },
    { type: 'evidence', description: expect.stringMatching(/^\d+ entries of evidence\.har$/) },
  ]);
});

test('what an earlier run did not know to be secret stands in no result of a later one', async () => {
  const { reference, close } = await served({ accounts: held });
  const environment = { BASE_URL: reference.baseURL, API_KEY: SECRETS.KEY_PLAIN };
  const earlier = (await runHere(environment, /version\.base/)).conformance();
  const target = { ...earlier.target, name: `of ${SECRETS.KEY_PLAIN}`, baseURL: 'https://another.example/v2' };
  const BASELINE = fileWith('conformance.json', JSON.stringify({ ...earlier, target }));
  const later = await runHere({ ...environment, BASELINE }, /version\.base/);
  await close();
  expect(later.output).toContain('The baseline is of another target: of [secret:apiKey:default:part]');
  expect(leaksOf(later, SECRETS)).toEqual([]);
});

test('evidence that holds a key as it is leaves none when it is replayed', async () => {
  const { file, close } = await served({ accounts: held });
  const earlier = await runHere({ TARGET: file }, /^auth\.(?:accepted|missing-key)/);
  await close();
  // A key that no run of this process had before.
  const KEY = 'replayed-key-4711-Xy';
  const REPLAY = fileWith('evidence.har', earlier.text('evidence.har').replaceAll('[secret:apiKey:plain]', KEY));
  const TARGET = targetFile({ baseURL: 'https://a.example/v2', accounts: [{ name: 'plain', apiKey: KEY }] });
  const later = await runHere({ TARGET, REPLAY }, /^auth\.(?:accepted|missing-key)/);
  expect(later.text('evidence.har')).toContain('[secret:apiKey:plain:part]');
  expect(leaksOf(later, { KEY })).toEqual([]);
});
