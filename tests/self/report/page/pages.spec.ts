/** The results people read: the page in a real browser, the other forms by strict parsers. */

import { execFileSync } from 'node:child_process';
import { expect, type Page, test } from '@playwright/test';
import { clauseTexts, textOf } from '../../../../src/contract/clauses';
import type { Exchange, RecordedRequest } from '../../../../src/evidence/model';
import { judgementOf } from '../../../../src/judge/verdict';
import { curlOf, variableOf } from '../../../../src/report/breach/curl';
import { messageOf } from '../../../../src/report/breach/message';
import { BADGE_COLOUR, renderBadge } from '../../../../src/report/ci/badge';
import { renderJUnit } from '../../../../src/report/ci/junit';
import { renderSummary } from '../../../../src/report/ci/summary';
import { markup } from '../../../../src/report/markup';
import type { ReportInput } from '../../../../src/report/model';
import { renderOverview } from '../../../../src/report/overview';
import { renderPage } from '../../../../src/report/page/page';
import { browserOfGroup, violationsIn } from '../../support/browser';
import { breach } from '../../support/evidence-of';
import { conformantRun, errorRun, eventRun, failingRun, fleet, respond } from '../../support/report-samples';
import { elementsIn } from '../../support/xml';

/** Markup, scripts, styles, XML, Markdown, control characters and a long word, as a server might send them. */
const NASTY =
  '</script></style></pre></title>]]><script>globalThis.owned = 1</script><img src=https://evil.example/x onerror=globalThis.owned=1>' +
  '<style>main { display: none }</style><svg onload=globalThis.owned=1> \' " & &lt; | `code` ``` \\ *b* _i_ [l](javascript:owned) ~s~ @octocat\r\n\r\n' +
  `# heading\u0000\u0007\u001b[2J\u202e\ud800 \ufffe [secret:apiKey:" onmouseover="globalThis.owned=1] ${'x'.repeat(600)}`;

function hostileRun(): ReportInput {
  const input = failingRun();
  const { conformance, evidence } = input;
  const spoil = (x: Exchange): Exchange => ({
    ...x,
    probe: { ...x.probe, account: `${x.probe.account}${NASTY}` },
    request: { ...x.request, url: `${x.request.url}?${NASTY}`, headers: [...x.request.headers, ['Cookie', NASTY]] },
    response:
      x.index % 2
        ? respond(
            200,
            NASTY,
            [
              ['X-RateLimit-Remaining', NASTY],
              [NASTY, NASTY],
            ],
            NASTY,
          )
        : null,
    fault: x.index % 3 ? { kind: 'malformed', message: NASTY } : x.fault,
  });
  evidence.exchanges = evidence.exchanges.map(spoil);
  conformance.target.name = NASTY;
  conformance.target.accounts = [NASTY, `[secret:apiKey:${NASTY}]`];
  conformance.changes = [{ id: `observations.${NASTY}`, from: NASTY, to: [NASTY] }];
  conformance.observations = { 'rejection.status': [NASTY], [NASTY]: [{ [NASTY]: NASTY }] };
  for (const clause of conformance.clauses) clause.reason = NASTY;
  return { ...input, notes: [NASTY] };
}

const PAGES: Record<string, () => string> = {
  'a conformant run': () => renderPage(conformantRun()),
  'a failing run': () => renderPage(failingRun()),
  'a run that could not be done': () => renderPage(errorRun()),
  'a run with notifications': () => renderPage(eventRun()),
  'a hostile server': () => renderPage(hostileRun()),
  'many targets': () => renderOverview(fleet()).page,
};

test.describe('page', () => {
  const browser = browserOfGroup();

  async function show(
    html: string,
    { width = 1280, dark = false, hash = '' } = {},
  ): Promise<Page & { asked: string[] }> {
    const colorScheme = dark ? 'dark' : 'light';
    const page = await browser().newPage({ viewport: { width, height: 900 }, colorScheme });
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

  for (const [name, render] of Object.entries(PAGES)) {
    for (const dark of [false, true]) {
      test(`${name}: axe finds no violation, ${dark ? 'dark' : 'light'}`, async () => {
        test.slow();
        const page = await show(render(), { dark });
        const opened = ['.clause.is-fail', '.clause.is-pass', '.fix', '.x.telling'].map(
          (selector) =>
            `[...document.querySelectorAll('details${selector}')].slice(0, 2).forEach((details) => { details.open = true })`,
        );
        for (const prepare of ['0', opened.join(';')]) {
          await page.evaluate(prepare);
          expect(await violationsIn(page)).toEqual([]);
        }
        await page.close();
      });
    }

    test(`${name}: asks for nothing but itself and breaks no rule of its own policy`, async () => {
      const page = await show(render());
      await openAll(page);
      await page.waitForTimeout(100);
      expect(page.asked).toEqual(['http://report.example/']);
      await page.close();
    });

    for (const width of [400, 768]) {
      test(`${name}: is not wider than ${width} px`, async () => {
        const page = await show(render(), { width });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await openAll(page);
        await page.waitForTimeout(50);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await page.close();
      });
    }
  }

  test('says the verdict, the target and what to fix at the top', async () => {
    const page = await show(renderPage(failingRun()));
    await expect(page).toHaveTitle('Non-conformant: Acme Assessments 4.2');
    const header = page.locator('header');
    await expect(header).toContainText('6 clauses of the contract are broken.');
    await expect(header).toContainText(
      'Cannot be certified: clauses are broken; waived: rate.refusal-429; not tested: auth.key-in-url',
    );
    await expect(header.locator('.figures')).toContainText(/53\s*passed|passed\s*53/);
    await expect(page.locator('#fix .fix').first()).toContainText('auth.altered-key');
    await expect(page.locator('#fix .fix').first()).toContainText('Would conform: a 4xx status for every alteration');
    await expect(page.locator('#untested')).toContainText('Set RISKY_PROBES=1');
    await expect(page.locator('#changes')).toContainText('gone');
    await expect(page.locator('#changes a')).toHaveText([
      'settings.password-null',
      'settings.no-extra',
      'rate.keyless-free',
    ]);
    await expect(page.locator('footer')).toContainText('TARGET=acme.yaml npx playwright test');
    await expect(page.locator('.clause')).toHaveCount(clauseTexts.length);
    await page.close();
  });

  test('a key opens a clause and shows the exchanges that decided it', async () => {
    const page = await show(renderPage(failingRun()));
    await page.evaluate(
      `document.getElementById('clauses-title').setAttribute('tabindex', '-1'), document.getElementById('clauses-title').focus()`,
    );
    const isThere = `document.activeElement.parentElement.id === 'auth.altered-key'`;
    for (let i = 0; i < 20 && !(await page.evaluate(isThere)); i += 1) await page.keyboard.press('Tab');
    expect(await page.evaluate(isThere)).toBe(true);
    const clause = page.locator('[id="auth.altered-key"]');
    await expect(clause.locator('.exchange')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(clause.locator('.exchange')).toBeVisible();
    await expect(clause.locator('.curl')).toContainText('-H "apiKey: $API_KEY_WITHOUT_PASSWORD_HALF"');
    await expect(clause.locator('.sides')).toContainText('200 OK');
    await expect(clause.locator('.pill').last()).toHaveText('apiKey without-password half');
    await page.close();
  });

  test('a link to an exchange, or its mark in the drawing, opens it', async () => {
    const page = await show(renderPage(failingRun()), { hash: '#x17' });
    await expect(page.locator('#x17 .exchange')).toBeVisible();
    await expect(page.locator('#x30 .exchange')).toBeHidden();
    await page.locator('.run [data-entry=x30]').click();
    await expect(page.locator('#x30 .exchange')).toBeVisible();
    await page.close();
  });

  test('holds each exchange once, and a long body only in part', async () => {
    const input = failingRun();
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
      'The first 2048 of 10837 characters; evidence.har holds them all.',
    );
    expect(html.length).toBeLessThan(400_000);
    const clause = page.locator('[id="rate.enforced"]');
    await expect(clause.locator('.refs li')).toHaveCount(30);
    await expect(clause.locator('.more')).toHaveText('6 more are in the evidence.');
    await page.close();
  });

  test('draws every request and every notification, and lists the same in the evidence', async () => {
    const input = eventRun();
    const page = await show(renderPage(input));
    const count = input.evidence.exchanges.length + input.evidence.deliveries.length;
    await expect(page.locator('.run [data-entry]')).toHaveCount(count);
    const undrawn = `[...document.querySelectorAll('use')].filter((use) => !document.querySelector(use.getAttribute('href'))).length`;
    expect(await page.evaluate(undrawn)).toBe(0);
    await expect(page.locator('.evidence .x')).toHaveCount(count);
    const failing = await show(renderPage(failingRun()));
    // Four of ten at one moment: on top of one another above the line, six below it.
    const heights = await failing.evaluate<number[]>(`[...document.querySelectorAll('.run g')]
      .filter(({ dataset }) => +dataset.entry.slice(1) >= 31 && +dataset.entry.slice(1) <= 40)
      .map((mark) => +mark.querySelector('use').getAttribute('y'))`);
    const base = Number(await failing.locator('.run .base').first().getAttribute('y1'));
    expect(heights.filter((y) => y < base)).toHaveLength(4);
    expect(new Set(heights).size).toBe(10);
    await page.close();
    await failing.close();
  });

  test('what a server sends stays text', async () => {
    for (const html of [
      renderPage(hostileRun()),
      renderOverview(fleet(12).map((target) => ({ ...target, name: NASTY.replace('\ud800', '') }))).page,
    ]) {
      const page = await show(html);
      await openAll(page);
      await page.waitForTimeout(50);
      const found =
        await page.evaluate(`({ owned: globalThis.owned, scripts: document.scripts.length, styles: document.querySelectorAll('style').length,
        images: document.images.length, handlers: [...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))).length, inline: document.querySelectorAll('[style]').length,
        abroad: [...document.querySelectorAll('[href], [src]')].map((element) => element.getAttribute('href') ?? element.getAttribute('src')).filter((to) => /^[a-z]+:(?!,)/i.test(to) && !to.startsWith('https://www.rfc-editor.org/rfc/rfc')) })`);
      expect(found).toEqual({ owned: undefined, scripts: 1, styles: 1, images: 0, handlers: 0, inline: 0, abroad: [] });
      expect(await page.locator('body').textContent()).toContain('<script>globalThis.owned = 1</script>');
      expect(await page.evaluate(`/[\\u0000-\\u0008\\u000b-\\u001f\\u202e]/.test(document.body.textContent)`)).toBe(
        false,
      );
      await page.close();
    }
  });

  test('prints what decided the broken clauses, opened, and not the rest', async () => {
    const page = await show(renderPage(failingRun()));
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('nav')).toBeHidden();
    await expect(page.locator('#x17')).toBeVisible();
    const box = await page.locator('#x17 .exchange').boundingBox();
    expect(box?.height).toBeGreaterThan(100);
    expect(await page.evaluate(`document.querySelector('#x17 .exchange').checkVisibility()`)).toBe(true);
    await expect(page.locator('#x5')).toBeHidden();
    await page.close();
  });

  test('the figures stand in rows of four where a page is narrow', async () => {
    for (const [html, rows] of [
      [renderPage(failingRun()), [4, 4]],
      [renderOverview(fleet()).page, [4]],
    ] as const) {
      const page = await show(html, { width: 375 });
      const tops: number[] = await page.evaluate(
        `[...document.querySelectorAll('.figures > div')].map((one) => Math.round(one.getBoundingClientRect().top))`,
      );
      expect([...new Set(tops)].map((top) => tops.filter((other) => other === top).length)).toEqual(rows);
      await page.close();
    }
  });

  test('the overview leads to each report and puts the most broken first', async () => {
    const { page: html } = renderOverview(fleet());
    const page = await show(html);
    const first = page.locator('.matrix tbody tr').first();
    await expect(first.locator('th a')).toHaveAttribute('href', 'fjord-staging-17/index.html');
    await expect(first.locator('.is-fail a').first()).toHaveAttribute(
      'href',
      /^fjord-staging-17\/index\.html#[a-z.-]+$/,
    );
    const failed = (await page.locator('.matrix tbody td:nth-child(3)').allTextContents()).map(Number);
    expect(failed).toEqual([...failed].sort((a, b) => b - a));
    await expect(page.locator('#causes')).toContainText('was not finished');
    await page.close();
  });
});

test.describe('junit.xml', () => {
  test('has a suite for each area, a case for each clause, and counts that agree', () => {
    const elements = elementsIn(renderJUnit(failingRun()));
    const named = (name: string) => elements.filter((element) => element.name === name);
    expect(named('testsuite').map(({ attributes }) => attributes.name)).toEqual([
      'auth',
      'settings',
      'rate',
      'version',
      'event',
      'transport',
    ]);
    expect(named('testcase').map(({ attributes }) => attributes.name)).toEqual(clauseTexts.map(({ id }) => id));
    expect(named('testcase')[0]?.attributes.classname).toBe('auth');
    expect(named('testsuites')[0]?.attributes).toMatchObject({
      tests: `${clauseTexts.length}`,
      failures: '6',
      errors: '0',
      skipped: '11',
      time: '9.130',
    });
    expect(named('failure')).toHaveLength(6);
    expect(named('failure')[0]?.attributes.message).toBe(
      'The key of without-password cut to its first half was answered with 200 where a 4xx was due.',
    );
    expect(named('failure')[0]?.text).toContain('Would conform: a 4xx status');
    expect(named('failure')[0]?.text).toContain('Again: curl -i');
    expect(named('skipped')[0]?.attributes.message).toContain('RISKY_PROBES=1');
    expect(named('system-out').map(({ text }) => text.split(':')[0])).toEqual(['warn', 'warn', 'waived']);
    expect(
      named('property')
        .slice(0, 3)
        .map(({ attributes }) => [attributes.name, attributes.value]),
    ).toEqual([
      ['level', 'must'],
      ['section', '5'],
      ['verdict', 'pass'],
    ]);
  });

  test('tells a run that could not be done as an error', () => {
    const elements = elementsIn(renderJUnit(errorRun()));
    expect(elements[0]?.attributes).toMatchObject({ errors: '1', failures: '0' });
    expect(elements.find(({ name }) => name === 'error')?.text).toContain('could not be reached');
  });

  test('is well-formed whatever a server sends, and for many targets', () => {
    const failure = elementsIn(renderJUnit(hostileRun())).find(({ name }) => name === 'failure');
    expect(failure?.text).toContain('<script>globalThis.owned = 1</script>');
    const suites = elementsIn(renderOverview(fleet()).junit).filter(({ name }) => name === 'testsuite');
    expect(suites).toHaveLength(24);
    expect(suites.map(({ attributes }) => attributes.errors).filter((errors) => errors === '1')).toHaveLength(2);
  });
});

test.describe('summary.md', () => {
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

  test('tells verdict, figures, what to fix, what changed and what was not tested', () => {
    const markdown = renderSummary(failingRun());
    expect(markdown).toMatch(/^## ✕ Non-conformant: Acme Assessments 4\.2\n/);
    expect(markdown).toContain(
      '6 failed, 2 warnings, 1 waived, 10 not tested, 53 passed; 72 requests in 9.1 s, 7.9 s of it waiting.',
    );
    expect(rowsOf(markdown)).toContainEqual([
      '<code>rate.enforced-concurrent</code>',
      'Of 10 requests sent at once, 4 were accepted in each of 2 fresh windows, where 1 was due. By the same cause: <code>rate.limit-honest</code>',
    ]);
    expect(rowsOf(markdown)).toContainEqual(['<code>settings.password-null</code>', '✓ passed → ✕ failed']);
    expect(rowsOf(markdown)).toContainEqual(['<code>rate.keyless-free</code>', 'new → ✓ passed']);
    expect(rowsOf(markdown)).toContainEqual(['<code>rate.keyless-charged</code>', '✓ passed → gone']);
    expect(rowsOf(markdown)).toContainEqual([
      expect.stringContaining('Set <code>RISKY\\_PROBES=1</code>'),
      '<code>auth.key-in-url</code>, <code>auth.every-method</code>',
    ]);
    expect(renderSummary(conformantRun())).toContain('This run can be certified.');
    expect(renderSummary(errorRun())).toContain('could not be reached');
  });

  test('keeps its shape whatever a server sends', () => {
    for (const markdown of [
      renderSummary(hostileRun()),
      renderOverview(fleet(12).map((target) => ({ ...target, name: NASTY.replace('\ud800', '') }))).summary,
    ]) {
      const tables = markdown
        .split(/\n\n/)
        .map(rowsOf)
        .filter((rows) => rows.length > 0);
      expect(tables.length).toBeGreaterThan(1);
      for (const [head, ...rows] of tables) for (const row of rows) expect(row).toHaveLength(head?.length ?? 0);
      const tags = new Set([...markdown.matchAll(/<[^>]*>/g)].map(([tag]) => tag));
      expect([...tags].filter((tag) => !/^<\/?(?:code|br|details|summary|sub)>$/.test(tag))).toEqual([]);
      const live = markdown
        .replace(/\\[\\`*_[\]|~#$]/g, '')
        .replace(/^#{2,3} /gm, '')
        .replace(/\[[^\]]*\]\(\S+\/index\.html(?:#[a-z.0-9-]+)?\)/g, '');
      expect(live.match(/[`*~[\]]|(?<!&)#|@\w|https?:\/\//g)).toBe(null);
    }
  });
});

test.describe('badge.svg', () => {
  for (const [name, input] of Object.entries({
    conformant: conformantRun,
    failing: failingRun,
    incomplete: eventRun,
    error: errorRun,
  })) {
    test(`is well-formed, has a title and asks for nothing: ${name}`, () => {
      const elements = elementsIn(renderBadge(input().conformance));
      const title = elements.find((element) => element.name === 'title');
      expect(title?.text).toMatch(
        /^API conformance: (?:conformant · 65 passed|non-conformant · 6 failed · 53 passed|incomplete · 3 not tested · 69 passed|error)$/,
      );
      expect(elements[0]?.attributes).toMatchObject({ role: 'img', 'aria-labelledby': title?.attributes.id });
      const addresses = elements
        .flatMap(({ attributes }) => Object.entries(attributes))
        .filter(([key, value]) => key !== 'xmlns' && /:\/\/|href/.test(`${key}${value}`));
      expect(addresses).toEqual([]);
    });
  }

  test('white text stands out from each of its colours', () => {
    const luminance = (hex: string) => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5]
        .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    for (const colour of Object.values(BADGE_COLOUR)) expect(1.05 / (luminance(colour) + 0.05)).toBeGreaterThan(4.5);
  });
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

test('a change is shown as a verdict only if it is one', () => {
  const input = failingRun();
  input.conformance.changes = [{ id: 'auth.accepted', from: 'constructor', to: 'pass' }];
  expect(renderPage(input)).toContain('<code>constructor</code>');
  expect(renderSummary(input)).toContain('| <code>auth.accepted</code> | <code>constructor</code> → ✓ passed |');
});

test('a failure message says what was sent, what came, what would conform, and where the evidence is', () => {
  const { evidence } = failingRun();
  const exchanges = evidence.exchanges.filter(({ account }) => account === 'with-password').slice(0, 14);
  const breaches = exchanges.map((exchange, i) => breach('answer', '', `answer ${i}`, exchange));
  const judgement = judgementOf(
    'settings.json',
    { breaches, evidence: [], notTested: null },
    { ...evidence, exchanges },
    '2026-01-01',
  );
  const { section, statement, conforms } = textOf('settings.json');
  const lines = messageOf(judgement, evidence)?.split('\n') ?? [];
  expect(lines.filter((line) => !line.startsWith('           '))).toEqual([
    `settings.json (MUST, section ${section}): ${statement}`,
    '',
    '  sent     curl -i -H "X-Staging-Gate: $HEADER_X_STAGING_GATE" -H "apiKey: $API_KEY_WITH_PASSWORD" https://staging.acme.example/api/v2/webhooks',
    '  came     answer 0',
    `  conforms ${conforms}`,
    `  evidence entries ${judgement.evidence.slice(0, 12).join(', ')}, … of evidence.har`,
    ...[1, 2, 3].map((i) => `  also     answer ${i} (entry ${exchanges[i]?.index})`),
    '  also     10 more like it',
    '  where    set HEADER_X_STAGING_GATE to the value of X-Staging-Gate first',
  ]);
  expect(lines.at(-1)).toBe('           set API_KEY_WITH_PASSWORD to the key of with-password first');
  expect(lines[4]).toBe('           200 OK');
  const passed = judgementOf('settings.json', { breaches: [], evidence: [1], notTested: null }, evidence, '2026-01-01');
  expect(messageOf(passed, evidence)).toBe(null);
});

test('a failure message shows what a server sends on lines of their own, and nothing that a terminal obeys', () => {
  const { evidence } = hostileRun();
  const exchange = evidence.exchanges[1] as Exchange;
  const finding = {
    breaches: [breach('header', 'X-RateLimit-Remaining', 'odd', exchange)],
    evidence: [1],
    notTested: null,
  };
  const message = messageOf(judgementOf('auth.accepted', finding, evidence, '2026-01-01'), evidence);
  const came = message?.split(/^ {2}(?:came|conforms) .*\n?/m)[1] ?? '';
  expect(came.match(/^ {11}\S.*$/gm)).toHaveLength(3);
  expect(came).toContain('\u2400\u2407\u241b[2J\\u202e');
  expect(came).not.toMatch(/[^\P{C}\n]/u);
});

test.describe('curl line', () => {
  const request = (more: Partial<RecordedRequest>): RecordedRequest => ({
    method: 'GET',
    url: 'https://api.example/v2/webhooks',
    headers: [],
    ...more,
  });

  /** The words that a POSIX shell makes of it. */
  function wordsOf(line: string, environment: Record<string, string> = {}): string[] {
    const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${line}`], {
      env: environment,
      encoding: 'utf8',
    });
    return printed.split('\0').slice(0, -1);
  }

  test('names a variable for each secret and leaves out what curl sends anyway', () => {
    const headers = [
      ['Host', 'api.example'],
      ['Accept', '*/*'],
      ['apiKey', '[secret:apiKey:with-password]'],
      ['Accept-Encoding', 'gzip'],
    ] as const;
    expect(curlOf(request({ headers }))).toBe(
      'curl -i -H "apiKey: $API_KEY_WITH_PASSWORD" --compressed https://api.example/v2/webhooks',
    );
    expect(variableOf('[secret:receiverKey:a.b]').name).toBe('RECEIVER_KEY_A_B');
  });

  test('sends an empty header, a HEAD and other methods, and the URL as it stands', () => {
    expect(curlOf(request({ headers: [['apiKey', '']] }))).toBe("curl -i -H 'apiKey;' https://api.example/v2/webhooks");
    expect(curlOf(request({ method: 'HEAD' }))).toBe('curl --head https://api.example/v2/webhooks');
    expect(curlOf(request({ method: 'DELETE' }))).toBe('curl -i -X DELETE https://api.example/v2/webhooks');
    expect(curlOf(request({ url: 'https://api.example/v2/../{a}' }))).toBe(
      "curl -i --globoff --path-as-is 'https://api.example/v2/../{a}'",
    );
  });

  test('uses the variables of the user, and makes altered keys of them', () => {
    const variables = { 'apiKey:alice': 'ACME_KEY_ALICE', 'header:X-Gate': 'GATE' };
    const sent = (value: string) => {
      const line = curlOf(request({ headers: [['apiKey', value]] }), variables);
      return wordsOf(line, { ACME_KEY_ALICE: 'abcDEF12', PATH: process.env.PATH ?? '' })[2];
    };
    expect(curlOf(request({ headers: [['X-Gate', '[secret:header:X-Gate]']] }), variables)).toContain(
      '"X-Gate: $GATE"',
    );
    expect(sent('[secret:apiKey:alice]')).toBe('apiKey: abcDEF12');
    expect(sent('[secret:apiKey:alice:first-half]')).toBe('apiKey: abcD');
    expect(sent('[secret:apiKey:alice:last-character-dropped]')).toBe('apiKey: abcDEF1');
    expect(sent('[secret:apiKey:alice:character-appended]')).toBe('apiKey: abcDEF12x');
    expect(sent('[secret:apiKey:alice:case-swapped]')).toBe('apiKey: ABCdef12');
    expect(variableOf('[secret:apiKey:alice]', variables)).toMatchObject({
      name: 'ACME_KEY_ALICE',
      isUsers: true,
      holds: 'the key of alice',
    });
    expect(variableOf('[secret:apiKey:alice:constructor]').derived).toBe(null);
    // What no shell can make of the key has to be set.
    expect(variableOf('[secret:apiKey:alice:last-character-changed]', variables)).toMatchObject({
      name: 'ACME_KEY_ALICE_LAST_CHARACTER_CHANGED',
      isUsers: false,
      holds: 'the key of alice with its last character changed',
    });
  });

  test('is read by a shell as the very words that were sent', () => {
    for (const sign of ['!', '"', '$HOME', '`id`', '\\\\', "'"]) {
      const line = curlOf(request({ headers: [['X', `${sign}[secret:apiKey:a]${sign}`]] }));
      expect(wordsOf(line, { API_KEY_A: 'k', HOME: '/' })[2]).toBe(`X: ${sign}k${sign}`);
      // An interactive shell would take it for a piece of its history.
      if (sign === '!') expect(line).toContain(`'X: !'"$API_KEY_A"'!'`);
    }
    const key = `k' "$(id)\` \\!`;
    const environment = { API_KEY_A: key, API_KEY_A_HALF: 'half', COOKIE_S: 'c' };
    const nasty = `it's "$HOME" \`id\` $(id) \\ ! * ? ; & | < > # ~ {a,b} é`;
    const line = curlOf(
      request({
        url: 'https://api.example/v2/webhooks?apiKey=[secret:apiKey:a]&x=1 2',
        headers: [
          ['apiKey', '[secret:apiKey:a]'],
          ['Authorization', 'Bearer [secret:apiKey:a:half]tail'],
          ['Cookie', `s=[secret:cookie:s]; t=${nasty}[secret:apiKey:a]`],
          ['X-Nasty', nasty],
        ],
      }),
    );
    expect(wordsOf(line, environment)).toEqual([
      '-i',
      '--globoff',
      '-H',
      `apiKey: ${key}`,
      '-H',
      'Authorization: Bearer halftail',
      '-H',
      `Cookie: s=c; t=${nasty}${key}`,
      '-H',
      `X-Nasty: ${nasty}`,
      `https://api.example/v2/webhooks?apiKey=${key}&x=1 2`,
    ]);
  });
});
