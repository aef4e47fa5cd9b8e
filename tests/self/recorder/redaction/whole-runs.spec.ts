/** Every byte that a run prints or leaves is searched for every secret it was given, in every form it may take. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { zipSync } from 'fflate';
import { stringify } from 'yaml';
import { answering, headOf, isRead, isRejected, withHeader, writeRaw } from '../../../../fixtures/dialects/tools';
import { editing, put, sendingSome } from '../../../../fixtures/faults/tools';
import type { Account, Settings } from '../../../../src/reference/account';
import type { Bend, Call } from '../../../../src/reference/behaviour';
import { formsOf, leaksIn, leaksOf, needlesOf } from '../../support/leaks';
import { runHere } from '../../support/run-here';
import {
  filesBelow,
  freePort,
  freshDirectory,
  served,
  targetFile,
  type WholeRun,
  wholeRun,
} from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const GATE = 'gate/Sekret+"&<2342>=\\~x';
const settings = (name: string): Settings => {
  const kind = (path: string) => ({ status: true, url: `https://hooks.acme.example/${name}/${path}` });
  return {
    start: kind('start'),
    submission: kind('submission'),
    updates: kind('updates'),
    auth: { status: true, type: 'basic', basic: { username: `${name}-user` }, apikey: { header: null, apikey: null } },
  };
};
/** Secrets with characters that JSON, URLs, HTML and base64 write differently, and plain secrets. */
const ACCOUNTS: Account[] = [
  {
    name: 'signs',
    apiKey: 'k/ey+Sekret"4711=&<aB>\\~Zz',
    password: 'pä55/Sekret+"0815"<ü>&?=\\~',
    settings: settings('signs'),
  },
  {
    name: 'plain',
    apiKey: 'plainKeySekret1234AbCdEfGh',
    password: 'plainPasswordSekret5678',
    settings: settings('plain'),
  },
];
const SECRETS: Record<string, string> = {
  GATE,
  ...Object.fromEntries(
    ACCOUNTS.flatMap(({ name, apiKey, password }) => [
      [`KEY_${name}`.toUpperCase(), apiKey],
      [`PASSWORD_${name}`.toUpperCase(), password ?? ''],
    ]),
  ),
};

/** An account's secrets in every form in which careless code may disclose them. */
function disclosed({ apiKey, password, settings: { auth } }: Account): string[] {
  const basic = `${auth.basic.username}:${password}`;
  return [apiKey, password ?? '', basic, GATE].flatMap((value) =>
    [...formsOf(value)].filter(([form]) => !/^(?:Latin-1|UTF-16)/.test(form)).map(([, text]) => text.toString()),
  );
}

/** Everything that a request held. */
function echo(call: Call): string {
  const { url, headers } = call.request;
  const text = JSON.stringify({ url, headers });
  return JSON.stringify({
    request: { url, headers },
    text,
    encoded: Buffer.from(text).toString('base64'),
    query: encodeURIComponent(text),
    curl: `curl -H 'apiKey: ${headers.apikey}' '${url}'`,
  });
}

/** A text as a header value can hold it. */
const printable = (text: string) => text.replace(/[^ -~]/g, (c) => encodeURIComponent(c));

/** Tells everything to everybody. */
const gossip: Bend = {
  name: 'gossip',
  bend: answering((answer, call) => {
    const { account } = call;
    if (!account) {
      const told = withHeader(answer, 'X-Request', printable(echo(call)));
      return { ...withHeader(told, 'Location', `/login?next=${encodeURIComponent(echo(call))}`), body: echo(call) };
    }
    const headers = disclosed(account).map((text, i) => [`X-Debug-${i}`, printable(text)] as [string, string]);
    const named = account.name === 'plain' ? [[`X-${account.apiKey}`, '1'] as [string, string]] : [];
    const cookie: [string, string] = [
      'Set-Cookie',
      `session=${Buffer.from(account.apiKey).toString('base64url')}; Path=/`,
    ];
    const document = JSON.parse(String(answer.body) || '{}');
    const debug = { forms: disclosed(account), request: JSON.parse(echo(call)), [account.apiKey]: account.password };
    return {
      ...answer,
      headers: [...answer.headers, ...headers, ...named, cookie],
      body: JSON.stringify({ ...document, debug }),
    };
  }),
};

/** Cuts every other answer off in the middle of a secret, in changing forms, compressed or not. */
function breakingOff(): Bend {
  let count = 0;
  return {
    name: 'breaking-off',
    bend: sendingSome(
      (call) => (isRead(call) || isRejected(call)) && ++count > 2 && count % 2 === 0,
      async (call, answer) => {
        const account = call.account ?? (ACCOUNTS[count % ACCOUNTS.length] as Account);
        const forms = disclosed(account);
        const form = forms[count % forms.length] ?? '';
        const body = `{"webhook":{"start":{"debug":"${form.slice(0, Math.max(1, form.length - (count % 5)))}`;
        const isPacked = count % 4 === 0;
        const coded = isPacked ? gzipSync(`${body}${'x'.repeat(200)}`).subarray(0, -12) : Buffer.from(body);
        const lines: [string, string][] = [
          ['Content-Length', '5000'],
          ...(isPacked ? [['Content-Encoding', 'gzip'] as [string, string]] : []),
        ];
        const status = `HTTP/1.1 ${answer.status} ${printable(account.apiKey)}`;
        await writeRaw(call, Buffer.concat([Buffer.from(headOf({ ...answer, headers: lines }, status)), coded]));
      },
    ),
  };
}

const TRACED = ['--trace', 'on'];
/** A target file whose secrets are variables, as the README recommends. */
function declaring(baseURL: string, members: object = {}): string {
  return targetFile({
    name: 'leaky',
    baseURL,
    accounts: ACCOUNTS.map(({ name, settings: declared }) => ({
      name,
      apiKey: `\${KEY_${name.toUpperCase()}}`,
      password: `\${PASSWORD_${name.toUpperCase()}}`,
      settings: declared,
    })),
    headers: { 'X-Staging-Gate': `\${GATE}` },
    ...members,
  });
}

test('the search finds what it is to find, wherever it is packed', () => {
  const needles = needlesOf(SECRETS);
  const zip = (content: Buffer) => Buffer.from(zipSync({ content }));
  const packings: Record<string, (content: Buffer) => Buffer> = {
    plain: (content) => content,
    gzip: (content) => gzipSync(content),
    zip,
    'zip in a page': (content) =>
      Buffer.from(`<script>x="data:application/zip;base64,${zip(content).toString('base64')}"</script>`),
  };
  for (const [packing, pack] of Object.entries(packings)) {
    for (const account of ACCOUNTS) {
      for (const form of disclosed(account)) {
        const content = Buffer.from(
          `some text before ${form} and some after it, so that it is long enough to be packed`,
        );
        expect(leaksIn(pack(content), packing, needles), `${form}, ${packing}`).not.toEqual([]);
      }
    }
    expect(leaksIn(pack(Buffer.from('nothing of the kind '.repeat(9))), packing, needles)).toEqual([]);
  }
});

test('a conforming server leaves no secret anywhere, traces and reports included', async () => {
  const [first, second] = await Promise.all([
    served({ accounts: ACCOUNTS, target: { headers: { 'X-Staging-Gate': GATE } } }),
    served({ accounts: ACCOUNTS }),
  ]);
  const [declared, alone, embedded] = (await Promise.all([
    wholeRun({
      arguments: [...TRACED, '-g', 'auth|settings|version'],
      environment: { TARGET: first.file, RISKY_PROBES: '1' },
    }),
    wholeRun({
      arguments: TRACED,
      environment: { BASE_URL: second.reference.baseURL, API_KEY: ACCOUNTS[1]?.apiKey ?? '' },
    }),
    runHere({}, /^(?:auth|settings)/),
  ])) as [WholeRun, WholeRun, WholeRun];
  await Promise.all([first.close(), second.close()]);
  for (const run of [declared, alone]) expect(leaksOf(run, SECRETS)).toEqual([]);
  expect(declared.output + alone.output + embedded.output).not.toContain('✘');
  const files = filesBelow(declared.directory);
  expect(files.filter((name) => name.endsWith('trace.zip')).length, files.join('\n')).toBeGreaterThan(0);
  const own = (await import('../../../../src/reference/embedded-accounts')).embeddedAccounts();
  const embeddedSecrets = Object.fromEntries(
    own.flatMap(({ name, apiKey, password }) => [
      [`KEY_${name}`, apiKey],
      ...(password ? [[`PASSWORD_${name}`, password]] : []),
    ]),
  );
  expect(leaksOf(embedded, embeddedSecrets)).toEqual([]);
});

test('a server that tells everything to everybody is reported without repeating it', async () => {
  const summary = join(freshDirectory(), 'step-summary.md');
  const servers = await Promise.all([
    served({ accounts: ACCOUNTS, bends: [gossip] }),
    served({ accounts: ACCOUNTS, bends: [gossip, breakingOff()] }),
  ]);
  const [forAll, forBreaking] = servers.map(({ reference }) => ({
    ...SECRETS,
    TARGET: declaring(reference.baseURL, { limits: { timeoutSeconds: 30 } }),
    RISKY_PROBES: '1',
    STRICT: '1',
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: summary,
  }));
  // One after the other: what is computed here would keep the other's server from answering.
  const gossiping = await wholeRun({ arguments: TRACED, environment: { ...forAll } });
  const breaking = await runHere({ ...forBreaking });
  const replayed = await runHere({ REPLAY: join(gossiping.results, 'evidence.har') });
  await Promise.all(servers.map((server) => server.close()));
  for (const run of [gossiping, breaking, replayed]) {
    expect(run.status, run.output).toBe(1);
    expect(leaksOf(run, SECRETS, [summary])).toEqual([]);
  }
  // The leaks are still visible, as markers that name the secret.
  const verdicts = new Map(gossiping.conformance().clauses.map((clause) => [clause.id, clause.verdict]));
  expect(verdicts.get('settings.password-absent')).toBe('fail');
  expect(verdicts.get('auth.key-not-echoed')).toBe('warn');
  const evidence = gossiping.text('evidence.har');
  for (const marker of ['apiKey:signs', 'apiKey:plain', 'password:signs', 'password:plain', 'header:X-Staging-Gate'])
    expect(evidence.split(`[secret:${marker}`).length, marker).toBeGreaterThan(10);
  expect(breaking.conformance().clauses.find(({ id }) => id === 'transport.complete')?.verdict).toBe('fail');
});

test('a directory of targets leaves no secret, in one run and in shards', async () => {
  const leaky = await served({ accounts: ACCOUNTS, bends: [gossip] });
  const directory = freshDirectory();
  copyFileSync(declaring(leaky.reference.baseURL), join(directory, 'leaky.yaml'));
  copyFileSync(declaring('http://127.0.0.1:1/api/v2'), join(directory, 'nowhere.yaml'));
  writeFileSync(
    join(directory, 'unusable.yaml'),
    `baseURL: nowhere\naccounts: [{ name: a, apiKey:${SECRETS.KEY_PLAIN} }]\n`,
  );
  const select = [...TRACED, '-g', 'auth.(accepted|missing-key|key-not-echoed)|settings.password-absent'];
  const runs = await Promise.all(
    [select, [...select, '--shard=1/2'], [...select, '--shard=2/2']].map((chosen) =>
      wholeRun({ arguments: chosen, environment: { ...SECRETS, TARGETS: directory } }),
    ),
  );
  await leaky.close();
  const marked = runs.filter((run) =>
    filesBelow(run.results).some(
      (name) => name.endsWith('evidence.har') && run.text(name).includes('[secret:password:signs'),
    ),
  );
  expect(marked.length, 'the leak is seen').toBeGreaterThan(0);
  // Of the two shards, one has the target that cannot be used, and nothing else.
  expect(runs.map(({ status }) => status).sort()).toEqual([1, 1, 2]);
  for (const run of runs) expect(leaksOf(run, SECRETS)).toEqual([]);
});

test('a password that nobody declared is not repeated either', async () => {
  const shown: Bend = {
    name: 'shown',
    bend: editing((document, account) => put(document, 'auth.basic.password', account.password)),
  };
  const { reference, close } = await served({ accounts: ACCOUNTS, bends: [shown] });
  const run = await wholeRun({
    arguments: [...TRACED, '-g', 'settings'],
    environment: { BASE_URL: reference.baseURL, API_KEY: ACCOUNTS[1]?.apiKey ?? '' },
  });
  await close();
  expect(run.status, run.output).toBe(1);
  expect(run.conformance().clauses.find(({ id }) => id === 'settings.password-null')?.verdict).toBe('fail');
  expect(run.conformance().clauses.find(({ id }) => id === 'settings.password-absent')?.verdict).toBe('fail');
  expect(leaksOf(run, SECRETS)).toEqual([]);
});

test('a run that could not be done leaves no secret', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}/api/v2`;
  const { KEY_SIGNS = '', PASSWORD_SIGNS = '' } = SECRETS;
  const inline = stringify({
    baseURL: nowhere,
    accounts: [{ name: 'signs', apiKey: KEY_SIGNS, password: PASSWORD_SIGNS, hasPassword: 'maybe' }],
    headers: { 'X-Staging-Gate': GATE, Gate: `${GATE}\n` },
    secret: PASSWORD_SIGNS,
  });
  const runs = await Promise.all([
    wholeRun({ arguments: TRACED, environment: { ...SECRETS, TARGET: declaring(nowhere), STRICT: '1' } }),
    wholeRun({ environment: { TARGET: targetFile(`${inline}\n broken: "${PASSWORD_SIGNS}`) } }),
    runHere({ ...SECRETS, TARGET: declaring('nowhere') }),
    runHere({ ...SECRETS, TARGET: declaring(nowhere, { rate: 1 }), KEY_PLAIN: `${SECRETS.KEY_PLAIN}\n` }),
    runHere({ TARGET: targetFile(inline) }),
    runHere({ BASE_URL: nowhere, API_KEY: `${KEY_SIGNS} ` }),
    runHere({ BASE_URL: `${nowhere}?apiKey=${encodeURIComponent(KEY_SIGNS)}`, API_KEY: KEY_SIGNS }),
    runHere({ BASE_URL: nowhere.replace('//', `//u:${encodeURIComponent(KEY_SIGNS)}@`), API_KEY: KEY_SIGNS }),
  ]);
  for (const run of runs) {
    expect(run.status, run.output).toBe(2);
    expect(run.conformance().verdict).toBe('error');
    expect(leaksOf(run, SECRETS)).toEqual([]);
  }
});
