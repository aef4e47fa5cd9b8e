/** What Playwright's own report shows of a clause: words and steps. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { JSONReportTest } from '@playwright/test/reporter';
import { fromHar } from '../../../../src/evidence/har/read';
import type { Judgement } from '../../../../src/judge/verdict';
import { stepsOf } from '../../../../src/playwright/service';
import { judgementsOf } from '../../../../src/profiles/rules';
import { masking } from '../../support/bends';
import { breach } from '../../support/evidence-of';
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

const judgementOf = (id: string): { judgement: Judgement; evidence: ReturnType<typeof fromHar>['evidence'] } => {
  const { evidence } = fromHar(Buffer.from(run.text('evidence.har')), 'evidence.har');
  const judgement = judgementsOf([id], evidence, '2026-11-21').get(id);
  if (!judgement) throw new Error(`${id} was not judged.`);
  return { judgement, evidence };
};

test('each clause has readable annotations and a step for each exchange', () => {
  const { annotations, results } = testOf('settings.json');
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
  const steps = results[0]?.steps?.map(({ title }) => title) ?? [];
  expect(steps).toHaveLength(4);
  expect(steps[0]).toMatch(/^entry 0: GET http:\/\/\S+\/webhooks as with-password → 200 \(\d+ ms\)$/);
});

test('what broke a clause comes first, and no more than twenty exchanges have a step', () => {
  const { judgement, evidence } = judgementOf('settings.password-null');
  const [exchange] = evidence.exchanges;
  if (!exchange) throw new Error('Nothing was recorded.');
  const many = Array.from({ length: 30 }, (_, index) => ({ ...exchange, index }));
  const breaches = [breach('header', 'Retry-After', '1.5', many[25] ?? exchange)];
  const steps = stepsOf(
    { ...judgement, breaches, evidence: many.map(({ index }) => index) },
    { ...evidence, exchanges: many },
  );
  expect(steps).toHaveLength(21);
  expect(steps[0]).toContain('entry 25');
  expect(steps.at(-1)).toBe('10 more, in evidence.har');
});

test('no secret stands in report or trace', () => {
  const all = filesBelow(run.results).map((name) => readFileSync(join(run.results, name), 'latin1'));
  for (const { apiKey } of accounts) expect([run.output, ...all].join('\n')).not.toContain(apiKey);
});
