/** What a reader does with the page: narrow, copy, look at a member, read it without scripts and on a narrow screen. */
import { expect, type Page, test } from '@playwright/test';
import { clauseTexts, observationTexts } from '../../../../src/contract/clauses';
import type { Subject } from '../../../../src/contract/result';
import { rfcAddress, sections as sectionTexts } from '../../../../src/contract/sections';
import type { TargetFacts } from '../../../../src/evidence/model';
import { type History, historyOf } from '../../../../src/history/trends';
import { HARM, judgementOf } from '../../../../src/judge/verdict';
import { reportInputOf } from '../../../../src/report/assemble';
import { againFor } from '../../../../src/report/breach/curl';
import { jsonLines } from '../../../../src/report/breach/json';
import { messageOf } from '../../../../src/report/breach/message';
import { ticketOf } from '../../../../src/report/breach/ticket';
import { renderSummary } from '../../../../src/report/ci/summary';
import { headlineOf } from '../../../../src/report/format';
import { renderOverview } from '../../../../src/report/overview';
import { renderPage } from '../../../../src/report/page/page';
import { untestedTable } from '../../../../src/report/tables';
import { closingTable, fleetTable, targetLine } from '../../../../src/report/terminal';
import { browserOfGroup } from '../../support/browser';
import { accountsNamed, breach, evidenceOf } from '../../support/evidence-of';
import { conformantRun, errorRun, eventRun, failingRun, fleet } from '../../support/report-samples';

const TREND = { failsSince: null, failsThroughout: false, isFlapping: false };

test.describe('in a browser', () => {
  const browser = browserOfGroup();

  async function shown(html: string, { width = 1280, javaScriptEnabled = true } = {}): Promise<Page> {
    const page = await browser().newPage({ viewport: { width, height: 900 }, javaScriptEnabled });
    await page.setContent(html);
    return page;
  }

  test('the list of clauses can be narrowed to what did not pass, and to words', async () => {
    const page = await shown(renderPage(failingRun()));
    const visible = () => page.locator('.clause:not([hidden])').count();
    const all = await visible();
    await page.getByLabel('only what is broken, waived or a warning').check();
    const failed = await visible();
    expect(failed).toBeLessThan(all);
    await expect(page.locator('.clause.is-pass').first()).toBeHidden();
    await page.getByLabel('with the words').fill('refusal-429');
    expect(await visible()).toBe(1);
    await expect(page.locator('.filter output')).toHaveText('1 shown');
    // A link to what is hidden shows it.
    await page.evaluate(`location.hash = 'auth.missing-key'`);
    await expect(page.locator('[id="auth.missing-key"]')).toBeVisible();
    await page.close();
  });

  test('without scripts all of it is there, and nothing that cannot work', async () => {
    const page = await shown(renderPage(failingRun()), { javaScriptEnabled: false });
    await expect(page.locator('.filter')).toBeHidden();
    await expect(page.locator('button')).toHaveCount(0);
    await expect(page.locator('.clause').first()).toBeVisible();
    await page.close();
  });

  test('commands and tickets are copied by a button', async () => {
    const page = await shown(renderPage(failingRun()));
    const how = page.locator('.fix').first();
    await how.locator('summary').first().click();
    await how.locator('summary').nth(1).click();
    const ticket = how.locator('.ticket + .copy');
    await page.evaluate(`document.execCommand = () => { globalThis.copied = document.activeElement.value; }`);
    await ticket.click();
    await expect(ticket).toHaveText('Copied');
    expect(await page.evaluate('globalThis.copied')).toBe(await how.locator('.ticket').textContent());
    await expect(how.locator('.curl + .copy').first()).toBeVisible();
    await page.close();
  });

  test('a body of JSON is indented, and the member that a clause is about is marked', async () => {
    const page = await shown(renderPage(failingRun()));
    await expect(page.locator('#x0 .body mark')).toHaveText(/^\s+"password": "/);
    await expect(page.locator('#x0 .body')).toContainText('\n  "webhook": {\n    "start": {');
    await page.close();
  });

  test('no column of the changes collapses, and the matrix fits a narrow screen', async () => {
    for (const width of [1280, 375]) {
      const page = await shown(renderPage(failingRun()), { width });
      const link = page.locator('#changes tbody th a').first();
      expect((await link.boundingBox())?.height).toBeLessThan(30);
      await page.close();
    }
    const narrow = await shown(renderOverview(fleet(12)).page, { width: 375 });
    // A strip of nights stays on one line.
    const nights = { nights: ['2026-11-19', '2026-11-20'], trends: [{ id: 'rate.enforced', strip: ['pass', 'fail'] }] };
    const history = { ...nights, trends: nights.trends.map((trend) => ({ ...TREND, ...trend })) } as History;
    const strip = await shown(renderPage({ ...failingRun(), history }), { width: 375 });
    expect((await strip.locator('.strip').boundingBox())?.height).toBeLessThan(30);
    await strip.close();
    expect(await narrow.evaluate('document.querySelector(".matrix").scrollWidth')).toBeLessThanOrEqual(375);
    const [head, table] = await Promise.all(
      ['.matrix thead', '.matrix'].map((selector) => narrow.locator(selector).boundingBox()),
    );
    expect(head?.height).toBeLessThan(60);
    expect(table?.height).toBeGreaterThan(100);
    await narrow.close();
  });
});

const sections = (html: string) => [...html.matchAll(/<section id="([a-z]+)"/g)].map(([, id]) => id);

test('what to do first comes first: what to fix, else what to declare', () => {
  expect(sections(renderPage(failingRun())).slice(0, 2)).toEqual(['changes', 'fix']);
  expect(sections(renderPage(eventRun()))[0]).toBe('untested');
  expect(sections(renderPage(errorRun()))[0]).toBe('error');
});

test('the pages of a fleet lead back, and its rows say where and when', () => {
  expect(renderPage({ ...failingRun(), overview: '../index.html' })).toContain(
    '<a href="../index.html">All targets</a>',
  );
  expect(renderPage(failingRun())).not.toContain('All targets');
  expect(renderOverview(fleet(3)).page).toContain(
    'https://staging.acme.example/api/v2</span> <span class="address">2026-11-20 10:00 UTC',
  );
});

test('what keeps the core profile from being complete comes before what is optional, and is counted by what helps', () => {
  const input = eventRun();
  for (const clause of input.conformance.clauses)
    if (clause.id.startsWith('event.'))
      Object.assign(clause, { verdict: 'not-tested', reason: 'Declare it.', untested: 'undeclared' });
    else if (clause.id === 'auth.key-in-url')
      Object.assign(clause, { reason: 'No refusal carried both.', untested: 'unseen' });
  const rows = untestedTable(input.conformance).rows;
  expect(rows.at(-1)?.[0]).toBe('Declare it.');
  const sentence =
    'Nothing that was tested is broken; 9 clauses need something declared or switched on, 1 clause could not be judged.';
  for (const text of [renderPage(input), renderSummary(input)]) expect(text).toContain(sentence);
  expect(renderPage(input)).toContain('Core profile not tested');
  input.conformance.profiles.core = 'pass';
  expect(renderPage(input)).toContain('Core profile passed as far as it was tested');
});

test('a part run shows what was selected, puts the rest aside, and says how to do it again', () => {
  const input = failingRun();
  for (const clause of input.conformance.clauses)
    if (clause.id !== 'settings.password-null')
      Object.assign(clause, { verdict: 'not-tested', untested: 'not-selected', evidence: [] });
  const html = renderPage(input);
  expect(html).toContain(`only 1 of ${clauseTexts.length} clauses was selected.`);
  const [before = '', aside = ''] = html.split('<details class="aside">');
  expect(before).toContain('id="settings.password-null"');
  expect(before).not.toContain('id="auth.accepted"');
  expect(aside).toContain('id="auth.accepted"');
  expect(sections(html)).not.toContain('untested');
  expect(html).toContain('npx playwright test -g &#39;settings.password-null &#39;');
});

test('a run that could not be done shows no clauses, and no server is accused in its headings', () => {
  const html = renderPage(errorRun());
  expect(sections(html)).toEqual(['error', 'evidence']);
  expect(html).not.toContain('class="clause');
  const accused = failingRun();
  Object.assign(accused.conformance, { verdict: 'error', error: 'No key was accepted.' });
  expect(renderPage(accused)).toContain('If keys and address are right</h2>');
  expect(closingTable(accused, null)).not.toContain('What to fix');
});

test('each section that a clause or an observation comes from can be read, here or where the RFC is', () => {
  for (const { section } of [...clauseTexts, ...observationTexts])
    expect(
      rfcAddress(section) ?? Object.keys(sectionTexts).find((known) => known.startsWith(`${section} `)),
      section,
    ).toBeTruthy();
  expect(rfcAddress('RFC 9110 15.5')).toBe('https://www.rfc-editor.org/rfc/rfc9110#section-15.5');
  const html = renderPage(failingRun());
  expect(html).toContain('<a href="#section-8">§ 8</a>');
  expect(html).toContain('<span id="section-8">§ 8 Limits</span>');
});

test('a member is marked where it shows the breach, and not where it is right', () => {
  const input = failingRun();
  const cause = input.causes.find(({ clauses }) => clauses.includes('settings.password-null'));
  expect(
    input.evidence.exchanges.filter(({ response }) => response?.body.includes('"password"')).length,
  ).toBeGreaterThan(1);
  const [, evidence = ''] = renderPage(input).split('<section id="evidence"');
  const marked = [...evidence.matchAll(/id="x(\d+)">|<mark>/g)].map(([tag, entry]) => (tag === '<mark>' ? tag : entry));
  const entries = marked.flatMap((tag, i) => (tag === '<mark>' ? marked[i - 1] : []));
  expect(entries).toEqual([`${cause?.telling}`]);
});

test('a read does not show what a notification is like, but shows a header', () => {
  const [read] = failingRun().evidence.exchanges;
  const evidence = evidenceOf([]);
  const of = (target: Partial<TargetFacts>) =>
    againFor('event.own-url', read, { target: { ...evidence.target, ...target } });
  expect(of({ embedded: true })).toBe("npx playwright test -g 'event.own-url '");
  expect(of({ file: 'acme.yaml', riskyProbes: true })).toMatch(
    /^TARGET=acme.yaml RISKY_PROBES=1 npx .* -g 'event.own-url '$/,
  );
  expect(of({ accounts: accountsNamed('default'), insecureTls: true })).toMatch(
    /^BASE_URL=https:\/\/api.example\/v2 API_KEY="\$API_KEY" INSECURE_TLS=1 npx /,
  );
  expect(againFor('rate.reset-format', read, evidence)).toMatch(/^curl /);
});

test('in the terminal no line of a fleet is longer than the others, and an error is told whole', () => {
  const targets = fleet(12);
  const error = 'It could not be reached. '.repeat(12).trim();
  for (const { conformance } of targets) if (conformance?.error) conformance.error = error;
  const lines = fleetTable(targets, 'results').split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(118);
  expect(lines.map((line) => line.trim()).join(' ')).toContain(error);
});

test('causes stand in one order, whichever clause was judged first', () => {
  const { conformance, evidence } = failingRun();
  const [exchange] = evidence.exchanges;
  const judged = ['settings.kind-url', 'rate.reset-format', 'version.base'].map((id) => {
    const finding = {
      breaches: exchange ? [breach('answer', id, 'odd', exchange)] : [],
      evidence: [0],
      notTested: null,
    };
    return [id, judgementOf(id, finding, evidence, '2026-01-01')] as const;
  });
  const recorded = { evidence, error: null, waitedMs: 0, durationMs: 1, startedAtEpochMs: 0, notes: [] };
  const causesIn = (order: typeof judged) =>
    reportInputOf(recorded, new Map(order), () => '', { error: null, baseline: conformance }).causes;
  expect(causesIn([...judged].reverse())).toEqual(causesIn(judged));
});

test('a page without a target has a title, and advice on proxies stands where nothing was reached', () => {
  const empty = errorRun();
  empty.conformance.target = { ...empty.conformance.target, name: 'none', baseURL: '' };
  empty.conformance.requests = 0;
  empty.evidence.exchanges = [];
  expect(renderPage(empty)).toContain('<title>Error</title>');
  expect(renderPage(empty)).toContain('<h1>No target</h1>');
  for (const part of ['<nav', 'class="figures"', 'To reproduce']) expect(renderPage(empty)).not.toContain(part);
  expect(renderPage(empty)).not.toContain('HTTPS_PROXY');
  expect(renderPage(errorRun())).toContain('HTTPS_PROXY');
});

test('the strip of the nights names each of them', () => {
  const input = failingRun();
  const runs = [9, 10].map((day) => ({ ...conformantRun().conformance, startedAt: `2026-11-${day}T10:00:00.000Z` }));
  const history = historyOf({ runs, gaps: ['2026-11-11T10:00:00.000Z'], notes: [] }, input.conformance);
  const html = renderPage({ ...input, history });
  expect(html).toContain('title="2026-11-11: no result"');
  expect(html).toContain('fails since 2026-11-20');
  expect(closingTable({ ...input, history }, 'results')).toMatch(/auth\.altered-key +fails since 2026-11-20/);
});

test('a ticket holds what whoever mends it needs', () => {
  const input = failingRun();
  const cause = input.causes.find(({ clauses }) => clauses.includes('settings.password-null'));
  const ticket = cause ? ticketOf(cause, input) : '';
  expect(ticket).toMatch(/^# settings\.password-null: /);
  for (const part of ['`settings.password-absent` (MUST', '```sh\ncurl -i', '200 OK', '**Would conform:**'])
    expect(ticket).toContain(part);
});

test('no backticks of a server end a block of a ticket', () => {
  const input = failingRun();
  const cause = input.causes.find(({ clauses }) => clauses.includes('settings.password-null'));
  const telling = input.evidence.exchanges.find(({ index }) => index === cause?.telling);
  if (!cause || !telling?.response) throw new Error('There is nothing to tell of.');
  const body = '```\n````\n# Pay here\n';
  telling.response = { ...telling.response, headers: [['X-Note', '``````']], body };
  const lines = ticketOf(cause, input).split('\n');
  const opening = lines.indexOf('**What came**') + 2;
  const fence = lines[opening] ?? '';
  const end = lines.indexOf(fence, opening + 1);
  expect(fence).toMatch(/^`{3,}$/);
  const within = lines.slice(opening + 1, end);
  expect(within.join('\n')).toContain('```');
  for (const [run] of within.join('\n').matchAll(/`+/g)) expect(run.length).toBeLessThan(fence.length);
  expect(lines.slice(end + 1).join('\n')).toMatch(/^\n\*\*Would conform:\*\*/);
});

test('the terminal says verdict, what to fix by cause and where to look, in this order', () => {
  const table = closingTable(failingRun(), 'results');
  const places = [
    'NON-CONFORMANT: Acme',
    'What to fix: 4 causes',
    'By the same cause:',
    'open results/index.html',
    'Not tested',
    'requests in',
  ];
  const found = places.map((text) => table.indexOf(text));
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found).not.toContain(-1);
  expect(closingTable(eventRun(), 'results')).toMatch(
    /Nothing that was tested is broken; \d+ clauses? needs? something declared or switched on/,
  );
  expect(fleetTable(fleet(3), 'results')).toContain('open results/index.html');
});

test('a trigger that did not work stands in the banner', () => {
  const input = { ...conformantRun(), failures: ['The trigger did not work: it ended with status 3.'] };
  expect(closingTable(input, null)).toContain('CONFORMANT, BUT THE RUN FAILED: Acme');
  expect(closingTable(input, null)).toContain('The trigger did not work: it ended');
  expect(renderPage(input)).toContain('Conformant, but the run failed</strong>');
});

test('STRICT, REQUIRE_COMPLETE and a test of the own stand in every form of the banner where they fail the run', () => {
  const { conformance, evidence } = eventRun();
  const [first] = conformance.clauses.filter(({ level }) => level === 'should');
  const judgements = new Map(
    conformance.clauses
      .filter(({ verdict }) => verdict !== 'not-tested')
      .map((clause) => [
        clause.id,
        { ...clause, verdict: clause === first ? ('warn' as const) : clause.verdict, breaches: [], note: null },
      ]),
  );
  const recorded = { evidence, error: null, waitedMs: 0, durationMs: 1, startedAtEpochMs: 0, notes: [] };
  const failed = { title: 'mine', verdict: 'fail' as const, reason: 'No.', evidence: [] };
  const inputFor = (strict: boolean, requireComplete: boolean, own = [failed]) =>
    reportInputOf(recorded, judgements, () => 'Set RISKY_PROBES=1.', {
      error: null,
      baseline: null,
      own,
      asked: { strict, requireComplete },
    });
  expect(inputFor(false, false, []).failures).toEqual([]);
  expect(inputFor(true, true).failures).toEqual([
    'STRICT is set, and there is 1 warning.',
    'REQUIRE_COMPLETE is set, and 3 MUST clauses of the core profile were not tested.',
    '1 test of your own failed.',
  ]);
  const input = inputFor(true, false, []);
  for (const text of [renderPage(input), renderSummary(input), closingTable(input, null)])
    expect(text).toMatch(/incomplete, but the run failed[\s\S]*STRICT is set, and there is 1\s+warning\./i);
});

test('what was seen before a run broke off is no cause of anything', () => {
  const { evidence } = errorRun();
  const finding = {
    breaches: [breach('answer', '', 'nothing', ...evidence.exchanges)],
    evidence: [0],
    notTested: null,
  };
  const judgement = judgementOf('transport.complete', finding, evidence, '2026-01-01');
  const recorded = { evidence, error: 'It broke off.', waitedMs: 0, durationMs: 1, startedAtEpochMs: 0, notes: [] };
  const ending = { error: null, baseline: null };
  const input = reportInputOf(recorded, new Map([[judgement.id, judgement]]), () => '', ending);
  expect(input.causes).toEqual([]);
});

test('every cause has a headline in plain words, and strangers who can read come with their own', () => {
  const headline = (id: string, harm: number) =>
    headlineOf({ clauses: [id], reason: '', telling: null, fields: new Set(), harm });
  const plain = clauseTexts.filter(
    ({ id }) => headline(id, HARM.disclosed) === headline('auth.missing-key', HARM.disclosed),
  );
  expect(plain.map(({ id }) => id)).toEqual([
    ...['missing-key', 'empty-key', 'unknown-key', 'altered-key', 'other-carrier', 'key-in-url', 'no-session'].map(
      (id) => `auth.${id}`,
    ),
    ...['base-path-rejected', 'every-path', 'every-method', 'rejection-status'].map((id) => `auth.${id}`),
  ]);
  const told = [HARM.disclosed, HARM.letIn, HARM.answered].map((harm) => headline('auth.missing-key', harm));
  expect(new Set(told).size).toBe(3);
});

test('in the timeline, requests beyond what the rate allows are told apart', () => {
  const input = failingRun();
  const over = (html: string) =>
    [...html.matchAll(/<g class="m over" data-entry="x(\d+)"/g)].map(([, at]) => Number(at)).sort((a, b) => a - b);
  // Each account has a burst of which four were accepted: the first is what the rate allows.
  const bursts = input.evidence.exchanges.filter(
    ({ probe, response }) => probe.group === 'concurrent' && response?.status === 200,
  );
  expect(bursts).toHaveLength(8);
  const beyond = bursts.flatMap(({ index }, i) => (i % 4 > 0 ? [index] : []));
  expect(over(renderPage(input))).toEqual(beyond);
  for (const clause of input.conformance.clauses) if (clause.id.startsWith('rate.enforced')) clause.verdict = 'pass';
  expect(over(renderPage(input))).toEqual([]);
});

test('a night that could not be done has the chapter over the nights', () => {
  const before = { ...failingRun().conformance, startedAt: '2026-01-01T00:00:00.000Z' };
  const past = { runs: [before], gaps: [], notes: [] };
  const ended = errorRun();
  const html = renderPage({ ...ended, history: historyOf(past, ended.conformance) });
  expect(html).toContain('id="nights-title"');
  expect(html).toContain('href="#nights"');
  expect(renderPage(ended)).not.toContain('nights-title');
});

test('a waived failure is called known, and nothing but the others unbroken', () => {
  const input = conformantRun();
  Object.assign(input.conformance.clauses[3] ?? {}, { verdict: 'waived', reason: 'TICKET-1' });
  Object.assign(input.conformance, { verdict: 'incomplete', certifiable: false });
  const told = closingTable(input, null).replace(/\s+/g, ' ');
  expect(told).toContain('1 known failure is waived; nothing else that was tested is broken; ');
  expect(told).not.toContain('Nothing that was tested is broken');
});

test('a fleet tells the causes of each target, in columns that align', () => {
  const [target] = fleet(1);
  if (!target) throw new Error('There is no target.');
  const failed = ['a', 'b', 'c', 'd', 'e'];
  const causes = failed.slice(0, 4).map((id) => ({ headline: `It is ${id}`, clauses: [id] }));
  const broken = { ...target, name: 'short', verdict: 'non-conformant' as const, failed, causes };
  const lines = targetLine(broken, 118, 20).split('\n');
  expect(lines[0]).toMatch(/ {2}5 failed by 4 causes$/);
  expect(lines.slice(1)).toEqual([
    ...['      It is a: a', '      It is b: b', '      It is c: c', '      and 1 other cause'],
  ]);
  expect(lines[0]?.indexOf('5 failed')).toBe(
    targetLine({ ...broken, name: 'x'.repeat(20) }, 118, 20).indexOf('5 failed'),
  );
  const { page, summary } = renderOverview([broken]);
  expect(page).toContain('It is a</td>');
  expect(summary).toContain('It is a.');
});

test('links within the page lead somewhere, those of own tests too', () => {
  const { conformance, ...input } = failingRun();
  const own = [{ title: 'mine', verdict: 'fail' as const, reason: 'No.', evidence: [3] }];
  const html = renderPage({ ...input, conformance: { ...conformance, own } });
  expect(html).toContain('<a href="#x3">entry 3</a>');
  for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(`id="${id}"`);
});

test('a message about a member shows that member, and one about the rate limit the headers of the limit', () => {
  const { evidence } = failingRun();
  const [exchange] = evidence.exchanges;
  const told = (id: string, kind: Subject['kind'], name: string) => {
    const breaches = exchange ? [breach(kind, name, 'odd', exchange)] : [];
    const finding = { breaches, evidence: [0], notTested: null };
    return messageOf(judgementOf(id, finding, evidence, '2026-01-01'), evidence) ?? '';
  };
  const ofMember = told('settings.password-null', 'member', 'auth.basic.password');
  expect(ofMember).toContain('… "password": "[secret:password:with-password]", …');
  expect(ofMember).not.toMatch(/hasPassword|X-RateLimit/);
  expect(told('settings.envelope', 'answer', '')).toContain('"hasPassword":true');
  expect(told('rate.enforced', 'limit', 'alice')).toMatch(/X-RateLimit-Limit: 1\n(?:.*\n)*.*X-RateLimit-Reset/);
});

test('members are named by their paths, in whichever JSON, and closing brackets by nothing', () => {
  const text = '{"webhook":{"auth":{"basic":{"password":"x","password":"y"}},"start":[{"url":1}]},"error":{"code":1}}';
  const named = (...paths: string[]) =>
    jsonLines(text, new Set(paths)).flatMap((line) => (line.isNamed ? [line.text.trim()] : []));
  expect(named('auth.basic.password')).toEqual(['"password": "x",', '"password": "y"']);
  expect(named('webhook.auth')).toEqual(['"auth": {']);
  expect(named('webhook', 'error.code')).toEqual(['"code": 1']);
  expect(named()).toEqual([]);
});
