// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name variables so
/** Mistakes in a target file: each is one line that says where it is and what to fix, and holds no secret. */
import { join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { loadConfiguration } from '../../../src/config/configuration';
import type { Variables } from '../../../src/config/target';
import { loadTarget } from '../../../src/config/target-file';
import {
  ACCOUNT,
  ALICE,
  BASE,
  GATE,
  HEAD,
  KEY,
  messageOf,
  OTHER_KEY,
  PASSWORD,
  WHOLE,
} from '../support/configurations';
import { rowsOf } from '../support/table';
import { fileWith, freshDirectory, targetFile } from '../support/whole-runs';

/** A line end within a row of the table. */
const [HEAD_, ALICE_, WHOLE_, ACCOUNT_] = [HEAD, ALICE, WHOLE, ACCOUNT].map((text) => text.replaceAll('\n', '⏎'));

/** What is wrong, the content of a target file, the line that the message names, and what else it says. */
for (const [what, content = '', line, ...says] of rowsOf(`
  an empty file                | | 1 | baseURL: missing | :1: accounts: missing
  no members                   | hello⏎ | 1 | the file: must be a group of members. | For example: {"baseURL":
  two documents                | baseURL: ${BASE}⏎---⏎apiKey: ${KEY}⏎ | 2 | multiple docs
  no base URL                  | accounts:⏎${ACCOUNT_} | 1 | baseURL: missing
  a base URL with credentials  | accounts:⏎${ACCOUNT_}baseURL: https://u:${OTHER_KEY}@acme.example/v2⏎ | 4 | baseURL | credentials
  a misspelt member            | baseurl: ${BASE}⏎accounts:⏎${ACCOUNT_} | 1 | …: unknown member baseurl; it can have: name, baseURL, accounts
  a misspelt member of the settings | ${WHOLE_}    settings:⏎      start:⏎        Status: true⏎ | 7 | accounts[0].settings.start.…: unknown member Status; it can have: status, url
  a member of another tool     | ${WHOLE_}token: x⏎ | 5 | …: unknown member token; it can have: name, baseURL, accounts
  no space after a colon on a line | ${ALICE_}apiKey:${KEY}⏎ | 4 | at column 5: missing char
  a key where a member belongs | ${HEAD_}  - { name: alice, ${KEY} }⏎ | 3 | accounts[0].…: unknown member; it can have: name, apiKey
  a key of digits without quotes | ${ALICE_}apiKey: 4711081523421234⏎ | 4 | accounts[0].apiKey: must be a text: put it in quotes.
  a name and a key that are taken | ${WHOLE_}  - name: Alice⏎    apiKey: ${KEY}⏎ | 5 | accounts[1].name: accounts[0] has the same | :6: accounts[1].apiKey: accounts[0] has the same
  a key that may be a word     | ${ALICE_}apiKey: Sommer⏎  - { name: bob, apiKey: Sommer-Kleidung }⏎ | 4 | accounts[0].apiKey: must have at least 8 characters. The key of the account | :5: accounts[1].apiKey: wrong form. The key of the account | give the account a longer key for testing
  a word for a boolean in YAML 1.1 | %YAML 1.1⏎---⏎${WHOLE_}    hasPassword: yes⏎ | 7 | hasPassword: must be true or false.
  a password though none is stored | ${WHOLE_}    hasPassword: false⏎    password: '${PASSWORD}'⏎ | 6 | accounts[0].password | hasPassword is false
  a member twice               | ${WHOLE_}    apiKey: ${OTHER_KEY}⏎ | 5 | at column 5: duplicate key
  a header for the key         | ${WHOLE_}headers:⏎  ApiKey: ${GATE}⏎ | 6 | headers.… | not allowed
  a secret where the name of a header belongs | ${WHOLE_}headers: { ${GATE} }⏎ | 5 | headers.…: must be a text
  values of other types        | ${WHOLE_}rate: { requests: 1.5, seconds: 0 }⏎waivers: { a: b }⏎limits: { burst: 1 }⏎ | 5 | rate.requests: must be a whole number. | rate.seconds: must be at least 0.01. | :6: waivers: must be a list. | :7: limits.burst: must be at least 2.
  a waiver of no clause        | ${WHOLE_}waivers:⏎  - { clause: rate.refusal-492, reason: T-1 }⏎ | 6 | waivers[0].clause | clauses.yaml
  a waiver until no day        | ${WHOLE_}waivers:⏎  - { clause: rate.refusal-429, reason: T-1, until: 2027-02-30 }⏎ | 6 | waivers[0].until | year-month-day
  notifications of nobody      | ${WHOLE_}notifications: { listen: "127.0.0.1:9099", accounts: [bob], trigger: x }⏎ | 5 | notifications.accounts[0] | there are: alice
  a variable that is not set   | ${ALICE_}apiKey: \${ACME_KEY}⏎ | 4 | accounts[0].apiKey: \${ACME_KEY} is not set | .env
  a quote that is never closed | ${ALICE_}apiKey: "${KEY}⏎ | 5 | at column 1: missing char
  a value that begins with a star | ${ALICE_}apiKey: *${KEY}⏎ | 4 | in quotes
  something behind a quote     | name: "a" b⏎ | 1 | not valid YAML at column 11: unexpected token
  a name without an end        | ${'n'.repeat(2000)}: 1⏎ | 1 | not valid YAML at column 1: key over 1024 chars
  too much nesting             | ${'['.repeat(1000)} | 1 | resource exhaustion
`))
  test(`is refused with the line, the member and what would be right: ${what}`, () => {
    const file = targetFile(content.replaceAll('⏎', '\n').replace('\\|', '|'));
    const message = messageOf(() => loadTarget(file, {}));
    expect(message).toContain(`${file}:${line}: `);
    for (const words of says) expect(message).toContain(words);
  });

test('tells of ten problems and counts the rest', () => {
  const accounts = Array.from({ length: 30 }, (_, i) => `  - { name: "account ${i}", apiKey: ${KEY}-${i} }`);
  const message = messageOf(() => loadTarget(targetFile(`${HEAD}${accounts.join('\n')}\n`), {}));
  expect(message.split('\n').length).toBeLessThan(15);
  expect(message).toContain('and 20 more');
});

test('tells of a file that cannot be read as one', () => {
  const directory = freshDirectory();
  expect(messageOf(() => loadTarget(join(directory, 'none.yaml'), {}))).toContain('no such file');
  expect(messageOf(() => loadTarget(directory, {}))).toContain('it is a directory');
  for (const bytes of [
    Buffer.from(`name: Prüfstand ${KEY}\n`, 'latin1'),
    Buffer.from(`\ufeffname: ${KEY}\n`, 'utf16le'),
  ])
    expect(messageOf(() => loadTarget(fileWith('bytes.yaml', bytes), {}))).toContain('it is not UTF-8');
});

test('takes variables wherever a value stands, whatever they hold', () => {
  const file = targetFile(
    [
      'name: Acme ${RELEASE}',
      'baseURL: https://${HOST}/api/v2/',
      'accounts:',
      '  - { name: alice, apiKey: ${KEY}, password: ${PASSWORD} }',
      '  - name: bob',
      '    apiKey: "${OTHER_KEY}"  # not ${THIS}',
      'headers: { X-Staging-Gate: ${GATE}, X-Both: "${GATE}-${RELEASE}" }',
    ].join('\n'),
  );
  const nasty = `{}[]: #,&*!|>'"%@\`\\ü ${'$'}{KEY}`;
  const target = loadTarget(file, {
    HOST: 'h.example',
    RELEASE: '4.2',
    KEY: '4711-Aa-4711',
    PASSWORD: nasty,
    OTHER_KEY,
    GATE,
  });
  expect(target.name).toBe('Acme 4.2');
  expect(target.baseURL).toBe('https://h.example/api/v2');
  expect(target.accounts).toEqual([
    { name: 'alice', apiKey: '4711-Aa-4711', password: nasty },
    { name: 'bob', apiKey: OTHER_KEY },
  ]);
  expect(target.headers).toEqual([
    ['X-Staging-Gate', GATE],
    ['X-Both', `${GATE}-4.2`],
  ]);
});

test('knows which variable holds a secret, also where the account’s name is in one', () => {
  const file = targetFile(
    [`baseURL: ${BASE}`, 'accounts:', '  - { name: "${NAME}", apiKey: "${KEY}", password: "x-${PASSWORD}" }'].join(
      '\n',
    ),
  );
  const target = loadTarget(file, { NAME: 'alice', KEY, PASSWORD: 'some-password' });
  expect(target.variables).toEqual({ 'apiKey:alice': 'KEY' });
});

test('reads a byte order mark and Windows line ends as what they are', () => {
  const file = targetFile(`\ufeffbaseURL: ${BASE}\r\naccounts:\r\n  - name: alice\r\n    apiKey: ${KEY}\r\n`);
  expect(loadTarget(file, {}).accounts).toEqual([{ name: 'alice', apiKey: KEY }]);
});

test('gives way to BASE_URL, also where it names no address', () => {
  const variables: Variables = { TARGET: targetFile(`accounts:\n${ACCOUNT}`), BASE_URL: 'http://127.0.0.1:1/v2/' };
  expect(loadConfiguration(variables).target?.baseURL).toBe('http://127.0.0.1:1/v2');
  const both = targetFile(WHOLE);
  expect(loadConfiguration({ TARGET: both, BASE_URL: 'http://127.0.0.1:1/v2' }).target?.baseURL).toBe(
    'http://127.0.0.1:1/v2',
  );
  const { target } = loadConfiguration({ TARGET: both, API_KEY: OTHER_KEY });
  expect(target).toMatchObject({ baseURL: BASE, accounts: [{ name: 'alice', apiKey: KEY }] });
});

test('leaves to the defaults what it does not declare', () => {
  const file = targetFile(`baseURL: ${BASE}/\naccounts:\n${ACCOUNT}limits: { bodyBytes: 2048 }\n`);
  const undeclared = {
    baseURL: BASE,
    embedded: false,
    rate: { requests: 1, seconds: 1 },
    headers: [],
    limits: { timeoutSeconds: 10, bodyBytes: 1_048_576, runSeconds: 600 },
    notifications: null,
    variables: {},
    waivers: [],
  };
  expect(loadTarget(file, {})).toEqual({
    ...undeclared,
    name: 'target',
    file: '/path/to/target.yaml',
    accounts: [{ name: 'alice', apiKey: KEY }],
    limits: { ...undeclared.limits, bodyBytes: 2048 },
  });
  expect(loadConfiguration({ BASE_URL: ` ${BASE}/ `, API_KEY: KEY }).target).toEqual({
    ...undeclared,
    variables: { 'apiKey:default': 'API_KEY' },
    name: 'staging.acme.example',
    accounts: [{ name: 'default', apiKey: KEY }],
  });
});

test('its path can be pasted where it starts here, and names no other directory of the machine', () => {
  const file = targetFile(WHOLE);
  const near = relative(process.cwd(), file);
  const below = fileWith('acme.yaml', WHOLE, test.info().outputPath());
  expect(loadTarget(file, { TARGET: near }).file).toBe(near);
  expect(loadTarget(below, { TARGET: below }).file).toBe(relative(process.cwd(), below));
  expect(loadTarget(file, { TARGET: file }).file).toBe('/path/to/target.yaml');
});

test('all mistakes of a target file are told at once, unset variables among them', () => {
  const file = targetFile(
    `baseURL: ${BASE}
accounts:
  - { name: alice, apiKey: "\${NOT_SET}" }
  - { name: bob, apikey: x }
retries: 3
limits: { burst: 1 }
headers: { X-Gate: "\${NOT_SET_EITHER}" }
waivers:
  - { clause: rate.refusal-42, reason: TICKET-12 }
`,
  );
  const lines = messageOf(() => loadTarget(file, {})).split('\n');
  expect(lines.slice(1).map((line) => Number(/yaml:(\d+):/.exec(line)?.[1]))).toEqual([3, 4, 4, 5, 6, 7, 9]);
  expect(lines.join()).toContain('no clause has this id');
  expect(lines.filter((line) => line.includes(':3:'))).toEqual([
    expect.stringContaining('${NOT_SET} is not set: set NOT_SET in the environment or in .env'),
  ]);
});
