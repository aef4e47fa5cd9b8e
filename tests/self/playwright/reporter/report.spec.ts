/** What Playwright's own report shows of a clause. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { JSONReportTest } from '@playwright/test/reporter';
import { masking } from '../../support/bends';
import { filesBelow, served, type WholeRun, wholeRun } from '../../support/whole-runs';

test.describe.configure({ mode: 'default' });
let run: WholeRun;
let accounts: Awaited<ReturnType<typeof served>>['accounts'];

test.beforeAll(async () => {
  const server = await served({ bends: [masking] });
  accounts = server.accounts;
  const choice = ['-g', 'settings.(password-null|json|has-password-stored)', '--reporter=json,html', '--trace=on'];
  run = await wholeRun({ arguments: choice, environment: { TARGET: server.file, PLAYWRIGHT_HTML_OPEN: 'never' } });
  await server.close();
});

/** The result of a clause's test, as Playwright's JSON tells it. */
function testOf(id: string): JSONReportTest {
  const report = JSON.parse(run.printed) as {
    suites: Array<{ specs: Array<{ title: string; tests: JSONReportTest[] }> }>;
  };
  const spec = report.suites.flatMap(({ specs }) => specs).find(({ title }) => title === id);
  const found = spec?.tests[0];
  if (!found) throw new Error(`There is no test ${id}.`);
  return found;
}

test('each clause has readable annotations', () => {
  const { annotations } = testOf('settings.json');
  expect(annotations).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'clause', description: 'settings.json' }),
      expect.objectContaining({
        type: expect.stringContaining('MUST, section 4.1'),
        description: expect.stringContaining('JSON'),
      }),
      expect.objectContaining({ type: 'evidence', description: '4 entries of evidence.har' }),
    ]),
  );
});

test('a report that the command line chooses stands below RESULTS_DIR, and no secret in it or in a trace', () => {
  expect(filesBelow(run.directory)).toContain('part/playwright-report/index.html');
  const all = filesBelow(run.results).map((name) => readFileSync(join(run.results, name), 'latin1'));
  for (const { apiKey } of accounts) expect([run.output, ...all].join('\n')).not.toContain(apiKey);
});
