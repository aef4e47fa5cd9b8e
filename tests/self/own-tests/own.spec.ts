/** Tests of the user's own: genuine Playwright tests that hold no secret. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { TestResult } from '@playwright/test/reporter';
import { zipSync } from 'fflate';
import { listenOn } from '../../../src/common/suite';
import { fromHar } from '../../../src/evidence/har';
import { clearLeft, maskResult } from '../../../src/playwright/reporter/masked-results';
import { Masking } from '../../../src/recorder/masking';
import { guard } from '../../../src/redaction/gate';
import type { Bend } from '../../../src/reference/behaviour';
import { masking } from '../support/bends';
import { selfSigned } from '../support/certificate';
import { leaksOf } from '../support/leaks';
import { isResult } from '../support/schemas';
import { rowsOf } from '../support/table';
import {
  directoryWith,
  freshDirectory,
  ROOT,
  runAgainst,
  served,
  targetFile,
  type WholeRun,
  wholeRun,
} from '../support/whole-runs';

const OWN = JSON.stringify(join(ROOT, 'src', 'own'));
const BASE = JSON.stringify(join(ROOT, 'playwright.config'));
/** What a cookie of a stored session has besides its name and value. */
const COOKIE = { domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' };
const GATE = 'gate-value-of-mine-77';

/** A configuration with own tests beside the clauses. @param more options of their project; @param files more files */
function configured(body: string, more: object = {}, files: Record<string, string> = {}): string {
  const directory = directoryWith({ 'own/mine.spec.ts': `import { expect, test } from ${OWN};\n${body}`, ...files });
  const projects = JSON.stringify([
    { name: 'clauses' },
    { name: 'mine', testDir: join(directory, 'own') },
    ...(files['team/team.spec.ts'] === undefined
      ? []
      : [{ name: 'team', testDir: join(directory, 'team'), use: more }]),
  ]);
  const config = `import base from ${BASE};\nexport default { ...base, projects: ${projects} };\n`;
  return join(directoryWith({ 'playwright.config.ts': config }, directory), 'playwright.config.ts');
}

const ownIn = (run: WholeRun) => {
  const result = run.conformance();
  expect(isResult(result), JSON.stringify(isResult.errors)).toBe(true);
  return result.own;
};

test.describe('one run of many own tests', () => {
  let [reached, run, replayed] = [0, {} as WholeRun, {} as WholeRun];
  let accounts: Awaited<ReturnType<typeof served>>['accounts'] = [];
  /** Header lines of what came from the project of the team. */
  const seen: string[] = [];
  const elsewhere = createServer((_, response) => {
    reached += 1;
    response.end();
  });

  /** Answers as no server of this API does, at paths of their own. */
  const strange: Bend = {
    name: 'strange',
    bend: (behaviour) => ({
      around: async (call, answer) => {
        if (call.path.endsWith('/moved')) return { status: 302, headers: [['Location', address()]], body: '' };
        if (call.path.endsWith('/leak')) {
          const key = call.request.headers.apikey;
          const { password } = accounts.find(({ apiKey }) => apiKey === key) ?? {};
          return { status: 200, headers: [['X-Key', String(key)]], body: JSON.stringify({ password }) };
        }
        if (call.path.endsWith('/team')) {
          seen.push(call.request.rawHeaders.join());
          const status = call.request.headers.apikey === undefined ? 401 : 200;
          return { status, headers: [['WWW-Authenticate', 'Basic realm="api"']], body: '{}' };
        }
        if (!call.path.endsWith('/echo')) return answer();
        const chunks: Buffer[] = [];
        for await (const chunk of call.request as AsyncIterable<Buffer>) chunks.push(chunk);
        return { status: 200, headers: [], body: `${call.method} ${Buffer.concat(chunks)}` };
      },
      send: (call, answer) => {
        if (call.path.endsWith('/cut')) call.request.socket.destroy();
        else return behaviour.send(call, answer);
      },
    }),
  };
  const address = () => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;

  test.beforeAll(async () => {
    test.setTimeout(120_000);
    await listenOn(elsewhere);
    const server = await served({ bends: [strange, masking], target: { headers: { 'X-Gate': GATE } } });
    ({ accounts } = server);
    const [KEY = ''] = accounts.map(({ apiKey }) => apiKey);
    const password = accounts.find((account) => account.password !== null)?.password ?? '';
    const config = configured(
      `
test('reads twice', async ({ api }) => {
  const mine = api.as('with-password');
  for (const _ of [1, 2, 3]) await expect(await mine.get('webhooks')).toBeOK();
});
test('is nobody', async ({ api }) => { expect((await api.anonymous.get('webhooks')).status()).toBe(401); });
test('knows no such account', async ({ api }) => { await api.as('mallory').get('webhooks'); });
test('looks at no failure', async ({ api }, testInfo) => {
  const mine = api.as('with-password');
  await testInfo.attach('body', { body: await (await mine.get('leak')).text() });
  for (const request of [
    () => api.anonymous.get('cut'),
    () => mine.get('', { headers: { apikey: 'x' } }),
    () => mine.get('${address()}'),
  ])
    await request().catch(() => null);
});
test('is moved', async ({ api }) => { expect((await api.anonymous.get('moved')).status()).toBe(302); });
test('echoes', async ({ api }) => {
  const response = await api.anonymous.post('echo', { data: { word: 'hello' } });
  expect(await response.text()).toBe('POST {"word":"hello"}');
});
test('sends much, a secret in it', async ({ api }) => {
  await api.anonymous.post('moved', { data: { stored: ${JSON.stringify(password)}, more: 'x'.repeat(70_000) } });
});
test('prints', async () => {
  console.log('printed', process.env.KEY, '\\u001b]0;title\\u0007');
  process.stderr.write(process.env.KEY.slice(0, 9));
  process.stderr.write(process.env.KEY.slice(9));
  expect([process.env.KEY]).toEqual([]);
});
`,
      {
        baseURL: 'http://127.0.0.1:1',
        clientCertificates: [{ origin: 'https://127.0.0.1', passphrase: 'certificate-of-the-team' }],
        contextOptions: { failOnStatusCode: true },
        extraHTTPHeaders: { 'X-Team': 'header-of-the-team', apiKey: 'key-of-the-team' },
        httpCredentials: { username: 'user-of-the-team', password: 'word', send: 'always' },
        storageState: { cookies: [{ ...COOKIE, name: 'session', value: 'cookie-of-the-team' }], origins: [] },
        userAgent: 'browser-of-the-team',
      },
      {
        'team/team.spec.ts': `import { expect, test } from ${OWN};
test('has a use of its own', async ({ api }) => {
  expect((await api.as('with-password').get('team')).status()).toBe(200);
  expect((await api.anonymous.get('team')).status()).toBe(401);
});`,
      },
    );
    // All own tests, and two clauses, of which the server breaks one.
    const words = ['-g', 'settings.(?:json|password-null) |mine.spec|team.spec'];
    const environment = { TARGET: server.file, KEY };
    run = await wholeRun({ config, arguments: words, environment });
    await server.close();
    elsewhere.close();
    const REPLAY = join(run.results, 'evidence.har');
    const choice = ['--project', 'mine', '-g', 'reads twice'];
    replayed = await wholeRun({ config, arguments: choice, environment: { REPLAY } });
  });

  const mine = (title: string, of = run) => ownIn(of).find((each) => each.title === title);

  test('they keep the rate, are recorded, and stand in a block of their own', () => {
    expect(run.status, run.output).toBe(1);
    expect(run.ids('fail')).toEqual(['settings.password-null']);
    expect(mine('reads twice')).toMatchObject({ verdict: 'pass', reason: null, evidence: [4, 5, 6] });
    expect(mine('is nobody')).toMatchObject({ verdict: 'pass', reason: null, evidence: [7] });
    const own = run.har().log.entries.slice(4, 8);
    expect(own.map((entry) => [entry._probe, entry._account, entry.response.status])).toEqual([
      ...Array(3).fill(['own/reads-twice', 'with-password', 200]),
      ['own/is-nobody', null, 401],
    ]);
    expect(run.output).toMatch(/Own tests: \d+ failed, \d+ passed/);
    for (const name of ['index.html', 'junit.xml', 'summary.md']) expect(run.text(name), name).toContain('reads twice');
  });

  test('in a replay, which sends nothing, they are not tested', () => {
    const reason = 'Evidence is replayed, so nothing is sent.';
    expect(mine('reads twice', replayed)).toMatchObject({ verdict: 'not-tested', reason });
  });

  for (const [title = '', verdict, reason] of rowsOf(`
    prints                     | fail | toEqual
    knows no such account      | fail | The target has no account mallory
    looks at no failure        | fail | leak: the answer to GET
    is moved                   | pass |
    echoes                     | pass |
    sends much, a secret in it | pass |
    has a use of its own       | pass |
  `))
    test(`one that ${title}: ${verdict}`, () => {
      const own = mine(title);
      expect(own?.verdict).toBe(verdict);
      if (!reason) return;
      expect(own?.reason).toContain(reason);
      // The list tells what the proxy knows, and not what Playwright makes of a connection that ends.
      expect(own?.reason).not.toMatch(/hang up|ECONNRESET|defect of the suite/);
      if (title !== 'prints') expect(run.output.replace(/\s+/g, ' ')).toContain(own?.reason?.slice(0, 60));
    });

  test('all that the proxy would not send, or that broke, fails a test which looks at nothing', () => {
    const shown = run.output.replace(/\s+/g, ' ');
    for (const problem of [
      'the stored password of with-password',
      'the server closed the connection',
      'the header apiKey was set by hand, so nothing was sent: api.as(account)',
      'own tests reach only the API under test',
    ])
      expect(shown).toContain(problem);
  });

  test('no redirect is followed, nothing goes elsewhere, and bodies are sent, bounded and recorded', () => {
    expect(reached).toBe(0);
    const { exchanges } = fromHar(run.text('evidence.har'), 'evidence.har').evidence;
    const bodies = exchanges.flatMap(({ request }) => request.body?.body ?? []);
    expect(bodies[0]).toBe('{"word":"hello"}');
    // Nothing is recorded of a long one.
    expect(bodies[1]).toBe('');
  });

  test('nothing of the project’s use reaches the API, with a key or without', () => {
    expect(seen).toHaveLength(2);
    for (const text of [...seen, run.text('evidence.har')])
      expect(text).not.toMatch(/of-the-team|authorization|,cookie,/i);
  });

  test('a failure shows title, place, code and what the test printed, without a secret or a control', () => {
    expect(run.output).toMatch(/printed \[secret:apiKey:[^\]]+\] \S*\n/);
    expect(run.output).toMatch(/✘ \S*mine\.spec\.ts:\d+:\d+ › prints\n/);
    expect(run.output).toMatch(/> \d+ \| {3}expect\(\[process\.env\.KEY\]\)\.toEqual\(\[\]\);/);
    for (const control of ['\u001b', '\u0007']) expect(run.output).not.toContain(control);
    const secrets = [GATE, ...accounts.flatMap(({ apiKey, password }) => [apiKey, password ?? apiKey])];
    expect(leaksOf(run, Object.fromEntries(secrets.map((secret) => [secret, secret])))).toEqual([]);
  });
});

test('paths, addresses and cookies are those of the API, through a tunnel where it speaks https', async () => {
  const seen: string[] = [];
  const server = createSecureServer(await selfSigned(), ({ url, headers }, response) => {
    seen.push(`${headers.host} ${url} ${headers.apikey} ${headers.cookie ?? ''}`);
    response.writeHead(200, { 'Set-Cookie': 'seen=yes; Secure; Path=/' }).end('{}');
  });
  const host = `localhost:${await listenOn(server, 0, 'localhost')}`;
  const file = targetFile({
    baseURL: `https://${host}/api/v2`,
    accounts: [{ name: 'alice', apiKey: 'key-of-alice-77' }],
    rate: { requests: 9, seconds: 1 },
  });
  const config = configured(`
    test('is at home', async ({ api }) => {
      const alice = api.as('alice');
      const urls = [];
      for (const path of ['webhooks', '/webhooks', './a?b=c', 'https://${host}/x'])
        urls.push((await alice.get(path)).url());
      expect(urls).toEqual(['/api/v2/webhooks', '/webhooks', '/api/v2/a?b=c', '/x'].map((path) => 'https://${host}' + path));
      const { cookies } = await alice.storageState();
      expect(cookies).toMatchObject([{ name: 'seen', domain: 'localhost', secure: true }]);
    });
  `);
  const environment = { TARGET: file, INSECURE_TLS: '1' };
  const run = await wholeRun({ config, arguments: ['--project', 'mine'], environment });
  server.close();
  expect(run.status, run.output).toBe(0);
  expect(seen.slice(-4)).toEqual([
    `${host} /api/v2/webhooks key-of-alice-77 `,
    `${host} /webhooks key-of-alice-77 seen=yes`,
    `${host} /api/v2/a?b=c key-of-alice-77 seen=yes`,
    `${host} /x key-of-alice-77 seen=yes`,
  ]);
  expect(leaksOf(run, { ALICE: 'key-of-alice-77' })).toEqual([]);
});

test('their time is limited, and waiting for the rate does not count', async () => {
  const rate = { requests: 1, seconds: 2 };
  const config = configured(`
    test('leaves a request alone', async ({ api }) => {
      await api.as('without-password').get('webhooks');
      void api.as('without-password').get('webhooks').catch(() => null);
    });
    test('has a limit', async ({ api }, testInfo) => { expect(testInfo.timeout).toBe(30_000); });
    test('waits', async ({ api }) => {
      test.setTimeout(2000);
      for (const _ of [1, 2, 3]) await expect(await api.as('with-password').get('webhooks')).toBeOK();
    });
    test('hangs', async ({ api }) => {
      test.setTimeout(1000);
      await new Promise(() => {});
    });
  `);
  const run = await runAgainst({ rate, target: { rate } }, { config, arguments: ['--project', 'mine'] });
  expect(run.status, run.output).toBe(1);
  expect(ownIn(run).map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass', 'fail']);
  expect(run.output).toContain('Test timeout of 1000ms exceeded');
  expect(ownIn(run).map(({ evidence }) => evidence.length)).toEqual([1, 0, 3, 0]);
});

const SECRET = 'left-secret-4711';
const known = () => guard(new Masking([{ name: 'left', apiKey: SECRET }], []));

test('what a test attaches and holds a secret is attached to nothing, and removed where it is the run’s own', () => {
  known();
  const directory = freshDirectory();
  const outputs = join(directory, 'left');
  const [zipped = '', harmless = ''] = [`a ${SECRET} `.repeat(9), 'nothing'].map((text) =>
    zipSync({ 'trace.trace': Buffer.from(text) }),
  );
  const written = (place: string, name: string, content: string | Uint8Array) => {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, name), content);
    return join(place, name);
  };
  // A trace that a test recorded itself is looked into, wherever it is attached from.
  const secret = [
    written(outputs, 'file', `a ${SECRET}`),
    written(join(directory, 'left-by-others'), 'file', `a ${SECRET}`),
    written(outputs, 'mine.zip', zipped),
    written(directory, 'own.zip', zipped),
  ];
  const others = [written(outputs, 'fine.zip', harmless), join(directory, 'gone'), outputs];
  for (const name of ['unattached.zip', 'trace.zip']) written(outputs, name, zipped);
  written(outputs, 'log.gz', gzipSync(`a ${SECRET}`));
  written(outputs, 'text.zip', `a ${SECRET}`);
  const attachments = [...secret, ...others].map((path) => ({ name: 'file', contentType: 'application/zip', path }));
  const result = { stdout: [], stderr: [], attachments, annotations: [] } as unknown as TestResult;
  maskResult(result, outputs);
  clearLeft(outputs);
  expect(result.attachments.map(({ path }) => path)).toEqual(others);
  expect(secret.map((path) => existsSync(path))).toEqual([false, true, false, true]);
  expect(readdirSync(outputs)).toEqual(['fine.zip']);
});
