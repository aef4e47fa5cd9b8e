/** `trigger: manual`: a person is asked in the terminal. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { problemsIn, targetOf } from '../../../src/config/target';
import { startReceiver } from '../../../src/events/receiver';
import { askPerson, assertTerminal } from '../../../src/events/trigger';
import { CLOCK } from '../../../src/recorder/transport/network-connection';
import { startReference } from '../../../src/reference/server';
import { ALL } from '../level';
import { freshDirectory, ROOT } from '../support/whole-runs';

const asked = { kind: 'submission' as const, account: 'alice', enabled: true, target: 'Acme\u001b[31m' };

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  return { input, output, shown: () => shown };
}

/** People take longer than this to do what they are asked. */
const beforeAnAnswer = () => new Promise((resolve) => setTimeout(resolve, 600));

test('asks for one thing at a time, and takes Enter for an answer', async () => {
  const { shown, ...place } = terminal();
  const first = askPerson(asked, CLOCK, () => false, place);
  const second = askPerson({ ...asked, kind: 'start', enabled: false }, CLOCK, () => false, place);
  await expect.poll(shown).toContain('now submit an assessment as alice, then press Enter.');
  expect(shown()).toContain('("submission" is on: it has to arrive.)');
  expect(shown()).not.toContain('start an assessment');
  expect(shown()).not.toContain('\u001b');
  await beforeAnAnswer();
  place.input.write('\n\n');
  expect(await first).toBeNull();
  await expect.poll(shown).toContain('now start an assessment as alice, then press Enter.');
  expect(shown()).toContain('("start" is off: nothing may arrive.)');
  // A second Enter to the first question is no answer to the next one.
  place.input.write('\n');
  await beforeAnAnswer();
  expect(await Promise.race([second, 'waiting'])).toBe('waiting');
  place.input.write('done\n');
  expect(await second).toBeNull();
});

test('ends with the run, with the terminal, or when nobody answers', async () => {
  let isStopped = false;
  const { shown, ...stopped } = terminal();
  const answer = askPerson(asked, CLOCK, () => isStopped, stopped);
  await expect.poll(shown).toContain('press Enter');
  isStopped = true;
  expect(await answer).toBe('was not answered: the run was stopped');

  const closed = terminal();
  const gone = askPerson(asked, CLOCK, () => false, closed);
  closed.input.end();
  expect(await gone).toBe('was not answered: the terminal was closed');
  expect(await askPerson(asked, CLOCK, () => false, closed)).toBe('was not answered: the terminal was closed');

  let nowMs = 0;
  const hurried = {
    now: () => nowMs,
    after: (_ms: number, happen: () => void) =>
      CLOCK.after(1, () => {
        nowMs += 60_000;
        happen();
      }),
  };
  expect(await askPerson(asked, hurried, () => false, terminal())).toBe('was not answered within 15 minutes');
});

test('needs a terminal, and gives the service more time by default', () => {
  expect(() => assertTerminal(terminal())).toThrow(UsageError);
  const declared = (notifications: object) => {
    const declaration = {
      baseURL: 'https://api.example/v2',
      accounts: [{ name: 'a', apiKey: 'some-key-1' }],
      notifications: { listen: '127.0.0.1:9099', accounts: ['a'], ...notifications },
    };
    expect(problemsIn(declaration)).toEqual([]);
    return targetOf(declaration as never, 'x').notifications?.waitSeconds;
  };
  expect(declared({ trigger: 'manual' })).toBe(10);
  expect(declared({ trigger: 'manual', waitSeconds: 2 })).toBe(2);
  expect(declared({ trigger: './send.sh' })).toBe(3);
});

/** A whole run of one clause in a pseudo terminal, or in none. */
async function wholeRun(withTerminal: boolean, onQuestion: (question: string) => void) {
  const receiver = await startReceiver('127.0.0.1:0');
  await receiver.close();
  const reference = await startReference({ receiverBase: receiver.origin });
  const directory = freshDirectory();
  const file = join(directory, 'practice.yaml');
  const [{ name, apiKey, settings, password }] = reference.accounts as [(typeof reference.accounts)[number]];
  const url = (kind: 'start' | 'submission' | 'updates') => ({ url: settings[kind].url });
  const target = {
    baseURL: reference.baseURL,
    accounts: [
      {
        name,
        apiKey,
        password,
        settings: { start: url('start'), submission: url('submission'), updates: url('updates') },
      },
    ],
    notifications: { listen: new URL(receiver.origin).host, accounts: [name], trigger: 'manual', waitSeconds: 1 },
  };
  writeFileSync(file, JSON.stringify(target));
  const command = `npx playwright test -g event.enabled-sent`;
  const [program, words] = withTerminal ? ['script', ['-qec', command, '/dev/null']] : ['sh', ['-c', command]];
  const child = spawn(program as string, words as string[], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TARGET: file, RESULTS_DIR: join(directory, 'results') },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let questions = 0;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', async (text: string) => {
      printed += text;
      const all = printed.match(/now [^\n]*, then press Enter/g) ?? [];
      for (const question of all.slice(questions)) {
        questions += 1;
        onQuestion(question);
        const kind = question.includes('start') ? 'start' : question.includes('submit') ? 'submission' : 'updates';
        await reference.trigger(kind, name);
        await beforeAnAnswer();
        child.stdin.write('\n');
      }
    });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  await reference.close();
  return { status, printed };
}

test('a whole run in a terminal asks for each kind, and passes', { tag: ALL }, async () => {
  test.setTimeout(120_000);
  const questions: string[] = [];
  const { status, printed } = await wholeRun(true, (question) => questions.push(question));
  expect(printed).toContain('pass');
  expect(status).toBe(0);
  expect(questions).toHaveLength(3);
});

test('a whole run without a terminal says so before its first request', { tag: ALL }, async () => {
  test.setTimeout(120_000);
  const { status, printed } = await wholeRun(false, () => undefined);
  expect(status).toBe(2);
  expect(printed.replace(/\s+/g, ' ')).toContain('manual asks a person in a terminal, and this run has none');
  expect(printed).not.toMatch(/[1-9]\d* requests?/);
});
