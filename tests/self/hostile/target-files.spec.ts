/** Target files, of strangers and of ourselves: no variable and no key goes where nobody meant it to go. */
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { loadTarget, loadWaivers } from '../../../src/config/target-file';
import { gatedText } from '../../../src/redaction/gate';
import { prepareRun } from '../../../src/run/prepare';
import { messageOf } from '../support/usage-errors';
import { fileWith, freshDirectory, targetFile } from '../support/whole-runs';

/** A variable as a target file names it. */
const variable = (name: string) => `\${${name}}`;
const KEY = 'k3yOfAlice-4711';

const declared = (more: string, key = KEY) =>
  targetFile(`baseURL: https://a.example/v2\naccounts: [{ name: a, apiKey: ${key} }]\n${more}`);

test('no private character of a file stands for a variable', () => {
  for (const name of ['\ue000TOKEN\ue001\ue002', '"\\uE000TOKEN\\uE001\\uE002"']) {
    const loaded = loadTarget(declared(`name: ${name}\n`), { TOKEN: 'mine-4711' });
    expect(loaded.name).toBe('\ue000TOKEN\ue001\ue002');
  }
  const misfit = 'accounts: [{ name: "../\ue003", apiKey: any-key-4711 }]';
  const file = targetFile(`baseURL: https://a.example/v2\n${misfit}\n`);
  expect(messageOf(() => loadTarget(file, {}))).toMatch(/:2: accounts\[0\]\.name: wrong form/);
});

const COMMAND = 'curl https://a.example/$TOKEN';
const NOTIFICATIONS = 'listen: "127.0.0.1:9099", accounts: [a]';
test('a command is left to the shell as any other where it is merged in by its tag', () => {
  const merged = `!!merge <<: { notifications: { ${NOTIFICATIONS}, trigger: "curl ${variable('TOKEN')}" } }\n`;
  const { notifications } = loadTarget(declared(merged), { TOKEN: 'x; touch owned' });
  const command = `curl ${variable('TOKEN')}`;
  expect(notifications).toMatchObject({ trigger: command, environment: { TOKEN: 'x; touch owned' } });
});

test('a variable in the name of a member is none', () => {
  const named = declared(`"${variable('MEMBER')}": { ${NOTIFICATIONS}, trigger: x }\n`);
  expect(messageOf(() => loadTarget(named, { MEMBER: 'notifications' }))).toMatch(/:3: …: unknown member; /);
});

test('aliases are refused, in a file of waivers as well, and an anchor alone is as good as ever', () => {
  const message = /:\d: aliases are not read: write the value out, and put a value that begins with \* in quotes/;
  for (const more of [`vendor: &v Acme\nproduct: *v\n`, 'headers: &h { X-Any: *h }\n', 'headers: { X-Any: *secret }\n'])
    expect(messageOf(() => loadTarget(declared(more), {}))).toMatch(message);
  const waivers = fileWith('waivers.yaml', 'waivers: &w [{ clause: rate.refusal-429, reason: *w }]\n');
  expect(messageOf(() => loadWaivers(waivers))).toMatch(message);
  const anchored = `notifications: { ${NOTIFICATIONS}, trigger: &cmd "${COMMAND}" }\n`;
  expect(loadTarget(declared(anchored), {})).toMatchObject({ notifications: { trigger: COMMAND } });
});

for (const [member, more] of [
  ['headers', `headers: { X-${KEY}: "1" }\n`],
  ['accounts[0].name', `accounts: [{ name: "a-${KEY}", apiKey: ${KEY} }]\n`],
] as const)
  test(`a key within ${member} is refused: markers show it`, () => {
    const rest = member === 'headers' ? `accounts: [{ name: a, apiKey: ${KEY} }]\n` : '';
    const message = messageOf(() => loadTarget(targetFile(`baseURL: https://a.example/v2\n${rest}${more}`), {}));
    expect(message).toContain(`${member}: holds a key or another secret`);
    expect(message).not.toContain(KEY);
  });

test('a key within the name of any file stands in no message', async () => {
  const variables = { BASE_URL: 'https://a.example/v2', API_KEY: KEY };
  for (const name of ['TARGET', 'WAIVERS', 'REPLAY', 'BASELINE', 'NODE_EXTRA_CA_CERTS']) {
    const file = join(freshDirectory(), KEY);
    const problem = await prepareRun({ ...variables, [name]: file }).catch((error: unknown) => error);
    expect(problem, name).toBeInstanceOf(UsageError);
    expect(gatedText((problem as Error).message), name).toMatch(/^(?!.*k3yOf).*\/\[secret:apiKey:default(?::part)?\]/);
  }
});

test('a list or members as the name of a member are refused before anything is made of them', () => {
  // A value made of such names takes minutes.
  const deep = `${'? '.repeat(400)}a\n`;
  expect(messageOf(() => loadTarget(targetFile(deep), {}))).toMatch(/:1: the name of a member is a text/);
});

test('a variable is its own member of the environment, or it is missing', () => {
  for (const name of ['constructor', '__proto__', 'toString'])
    expect(messageOf(() => loadTarget(declared('', `"${variable(name)}"`), {}))).toContain(`set ${name}`);
});

test('no key stands in a message, wherever it was put', () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on('warning', listen);
  for (const more of [`headers: {{${KEY}}: 1}`, `${KEY}: 1`, `accountsOf: {{ ${KEY} }}`, `? [${KEY}]\n: 1`])
    expect(
      messageOf(() => loadTarget(declared(`${more}\n`), {})),
      more,
    ).toMatch(/^(?!.*k3yOfAlice)[\s\S]+$/);
  process.off('warning', listen);
  expect(warnings.join()).not.toContain(KEY);
});
