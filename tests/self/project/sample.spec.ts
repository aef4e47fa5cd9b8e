/** The sample reports can be written, and the table of probes is the one that this code writes. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { PROBES, probesText } from '../../../scripts/probes';
import { samples } from '../../../scripts/sample';
import { catalogue, groups } from '../../../src/catalogue/catalogue';

test('the sample reports hold nothing of the machine', async () => {
  const made = await samples();
  expect(Object.keys(made)).toHaveLength(4);
  expect(made['acme/index.html']).toContain('settings.password-null');
  for (const text of Object.values(made)) expect(text).not.toMatch(/127\.0\.0\.1|\/work\//);
});

test('docs/probes.md is current: `npm run probes` writes the same, and names every group that sends', () => {
  expect(readFileSync(PROBES, 'utf8') === probesText(), 'npm run probes').toBe(true);
  expect(probesText()).toBe(probesText());
  for (const group of groups.filter((each) => Object.keys(catalogue[each].forms).length > 0))
    expect(probesText()).toContain(`| \`${group}\` | \`curl `);
});
