/** When the next request may be sent, when nothing more is, and how long others are waited for: on a clock of its own. */
import { expect, test } from '@playwright/test';
import { VirtualTime } from '../../../fixtures/in-memory';
import { targetOf } from '../../../src/config/target';
import { LITTLE_MS } from '../../../src/contract/bounds';
import type { Exchange, Fault } from '../../../src/evidence/model';
import { circuitOf, MARGIN_MS, Pace } from '../../../src/recorder/pace';
import { type Clock, CountedWait } from '../../../src/recorder/transport/wire';
import { Turns } from '../../../src/run/locks';
import { exchangeOf } from '../support/evidence-of';
import { rowsOf } from '../support/table';

const RATE = { requests: 4, seconds: 2 };
const WINDOW_MS = 2000;
const SPACE_MS = 500;

function paced(time = new VirtualTime()): { pace: Pace; time: VirtualTime } {
  return { pace: new Pace(RATE, time), time };
}

/** What happens to accounts, and when each is to be asked next: `used` at a moment, with the wait that was asked; `hold`. */
for (const [what, script = '', ...next] of rowsOf(`
  a share of a window                        | used alice 7000                                       | alice ${7000 + SPACE_MS + MARGIN_MS} | bob 0
  an answer that is noted late               | used alice 7000; used alice 6000                      | alice ${7000 + SPACE_MS + MARGIN_MS}
  the longest wait of several refusals       | used alice 1000 9000; used alice 2000 3000            | alice ${10_000 + MARGIN_MS}
  a short wait                               | used alice 12000 1                                    | alice ${12_000 + SPACE_MS + MARGIN_MS}
  a longer wait than is honest               | hold alice 3600000; hold alice 1                      | alice ${6000 + LITTLE_MS + MARGIN_MS}
`))
  test(`when an account is asked next: ${what}`, () => {
    const { pace } = paced();
    for (const step of script.split('; ')) {
      const [act, account = '', ms, askedMs] = step.split(' ');
      if (act === 'used') pace.used(account, Number(ms), ...(askedMs ? [Number(askedMs)] : []));
      else pace.hold(account, Number(ms));
    }
    expect(next.map((cell) => `${cell.split(' ')[0]} ${pace.spacedAtMs(cell.split(' ')[0] ?? '')}`)).toEqual(next);
  });

test('a whole budget waits for a window', () => {
  const { pace } = paced();
  pace.used('alice', 7000);
  expect(pace.freshAtMs('alice')).toBe(7000 + WINDOW_MS + MARGIN_MS);
});

test('accounts that no longer take turns still wait for the turn that is under way', async () => {
  const { pace } = paced();
  const log: string[] = [];
  for (const account of ['alice', 'bob']) await pace.turn(account, async () => undefined);
  pace.shared = true;
  let end = () => {};
  const first = pace.turn('alice', () =>
    new Promise<void>((resolve) => (end = resolve)).then(() => void log.push('alice')),
  );
  pace.shared = false;
  const second = pace.turn('bob', async () => void log.push('bob'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual([]);
  end();
  await Promise.all([first, second]);
  expect(log).toEqual(['alice', 'bob']);
});

test('accounts that share a budget keep their distance from each other, until it is known that they do not', () => {
  const { pace } = paced();
  pace.used('alice', 5000);
  pace.used('bob', 1000);
  pace.shared = true;
  expect(pace.shared).toBe(true);
  expect(pace.spacedAtMs('bob')).toBe(5000 + SPACE_MS + MARGIN_MS);
  pace.hold('bob', 5500);
  expect(pace.spacedAtMs('alice')).toBe(5500 + LITTLE_MS + MARGIN_MS);
  pace.shared = false;
  expect(pace.shared).toBe(false);
  expect(pace.spacedAtMs('alice')).toBe(5000 + SPACE_MS + MARGIN_MS);
});

/** Takes turns of some accounts at once, each of 100 ms. @returns when each began */
async function turnsOf(accounts: readonly string[], isShared = false): Promise<string[]> {
  const { pace, time } = paced();
  const began: string[] = [];
  const turn = (name: string) =>
    pace.turn(name, async () => {
      began.push(`${name} at ${time.now()}`);
      await time.pause(100);
    });
  const first = turn('alice');
  pace.shared = isShared;
  await time.run(Promise.all([first, ...accounts.map(turn)]));
  return began;
}

test('an account does one thing at a time, and others meanwhile', async () => {
  expect(await turnsOf(['alice', 'bob'])).toEqual(['alice at 0', 'bob at 0', 'alice at 100']);
});

test('accounts that share a budget take turns, after what was under way', async () => {
  expect(await turnsOf(['bob', 'alice'], true)).toEqual(['alice at 0', 'bob at 100', 'alice at 200']);
});

test('a turn that fails lets the next one begin', async () => {
  for (const isShared of [false, true]) {
    const { pace } = paced();
    if (isShared) pace.shared = true;
    const failing = pace.turn('alice', () => Promise.reject(new Error('broke')));
    await expect(failing).rejects.toThrow('broke');
    expect(await pace.turn('alice', async () => 'done')).toBe('done');
  }
});

test('only time in which nothing but waiting was done counts as waited', async () => {
  const { pace, time } = paced();
  const all = async () => {
    await pace.until(1000);
    await pace.busy(() => time.pause(500));
    expect(pace.waitedMs).toBe(1000);
    // One waits while the other is busy: that is no time of waiting, until the other is done.
    const busy = pace.busy(() => time.pause(300));
    const waiting = pace.until(time.now() + 1000);
    await busy;
    expect(pace.isWaiting).toBe(true);
    await time.pause(200);
    expect(pace.waitedMs).toBe(1200);
    await waiting;
  };
  await time.run(all());
  expect([pace.waitedMs, pace.isWaiting]).toEqual([1700, false]);
  await pace.until(0);
  expect(pace.waitedMs).toBe(1700);
});

test('what is waited for is not begun before its time, though a timer fires early', async () => {
  const time = new VirtualTime();
  const early: Clock = { now: () => time.now(), after: (ms, happen) => time.after(Math.ceil(ms / 2), happen) };
  const pace = new Pace(RATE, early);
  await time.run(pace.until(1000));
  expect(time.now()).toBe(1000);
});

const fault = (kind: Fault['kind']): Fault => ({ kind, message: '' });
const TIMEOUT = fault('timeout');
const RESET = fault('reset');
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

for (const [what, faults, account, isOpen] of [
  ['three broken answers from the start', times(3, RESET), 'alice', true],
  ['two', times(2, RESET), 'alice', false],
  ['three to requests without a key, from the start', times(3, RESET), null, true],
  ['seven in a row after a whole one', [null, ...times(7, RESET)], 'alice', false],
  ['eight in a row after a whole one', [null, ...times(8, RESET)], 'alice', true],
  ['sixteen, and a whole one in between', [null, ...times(7, RESET), null, ...times(7, RESET)], 'alice', false],
  ['a hundred resets of requests without a key', [null, ...times(100, RESET)], null, false],
  ['eight times nobody listening, without a key', [null, ...times(8, fault('unreachable'))], null, true],
  ['nine that took too long, one at a time', times(9, [null, TIMEOUT]).flat(), 'alice', false],
  ['ten that took too long, one at a time', times(10, [null, TIMEOUT]).flat(), 'alice', true],
  ['ten that broke otherwise, one at a time', times(10, [null, RESET]).flat(), 'alice', false],
] as ReadonlyArray<[string, (Fault | null)[], Exchange['account'], boolean]>)
  test(`the circuit breaker ${isOpen ? 'opens' : 'stays closed'}: ${what}`, () => {
    const exchanges = faults.map((fault) => exchangeOf({ fault, account }));
    const circuit = circuitOf({ exchanges, windowMs: WINDOW_MS });
    expect([circuit.isOpen, circuit.hasAnswer]).toEqual([isOpen, faults.includes(null)]);
  });

for (const [what, statuses, account, everyMs, isOpen] of [
  ['fifty failures over fifteen windows', times(50, 503), 'alice', 650, true],
  ['rejections of keys that were accepted', [200, ...times(50, 401)], 'alice', 650, true],
  ['forty-nine', times(49, 503), 'alice', 650, false],
  ['fifty within fewer windows', times(50, 503), 'alice', 550, false],
  ['fifty within fewer windows, right after an accepted one', [200, ...times(50, 503)], 'alice', 600, false],
  ['fifty refusals', times(50, 429), 'alice', 650, false],
  ['a hundred, and an accepted one in between', [...times(49, 503), 200, ...times(49, 503)], 'alice', 650, false],
  ['fifty to requests without a key', times(50, 503), null, 650, false],
] as ReadonlyArray<[string, number[], Exchange['account'], number, boolean]>)
  test(`no valid key is served: ${what}`, () => {
    const at = (i: number) => ({ sentAtMs: i * everyMs, receivedAtMs: i * everyMs });
    const exchanges = statuses.map((status, i) => exchangeOf({ status, account, ...at(i) }));
    expect(circuitOf({ exchanges, windowMs: WINDOW_MS }).isOpen).toBe(isOpen);
  });

/** Waits 100 ms on a clock of which some ticks, by their numbers, come so much later than was asked. */
async function countedWith(lateMs: (tick: number) => number) {
  const time = new VirtualTime();
  const asked: number[] = [];
  const clock: Clock = {
    now: () => time.now(),
    after: (ms, happen) => time.after(ms + lateMs(asked.push(ms)), happen),
  };
  const wait = new CountedWait(clock, 90);
  await time.run(wait.ended);
  return { asked, tookMs: time.now(), heldUpMs: wait.heldUpMs };
}

test('a wait is longer by as much as its ticks come late', async () => {
  expect(await countedWith((tick) => (tick === 2 ? 500 : 0))).toEqual({
    asked: [20, 20, 20, 20, 10],
    tookMs: 590,
    heldUpMs: 500,
  });
});

test('a wait ends all the same where no tick is on time', async () => {
  const { asked, heldUpMs, tookMs } = await countedWith(() => 1000);
  expect(asked).toHaveLength(23);
  expect(heldUpMs).toBe(tookMs - 90);
});

/** Lets twelve targets in, which last until so many are under way. @returns the most at a time, and how many ended */
async function admitted(latenessMs: number, lastUntil: number): Promise<{ most: number; ended: number }> {
  const turns = new Turns(() => new Promise((resolve) => setTimeout(() => resolve(latenessMs), 1)));
  let [underWay, most, ended] = [0, 0, 0];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    if (underWay === lastUntil) release();
    await released;
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay -= 1;
    ended += 1;
    if (ended === 5) throw new Error('a target that cannot be run');
  };
  const targetOfItsOwn = (_: unknown, i: number) =>
    targetOf({ baseURL: `http://127.0.0.1:${i + 1}/v2`, accounts: [] }, '');
  await Promise.allSettled(Array.from({ length: 12 }, targetOfItsOwn).map((target) => turns.take(target, work)));
  return { most, ended };
}

test('a process that keeps up sends to all targets at once, and a busy one to four at a time', async () => {
  expect(await admitted(0, 12)).toEqual({ most: 12, ended: 12 });
  expect(await admitted(500, 4)).toEqual({ most: 4, ended: 12 });
});
