/** How one breach is told: the message, the curl line, and the members that are wrong. */
import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { clauseText } from '../../../../src/contract/clauses';
import type { Subject } from '../../../../src/contract/result';
import type { Exchange, RecordedRequest, TargetFacts } from '../../../../src/evidence/model';
import { commandFor, curlOf, variableOf } from '../../../../src/report/breach/curl';
import { linesOfResponse, messageOf } from '../../../../src/report/breach/message';
import { accountsNamed, breach, evidenceOf, judgedWith } from '../../support/evidence-of';
import { hostileRun } from '../../support/hostile-run';
import { failingRun } from '../../support/report-samples';

test('a failure message says what was sent, what came, what would conform, and where the evidence is', async () => {
  const { evidence } = await failingRun();
  const exchanges = evidence.exchanges.filter(({ account }) => account === 'with-password').slice(0, 14);
  const breaches = exchanges.map((exchange, i) => breach('answer', '', `answer ${i}`, exchange));
  const judgement = judgedWith('settings.json', breaches, { ...evidence, exchanges });
  const { section, statement, conforms } = clauseText('settings.json');
  const lines = messageOf(judgement, evidence)?.split('\n') ?? [];
  expect(lines.filter((line) => !line.startsWith('            '))).toEqual([
    `settings.json (MUST, section ${section}): ${statement}`,
    '',
    '  sent      curl -i --compressed -H "X-Staging-Gate: $HEADER_X_STAGING_GATE" -H "apiKey: $API_KEY_WITH_PASSWORD" https://staging.acme.example/api/v2/webhooks',
    '  came      answer 0',
    `  conforms  ${conforms}`,
    `  evidence  entries ${judgement.evidence.slice(0, 5).join(', ')} and 9 more of evidence.har`,
    expect.stringMatching(/^ {2}also {6}Answer 1 \(.* more like it\); .*; and 5 more\.$/),
    '  where     set HEADER_X_STAGING_GATE to the value of X-Staging-Gate first',
  ]);
  expect(lines.at(-1)).toBe('            set API_KEY_WITH_PASSWORD to the key of with-password first');
  expect(lines[4]).toBe('            200');
  expect(messageOf(judgedWith('settings.json', [], evidence, [1]), evidence)).toBe(null);
});

test('a failure message shows what a server sends on lines of their own, and nothing that a terminal obeys', async () => {
  const { evidence } = await hostileRun();
  const exchange = evidence.exchanges[1] as Exchange;
  const odd = breach('header', 'X-RateLimit-Remaining', 'odd', exchange);
  const message = messageOf(judgedWith('auth.accepted', [odd], evidence), evidence);
  const came = message?.split(/^ {2}(?:came|conforms) .*\n?/m)[1] ?? '';
  expect(came.match(/^ {12}\S.*$/gm)).toHaveLength(3);
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
      const line = curlOf(request({ headers: [['apiKey', value]] }), { variables });
      return wordsOf(line, { ACME_KEY_ALICE: 'abcDEF12', PATH: process.env.PATH ?? '' })[2];
    };
    expect(curlOf(request({ headers: [['X-Gate', '[secret:header:X-Gate]']] }), { variables })).toContain(
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

  test('trusts what the run trusted, over TLS alone', () => {
    const over = (scheme: string) => request({ url: `${scheme}://api.example/v2/webhooks` });
    const insecure = { insecureTls: true, extraAuthorities: true } as const;
    expect(curlOf(over('https'), insecure)).toBe('curl -i -k https://api.example/v2/webhooks');
    const line = curlOf(over('https'), { extraAuthorities: true });
    expect(wordsOf(line, { NODE_EXTRA_CA_CERTS: '/etc/our ca.pem' })).toEqual([
      '-i',
      '--cacert',
      '/etc/our ca.pem',
      'https://api.example/v2/webhooks',
    ]);
    expect(curlOf(over('http'), insecure)).toBe('curl -i http://api.example/v2/webhooks');
  });

  test('is read by a shell as the very words that were sent', () => {
    for (const sign of ['!', '"', '$HOME', '`id`', '\\\\', "'"]) {
      const line = curlOf(request({ headers: [['X', `${sign}[secret:apiKey:a]${sign}`]] }));
      expect(wordsOf(line, { API_KEY_A: 'k', HOME: '/' })[2]).toBe(`X: ${sign}k${sign}`);
      // An interactive shell would take it for a piece of its history.
      if (sign === '!') expect(line).toContain(`"X: "'!'"$API_KEY_A"'!'""`);
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

test('a message lists what else is wrong in another way, and says how a variable of .env gets into the shell', async () => {
  const { evidence } = await failingRun();
  const [exchange] = evidence.exchanges;
  if (!exchange) throw new Error('Nothing was sent.');
  const wrong = (name: string, got: string) => breach('header', name, got, exchange);
  const breaches = [wrong('Vary', '1'), wrong('Vary', '2'), wrong('Date', '3')];
  const judgement = judgedWith('settings.json', breaches, evidence);
  const variables = { 'apiKey:with-password': 'ACME_KEY', 'header:X-Staging-Gate': 'GATE' };
  const known = { ...evidence, target: { ...evidence.target, variables } };
  const message = messageOf(judgement, known, null, { GATE: 'x' }) ?? '';
  expect(message).toMatch(/ {2}also {6}Vary: 2; Date: 3\.\n {2}where {5}\$GATE as set in this shell\n/);
  expect(message).toContain('set $ACME_KEY first; from .env: set -a; . ./.env; set +a');
});

test('a message about a member shows that member, and one about the rate limit the headers of the limit', async () => {
  const { evidence } = await failingRun();
  const [exchange] = evidence.exchanges;
  const told = (id: string, kind: Subject['kind'], name: string) => {
    const breaches = exchange ? [breach(kind, name, 'odd', exchange)] : [];
    return messageOf(judgedWith(id, breaches, evidence), evidence) ?? '';
  };
  const ofMember = told('settings.password-null', 'member', 'auth.basic.password');
  expect(ofMember).toContain('… "password": "[secret:password:with-password]" …');
  expect(ofMember).not.toMatch(/hasPassword|X-RateLimit/);
  expect(told('settings.envelope', 'answer', '')).toContain('"hasPassword":true');
  expect(told('rate.enforced', 'limit', 'alice')).toMatch(/X-RateLimit-Limit: 1\n(?:.*\n)*.*X-RateLimit-Reset/);
});

test('members are shown by their paths, below webhook or from the top; a name without a path shows the whole body', async () => {
  const body = '{"webhook":{"auth":{"basic":{"password":null}},"start":[{"url":1}]},"error":{"code":1}}';
  const shown = (...paths: string[]) =>
    linesOfResponse(evidenceOf([{ status: 200, body }]).exchanges[0], 'settings', new Set(paths)).slice(1);
  expect(shown('auth.basic.password')).toEqual(['… "password": null …']);
  expect(shown('webhook.auth', 'error.code')).toEqual(['… "auth": {"basic":{"password":null}} …', '… "code": 1 …']);
  expect(shown('url').join('')).toBe(body);
});

test('a read does not show what a notification is like, but shows a header', async () => {
  const [read] = (await failingRun()).evidence.exchanges;
  const evidence = evidenceOf([]);
  const of = (target: Partial<TargetFacts>) =>
    commandFor('event.own-url', read, { ...evidence, target: { ...evidence.target, ...target } });
  expect(of({ embedded: true })).toBe("npx playwright test -g 'event.own-url '");
  expect(of({ file: 'acme.yaml', riskyProbes: true })).toMatch(
    /^TARGET=acme.yaml RISKY_PROBES=1 npx .* -g 'event.own-url '$/,
  );
  expect(of({ accounts: accountsNamed('default'), insecureTls: true })).toMatch(
    /^BASE_URL=https:\/\/api.example\/v2 API_KEY="\$API_KEY" INSECURE_TLS=1 npx /,
  );
  expect(commandFor('rate.reset-format', read, evidence)).toBe(null);
});
