// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name variables so
/** Mistakes in a target file: each is one line that says where it is and what to fix, and holds no secret. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { loadConfiguration } from '../../../src/config/configuration';
import type { Variables } from '../../../src/config/environment';
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
import { freshDirectory, targetFile } from '../support/whole-runs';

/** By what is wrong: the content of a target file, the line that the message names, and what else it must say. */
const BAD_FILES: Record<string, [content: string, line: number, ...says: (string | RegExp)[]]> = {
  'an empty file': ['', 1, 'the file is empty'],
  'a list': [`- ${KEY}\n`, 1, 'the file', /object/],
  'two documents': [`baseURL: ${BASE}\n---\napiKey: ${KEY}\n`, 2, 'multiple docs'],
  'no base URL': [`accounts:\n${ACCOUNT}`, 1, 'baseURL: missing'],
  'a base URL without a scheme': [`baseURL: staging.acme.example/v2\naccounts:\n${ACCOUNT}`, 1, 'baseURL', 'https://'],
  'a base URL with credentials': [
    `accounts:\n${ACCOUNT}baseURL: https://u:${OTHER_KEY}@acme.example/v2\n`,
    4,
    'baseURL',
    'credentials',
  ],
  'a base URL with a query': [`accounts:\n${ACCOUNT}baseURL: ${BASE}?key=${OTHER_KEY}\n`, 4, 'baseURL', 'query'],
  'a misspelt member': [
    `baseurl: ${BASE}\naccounts:\n${ACCOUNT}`,
    1,
    '…: unknown member',
    'it can have: name, baseURL, accounts',
  ],
  'a misspelt member of the settings': [
    `${WHOLE}    settings:\n      start:\n        Status: true\n`,
    7,
    'accounts[0].settings.start.…: unknown member',
    'it can have: status, url',
  ],
  'no space after a colon in braces': [`${HEAD}  - { name: alice, apiKey:${KEY} }\n`, 3, 'apiKey: is a space missing'],
  'no space after a colon on a line': [`${ALICE}apiKey:${KEY}\n`, 4, 'at column 5: missing char'],
  'a key where a member belongs': [`${HEAD}  - { name: alice, ${KEY} }\n`, 3, 'accounts[0]'],
  'a key of digits without quotes': [`${ALICE}apiKey: 4711081523421234\n`, 4, 'accounts[0].apiKey', 'string', 'quote'],
  'a name that is taken, beside another mistake': [
    `${WHOLE}    hasPassword: maybe\n  - name: Alice\n    apiKey: ${KEY}\n    colour: red\n`,
    5,
    'accounts[0].hasPassword',
    ':6: accounts[1].name: accounts[0] has the same',
    ':7: accounts[1].apiKey: accounts[0] has the same',
    ':8: accounts[1].…: unknown member',
  ],
  'a key in quotes of its own': [
    `${ALICE}apiKey: '"${KEY}"'\n`,
    4,
    'accounts[0].apiKey: it stands in quotes that are a part of its value',
  ],
  'variables as others write them': [
    `${ALICE}apiKey: $ACME_KEY_1\n    password: \${{ secrets.PASSWORD }}\nheaders: { X-Gate: '\${GATE:-none}' }\n`,
    4,
    'accounts[0].apiKey: a variable stands here instead of its value',
    ':5: accounts[0].password: a variable stands here',
    ':6: headers.…: a variable stands here',
  ],
  'a key that may be a word': [
    `${ALICE}apiKey: Sommer\n  - { name: bob, apiKey: Sommerkleidung }\n`,
    4,
    'accounts[0].apiKey: must NOT have fewer than 8 characters. The key of the account',
    ':5: accounts[1].apiKey: wrong form. The key of the account',
    'give the account a longer key for testing',
  ],
  'a key with a blank before it': [
    `${ALICE}apiKey: ' ${KEY}'\n`,
    4,
    'accounts[0].apiKey: white space stands at its beginning or end',
  ],
  'a key with a line end': [`${ALICE}apiKey: |\n      ${KEY}\n`, 4, 'accounts[0].apiKey', 'white space'],
  'a word for a boolean': [`${WHOLE}    hasPassword: yes\n`, 5, 'hasPassword', 'boolean'],
  'a word for a boolean of an older YAML': [
    `%YAML 1.1\n---\n${WHOLE}    hasPassword: yes\n`,
    7,
    'hasPassword',
    'boolean',
  ],
  'a stored password among the settings': [
    `${WHOLE}    settings: { auth: { basic: { password: '${PASSWORD}' } } }\n`,
    5,
    'accounts[0].settings.auth.basic.password',
    'null',
  ],
  'a password though none is stored': [
    `${WHOLE}    hasPassword: false\n    password: '${PASSWORD}'\n`,
    6,
    'accounts[0].password',
    'hasPassword is false',
  ],
  'a member twice': [`${WHOLE}    apiKey: ${OTHER_KEY}\n`, 5, 'twice'],
  'a header for the key': [`${WHOLE}headers:\n  ApiKey: ${GATE}\n`, 6, 'headers.…', 'not allowed'],
  'a secret where the name of a header belongs': [`${WHOLE}headers: { ${GATE} }\n`, 5, 'headers.…: must be string'],
  'a header with a line end': [`${WHOLE}headers:\n  X-Gate: "${GATE}\\r\\nX: y"\n`, 6, 'headers.…', 'Printable ASCII'],
  'a waiver of no clause': [
    `${WHOLE}waivers:\n  - { clause: rate.refusal-492, reason: T-1 }\n`,
    6,
    'waivers[0].clause',
    /did you mean rate\.refusal-429/,
  ],
  'a waiver until no day': [
    `${WHOLE}waivers:\n  - { clause: rate.refusal-429, reason: T-1, until: 2027-02-30 }\n`,
    6,
    'waivers[0].until',
    'year-month-day',
  ],
  'notifications of nobody': [
    `${WHOLE}notifications: { listen: "127.0.0.1:9099", accounts: [bob], trigger: x }\n`,
    5,
    'notifications.accounts[0]',
    'there are: alice',
  ],
  'a variable that is not set': [`${ALICE}apiKey: \${ACME_KEY}\n`, 4, '${ACME_KEY} is not set', '.env'],
  'a tab': [`${HEAD}\t- name: alice\n\t  apiKey: ${KEY}\n`, 3, 'at column 1: tab as indent'],
  'a quote that is never closed': [`${ALICE}apiKey: "${KEY}\n`, 5, 'at column 1: missing char'],
  'a value that begins with a sign': [`${ALICE}apiKey: @${KEY}\n`, 4, 'at column 13: bad scalar start'],
  'a value that begins with a star': [`${ALICE}apiKey: *${KEY}\n`, 4, 'in quotes'],
  'a value with a colon': [
    `baseURL: ${BASE}\nname: Acme: ${KEY}\naccounts:\n${ACCOUNT}`,
    2,
    'not valid YAML at column 7',
  ],
};

test('is refused with the line, the member and what would be right', () => {
  for (const [name, [content, line, ...says]] of Object.entries(BAD_FILES)) {
    const file = targetFile(content);
    const message = messageOf(() => loadTarget(file, {}));
    expect.soft(message, name).toContain(`${file}:${line}: `);
    // A string must stand in the message as it is; an expression must match it.
    for (const words of says) expect.soft(message, name).toMatch(words);
  }
});

test('tells of everything that is wrong at once, in the order of the lines', () => {
  const file = targetFile(`baseURL: ftp://x\nretries: 3\naccounts:\n  - name: alice\n    hasPassword: "no"\n`);
  const told = [...messageOf(() => loadTarget(file, {})).matchAll(/target\.yaml:(\d+):/g)].map(([, line]) =>
    Number(line),
  );
  expect(told.length).toBeGreaterThanOrEqual(4);
  expect(told).toEqual([...told].sort((a, b) => a - b));
});

test('tells of ten problems and counts the rest', () => {
  const accounts = Array.from({ length: 30 }, (_, i) => `  - { name: "account ${i}", apiKey: ${KEY}-${i} }`);
  const message = messageOf(() => loadTarget(targetFile(`${HEAD}${accounts.join('\n')}\n`), {}));
  expect(message.split('\n').length).toBeLessThan(15);
  expect(message).toContain('and 20 more');
});

test('does not run out of memory over aliases of aliases', () => {
  const levels = Array.from({ length: 12 }, (_, i) => `  - &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  const file = targetFile(`name: x\n${WHOLE}x:\n  - &l0 [lol]\n${levels.join('\n')}\n`);
  expect(messageOf(() => loadTarget(file, {}))).toContain('aliases');
});

test('tells of a file that cannot be read as one', () => {
  const directory = freshDirectory();
  expect(messageOf(() => loadTarget(join(directory, 'none.yaml'), {}))).toContain('there is no such file');
  expect(messageOf(() => loadTarget(directory, {}))).toContain('it is a directory');
  const latin1 = join(directory, 'latin1.yaml');
  writeFileSync(latin1, Buffer.from(`name: Prüfstand ${KEY}\n`, 'latin1'));
  expect(messageOf(() => loadTarget(latin1, {}))).toContain('it is not UTF-8');
  const utf16 = join(directory, 'utf16.yaml');
  writeFileSync(utf16, Buffer.from(`\ufeffname: ${KEY}\n`, 'utf16le'));
  expect(messageOf(() => loadTarget(utf16, {}))).toContain('it is not UTF-8');
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
  expect(loadConfiguration({ TARGET: both }).target?.baseURL).toBe(BASE);
});

test('leaves to the defaults what it does not declare', () => {
  const file = targetFile(`baseURL: ${BASE}/\naccounts:\n${ACCOUNT}limits: { bodyBytes: 2048 }\n`);
  const undeclared = {
    baseURL: BASE,
    embedded: false,
    rate: { requests: 1, seconds: 1 },
    headers: [],
    limits: { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null, runSeconds: 600 },
    notifications: null,
    variables: {},
    waivers: [],
  };
  expect(loadTarget(file, {})).toEqual({
    ...undeclared,
    name: 'target',
    file: 'target.yaml',
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

test('leaves API_KEY alone unless it names it', () => {
  const file = targetFile(WHOLE);
  expect(loadConfiguration({ TARGET: file, API_KEY: OTHER_KEY }).target?.accounts).toEqual([
    { name: 'alice', apiKey: KEY },
  ]);
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
  expect(lines.join()).toContain('did you mean rate.refusal-429');
  expect(lines.filter((line) => line.includes(':3:'))).toEqual([
    expect.stringContaining('${NOT_SET} is not set: set NOT_SET in the environment or in .env'),
  ]);
});
