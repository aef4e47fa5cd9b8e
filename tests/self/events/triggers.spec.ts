/** The event profile as a whole, and the command that triggers. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { inMemory } from '../../../fixtures/in-memory';
import { allRules, type InProcessRun, idsOf, runOn } from '../../../scripts/matrix/in-process';
import type { Target } from '../../../src/config/target';
import { startReceiver } from '../../../src/events/receiver';
import { runCommand } from '../../../src/events/trigger';
import { roundsOf } from '../../../src/events/triggers';
import type { Kind } from '../../../src/evidence/model';
import { profileVerdictOf } from '../../../src/judge/verdict';
import { Schedule } from '../../../src/probes/schedule';
import { asides, judgementsOf, needsOf } from '../../../src/profiles/rules';
import { Recorder } from '../../../src/recorder/recorder';
import { startReference } from '../../../src/reference/server';
import { targetOfReference } from '../../../src/run/recording';
import { judgedAgain } from '../support/evidence-of';
import { listening } from '../support/listening';
import { fileWith, freshDirectory } from '../support/whole-runs';

const isEvent = (id: string) => id.startsWith('event.');

function verdictsOf({ judgements }: Pick<InProcessRun, 'judgements'>): Record<string, string> {
  return Object.fromEntries(judgements.map(({ id, verdict }) => [id.replace('event.', ''), verdict]));
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

test('the trigger finds KIND and ACCOUNT, and none of the suite’s own variables', async () => {
  process.env.CONFORMANCE_RUN = 'token-of-the-run';
  process.env.OF_THE_USER = 'kept';
  const file = join(freshDirectory(), 'environment');
  const { ended, end } = runCommand(`env > ${file}`, { KIND: 'start', ACCOUNT: 'alice' }, 10);
  expect(await ended).toBeNull();
  end();
  delete process.env.CONFORMANCE_RUN;
  delete process.env.OF_THE_USER;
  const environment = readFileSync(file, 'utf8');
  expect(environment).toMatch(/^KIND=start$/m);
  expect(environment).toMatch(/^ACCOUNT=alice$/m);
  expect(environment).toMatch(/^OF_THE_USER=kept$/m);
  expect(environment).not.toContain('token-of-the-run');
});

test('a trigger that exits non-zero is told with its status and all its output', async () => {
  const { ended } = runCommand('echo out; echo err >&2; exit 3', {}, 10);
  expect(await ended).toEqual({ what: 'ended with status 3', output: expect.stringContaining('err') });
  const { ended: unknown } = runCommand('no-such-command-anywhere', {}, 10);
  expect((await unknown)?.what).toBe('ended with status 127');
});

test('a trigger that floods its output is kept within bounds', async () => {
  const { ended } = runCommand('yes | head -c 5000000; echo the-end; exit 1', {}, 20);
  const wrong = await ended;
  expect(wrong?.output.length).toBeLessThanOrEqual(65_536);
  expect(wrong?.output).toContain('the-end');
});

test('a trigger that hangs is killed with everything it started', async () => {
  const directory = freshDirectory();
  const [shell, child] = [join(directory, 'shell'), join(directory, 'child')];
  const { ended } = runCommand(`echo $$ > ${shell}; (echo begun; sleep 600) & echo $! > ${child}; wait`, {}, 1);
  const wrong = await ended;
  expect(wrong?.what).toBe('did not end within 1 s and was killed');
  expect(wrong?.output).toContain('begun');
  await expect.poll(() => isRunning(pidIn(shell)) || isRunning(pidIn(child))).toBe(false);
});

test('a trigger that fails leaves the profile untested, with its last words and no secret', async () => {
  const run = await triggeredBy((_url, _token, target) => {
    const [account] = target.accounts;
    process.env.LEAK = `${account?.apiKey} ${Buffer.from(account?.password ?? '').toString('base64')}`;
    return `[ "$KIND" = updates ] || exit 0; printf '\\033[31m%s\\033[0m\\n' "no such $KIND of $ACCOUNT: $LEAK"; exit 7`;
  });
  const reasons = new Set(run.judgements.map(({ reason }) => reason));
  expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(['not-tested']));
  expect(profileVerdictOf(run.judgements)).toBe('not-tested');
  expect(reasons.size).toBe(1);
  const [reason] = [...reasons];
  expect(reason).toMatch(/^`notifications\.trigger` for "updates" of [a-z-]+ ended with status 7, and wrote: no such/);
  expect(reason).toContain('[secret:apiKey:with-password] [secret:password:with-password:base64]');
  expect(JSON.stringify(run.recorder.evidence())).not.toContain(process.env.LEAK?.split(' ')[0]);
});

test('the trigger keeps no part of a key to itself that is coloured letter by letter, or cut', async () => {
  const outputs: Array<(key: string) => string> = [
    (key) => [...key].map((c, i) => `\u001b[3${i % 8}m${c}\u001b[0m`).join(''),
    (key) => [...key].map((c) => `\u001b]0;x\u0007${c}`).join(''),
    // As much stands behind it as is shown, less the last letters of the key; and as much as is kept.
    (key) => `${key}${'x'.repeat(290)}`,
    (key) => `${key.repeat(20)}${'x '.repeat(32_700)}${key}${'y'.repeat(280)}`,
  ];
  for (const output of outputs) {
    let key = '';
    const run = await triggeredBy((_url, _token, target) => {
      key = target.accounts[0]?.apiKey ?? '';
      return `cat '${fileWith('output', output(key))}'; exit 7`;
    });
    const told = run.judgements.map(({ reason }) => reason).join();
    expect(told).toContain('ended with status 7');
    for (let i = 0; i + 6 <= key.length; i += 1) expect(told).not.toContain(key.slice(i, i + 6));
  }
});

test('the trigger has nothing running any more when the profile ends', async () => {
  const children = join(freshDirectory(), 'children');
  await triggeredBy(() => `sleep 600 > /dev/null 2>&1 & echo $! >> ${children}`);
  const pids = readFileSync(children, 'utf8').trim().split('\n').map(Number);
  expect(pids).toHaveLength(12);
  await expect.poll(() => pids.some(isRunning)).toBe(false);
});

async function triggeredBy(trigger: (url: string, token: string, target: Target) => string): Promise<InProcessRun> {
  const receiver = await startReceiver('127.0.0.1:0');
  const reference = await startReference({ receiverBase: receiver.origin });
  const target = targetOfReference(reference, receiver);
  const notifications = target.notifications as NonNullable<Target['notifications']>;
  try {
    return await runOn(
      {
        ...target,
        embedded: false,
        notifications: { ...notifications, trigger: trigger(reference.triggerURL, reference.triggerToken, target) },
      },
      isEvent,
    );
  } finally {
    await reference.close();
    await receiver.close();
  }
}

test('the profile is not run where the receiver cannot listen, and nothing is sent', async () => {
  const taken = await listening(createServer());
  const listen = `127.0.0.1:${taken.port}`;
  const [receiver, reference] = [await startReceiver('127.0.0.1:0'), await startReference()];
  const { notifications, ...target } = targetOfReference(reference, receiver);
  const { receiver: _, ...declared } = notifications as NonNullable<typeof notifications>;
  const { recorder } = await runOn({ ...target, notifications: { ...declared, listen } }, isEvent);
  await Promise.all([reference.close(), receiver.close(), taken.close()]);
  expect(recorder.error).toContain('notifications.listen');
  expect(recorder.exchanges).toHaveLength(0);
});

test('the profile takes nothing for missing or late that came while this process was held up', async () => {
  const waitMs = 2000;
  for (const afterMs of [30, waitMs / 2, waitMs - 5]) {
    const reference = inMemory({}, { timeoutSeconds: 30, bodyBytes: 1_000_000, runSeconds: 600 });
    const { wire } = reference;
    const receiver = { ...reference.receiver };
    const target = targetOfReference(reference, receiver);
    const notifications = { ...(target.notifications as NonNullable<Target['notifications']>), waitSeconds: 2 };
    let heldUpMs = 0;
    const now = wire.now.bind(wire);
    wire.now = () => now() + heldUpMs;
    reference.receiver.isOwn = (head) => receiver.isOwn(head);
    // Each arrives while nothing is read for a minute.
    reference.receiver.onDelivery = async (delivery) => {
      await wire.pause(afterMs);
      heldUpMs += 60_000;
      await wire.pause(4);
      receiver.onDelivery(delivery);
    };
    const surroundings = { insecureTls: false, riskyProbes: false, environment: {} };
    const recorder = new Recorder({ ...target, notifications }, surroundings, wire);
    const ids = allRules.map(({ id }) => id).filter(isEvent);
    await wire.run(new Schedule(recorder, needsOf(ids), asides).conduct());
    const evidence = recorder.evidence();
    expect(evidence.deliveries.length).toBeGreaterThan(3);
    const judgements = [...judgementsOf(ids, evidence, '2026-01-01').values()];
    expect(idsOf({ judgements }, 'fail', 'warn')).toEqual([]);
    expect(verdictsOf({ judgements })).toMatchObject({ 'enabled-sent': 'pass', 'disabled-silent': 'pass' });
    expect(judgedAgain(evidence, ids)).toEqual(judgements);
  }
});

test('the profile keeps accounts and kinds apart that share a url, and triggers each two once in either order', () => {
  const due = (account: string, kind: Kind, address: string) => ({ account, kind, enabled: true, address });
  const kinds: Kind[] = ['start', 'submission', 'updates'];
  const all = ['a', 'b', 'c'].flatMap((account) => kinds.map((kind) => due(account, kind, `/${account}/${kind}`)));
  const [round = [], ...others] = roundsOf(all);
  expect(others).toEqual([]);
  expect(round).toHaveLength(9);
  const at = (address: string) => round.findIndex((due) => due.address === address);
  for (const [one, other] of ['ab', 'ba', 'ac', 'ca', 'bc', 'cb']) {
    expect(kinds.some((kind) => at(`/${one}/${kind}`) < at(`/${other}/${kind}`))).toBe(true);
  }
  expect(at('/a/start')).toBeLessThan(at('/a/updates'));
  expect(at('/b/updates')).toBeLessThan(at('/b/start'));
  const shared = roundsOf([due('a', 'start', '/x'), due('a', 'updates', '/x'), due('b', 'start', '/y')]);
  expect(shared.map((round) => round.map(({ account, kind }) => `${account}/${kind}`))).toEqual([
    ['a/start', 'b/start'],
    ['a/updates'],
  ]);
});
