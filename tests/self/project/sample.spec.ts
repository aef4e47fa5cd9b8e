/** The sample reports that the README leads to, and the table of probes, are those that this code writes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { PROBES, probesText } from '../../../scripts/probes';
import { SAMPLES, samples } from '../../../scripts/sample';
import { catalogue, groups } from '../../../src/catalogue/catalogue';

test('docs/sample is current: `npm run sample` writes the same', async () => {
  const made = await samples();
  expect(Object.keys(made)).toHaveLength(4);
  for (const [path, text] of Object.entries(made)) {
    const file = join(SAMPLES, path);
    const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text;
    expect(isCurrent, `docs/sample/${path} is not what this code writes: npm run sample`).toBe(true);
  }
  expect(made['acme/index.html']).toContain('settings.password-null');
  // Nothing of the machine or the day is in it.
  for (const text of Object.values(made)) expect(text).not.toMatch(/127\.0\.0\.1|\/work\//);
});

test('docs/probes.md is current: `npm run probes` writes the same, and names every group that sends', () => {
  expect(readFileSync(PROBES, 'utf8') === probesText(), 'npm run probes').toBe(true);
  expect(probesText()).toBe(probesText());
  for (const group of groups.filter((each) => Object.keys(catalogue[each].forms).length > 0))
    expect(probesText()).toContain(`| \`${group}\` | \`curl `);
});
