/** Attacks by which a server, a stranger, a test or a variable once got a secret out, or a verdict that was not true. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answering, headOf, withHeader, writeRaw } from '../../../../fixtures/dialects/tools';
import { editing, put, sendingSome } from '../../../../fixtures/faults/tools';
import { probe } from '../../../../src/catalogue/probe';
import type { RawDelivery } from '../../../../src/config/receiver';
import type { HeaderLines } from '../../../../src/evidence/model';
import { Masking } from '../../../../src/recorder/redaction/masking';
import type { Account } from '../../../../src/reference/account';
import type { Bend } from '../../../../src/reference/behaviour';
import { evidenceOf, found } from '../../support/evidence-of';
import { leaksOf } from '../../support/leaks';
import { runHere } from '../../support/run-here';
import { filesBelow, freshDirectory, ROOT, served, wholeRun } from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const masking = new Masking([{ name: 'alpha', apiKey: 'alphaKeySekret4711', password: 'alphaPasswordSekret' }], []);

const stranger = { method: 'POST', path: '/', headers: [] as HeaderLines, body: Buffer.from(''), truncated: false };
const AS_BASIC = Buffer.from('[secret:password:alpha]:x').toString('base64');
for (const [what, sent, kept] of [
  ['path', { path: '/[secret:a:b][secret:a:b]' }, { path: '/[said:secret:a:b][said:secret:a:b]' }],
  [
    'header',
    { headers: [['X-T', '[secret:receiverKey:alpha]']] },
    { headers: [['X-T', '[said:secret:receiverKey:alpha]']] },
  ],
  ['header’s name', { headers: [['X-[secret:a:b]', '1']] }, { headers: [['X-[said:secret:a:b]', '1']] }],
  [
    'user name',
    { headers: [['Authorization', `Basic ${AS_BASIC}`]] },
    { basic: [{ username: null, password: '[secret:password:(undeclared)]' }] },
  ],
  ['body', { body: Buffer.from('"[secret:password:alpha]"') }, { body: '"[said:secret:password:alpha]"' }],
] as ReadonlyArray<[string, Partial<RawDelivery>, Record<string, unknown>]>)
  test(`what a stranger sends to the receiver as ${what} is never read as a marker of ours`, () => {
    expect(masking.delivery({ ...stranger, ...sent })).toMatchObject(kept);
  });

test('a username that reads like a marker accuses nobody', () => {
  const body = Buffer.from('{"webhook":{"start":{},"auth":{"basic":{"username":"[secret:password:alpha]"}}}}');
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  const answer = { ...times, head: null, aside: [], body, fault: null, resent: false };
  const recorded = masking.answerBody(answer, probe('read'), 'alpha');
  expect(recorded.body).toContain('[said:secret:password:alpha]');
  const accounts = [{ name: 'alpha', passwordDeclared: true }];
  expect(found('settings.password-absent', evidenceOf([{ account: 'alpha', ...recorded }], { accounts }))).toEqual([]);
});

test('nothing is decompressed on trial: only declared codings are read, and entries of traces', () => {
  const sources = filesBelow(join(ROOT, 'src')).filter((name) =>
    /from '(?:node:zlib|fflate)'/.test(readFileSync(join(ROOT, 'src', name), 'utf8')),
  );
  expect(sources.sort()).toEqual(['playwright/own/zip.ts', 'recorder/transport/content-coding.ts']);
});

/** An account of the reference server without a password. */
function account(name: string): Account {
  const kind = { status: true, url: `https://hooks.example/${name}` };
  const basic = { username: `${name}-user` };
  const auth = { status: true, type: 'basic', basic, apikey: { header: null, apikey: null } };
  const settings = { start: kind, submission: kind, updates: kind, auth };
  return { name, apiKey: `key-of-${name}-4711-AbCd`, password: null, settings };
}

/** Sends a marker of ours as a tag, tells what it was sent, and in words that deceive. */
const taunting = (seen: string[]): Bend => ({
  name: 'taunting',
  bend: answering((answer, call) => {
    seen.push(JSON.stringify([call.request.url, call.request.headers]));
    return withHeader(answer, 'ETag', '"[secret:password:with-password]"');
  }),
});

/** Answers with a reason phrase that Node would not write. */
const odd: Bend = {
  name: 'odd',
  bend: sendingSome(
    ({ request }) => String(request.url).endsWith('?odd'),
    (call, answer) =>
      writeRaw(call, headOf({ ...answer, headers: [['Content-Length', '0']] }, 'HTTP/1.1 200 Ö€\u0001')),
  ),
};

test('what an own test sends holds no marker that is filled in, and what it writes itself is masked everywhere', async () => {
  const seen: string[] = [];
  const { file, accounts, close } = await served({ bends: [taunting(seen), odd] });
  const { apiKey: KEY = '', password: PASSWORD = '' } = accounts.find(({ name }) => name === 'with-password') ?? {};
  const directory = freshDirectory();
  mkdirSync(join(directory, 'own'));
  writeFileSync(
    join(directory, 'own', 'mine.spec.ts'),
    `import { expect, test } from ${JSON.stringify(join(ROOT, 'src', 'own'))};
    import { writeFileSync } from 'node:fs';
    const { KEY = '', PASSWORD = '' } = process.env;
    test('called ' + KEY, () => {});
    test.describe(PASSWORD, () => test('described so', () => {}));
    test('tagged so', { tag: '@' + KEY, annotation: { type: 'issue', description: PASSWORD } }, () => {});
    test('sends back', async ({ api }) => {
      const alice = api.as('with-password');
      const tag = (await alice.get('webhooks')).headers().etag ?? '';
      await alice.get('webhooks', { headers: { 'If-None-Match': tag, 'X-Api-Key': '[secret:apiKey:with-password]' } });
    });
    test('forges a stack', () => {
      throw Object.assign(new Error('b'), { stack: 'Error: b\\n    at f (/tmp/' + PASSWORD + '/x.ts:1:1)' });
    });
    test('reads an odd reason', async ({ api }) => {
      expect((await api.as('with-password').get('webhooks?odd')).statusText()).toBe('???');
    });
    test('tells by itself', async ({ api }, info) => {
      const path = 'webhooks?a=' + encodeURIComponent(KEY) + '&b=' + Buffer.from(PASSWORD).toString('base64');
      const headers = { Authorization: 'Bearer ' + KEY, 'X-Debug': PASSWORD };
      const answer = await api.anonymous.post(path, { headers, data: { key: KEY, password: PASSWORD } });
      await info.attach('see ' + KEY, { body: Buffer.from('\0' + PASSWORD), contentType: 'text/plain; of=' + KEY });
      info.annotations.push({ type: KEY });
      const file = info.outputPath('told.txt');
      writeFileSync(file, PASSWORD);
      await info.attach('file', { path: file });
      console.log({ KEY }, Buffer.from(PASSWORD).toString('hex'));
      expect.soft(KEY + 'z').toBe('z');
      const forged = Object.assign(new Error('b'), { stack: 'Error: b\\n    at f (/tmp/' + PASSWORD + '/x.ts:1:1)' });
      expect.soft(() => { throw forged; }).not.toThrow();
      await test.step('forged', () => { throw forged; }).catch(() => 0);
      await test.step('with ' + KEY, () => Promise.reject(new Error('a', { cause: new Error(PASSWORD) }))).catch(() => 0);
      expect({ status: answer.status(), text: '\\u202e##vso[task.setvariable]x ' + KEY }).toEqual({ status: 200, text: '' });
    });`,
  );
  writeFileSync(
    join(directory, 'own', 'written.spec.ts'),
    `import { expect, test } from ${JSON.stringify(join(ROOT, 'src', 'own'))};
    test('holds one in its source', () => expect(${JSON.stringify(KEY)}).toBe(''));`,
  );
  const config = join(directory, 'playwright.config.ts');
  const base = JSON.stringify(join(ROOT, 'playwright.config'));
  const projects = JSON.stringify([{ name: 'mine', testDir: join(directory, 'own'), metadata: { of: PASSWORD } }]);
  writeFileSync(
    config,
    `import base from ${base};\nconst metadata = { key: process.env.KEY, many: 1n };\nmetadata.itself = metadata;\nexport default { ...base, reporter: [...base.reporter, ['list'], ['json', { outputFile: process.env.RESULTS_DIR + '/report.json' }]], projects: ${projects}, metadata };\n`,
  );
  const options = { config, environment: { TARGET: file, KEY, PASSWORD } };
  const run = await wholeRun({ ...options, arguments: ['--trace', 'on'] });
  writeFileSync(join(directory, 'own', 'broken.spec.ts'), `throw new Error(process.env.KEY + ${JSON.stringify(KEY)});`);
  const broken = await wholeRun(options);
  const unselected = await wholeRun({ ...options, arguments: ['-g', `${KEY} is no title`] });
  await close();
  expect([run.status, broken.status, unselected.status], run.output).toEqual([1, 2, 2]);
  expect([broken, unselected].map((undone) => leaksOf(undone, { KEY, PASSWORD }))).toEqual([[], []]);
  const back = seen.find((request) => request.includes('if-none-match')) ?? '[]';
  expect(JSON.parse(back)[1]).toMatchObject({
    'if-none-match': '"[said:secret:password:with-password]"',
    'x-api-key': '[secret:apiKey:with-password]',
    apikey: KEY,
  });
  expect(seen.filter((request) => request.includes(`Bearer ${KEY}`))).toHaveLength(1);
  expect(leaksOf(run, { KEY, PASSWORD })).toEqual([]);
  expect(
    run.output.match(
      /mine\.spec\.ts:\d+:\d+:\s+the\s+titles,\s+tags\s+or\s+annotations\s+of\s+this\s+test\s+hold\s+a\s+secret/g,
    ),
  ).toHaveLength(3);
  expect(run.conformance().own.map(({ title }) => title)).toEqual([
    'sends back',
    'forges a stack',
    'reads an odd reason',
    'tells by itself',
    'holds one in its source',
  ]);
  const traces = filesBelow(run.directory).filter((name) => name.endsWith('trace.zip'));
  expect(traces.sort()).toEqual([
    'playwright/mine-reads-an-odd-reason-mine/trace.zip',
    'playwright/mine-sends-back-mine/trace.zip',
  ]);
  expect(run.output).toContain('[secret:apiKey:with-password]');
  expect(run.output).not.toMatch(/\u202e|##vso\[/);
  const told = run.har().log.entries.at(-1)?.request;
  expect(told?.url).toMatch(/a=\[secret:apiKey:with-password\]&b=\[secret:password:with-password:base64\]/);
  expect(told?.postData?.text).toBe(
    '{"key":"[secret:apiKey:with-password]","password":"[secret:password:with-password]"}',
  );
});

test('a password that stands in the answer of the base path is found, whichever account has it', async () => {
  for (const holder of ['a', 'b', 'c']) {
    const open = (name: string): Account => ({
      ...account(name),
      password: name === holder ? 'basePasswordSekret' : null,
    });
    const telling: Bend = {
      name: 'telling',
      bend: answering((answer, call) => {
        const { password } = call.account ?? {};
        return password && call.path.endsWith('/') ? withHeader(answer, 'X-Debug', password) : answer;
      }),
    };
    const { file, close } = await served({ accounts: ['a', 'b', 'c'].map(open), bends: [telling] });
    const run = await runHere({ TARGET: file }, /^(?:settings|auth)/);
    await close();
    const absent = run.conformance().clauses.find(({ id }) => id === 'settings.password-absent');
    expect(absent?.verdict, holder).toBe('fail');
  }
});

/** @param levels how many lists stand within one another */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

for (const [what, name, value, clause, reason] of [
  ['a member name of 900 KB the beginning is told', 'x'.repeat(900_000), 'a', 'settings.no-extra', /x{400,500}…/],
  ['lists that are nested too deeply it is told', 'x', nested(500), 'settings.json', /more than 500 levels deep/],
] as const)
  test(`of ${what}`, async () => {
    const bend: Bend = { name: 'odd', bend: editing((document) => put(document, name, value)) };
    const { file, close } = await served({ bends: [bend] });
    const run = await runHere({ TARGET: file }, /^settings/);
    await close();
    expect(run.output.length).toBeLessThan(20_000);
    const small = filesBelow(run.results).filter((name) => !/evidence\.har|index\.html/.test(name));
    for (const name of small) expect(statSync(join(run.results, name)).size, name).toBeLessThan(60_000);
    const { clauses } = run.conformance();
    expect(clauses.find(({ id }) => id === clause)?.reason).toMatch(reason);
    expect(clauses.filter(({ verdict }) => /fail|warn/.test(verdict)).map(({ id }) => id)).toEqual([clause]);
  });

test('debug output holds no key', async () => {
  const { file, accounts, close } = await served();
  const environment = { TARGET: file, NODE_DEBUG: 'http,https,tls,net', DEBUG: 'pw:*', RISKY_PROBES: '1' };
  const run = await wholeRun({ environment, arguments: ['-g', 'auth.key-in-url'] });
  await close();
  expect(run.output).toMatch(/^HTTP \d+: /m);
  const secrets = Object.fromEntries(accounts.map(({ name, apiKey }) => [`KEY_${name}`, apiKey]));
  expect(leaksOf(run, secrets)).toEqual([]);
  expect(readFileSync(join(run.results, 'evidence.har'), 'utf8')).not.toMatch(/^HTTP \d+: /m);
});
