import { expect, test } from '@playwright/test';
import { closingTable, fleetTable, folded } from '../../../../src/report/terminal';
import { ALL } from '../../level';
import { failingRun, fleet } from '../../support/report-samples';
import { startRun } from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
for (const width of [40, 80])
  test(`tables and messages fit ${width} columns`, async () => {
    const texts = [closingTable(await failingRun(), 'results', width), fleetTable(await fleet(5), 'results', width)];
    // A word that is longer than the line cannot be broken.
    for (const line of texts.join('\n').split('\n'))
      expect(line.length <= width || line.trim().split(/ +/).length <= 2, line).toBe(true);
    const message = `  ✘ a.clause: ${'words of it '.repeat(20)}\n      came      ${'more words '.repeat(20)}\n      conforms  ${'like this '.repeat(20)}\n      sent      curl -i http://127.0.0.1/${'x'.repeat(99)}`;
    const lines = folded(message, width).split('\n');
    expect(lines.slice(0, -1).every((line) => line.length <= width)).toBe(true);
    expect(lines.slice(1, -1).filter((line) => /^ {16}\S/.test(line)).length).toBeGreaterThan(4);
    expect(lines.at(-1)).toBe(message.split('\n').at(-1));
  });

test('a run whose terminal is closed leaves results', { tag: ALL }, async () => {
  const under = startRun({ arguments: ['-g', '@rate'] });
  await under.says('clauses,');
  for (const stream of [under.child.stdout, under.child.stderr]) stream?.destroy();
  under.child.kill('SIGHUP');
  const run = await under.ended;
  expect(run.status).toBe(130);
  expect(run.text('index.html')).toContain('The run was interrupted');
});
