import { expect, test } from '@playwright/test';
import { clauseTexts } from '../../../../src/contract/clauses';
import { renderFleetJUnit, renderJUnit } from '../../../../src/report/ci/junit';
import { renderSummary } from '../../../../src/report/ci/markdown';
import { renderBadge, renderOverview } from '../../../../src/report/files';
import { fleetTargetOf } from '../../../../src/report/words';
import { hostileFleet, hostileRun } from '../../support/hostile-run';
import { conformantRun, errorRun, failingRun, fleet } from '../../support/report-samples';
import { elementsIn } from '../../support/xml';

test('junit.xml has a suite for each area, a case for each clause, and counts that agree', async () => {
  const elements = elementsIn(renderJUnit(await failingRun()));
  const named = (name: string) => elements.filter((element) => element.name === name);
  const areas = new Set(clauseTexts.map(({ area }) => area));
  expect(named('testsuite').map(({ attributes }) => attributes.name)).toEqual([...areas]);
  expect(named('testcase').map(({ attributes }) => attributes.name)).toEqual(clauseTexts.map(({ id }) => id));
  expect(named('testcase')[0]?.attributes).toMatchObject({ classname: 'auth' });
  expect(named('testsuites')[0]?.attributes).toMatchObject({
    tests: `${clauseTexts.length}`,
    failures: '6',
    errors: '0',
    skipped: '9',
  });
  expect(named('failure')).toHaveLength(6);
  expect(named('failure')[0]?.attributes.message).toMatch(
    /^200 with the settings to the key of with-password with its last character dropped/,
  );
  expect(named('failure')[0]?.text).toContain('Would conform: a 4xx status');
  expect(named('failure')[0]?.text).toContain('Again: curl -i');
  expect(named('skipped')[0]?.attributes.message).toContain('fix rate.enforced first');
  expect(named('system-out').map(({ text }) => text.split(':')[0])).toEqual(['warn', 'waived']);
});

test('junit.xml tells a run that could not be done as an error, once', async () => {
  for (const text of [renderJUnit(await errorRun()), renderFleetJUnit([fleetTargetOf('down', await errorRun())])])
    expect(text.match(/could not be reached/g)).toHaveLength(2);
  const elements = elementsIn(renderJUnit(await errorRun()));
  expect(elements.find(({ name }) => name === 'skipped')?.attributes.message).toBe('The run could not be done.');
  expect(elements[0]?.attributes).toMatchObject({ errors: '1', failures: '0' });
  expect(elements.find(({ name }) => name === 'error')?.text).toContain('could not be reached');
});

test('junit.xml is well-formed whatever a server sends, and for many targets', async () => {
  const failure = elementsIn(renderJUnit(await hostileRun())).find(({ name }) => name === 'failure');
  expect(failure?.text).toContain('<script>globalThis.owned = 1</script>');
  const suites = elementsIn(renderOverview(await fleet())['junit.xml']).filter(({ name }) => name === 'testsuite');
  expect(suites).toHaveLength(24);
  expect(suites.map(({ attributes }) => attributes.errors).filter((errors) => errors === '1')).toHaveLength(2);
});

/** Cells of each table row, the escaped bars being text. */
const rowsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

test('summary.md tells verdict, figures, what to fix, what changed and what was not tested', async () => {
  const markdown = renderSummary(await failingRun());
  expect(markdown).toMatch(/^## ✕ Non-conformant: Acme Assessments 4\.2\n/);
  expect(markdown).toMatch(
    /6 failed, 1 warning, 1 waived, 8 not tested, \d+ passed; \d+ requests in [\d.]+ s, [\d.]+ s of it waiting for the rate limit\./,
  );
  expect(rowsOf(markdown)).toContainEqual([
    '<code>rate.enforced</code>',
    expect.stringMatching(/^with-password: 2 .*\. From the same cause: <code>rate\.enforced-concurrent<\/code>$/),
  ]);
  expect(rowsOf(markdown)).toContainEqual(['<code>settings.password-null</code>', '✓ passed → ✕ failed']);
  expect(rowsOf(markdown)).toContainEqual(['<code>rate.keyless-free</code>', 'new → ✓ passed']);
  expect(rowsOf(markdown)).toContainEqual(['<code>rate.keyless-charged</code>', '✓ passed → gone']);
  expect(rowsOf(markdown)).toContainEqual([
    expect.stringContaining('fix rate.enforced first'),
    '<code>rate.no-bypass</code>',
  ]);
  expect(renderSummary(await conformantRun())).toContain('This run can be certified.');
  const undone = await errorRun();
  expect(renderSummary(undone)).toContain('could not be reached');
  // Of a target file that cannot be read, nothing is known.
  undone.conformance.target.baseURL = '';
  expect(renderSummary(undone)).toMatch(/^## ! Error\n/);
  expect(renderSummary(undone)).not.toContain('<code></code>');
  expect(renderOverview([fleetTargetOf('typo', undone)])['summary.md']).not.toContain('<code></code>');
});

test('summary.md keeps its shape whatever a server sends', async () => {
  const overview = renderOverview(await hostileFleet());
  for (const markdown of [renderSummary(await hostileRun()), overview['summary.md']]) {
    const tables = markdown
      .split(/\n\n/)
      .map(rowsOf)
      .filter((rows) => rows.length > 0);
    expect(tables.length).toBeGreaterThan(0);
    for (const [head, ...rows] of tables) for (const row of rows) expect(row).toHaveLength(head?.length ?? 0);
    const tags = new Set([...markdown.matchAll(/<[^>]*>/g)].map(([tag]) => tag));
    expect([...tags].filter((tag) => !/^<\/?(?:code|br|sub)>$/.test(tag))).toEqual([]);
    const live = markdown
      .replace(/\\[\\`*_[\]|~#$]/g, '')
      .replace(/^#{2,3} /gm, '')
      .replace(/\[[^\]]*\]\(\S+\/index\.html(?:#[a-z.0-9-]+)?\)/g, '');
    expect(live.match(/[`*~[\]]|(?<!&)#|@\w|https?:\/\//g)).toBe(null);
  }
});

test('badge.svg is well-formed, has a title and asks for nothing', async () => {
  const elements = elementsIn(renderBadge((await failingRun()).conformance));
  const title = elements.find((element) => element.name === 'title');
  expect(title?.text).toMatch(/^API conformance: (?:conformant|non-conformant|incomplete|error)$/);
  expect(elements[0]?.attributes).toMatchObject({ role: 'img', 'aria-labelledby': title?.attributes.id });
  const addresses = elements
    .flatMap(({ attributes }) => Object.entries(attributes))
    .filter(([key, value]) => key !== 'xmlns' && /:\/\/|href/.test(`${key}${value}`));
  expect(addresses).toEqual([]);
});
