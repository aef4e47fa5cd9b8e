/** What the terminal shows, of one target and of many; and the template that the page is made of. */
import { expect, test } from '@playwright/test';
import { renderOverview } from '../../../src/report/files';
import { markup } from '../../../src/report/markup';
import { closingTable, fleetTable, targetLine } from '../../../src/report/terminal';
import { conformantRun, failingRun, fleet, openRun } from '../support/report-samples';

test('the terminal says verdict, what to fix by cause and where to look, in this order', async () => {
  const table = closingTable(await failingRun(), 'results');
  const places = [
    'NON-CONFORMANT: Acme',
    'What to fix: 4 causes',
    'From the same cause:',
    'open results/index.html',
    'conform: `Cache-Control`',
    'Not tested',
    'requests in',
  ];
  const found = places.map((text) => table.indexOf(text));
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found).not.toContain(-1);
  expect(closingTable(await openRun(), 'results')).toMatch(
    /Nothing that was tested is broken; \d+ clauses? needs? something declared or switched on/,
  );
  expect(fleetTable(await fleet(3), 'results')).toContain('open results/index.html');
});

test('many clauses with one reason are counted, and not listed', async () => {
  const { conformance, ...input } = await conformantRun();
  const { clauses } = conformance;
  const open = { verdict: 'not-tested', reason: 'There is one reason.', untested: 'unseen' } as const;
  const untested = { ...conformance, clauses: clauses.map((clause) => ({ ...clause, ...open })) };
  const table = closingTable({ ...input, conformance: untested }, 'results');
  expect(table).toMatch(new RegExp(`There is one reason\\. +${clauses.length} clauses\\n`));
  expect(table).not.toContain('auth.missing-key, ');
});

test('a fleet tells the causes of each target, in columns that align', async () => {
  const [target] = await fleet(1);
  if (!target) throw new Error('There is no target.');
  const failed = ['a', 'b', 'c', 'd', 'e'];
  const causes = failed.slice(0, 4).map((id) => ({ headline: `It is ${id}`, clauses: [id] }));
  const broken = { ...target, name: 'short', verdict: 'non-conformant' as const, failed, causes };
  const lines = targetLine(broken, 118, 20).split('\n');
  expect(lines[0]).toMatch(/ {2}5 failed, 4 causes$/);
  expect(lines.slice(1)).toEqual([
    ...['      It is a: a', '      It is b: b', '      It is c: c', '      and 1 other cause'],
  ]);
  expect(lines[0]?.indexOf('5 failed')).toBe(
    targetLine({ ...broken, name: 'x'.repeat(20) }, 118, 20).indexOf('5 failed'),
  );
  const { 'index.html': page, 'summary.md': summary } = renderOverview([broken]);
  expect(page).toContain('It is a: <a href="short/index.html#a">a</a>');
  expect(summary).toContain('It is a: [a](short/index.html#a)<br>It is b:');
});

test('a template of markup escapes text, and its own line breaks are layout', () => {
  const rows = ['<b>', 'a & b'].map((text) => markup`<td>${text}</td>`);
  const row = markup`
    <tr class="${'"x"'}">
      ${rows}
      ${false}${null}${undefined}
    </tr>\n
    <pre>${'\n  kept'}</pre>`;
  expect(row.source).toBe('<tr class="&quot;x&quot;"><td>&lt;b&gt;</td><td>a &amp; b</td></tr>\n<pre>\n  kept</pre>');
});
