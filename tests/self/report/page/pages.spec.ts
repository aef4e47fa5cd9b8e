/** The page in a browser: read, printed, copied from, on a narrow screen, without scripts, and of a hostile server. */

import { existsSync } from 'node:fs';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import { source as axeSource } from 'axe-core';
import { clauseTexts } from '../../../../src/contract/clauses';
import { renderOverview } from '../../../../src/report/files';
import { renderPage } from '../../../../src/report/page/page';
import { closingTable } from '../../../../src/report/terminal';
import { tagsOf } from '../../level';
import { hostileFleet, hostileRun } from '../../support/hostile-run';
import { conformantRun, errorRun, failingRun, fleet, openRun } from '../../support/report-samples';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/** What axe finds wrong with a page, with some of the places. */
async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(`axe.run().then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')))`);
}

const PAGES: Record<string, () => Promise<string>> = {
  'a conformant run': async () => renderPage(await conformantRun()),
  'a failing run': async () => renderPage(await failingRun()),
  'a run that could not be done': async () => renderPage(await errorRun()),
  'a run with notifications': async () => renderPage(await openRun()),
  'a hostile server': async () => renderPage(await hostileRun()),
  'many targets': async () => renderOverview(await fleet())['index.html'],
};

test.describe('page', () => {
  test.skip(!CHROMIUM, 'needs a Chromium: apt-get install chromium');
  let browser: Browser;
  test.beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ARGUMENTS });
  });
  test.afterAll(() => browser?.close());
  test.afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

  async function show(
    html: string,
    { width = 1280, dark = false, hash = '', javaScriptEnabled = true } = {},
  ): Promise<Page & { asked: string[] }> {
    const colorScheme = dark ? 'dark' : 'light';
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => asked.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => asked.push(`error: ${error.message}`));
    await page.route('**', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }));
    await page.goto(`http://report.example/${hash}`);
    return Object.assign(page, { asked });
  }

  const openAll = (page: Page) =>
    page.evaluate(`document.querySelectorAll('details').forEach((details) => { details.open = true })`);

  const names = Object.keys(PAGES);
  const axeTags = tagsOf(
    names.flatMap((name) => [`${name} dark`, `${name} light`]),
    2,
  );
  const widthTags = tagsOf(
    names.flatMap((name) => [`${name} 400`, `${name} 768`]),
    2,
  );
  const policyTags = tagsOf(names, 1);
  for (const [name, render] of Object.entries(PAGES)) {
    for (const look of ['light', 'dark']) {
      test(`${name}: axe finds no violation, ${look}`, { tag: axeTags(`${name} ${look}`) }, async () => {
        test.slow();
        const page = await show(await render(), { dark: look === 'dark' });
        const opened = ['.clause.is-fail', '.clause.is-pass', '.fix', '.x'].map(
          (selector) =>
            `[...document.querySelectorAll('details${selector}')].slice(0, 2).forEach((details) => { details.open = true })`,
        );
        for (const prepare of ['0', opened.join(';')]) {
          await page.evaluate(prepare);
          expect(await violationsIn(page)).toEqual([]);
        }
      });
    }

    test(`${name}: asks for nothing but itself and breaks no rule of its own policy`, {
      tag: policyTags(name),
    }, async () => {
      const page = await show(await render());
      await openAll(page);
      await page.waitForTimeout(100);
      expect(page.asked).toEqual(['http://report.example/']);
    });

    for (const width of [400, 768]) {
      test(`${name}: is not wider than ${width} px`, { tag: widthTags(`${name} ${width}`) }, async () => {
        const page = await show(await render(), { width });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await openAll(page);
        await page.waitForTimeout(50);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      });
    }
  }

  test('says the verdict, the target and what to fix at the top', async () => {
    const page = await show(renderPage(await failingRun()));
    await expect(page).toHaveTitle('Non-conformant: Acme Assessments 4.2');
    const header = page.locator('header');
    await expect(header).toContainText('6 clauses of the contract are broken.');
    await expect(header).toContainText(
      'Core profile (all areas but notifications) failed, event profile (notifications) not tested. Cannot be certified: clauses are broken.',
    );
    await expect(header.locator('.figures')).toContainText(/\d+ passed; \d+ requests in/);
    await expect(page.locator('#fix .fix').first()).toContainText('auth.altered-key');
    await expect(page.locator('#fix .fix .how').first()).toBeVisible();
    await expect(page.locator('#fix .fix').nth(1).locator('.how')).toBeHidden();
    await expect(page.locator('#fix .fix').first()).toContainText('Would conform: a 4xx status for every alteration');
    await expect(page.locator('#untested')).toContainText('Declare notifications');
    await expect(page.locator('#changes')).toContainText('gone');
    await expect(page.locator('#changes a')).toContainText(['settings.password-null', 'rate.keyless-free']);
    await expect(page.locator('footer')).toContainText('TARGET=acme.yaml RISKY_PROBES=1 npx playwright test');
    await expect(page.locator('.clause')).toHaveCount(clauseTexts.length);
  });

  test('a key opens a clause, which leads to the exchanges that decided it', async () => {
    const page = await show(renderPage(await failingRun()), { hash: '#clauses' });
    await page.evaluate(
      `document.getElementById('clauses-title').setAttribute('tabindex', '-1'), document.getElementById('clauses-title').focus()`,
    );
    const isThere = `document.activeElement.parentElement.id === 'auth.altered-key'`;
    for (let i = 0; i < 20 && !(await page.evaluate(isThere)); i += 1) await page.keyboard.press('Tab');
    expect(await page.evaluate(isThere)).toBe(true);
    const clause = page.locator('[id="auth.altered-key"]');
    await page.keyboard.press('Enter');
    await clause.locator('.refs a').first().click();
    const exchange = page.locator('.x[open] .exchange');
    await expect(exchange).toBeVisible();
    await expect(exchange.locator('.curl')).toContainText(
      /-H "apiKey: \$\(printf %s "\$API_KEY_WITH_PASSWORD" \| sed /,
    );
    await expect(exchange).toContainText('200');
  });

  test('holds each exchange once, and a long body only in part', async () => {
    const input = await failingRun();
    const html = renderPage(input);
    const page = await show(html);
    await expect(page.locator('.x')).toHaveCount(input.evidence.exchanges.length);
    expect(
      await page.evaluate(
        `new Set([...document.querySelectorAll('[id]')].map(({ id }) => id)).size === document.querySelectorAll('[id]').length`,
      ),
    ).toBe(true);
    const long = input.evidence.exchanges.find((x) => (x.response?.body.length ?? 0) > 5000);
    await expect(page.locator(`#x${long?.index}`)).toContainText(
      'The first 2048 of 10837 characters. evidence.har has them all.',
    );
    expect(html.length).toBeLessThan(400_000);
    const clause = page.locator('[id="rate.refusal-429"]');
    await expect(clause.locator('.refs a')).toHaveCount(5);
    await expect(clause.locator('.refs')).toContainText('and 65 more');
  });

  test('what a server sends stays text', async () => {
    const overview = renderOverview(await hostileFleet());
    for (const html of [renderPage(await hostileRun()), overview['index.html']]) {
      const page = await show(html);
      await openAll(page);
      await page.waitForTimeout(50);
      const found =
        await page.evaluate(`({ owned: globalThis.owned, scripts: document.scripts.length, styles: document.querySelectorAll('style').length,
        images: document.images.length, handlers: [...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))).length, inline: document.querySelectorAll('[style]').length,
        abroad: [...document.querySelectorAll('[href], [src]')].map((element) => element.getAttribute('href') ?? element.getAttribute('src')).filter((to) => /^[a-z]+:(?!,)/i.test(to)) })`);
      expect(found).toEqual({ owned: undefined, scripts: 1, styles: 1, images: 0, handlers: 0, inline: 0, abroad: [] });
      expect(await page.locator('body').textContent()).toContain('<script>globalThis.owned = 1</script>');
      expect(await page.evaluate(`/[\\u0000-\\u0008\\u000b-\\u001f\\u202e]/.test(document.body.textContent)`)).toBe(
        false,
      );
    }
  });

  test('prints what broke each clause, opened, and no evidence', async () => {
    const page = await show(renderPage(await failingRun()));
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('nav')).toBeHidden();
    await expect(page.locator('#evidence')).toBeHidden();
    const folded = page.locator('.fix:not([open]) .how').first();
    expect((await folded.boundingBox())?.height).toBeGreaterThan(100);
    expect(await page.evaluate(`document.querySelector('.fix:not([open]) .how').checkVisibility()`)).toBe(true);
  });

  test('without scripts all of it is there, and nothing that cannot work', async () => {
    const page = await show(renderPage(await failingRun()), { javaScriptEnabled: false });
    await expect(page.locator('button')).toHaveCount(0);
    await page.locator('#clauses .chapter > summary').click();
    await expect(page.locator('.clause').first()).toBeVisible();
  });

  test('a command is copied by a button', async () => {
    const page = await show(renderPage(await failingRun()));
    // The first cause is open.
    const how = page.locator('.fix').first();
    const copy = how.locator('.curl + .copy').first();
    await expect(how).toContainText(/To paste it, set API_KEY_WITH_PASSWORD to the key of with-password first/);
    await page.evaluate(`document.execCommand = () => { globalThis.copied = document.activeElement.value; }`);
    await copy.click();
    await expect(copy).toHaveText('Copied');
    expect(await page.evaluate('globalThis.copied')).toBe(await how.locator('.curl').first().textContent());
  });

  test('the overview leads to each report and puts the most broken first', async () => {
    const html = renderOverview(await fleet())['index.html'];
    const page = await show(html);
    const first = page.locator('#targets tbody tr').first();
    await expect(first.locator('th a')).toHaveAttribute('href', 'delta-production/index.html');
    await expect(first.locator('td a').first()).toHaveAttribute('href', /^delta-production\/index\.html#[a-z.-]+$/);
    const failed: number[] = await page.evaluate(
      `[...document.querySelectorAll('#targets tbody tr')].map((row) => row.querySelectorAll('td a').length)`,
    );
    expect(failed[0]).toBeGreaterThan(0);
    expect(failed).toEqual([...failed].sort((a, b) => b - a));
    await expect(page.locator('#targets')).toContainText('did not finish');
  });
});

const sections = (html: string) => [...html.matchAll(/<section id="([a-z]+)"/g)].map(([, id]) => id);

test('what to do first comes first: what to fix, else what to declare', async () => {
  expect(sections(renderPage(await failingRun())).slice(0, 2)).toEqual(['changes', 'fix']);
  expect(sections(renderPage(await openRun()))[0]).toBe('untested');
});

test('a part run shows what was selected, and says how to do it again', async () => {
  const input = await failingRun();
  for (const clause of input.conformance.clauses)
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
