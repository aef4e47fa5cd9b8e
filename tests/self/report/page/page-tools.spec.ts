/** What a reader does with the page: copy, read it without scripts and on a narrow screen. */
import { expect, type Page, test } from '@playwright/test';
import { clauseTexts, observationTexts, rfcAddress, sections as sectionTexts } from '../../../../src/contract/clauses';
import { renderPage } from '../../../../src/report/page/page';
import { closingTable } from '../../../../src/report/terminal';
import { browserOfGroup } from '../../support/browser';
import { errorRun, failingRun, openRun } from '../../support/report-samples';

test.describe('in a browser', () => {
  const browser = browserOfGroup();

  async function shown(html: string, { width = 1280, javaScriptEnabled = true } = {}): Promise<Page> {
    const page = await browser().newPage({ viewport: { width, height: 900 }, javaScriptEnabled });
    await page.setContent(html);
    return page;
  }

  test('without scripts all of it is there, and nothing that cannot work', async () => {
    const page = await shown(renderPage(await failingRun()), { javaScriptEnabled: false });
    await expect(page.locator('button')).toHaveCount(0);
    await page.locator('#clauses .chapter > summary').click();
    await expect(page.locator('.clause').first()).toBeVisible();
    await page.close();
  });

  test('a command is copied by a button', async () => {
    const page = await shown(renderPage(await failingRun()));
    const how = page.locator('.fix').first();
    // The first cause is open.
    const copy = how.locator('.curl + .copy').first();
    await page.evaluate(`document.execCommand = () => { globalThis.copied = document.activeElement.value; }`);
    await copy.click();
    await expect(copy).toHaveText('Copied');
    expect(await page.evaluate('globalThis.copied')).toBe(await how.locator('.curl').first().textContent());
    await page.close();
  });
});

const sections = (html: string) => [...html.matchAll(/<section id="([a-z]+)"/g)].map(([, id]) => id);

test('what to do first comes first: what to fix, else what to declare', async () => {
  expect(sections(renderPage(await failingRun())).slice(0, 2)).toEqual(['changes', 'fix']);
  expect(sections(renderPage(await openRun()))[0]).toBe('untested');
});

test('a part run shows what was selected, and says how to do it again', async () => {
  const input = await failingRun();
  for (const clause of [...input.conformance.clauses, ...input.clauses])
    if (clause.id !== 'settings.password-null')
      Object.assign(clause, { verdict: 'not-tested', untested: 'not-selected', evidence: [] });
  const html = renderPage(input);
  expect(html).toContain(`only 1 of ${clauseTexts.length} clauses was selected.`);
  expect(html).toContain('id="settings.password-null"');
  expect(html).not.toContain('id="auth.accepted"');
  expect(sections(html)).not.toContain('untested');
  expect(html).toContain('npx playwright test -g &#39;settings.password-null &#39;');
});

test('a run that could not be done shows no clauses, and no server is accused in its headings', async () => {
  const html = renderPage(await errorRun());
  expect(sections(html)).toEqual(['evidence']);
  expect(html).not.toContain('class="clause');
  const accused = await failingRun();
  Object.assign(accused.conformance, { verdict: 'error', error: 'No key was accepted.' });
  expect(renderPage(accused)).toContain('If the keys and the address are right</h2>');
  expect(closingTable(accused, null)).not.toContain('What to fix');
});

test('each section that a clause or an observation comes from can be read, here or where the RFC is', async () => {
  for (const { section } of [...clauseTexts, ...observationTexts])
    expect(
      rfcAddress(section) ?? Object.keys(sectionTexts).find((known) => known.startsWith(`${section} `)),
      section,
    ).toBeTruthy();
  expect(rfcAddress('RFC 9110 15.5')).toBe('https://www.rfc-editor.org/rfc/rfc9110#section-15.5');
  const html = renderPage(await failingRun());
  expect(html).toContain('<a href="#section-8">§ 8</a>');
  expect(html).toContain('<span id="section-8">§ 8 Limits</span>');
});

test('page and terminal show since when a clause has failed', async () => {
  const input = { ...(await failingRun()), trends: [{ id: 'auth.altered-key', text: 'failing since 2026-11-20' }] };
  expect(renderPage(input)).toContain('failing since 2026-11-20');
  expect(closingTable(input, 'results')).toMatch(/auth\.altered-key +failing since 2026-11-20/);
});

test('links within the page lead somewhere, those of own tests too', async () => {
  const { conformance, ...input } = await failingRun();
  const own = [{ title: 'mine', verdict: 'fail' as const, reason: 'No.', evidence: [3] }];
  const html = renderPage({ ...input, conformance: { ...conformance, own } });
  expect(html).toContain('<a href="#x3">entry 3</a>');
  for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(`id="${id}"`);
});
