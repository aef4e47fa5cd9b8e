import { PassThrough } from 'node:stream';
import { expect, test } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { problemsIn, targetOf } from '../../../src/config/target';
import { askPerson, assertTerminal } from '../../../src/events/trigger';
import { CLOCK } from '../../../src/recorder/transport/network-connection';

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
  await expect.poll(shown).toContain('This Enter came too early and was ignored: press it again');
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
