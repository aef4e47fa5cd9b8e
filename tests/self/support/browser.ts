/** A Chromium of the system, for what only a browser can tell of a page. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page, test } from '@playwright/test';
import { source as axeSource } from 'axe-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/** Starts a browser for the tests of a group, which are skipped where there is none. @returns what gives it to a test */
export function browserOfGroup(): () => Browser {
  test.skip(!CHROMIUM, 'needs a Chromium: apt-get install chromium');
  let browser: Browser;
  test.beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ARGUMENTS });
  });
  test.afterAll(() => browser?.close());
  return () => browser;
}

/** What axe finds wrong with a page, with some of the places. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(`axe.run().then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')))`);
}
