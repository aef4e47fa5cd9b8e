/** Secrets that tests of the user's own write themselves, and markers that come back to them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answering, headOf, withBody, withHeader, writeRaw } from '../../../fixtures/dialects/tools';
import { sendingSome } from '../../../fixtures/faults/tools';
import type { Bend } from '../../../src/reference/behaviour';
import { leaksOf } from '../support/leaks';
import { directoryWith, filesBelow, ROOT, served, wholeRun } from '../support/whole-runs';

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

const LATE = 'late-receiver-key-4711';
/** Shows a receiver's key in a text, and only in its settings that it is one. */
const late: Bend = {
  name: 'late',
  bend: answering((answer, { request }) => {
    const [, asked] = String(request.url).split('?');
    if (asked === 'late') return withBody(answer, 'text/plain', `sends ${LATE}`);
    const settings = { webhook: { auth: { apikey: { header: 'X-Key', apikey: LATE } } } };
    return asked === 'settings' ? withBody(answer, 'application/json', JSON.stringify(settings)) : answer;
  }),
};

test('what an own test sends holds no marker that is filled in, and what it writes itself is masked everywhere', async () => {
  const seen: string[] = [];
  const { file, accounts, close } = await served({ bends: [taunting(seen), odd, late] });
  const { apiKey: KEY = '', password: PASSWORD = '' } = accounts.find(({ name }) => name === 'with-password') ?? {};
  const base = JSON.stringify(join(ROOT, 'playwright.config'));
  const directory = directoryWith({
    'own/mine.spec.ts': `import { expect, test } from ${JSON.stringify(join(ROOT, 'src', 'own'))};
    import { readFileSync, writeFileSync } from 'node:fs';
    const { KEY = '', PASSWORD = '' } = process.env;
    test('attaches what is learnt later', async ({ api }, info) => {
      const text = await (await api.as('with-password').get('webhooks?late')).text();
      await info.attach('answer', { body: text, contentType: 'text/plain' });
      writeFileSync(info.outputPath('answer.txt'), text);
    });
    test('called ' + KEY, () => {});
    test.describe(PASSWORD, () => test('described so', () => {}));
    test('tagged so', { tag: '@' + KEY, annotation: { type: 'issue', description: PASSWORD } }, () => {});
    test('sends back', async ({ api }) => {
      const alice = api.as('with-password');
      const tag = (await alice.get('webhooks?settings')).headers().etag ?? '';
      await alice.get('webhooks', { headers: { 'If-None-Match': tag, 'X-Api-Key': '[secret:apiKey:with-password]' } });
      await alice.get('webhooks?next=[secret:apiKey:with-password]');
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
    'own/written.spec.ts': `import { expect, test } from ${JSON.stringify(join(ROOT, 'src', 'own'))};
    test('holds one in its source', () => expect(${JSON.stringify(KEY)}).toBe(''));`,
    'beside.ts': `import { appendFileSync } from 'node:fs';
    const note = (_test, _result, step) => appendFileSync(process.env.RESULTS_DIR + '/steps.txt', step.title + (step.error?.stack ?? '') + '\\n');
    export default class { onStepBegin = note; onStepEnd = note; }`,
    'playwright.config.ts': `import base from ${base};\nconst metadata = { [process.env.KEY ?? '']: process.env.KEY };\nexport default { ...base, reporter: [['list'], ['html', { open: 'never', outputFolder: process.env.RESULTS_DIR + '/html' }], ['json', { outputFile: process.env.RESULTS_DIR + '/report.json' }], ...base.reporter, ['./beside.ts']], projects: [{ name: 'mine', testDir: 'own', metadata: { of: process.env.PASSWORD } }], metadata };\n`,
  });
  const config = join(directory, 'playwright.config.ts');
  const options = { config, environment: { TARGET: file, KEY, PASSWORD } };
  const run = await wholeRun({ ...options, arguments: ['--trace', 'on'] });
  writeFileSync(join(directory, 'own', 'broken.spec.ts'), `throw new Error(process.env.KEY + ${JSON.stringify(KEY)});`);
  const undone = await wholeRun({ ...options, arguments: ['-g', `${KEY} is no title`] });
  await close();
  expect([run.status, undone.status], run.output).toEqual([1, 2]);
  expect(leaksOf(undone, { KEY, PASSWORD })).toEqual([]);
  const back = seen.find((request) => request.includes('if-none-match')) ?? '[]';
  expect(JSON.parse(back)[1]).toMatchObject({
    'if-none-match': '"[said:secret:password:with-password]"',
    'x-api-key': '[secret:apiKey:with-password]',
    apikey: KEY,
  });
  const followed = seen.filter((request) => request.includes('next='));
  expect(followed.map((request) => JSON.parse(request)[0].split('next=')[1])).toEqual([
    '[secret:apiKey:with-password]',
  ]);
  expect(seen.filter((request) => request.includes(`Bearer ${KEY}`))).toHaveLength(1);
  expect(leaksOf(run, { KEY, PASSWORD, LATE })).toEqual([]);
  expect(run.text('evidence.har')).toContain('sends [secret:receiverKey:with-password:part]');
  expect(
    run.output.match(
      /mine\.spec\.ts:\d+:\d+:\s+the\s+titles,\s+tags\s+or\s+annotations\s+of\s+this\s+test\s+hold\s+a\s+secret/g,
    ),
  ).toHaveLength(3);
  expect(run.conformance().own.map(({ title }) => title)).toEqual([
    'attaches what is learnt later',
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
  expect(run.output).toContain('[secret:apiKey:with-password:part]');
  expect(run.output).not.toMatch(/\u202e|##vso\[/);
  expect(readFileSync(join(run.directory, 'steps.txt'), 'utf8')).toContain('with [secret:apiKey:with-password:part]');
  const told = run.har().log.entries.at(-1)?.request;
  expect(told?.url).toMatch(/a=\[secret:apiKey:with-password\]&b=\[secret:password:with-password:base64\]/);
  expect(told?.postData?.text).toBe(
    '{"key":"[secret:apiKey:with-password]","password":"[secret:password:with-password]"}',
  );
});
