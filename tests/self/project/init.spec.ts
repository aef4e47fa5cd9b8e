/** The first five minutes: `npm run init`, and a reference server to practise on. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { certifyCommand } from '../../../commands/certify';
import { lineOfEnv } from '../../../commands/init/env-file';
import { init as initCommand } from '../../../commands/init/init';
import { reference } from '../../../commands/reference';
import { verifyCommand } from '../../../commands/verify';
import { editing, put } from '../../../fixtures/faults/tools';
import { runOn } from '../../../scripts/matrix/in-process';
import { loadTarget } from '../../../src/config/target-file';
import { startReceiver } from '../../../src/events/receiver';
import { startReference } from '../../../src/reference/server';
import { counting, hidden } from '../support/bends';
import { commandHere } from '../support/run-command';
import { directoryWith, freshDirectory, ROOT, startProcess, targetFile } from '../support/whole-runs';

const COMMANDS = join(ROOT, 'commands', 'from-source.js');

/** The words that name an address, and accounts with the variables of their keys. */
const at = (baseURL: string, ...keys: string[]) => ['--base-url', baseURL, ...keys.flatMap((key) => ['--key', key])];

/** Starts a command in an empty directory. */
function command(words: string[], environment: Record<string, string> = {}, cwd = freshDirectory()) {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment };
  return { cwd, ...startProcess(process.execPath, [COMMANDS, ...words], { cwd, env }) };
}

const init = (words: string[], environment?: Record<string, string>, directory?: string) =>
  commandHere(initCommand, words, environment, directory);

test('what a server says begins no line of the target file, where it could name a command', async () => {
  const type = `${'x'.repeat(45)}\nnotifications: { listen: '127.0.0.1:1', accounts: [alice], trigger: 'reboot' }\r\n#`;
  for (const said of [type, 'x\nnotifications:\n']) {
    const tell = editing((document) => put(document, 'auth.type', said));
    const reference = await startReference({ bends: [{ name: 'telling', bend: tell }] });
    const ALICE_KEY = reference.accounts[0]?.apiKey ?? '';
    const directory = freshDirectory();
    const { output } = await init(at(reference.baseURL, 'alice=ALICE_KEY'), { ALICE_KEY }, directory);
    await reference.close();
    expect(output).toContain('Wrote target.yaml');
    const file = join(directory, 'target.yaml');
    expect(loadTarget(file, { ALICE_KEY }).notifications).toBeNull();
    for (const text of [output, readFileSync(file, 'utf8')]) expect(text).not.toMatch(/^notifications/m);
  }
});

test('init reads once with each key, says what came, and writes a target file without a secret', async () => {
  const counter = counting();
  const reference = await startReference({ bends: [counter] });
  const [alice, bob] = reference.accounts;
  if (!alice || !bob) throw new Error('The reference server has two accounts and more.');
  // One key in the environment, one in .env.
  const directory = directoryWith({ '.env': `BOB_KEY=${bob.apiKey}\n` });
  const words = at(`${reference.baseURL}/`, 'alice=ALICE_KEY', 'bob=BOB_KEY');
  const { status, output } = await init(words, { ALICE_KEY: alice.apiKey }, directory);
  await reference.close();
  expect(status, output).toBe(0);
  // One without a key, to see whether a server answers, and one for each account.
  expect(counter.count).toBe(3);
  expect(output).toMatch(/alice: accepted \(200\); a password is stored/);
  expect(output).toMatch(/bob: accepted \(200\); no password is stored/);
  const text = readFileSync(join(directory, 'target.yaml'), 'utf8');
  for (const secret of [alice.apiKey, bob.apiKey, alice.password ?? '']) {
    expect(text).not.toContain(secret);
    expect(output).not.toContain(secret);
  }
  expect(text).toContain('# hasPassword: true');
  expect(text).toContain(
    '# settings: { start: { status: true, url: https://hooks.assessment.example/with-password/start',
  );
  const target = loadTarget(join(directory, 'target.yaml'), { ALICE_KEY: alice.apiKey, BOB_KEY: bob.apiKey });
  expect(target.baseURL).toBe(reference.baseURL);
  expect(target.accounts.map(({ name, apiKey }) => [name, apiKey])).toEqual([
    ['alice', alice.apiKey],
    ['bob', bob.apiKey],
  ]);
  expect(target.variables).toEqual({ 'apiKey:alice': 'ALICE_KEY', 'apiKey:bob': 'BOB_KEY' });
  // What is commented out fits as well.
  const all = text.replace(/^( *)# (?=(?:hasPassword|password|settings|rate|waivers|notifications):| {2})/gm, '$1');
  const keys = {
    ALICE_KEY: alice.apiKey,
    BOB_KEY: bob.apiKey,
    ALICE_PASSWORD: 'a-password',
    BOB_PASSWORD: 'another-one',
  };
  const declared = targetFile(all.replace('hasPassword: false', 'hasPassword: true'));
  expect(loadTarget(declared, keys).notifications?.listen).toBe('127.0.0.1:9099');
});

/** Answers the questions of init in a terminal. @param answers each with the words of the question before it */
async function answered(directory: string, answers: Array<[question: string, answer: string]>): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: directory, TERM: 'xterm', NO_COLOR: '1' };
  const terminal = spawn('script', ['-qec', `'${process.execPath}' '${COMMANDS}' init`, '/dev/null'], {
    cwd: directory,
    env,
  });
  let output = '';
  let seen = 0;
  const answer = () => {
    const [next] = answers;
    const at = next ? output.indexOf(next[0], seen) : -1;
    if (!next || at < 0) return;
    seen = output.length;
    answers.shift();
    // What stood in the field is removed first, as with Ctrl-U.
    terminal.stdin.write(`\u0015${next[1]}\r`);
  };
  terminal.stdout.on('data', (text: Buffer) => {
    output += text;
    answer();
  });
  await new Promise((resolve) => terminal.once('close', resolve));
  expect(answers, output).toEqual([]);
  return output;
}

test('in a terminal, init asks again for what cannot be right and keeps no key that was not accepted', async () => {
  test.skip(!existsSync('/usr/bin/script'), 'needs the command script, which makes a terminal');
  const reference = await startReference();
  const [alice, bob] = reference.accounts;
  const directory = freshDirectory();
  const output = await answered(directory, [
    ['Address of the API', 'ftp://a.example/v2'],
    ['wrong form', 'http://127.0.0.1:9/api/v2'],
    // Nobody has typed a key for an address at which nothing answers.
    ['not running yet', 'n'],
    ['Address of the API', reference.baseURL],
    ['Name of an account', 'alice'],
    ['Environment variable', '9-lives'],
    ['Letters, digits', 'ALICE_KEY'],
    ['Its key', ''],
    ['at least 8', alice?.apiKey ?? ''],
    ['Another account?', 'y'],
    ['Name of an account', 'alice'],
    ['has this name', 'bob'],
    ['Environment variable', 'ALICE_KEY'],
    ['of another account', 'BOB_KEY'],
    ['Its key', alice?.apiKey ?? ''],
    ['has the same', 'mistyped-key-1234567'],
    ['Another account?', 'n'],
    ['Try again', 'y'],
    ['The key of bob, again', bob?.apiKey ?? ''],
  ]);
  await reference.close();
  expect(output).toContain('alice: accepted (200)');
  expect(output).toContain('bob: not accepted (401)');
  expect(output).toContain('bob: accepted (200)');
  const typed = [alice?.apiKey ?? '', bob?.apiKey ?? '', 'mistyped-key-1234567'];
  for (const secret of typed) expect(output).not.toContain(secret);
  const kept = `ALICE_KEY='${alice?.apiKey}'\nBOB_KEY='${bob?.apiKey}'\n`;
  expect(readFileSync(join(directory, '.env'), 'utf8')).toBe(kept);
  expect(readFileSync(join(directory, 'target.yaml'), 'utf8')).toContain(`apiKey: \${BOB_KEY}`);
});

test('a server that does not run yet gets its target file, too, and words stay whole', async () => {
  const directory = freshDirectory();
  const K = 'a-key-of-alice-1234';
  const { status, output } = await init(at('http://127.0.0.1:9/api/v2', 'alice=K'), { K }, directory);
  expect(status, output).toBe(0);
  expect(output).toContain('Nothing answers at http://127.0.0.1:9/api/v2: ');
  for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(118);
  const target = loadTarget(join(directory, 'target.yaml'), { K });
  expect(target.accounts.map(({ name }) => name)).toEqual(['alice']);
  expect(readFileSync(join(directory, 'target.yaml'), 'utf8')).not.toContain('not accepted');
  // A server without its API answers 404.
  const reference = await startReference({ bends: [hidden] });
  const empty = await init(at(reference.baseURL, 'alice=K'), { K });
  await reference.close();
  expect(empty.status, empty.output).toBe(0);
  expect(empty.output).toMatch(/No key was accepted.*Wrote target.yaml/s);
});

test('a key that was typed is read back from .env as it is, whatever its quotes', () => {
  for (const key of ['plain-key', "it's", 'say "a"', `it's "a"`, "it's #1", `it's "a" #1`, "a'b\\n", '#$`']) {
    const line = lineOfEnv('ALICE_KEY', key);
    expect(parse(`OTHER=1\n${line}LAST=2\n`)).toEqual({ OTHER: '1', ALICE_KEY: key, LAST: '2' });
  }
  expect(lineOfEnv('ALICE_KEY', `a'b"c\`d#e`)).toBe(null);
});

test('init says what looks wrong where no key is accepted', async () => {
  const reference = await startReference();
  const [alice] = reference.accounts;
  const directory = freshDirectory();
  const environment = { K: 'never-issued-1', B: alice?.apiKey ?? '' };
  const half = await init(at(reference.baseURL, 'alice=K', 'bob=B'), environment, directory);
  const refused = await init(at(reference.baseURL, 'alice=K'), environment, directory);
  const same = await init(at(reference.baseURL.replace('/v2', ''), 'alice=B'), environment);
  await reference.close();
  expect(half.status).toBe(2);
  expect(half.output).toContain('bob: accepted (200)');
  expect(half.output).toContain('Nothing was written');
  expect(existsSync(join(directory, 'target.yaml'))).toBe(false);
  expect(refused.status).toBe(2);
  expect(refused.output).toContain('alice: not accepted (401)');
  expect(refused.output).toContain('No key was accepted');
  expect(same.output.replace(/\s+/g, ' ')).toContain('The path looks wrong. Try ');
});

test('init asks for what is missing by name, writes over nothing, and repeats no key', async () => {
  const key = 'looks-like-a-key-1234567';
  const directory = directoryWith({ 'target.yaml': 'mine' });
  const runs = [
    await init(at('http://127.0.0.1:9/v2', `alice=${key}`)),
    await init(at('http://127.0.0.1:9/v2', 'alice=K', 'bob=abcdefgh12345678'), { K: key }),
    await init(at('http://127.0.0.1:9/v2', `${key}=K`), { K: key }),
    await init([...at('http://127.0.0.1:9/v2'), key]),
    await init(['--key', 'alice=K'], { K: key }),
    await init(['--bse-url', 'x']),
    await init(at('http://127.0.0.1:9/v2', 'alice=K'), { K: key }, directory),
  ];
  for (const { status, output } of runs) {
    expect(status).toBe(2);
    expect(output).not.toMatch(/looks-like-a-key|abcdefgh12345678/);
  }
  const said = [
    '--key number 1 is not NAME=VARIABLE with a variable that is set in the environment or in .env.',
    '--key number 2 is not NAME=VARIABLE',
    'accounts[0].name: holds a key or another secret, and every marker shows it',
    'A word is missing, or one is too many. Usage:',
    'Which address? Give it as --base-url.',
    "Unknown option '--bse-url'",
    'target.yaml is there already: choose another with --file.',
  ];
  expect(runs.map(({ output }) => output)).toEqual(said.map((text) => expect.stringContaining(text)));
  expect(readFileSync(join(directory, 'target.yaml'), 'utf8')).toBe('mine');
});

test('the reference server tells its passwords, breaks what it is told to, sends to a receiver, and writes over nothing but its own file', async () => {
  const receiver = await startReceiver('127.0.0.1:0');
  await receiver.close();
  const words = ['reference', 'practice.yaml', '--receiver', receiver.origin, '--break', 'settings.password-null'];
  const { cwd, child, says, ended } = command(words, { PORT: '0' });
  await says('Ctrl-C stops it.');
  const target = loadTarget(join(cwd, 'practice.yaml'), {});
  const [first] = target.accounts;
  expect(first?.password).toBeTruthy();
  const run = await runOn(target, (id) => /^(?:event|settings)\./.test(id));
  const failed = run.judgements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(failed).toEqual(['settings.password-null']);
  const events = run.judgements.filter(({ id }) => id.startsWith('event.'));
  expect(events.map(({ verdict }) => verdict)).toEqual(events.map(() => 'pass'));
  child.kill('SIGTERM');
  const { output } = await ended;
  for (const text of ['It breaks settings.password-null.', `password ${first?.password}`, 'TARGET=practice.yaml npx'])
    expect(output).toContain(text);
  // The same again, at the same port.
  const port = new URL(target.baseURL).port;
  const again = command(words, { PORT: port }, cwd);
  await again.says('Ctrl-C stops it.');
  const taken = await commandHere(reference, [], { PORT: port });
  again.child.kill('SIGTERM');
  expect((await again.ended).status).toBe(0);
  expect(taken).toMatchObject({ status: 2, output: expect.stringContaining(`Port ${port} is taken`) });
  writeFileSync(join(cwd, 'practice.yaml'), 'mine');
  const refused = await commandHere(reference, words.slice(1), { PORT: '0' }, cwd);
  expect(refused.status).toBe(2);
  expect(refused.output).toMatch(/^practice\.yaml is there already/);
  expect(readFileSync(join(cwd, 'practice.yaml'), 'utf8')).toBe('mine');
  for (const wrong of [
    ['--break', 'no.clause'],
    ['--receiver', 'ftp://x'],
    ['--receiver', 'http://a/b'],
  ])
    expect((await commandHere(reference, wrong, { PORT: '0' })).status).toBe(2);
});

test('a place where no target file can be written is one message, of init and of the reference server', async () => {
  const directory = directoryWith({ 'a-file': 'mine' });
  const below = join(directory, 'a-file', 'practice.yaml');
  const server = await startReference();
  const { apiKey = '' } = server.accounts[0] ?? {};
  const words = [...at(server.baseURL, 'alice=K'), '--file', below];
  const inDirectory = await commandHere(reference, [directory], { PORT: '0' });
  const belowFile = await commandHere(reference, [below], { PORT: '0' });
  const asked = await init(words, { K: apiKey });
  await server.close();
  const why = 'cannot be written (not a directory)';
  expect(inDirectory).toMatchObject({ status: 2, output: `${directory} cannot be read: it is a directory.\n` });
  expect(belowFile).toMatchObject({ status: 2, output: `${below} ${why}: choose another name.\n` });
  expect(asked).toMatchObject({ status: 2, output: expect.stringContaining(`${below} ${why}: choose another with`) });
});

test('each command describes every option that it takes', () => {
  for (const { usage } of [initCommand, reference, certifyCommand, verifyCommand]) {
    const [line = '', ...described] = usage.split('\n');
    const options = line.match(/--[a-z-]+(?=[ \]])/g)?.filter((option) => option !== '--') ?? [];
    expect(options.length, line).toBeGreaterThan(1);
    for (const option of options) expect(described.join('\n'), usage).toMatch(new RegExp(`^ {2}${option} .*\\w`, 'm'));
  }
});
