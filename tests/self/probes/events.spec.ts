/** The event profile: its receiver, its trigger and its judges. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { dialects, faults } from '../../../fixtures/catalogue';
import { inMemory } from '../../../scripts/matrix/in-memory';
import { allRules, type InProcessRun, runOn } from '../../../scripts/matrix/in-process';
import { nameOf, probe } from '../../../src/catalogue/probe';
import { UsageError } from '../../../src/common/usage-error';
import { targetOf } from '../../../src/config/declaration';
import type { RawDelivery, Receiver } from '../../../src/config/receiver';
import type { Target } from '../../../src/config/target';
import { configuredIn, isSame } from '../../../src/evidence/deliveries';
import { fromHar } from '../../../src/evidence/har/read';
import { toHar } from '../../../src/evidence/har/write';
import type { Kind } from '../../../src/evidence/model';
import { observationsOf } from '../../../src/judge/observations';
import { judgementsOf, needsOf } from '../../../src/judge/rules';
import { type Judgement, judgementOf, profileVerdictOf } from '../../../src/judge/verdict';
import { openEvents, roundsOf } from '../../../src/probes/events';
import { Schedule } from '../../../src/probes/schedule';
import { runCommand } from '../../../src/probes/trigger-command';
import { BODY_BYTES, MOST_EXPECTED, startReceiver } from '../../../src/recorder/receiver';
import { Recorder } from '../../../src/recorder/recorder';
import { type ReferenceOptions, startReference } from '../../../src/reference/server';
import { messageOf } from '../../../src/report/message';
import { targetOfReference } from '../../../src/run/embedded';

const isEvent = (id: string) => id.startsWith('event.');

/** Runs the event profile, alone unless `only` says otherwise, against a reference server. */
async function eventRun(
  options: ReferenceOptions,
  change: (target: Target) => Target = (target) => target,
  only = isEvent,
) {
  const receiver = await startReceiver('127.0.0.1:0');
  const reference = await startReference({ receiverBase: receiver.origin, ...options });
  try {
    return await runOn(change(targetOfReference(reference, receiver)), only);
  } finally {
    await reference.close();
    await receiver.close();
  }
}

function verdictsOf({ judgements }: Pick<InProcessRun, 'judgements'>): Record<string, string> {
  return Object.fromEntries(judgements.map(({ id, verdict }) => [id.replace('event.', ''), verdict]));
}

function broken(judgements: readonly Judgement[]): string[] {
  return judgements.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);
}

test.describe('the receiver', () => {
  async function receiving(use: (receiver: Receiver, came: RawDelivery[]) => Promise<void>, wholeWithinMs?: number) {
    const receiver = await startReceiver('127.0.0.1:0', wholeWithinMs);
    const came: RawDelivery[] = [];
    receiver.onDelivery = (delivery) => came.push(delivery);
    try {
      await use(receiver, came);
    } finally {
      await receiver.close();
    }
  }

  const port = (receiver: Receiver) => Number(new URL(receiver.origin).port);

  test('answers 200 to any method, path and content type, and keeps the order', async () => {
    await receiving(async (receiver, came) => {
      const methods = ['POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND', 'NOTIFY'];
      for (const [i, method] of methods.entries()) {
        const status = await new Promise((resolve, reject) => {
          const sent = request(`${receiver.origin}/any/${i}%20?q=${i}&q`, { method }, (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          sent.on('error', reject);
          sent.setHeader('Content-Type', `x-thing/number-${i}`);
          sent.setHeader('Content-Length', 6);
          sent.end(`body ${i}`);
        });
        expect(status).toBe(200);
      }
      expect(came.map(({ method }) => method)).toEqual(methods);
      expect(came.map(({ path }) => path)).toEqual(methods.map((_, i) => `/any/${i}%20?q=${i}&q`));
      expect(came[2]?.body.toString()).toBe('body 2');
      expect(came[2]?.headers).toContainEqual(['Content-Type', 'x-thing/number-2']);
      expect(came.every(({ truncated }) => !truncated)).toBe(true);
    });
  });

  test('decodes a compressed body, and keeps nothing of one that it cannot decode', async () => {
    await receiving(async ({ origin }, came) => {
      const send = (coding: string, body: Buffer) =>
        fetch(origin, { method: 'POST', headers: { 'Content-Encoding': coding }, body: new Uint8Array(body) });
      await send('gzip', gzipSync('{"event":"start"}'));
      await send('gzip', Buffer.from('no gzip'));
      await send('gzip', gzipSync(Buffer.alloc(8 * BODY_BYTES)));
      await send('zstd', Buffer.from('unknown'));
      expect(came.map(({ body }) => body.toString())).toEqual(['{"event":"start"}', '', '', '']);
      expect(came.map(({ truncated }) => truncated)).toEqual([false, true, true, true]);
    });
  });

  test('cuts a body that is too large, and still answers', async () => {
    await receiving(async ({ origin }, came) => {
      const status = await new Promise((resolve, reject) => {
        const sent = request(origin, { method: 'POST' }, (response) => resolve(response.statusCode));
        sent.on('error', reject);
        sent.end(Buffer.alloc(3 * BODY_BYTES, 'x'));
      });
      expect(status).toBe(200);
      expect(came).toHaveLength(1);
      expect(came[0]?.body.length).toBe(BODY_BYTES);
      expect(came[0]?.truncated).toBe(true);
    });
  });

  test('waits for no body longer than its time', async () => {
    await receiving(async (receiver, came) => {
      const socket = connect(port(receiver), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
      const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(came.map(({ path, body, truncated }) => [path, body.toString(), truncated])).toEqual([
        ['/slow', 'half', true],
      ]);
      await new Promise((resolve) => socket.once('close', resolve));
    }, 300);
  });

  test('takes nothing for slow that arrived while this process was held up', async () => {
    await receiving(async (receiver, came) => {
      const begun = ['POST /head HTTP/1.1\r\n', 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nbo'];
      const sockets = begun.map((text) => {
        const socket = connect(port(receiver), '127.0.0.1');
        socket.on('error', () => undefined).write(text);
        return socket;
      });
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      // Whoever comes later is answered after what came before was read.
      await fetch(`${receiver.origin}/later`, { method: 'POST', body: 'whole' });
      const answered = sockets.map(
        (socket) => new Promise((resolve) => socket.once('data', resolve).once('close', resolve)),
      );
      sockets[0]?.write('Host: x\r\nContent-Length: 2\r\n\r\nok');
      sockets[1]?.write('dy.');
      for (const end = performance.now() + 1500; performance.now() < end; );
      await Promise.all(answered);
      for (const socket of sockets) socket.destroy();
      expect(came.map(({ body, truncated }) => [body.toString(), truncated]).sort()).toEqual([
        ['body.', false],
        ['ok', false],
        ['whole', false],
      ]);
    }, 1000);
  });

  test('hands on what was still arriving when it is closed', async () => {
    await receiving(async (receiver, came) => {
      const socket = connect(port(receiver), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
      await new Promise((resolve) => socket.once('connect', resolve));
      // Whoever comes later is answered after what came before was read.
      await fetch(`${receiver.origin}/later`, { method: 'POST', body: 'whole' });
      await receiver.close();
      expect(came.map(({ body }) => body.toString())).toEqual(['whole', 'half']);
    });
  });

  test('takes so many and no more', async () => {
    await receiving(async (receiver, came) => {
      const cycle = async () => {
        for (let i = 0; i < (MOST_EXPECTED + 20) / 20; i += 1) {
          expect((await fetch(receiver.origin, { method: 'POST', body: 'x' })).status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 20 }, cycle));
      expect(came).toHaveLength(MOST_EXPECTED);
      expect(receiver.overrun).toBe(20);
    });
  });

  test('survives what is no HTTP', async () => {
    await receiving(async (receiver, came) => {
      const socket = connect(port(receiver), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(Buffer.from('160301020001000001fc0303', 'hex'));
      await new Promise((resolve) => socket.once('close', resolve));
      expect((await fetch(receiver.origin)).status).toBe(200);
      expect(came).toHaveLength(1);
    });
  });

  test('binds the declared address only', async () => {
    await receiving(async (receiver) => {
      const refused = await new Promise((resolve) => {
        const socket = connect(port(receiver), '127.0.0.2');
        socket.once('connect', () => resolve(false));
        socket.once('error', () => resolve(true));
      });
      expect(refused).toBe(true);
    });
  });

  test('says in one message that a port is taken or an address unusable', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const listen = `127.0.0.1:${(taken.address() as { port: number }).port}`;
    const problem = await startReceiver(listen).catch((error: Error) => error);
    expect(problem).toBeInstanceOf(UsageError);
    expect((problem as Error).message).toMatch(
      new RegExp(`^notifications\\.listen: .*${listen}: something else listens there already`),
    );
    for (const unusable of ['192.0.2.1:9099', 'no-such-host.invalid:9099']) {
      const unknown = await startReceiver(unusable).catch((error: Error) => error);
      expect(unknown).toBeInstanceOf(UsageError);
      expect((unknown as Error).message).toContain(unusable);
    }
    taken.close();
  });

  test('that cannot listen ends the run before anything is sent', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const listen = `127.0.0.1:${(taken.address() as { port: number }).port}`;
    const { recorder } = await eventRun({}, ({ notifications, ...target }) => {
      const { receiver: _, ...declared } = notifications as NonNullable<typeof notifications>;
      return { ...target, notifications: { ...declared, listen } };
    });
    taken.close();
    expect(recorder.error).toContain('notifications.listen');
    expect(recorder.exchanges).toHaveLength(0);
  });
});

test.describe('the trigger', () => {
  let directory = '';
  test.beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'event-'));
  });
  test.afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const isRunning = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

  test('finds KIND and ACCOUNT, and none of the suite’s own variables', async () => {
    process.env.CONFORMANCE_RUN = 'token-of-the-run';
    process.env.OF_THE_USER = 'kept';
    const file = join(directory, 'environment');
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

  test('that exits non-zero is told with its status and all its output', async () => {
    const { ended } = runCommand('echo out; echo err >&2; exit 3', {}, 10);
    expect(await ended).toEqual({ what: 'ended with status 3', output: expect.stringContaining('err') });
    const { ended: unknown } = runCommand('no-such-command-anywhere', {}, 10);
    expect((await unknown)?.what).toBe('ended with status 127');
  });

  test('that floods its output is kept within bounds', async () => {
    const { ended } = runCommand('yes | head -c 5000000; echo the-end; exit 1', {}, 20);
    const wrong = await ended;
    expect(wrong?.output.length).toBeLessThanOrEqual(65_536);
    expect(wrong?.output).toContain('the-end');
  });

  test('that hangs is killed with everything it started', async () => {
    const [shell, child] = [join(directory, 'shell'), join(directory, 'child')];
    const { ended } = runCommand(`echo $$ > ${shell}; (echo begun; sleep 600) & echo $! > ${child}; wait`, {}, 1);
    const wrong = await ended;
    expect(wrong?.what).toBe('did not end within 1 s and was killed');
    expect(wrong?.output).toContain('begun');
    await expect.poll(() => isRunning(pidIn(shell)) || isRunning(pidIn(child))).toBe(false);
  });

  test('leaves nothing running behind, though it ended well', async () => {
    const child = join(directory, 'child');
    const { ended, end } = runCommand(`sleep 600 > /dev/null 2>&1 & echo $! > ${child}`, {}, 60);
    expect(await ended).toBeNull();
    expect(isRunning(pidIn(child))).toBe(true);
    end();
    await expect.poll(() => isRunning(pidIn(child))).toBe(false);
  });

  test('as a shell command runs the profile', async () => {
    const run = await triggeredBy((url, token) => {
      process.env.TRIGGER_URL = url;
      process.env.TRIGGER_TOKEN = token;
      const script = `fetch(process.env.TRIGGER_URL+'?kind='+process.env.KIND+'&account='+process.env.ACCOUNT,{method:'POST',headers:{'X-Trigger-Token':process.env.TRIGGER_TOKEN}}).then((r)=>process.exit(r.ok?0:1))`;
      return `"${process.execPath}" -e "${script}"`;
    });
    expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(['pass']));
  });

  test('that fails leaves the profile untested, with its last words and no secret', async () => {
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
    expect(reason).toMatch(
      /^`notifications\.trigger` for "updates" of [a-z-]+ ended with status 7, and wrote: no such/,
    );
    expect(reason).toContain('[secret:apiKey:with-password] [secret:password:with-password:base64]');
    expect(JSON.stringify(run.recorder.evidence())).not.toContain(process.env.LEAK?.split(' ')[0]);
  });

  test('keeps no part of a key to itself that is coloured letter by letter, or cut', async () => {
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
        const file = join(directory, 'output');
        writeFileSync(file, output(key));
        return `cat '${file}'; exit 7`;
      });
      const told = run.judgements.map(({ reason }) => reason).join();
      expect(told).toContain('ended with status 7');
      for (let i = 0; i + 6 <= key.length; i += 1) expect(told).not.toContain(key.slice(i, i + 6));
    }
  });

  test('that hangs leaves the profile untested, and is not called again', async () => {
    const calls = join(directory, 'calls');
    const run = await triggeredBy(() => `echo "$KIND $ACCOUNT" >> ${calls}; sleep 600`, { timeoutSeconds: 1 });
    expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(['not-tested']));
    expect(run.judgements[0]?.reason).toMatch(/did not end within 1 s and was killed, and wrote nothing\.$/);
    // Accounts go side by side: each has called once at most.
    expect(readFileSync(calls, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(3);
  });

  test('has nothing running any more when the profile ends', async () => {
    const children = join(directory, 'children');
    await triggeredBy(() => `sleep 600 > /dev/null 2>&1 & echo $! >> ${children}`);
    const pids = readFileSync(children, 'utf8').trim().split('\n').map(Number);
    expect(pids).toHaveLength(12);
    await expect.poll(() => pids.some(isRunning)).toBe(false);
  });

  test('is not called at all where nothing can be learned', async () => {
    const calls = join(directory, 'calls');
    const run = await triggeredBy(
      () => `touch ${calls}`,
      {},
      (accounts) =>
        accounts.map((account) => ({ ...account, settings: { start: { url: 'https://elsewhere.example/' } } })),
    );
    expect(existsSync(calls)).toBe(false);
    expect(run.judgements[0]?.reason).toContain('settings.as-configured');
  });

  async function triggeredBy(
    trigger: (url: string, token: string, target: Target) => string,
    limits: Partial<Target['limits']> = {},
    accounts: (declared: Target['accounts']) => Target['accounts'] = (declared) => declared,
  ): Promise<InProcessRun> {
    const receiver = await startReceiver('127.0.0.1:0');
    const reference = await startReference({ receiverBase: receiver.origin });
    const target = targetOfReference(reference, receiver);
    const notifications = target.notifications as NonNullable<Target['notifications']>;
    try {
      return await runOn(
        {
          ...target,
          embedded: false,
          accounts: accounts(target.accounts),
          limits: { ...target.limits, ...limits },
          notifications: { ...notifications, trigger: trigger(reference.triggerURL, reference.triggerToken, target) },
        },
        isEvent,
      );
    } finally {
      await reference.close();
      await receiver.close();
    }
  }
});

test.describe('the profile', () => {
  test('passes on the embedded server', async () => {
    const run = await eventRun({});
    expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(['pass']));
    expect(run.recorder.triggers).toHaveLength(12);
    expect(run.recorder.deliveries).toHaveLength(6);
    const observations = observationsOf(run.recorder.evidence());
    expect(observations['notification.method']).toEqual(['POST']);
    expect(observations['notification.content-type']).toEqual(['application/json']);
    expect(observations['notification.members']).toEqual(['event', 'sentAt']);
    expect(observations['notification.retries']).toEqual([1]);
    expect(observations['notification.headers']).toContain('X-Receiver-Key');
  });

  test('catches each fault by its clauses and no others', async () => {
    const own = faults.filter((fault) => fault.breaks.some(isEvent));
    expect(own.length).toBeGreaterThan(30);
    const found = await Promise.all(
      own.map(async (fault) => [fault.name, broken((await eventRun({ bends: [fault] })).judgements)] as const),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(own.map(({ name, breaks }) => [name, breaks])));
  });

  test('passes every other way to notify, and to configure it', async () => {
    const own = dialects.filter(({ axis }) => ['notification', 'username', 'url', 'scheme', 'password'].includes(axis));
    expect(own.length).toBeGreaterThan(15);
    const found = await Promise.all(
      own.map(async (dialect) => [dialect.name, broken((await eventRun({ bends: [dialect] })).judgements)] as const),
    );
    expect(found.filter(([, ids]) => ids.length > 0)).toEqual([]);
  });

  test('is judged the same from its HAR', async () => {
    const fault = faults.filter(({ name }) => ['basic-null', 'broadcast'].includes(name));
    // With requests before, between and after the deliveries.
    const run = await eventRun({ bends: fault }, undefined, (id) => isEvent(id) || id.startsWith('rate.'));
    const { recorder } = run;
    const judgements = run.judgements.filter(({ id }) => isEvent(id));
    const evidence = recorder.evidence();
    const indexes = evidence.deliveries.map(({ index }) => index);
    expect(evidence.exchanges.some(({ index }) => index > Math.min(...indexes))).toBe(true);
    const har = toHar(evidence, { durationMs: 1, waitedMs: 0, error: null });
    const entries = har.log.entries;
    for (const { index, probe } of evidence.exchanges) expect(entries[index]).toHaveProperty('_probe', nameOf(probe));
    for (const { index, path } of evidence.deliveries) expect(entries[index]).toHaveProperty('_path', path);
    expect(entries).toHaveLength(evidence.exchanges.length + evidence.deliveries.length);
    const replayed = fromHar(JSON.stringify(har), 'evidence.har').evidence;
    expect(replayed).toEqual(JSON.parse(JSON.stringify(evidence)));
    const clauses = allRules.filter(({ id }) => isEvent(id));
    expect(clauses.map(({ id, judge }) => judgementOf(id, judge(replayed), replayed, '2026-01-01'))).toEqual(
      judgements,
    );
    expect(broken(judgements)).toEqual(['event.own-url', 'event.basic-auth']);
    const text = JSON.stringify(har);
    for (const { apiKey, password } of recorder.target.accounts) {
      for (const secret of [apiKey, password].filter((value) => value !== undefined)) {
        expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
        expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(4, -4));
      }
    }
  });

  test('takes nothing for missing or late that came while this process was held up', async () => {
    const waitMs = 2000;
    for (const afterMs of [30, waitMs / 2, waitMs - 5]) {
      const reference = inMemory({}, { timeoutSeconds: 30, bodyBytes: 1_000_000, burst: null });
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
      await wire.run(new Schedule(recorder, needsOf(ids), false).conduct());
      const evidence = recorder.evidence();
      expect(evidence.deliveries.length).toBeGreaterThan(3);
      const judgements = [...judgementsOf(ids, evidence, '2026-01-01').values()];
      expect(broken(judgements)).toEqual([]);
      expect(verdictsOf({ judgements })).toMatchObject({ 'enabled-sent': 'pass', 'disabled-silent': 'pass' });
      const har = JSON.stringify(toHar(evidence, { durationMs: 1, waitedMs: 0, error: null }));
      const replayed = judgementsOf(ids, fromHar(har, 'evidence.har').evidence, '2026-01-01');
      expect([...replayed.values()]).toEqual(judgements);
    }
  });

  test('says what to declare where it is not declared', async () => {
    const run = await eventRun({}, (target) => ({ ...target, notifications: null }));
    expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(['not-tested']));
    expect(run.judgements[0]?.reason).toContain('Declare `notifications`');
  });

  test('keeps accounts and kinds apart that share a url, and triggers each two once in either order', () => {
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
});

test('a marker in a delivered text equals itself, or a short secret that the API served in clear', () => {
  const short = '[secret:password:zoe]';
  const part = '[secret:password:zoe:part]';
  const encoded = '[secret:password:zoe:base64]';
  const same: Array<[string, string]> = [
    ['/a', '/a'],
    [`/${short}/x`, `/${short}/x`],
    [`/${short}/x`, '/1234567/x'],
    [`${part}${part}`, 'ab'],
    [`/${short}`, '/a.*'],
  ];
  const different: Array<[string, string]> = [
    ['/a', '/b'],
    ['/a.c', '/abc'],
    [`/${short}/x`, '/12345678/x'],
    [`/${short}/x`, '//x'],
    [`/${short}/x`, '/1/x/'],
    [`/${encoded}`, '/1234'],
  ];
  expect(same.filter(([delivered, served]) => !isSame(delivered, served))).toEqual([]);
  expect(different.filter(([delivered, served]) => isSame(delivered, served))).toEqual([]);
});

test.describe('the judges', () => {
  const PASSWORD = 'a-stored:päss-word';
  const URLS = { start: '/hook/start?a=%2F&b=c%20d', submission: '/hook/submission', updates: '/hook/updates' };

  interface Story {
    /** Members of the `webhook` object. */
    settings?: object;
    password?: string | null;
    /** What arrives after a trigger; `afterMs` defaults to 20. */
    sends: (kind: Kind) => Array<Partial<RawDelivery> & { afterMs?: number }>;
  }

  const rightly = (kind: Kind) => (kind === 'updates' ? [] : [{ path: URLS[kind] }]);
  const basic = (text: string, encoding: BufferEncoding = 'utf8'): Partial<RawDelivery> => ({
    headers: [['Authorization', `Basic ${Buffer.from(text, encoding).toString('base64')}`]],
  });

  /** Runs a story through the real recorder, on a simulated clock. */
  async function told({ settings = {}, password = PASSWORD, sends }: Story) {
    const receiver = await startReceiver('127.0.0.1:0');
    const webhook = {
      start: { status: true, url: `https://tunnel.example${URLS.start}` },
      submission: { status: true, url: `https://tunnel.example${URLS.submission}` },
      updates: { status: false, url: `https://tunnel.example${URLS.updates}` },
      auth: {
        status: false,
        type: 'basic',
        basic: { username: 'Zoë', password: null, hasPassword: true },
        apikey: { header: null, apikey: null },
      },
      ...settings,
    };
    const api = createHttpAnswer(JSON.stringify({ webhook }));
    const baseURL = await api.listening;
    const waiting: Promise<void>[] = [];
    const deliver = (recorder: Recorder, { afterMs = 20, ...raw }: Partial<RawDelivery> & { afterMs?: number }) => {
      waiting.push(
        new Promise((resolve) =>
          setTimeout(() => {
            recorder.receive({
              method: 'POST',
              path: '/',
              headers: [],
              body: Buffer.from('{}'),
              truncated: false,
              ...raw,
            });
            resolve();
          }, afterMs),
        ),
      );
    };
    const account = { name: 'zoe', apiKey: 'key-of-zoe-0123456789', ...(password === null ? {} : { password }) };
    const target: Target = {
      ...targetOf({ baseURL, accounts: [account] }, 'story'),
      notifications: {
        listen: '127.0.0.1:0',
        accounts: ['zoe'],
        waitSeconds: 0.4,
        receiver,
        trigger: async (kind) => {
          for (const delivery of sends(kind)) deliver(recorder, delivery);
        },
      },
    };
    const recorder = new Recorder(target, { insecureTls: false, riskyProbes: false, environment: {} });
    const events = await openEvents(recorder);
    await recorder.send({
      probe: probe('read', { account: 'zoe' }),
      account: 'zoe',
      path: '/webhooks',
      headers: [['apiKey', '[secret:apiKey:zoe]']],
    });
    await events?.conduct();
    await Promise.all(waiting);
    await events?.close();
    api.close();
    const evidence = recorder.evidence();
    const clauses = allRules.filter(({ id }) => isEvent(id));
    const judgements = clauses.map(({ id, judge }) => judgementOf(id, judge(evidence), evidence, '2026-01-01'));
    return { evidence, judgements, broken: broken(judgements), verdicts: verdictsOf({ judgements }) };
  }

  const reasonOf = (judgements: readonly Judgement[], id: string) =>
    judgements.find((judgement) => judgement.id === id)?.reason;

  const on = (type: string, more: object = {}) => ({
    auth: {
      status: true,
      type,
      basic: { username: 'Zoë', password: null, hasPassword: true },
      apikey: { header: null, apikey: null },
      ...more,
    },
  });

  test('take a url in another spelling for the same, and another query for another', async () => {
    const same = await told({
      sends: (kind) => (kind === 'start' ? [{ path: '/hook/st%61rt?a=/&b=c+d' }] : rightly(kind)),
    });
    expect(same.broken).toEqual([]);
    const other = await told({
      sends: (kind) => (kind === 'start' ? [{ path: '/hook/start?a=%2F&b=c' }] : rightly(kind)),
    });
    expect(other.broken).toEqual(['event.own-url']);
  });

  test('take a repeated notification for a retry, whatever it says', async () => {
    const { broken: found, evidence } = await told({
      sends: (kind) =>
        rightly(kind).flatMap((delivery) => [
          delivery,
          { ...delivery, afterMs: 60, body: Buffer.from('{"attempt":2}') },
        ]),
    });
    expect(found).toEqual([]);
    expect(observationsOf(evidence)['notification.retries']).toEqual([2]);
  });

  test('find a copy at the url of a kind that was not triggered yet', async () => {
    const {
      broken: found,
      judgements,
      evidence,
    } = await told({
      sends: (kind) => (kind === 'start' ? [{ path: URLS.start }, { path: URLS.submission }] : rightly(kind)),
    });
    expect(found).toEqual(['event.own-url']);
    const judgement = judgements.find(({ id }) => id === 'event.own-url');
    expect(judgement?.breaches.map(({ subject }) => subject.name)).toEqual(['POST /hook/submission']);
    expect(messageOf(judgement as Judgement, evidence)).toContain('  arrived  POST /hook/submission');
  });

  test('take what came to another url for misdirected, and only a copy of it for nothing', async () => {
    const moved = await told({
      sends: (kind) => rightly(kind).map(() => ({ path: URLS.start, body: Buffer.from(`{"kind":"${kind}"}`) })),
    });
    expect(moved.broken).toEqual(['event.own-url']);
    const repeated = await told({
      sends: (kind) => (kind === 'start' ? [{ path: URLS.start }, { path: URLS.start, afterMs: 150 }] : []),
    });
    expect(repeated.broken).toEqual(['event.enabled-sent']);
  });

  test('take a notification that another kind’s event led to for what it is, by what it says', async () => {
    const says = (kind: Kind, at: Kind, id = 1) => ({
      path: URLS[at],
      body: Buffer.from(`{"event":"${kind}","id":"n-${id}0","at":"2026-11-2${id}T10:00:0${id}Z"}`),
    });
    // Whatever is triggered, "submission" is sent as well.
    const led = await told({
      sends: (kind) =>
        kind === 'submission'
          ? [says(kind, kind)]
          : [...rightly(kind).map(() => says(kind, kind)), says('submission', 'submission', 2)],
    });
    expect(led.broken).toEqual([]);
    const copied = await told({
      sends: (kind) =>
        kind === 'start' ? [says(kind, kind), says(kind, 'submission', 2)] : rightly(kind).map(() => says(kind, kind)),
    });
    expect(copied.broken).toEqual(['event.own-url']);
    const elsewhere = await told({
      sends: (kind) => (kind === 'updates' ? [says(kind, 'start')] : [says(kind, kind)]),
    });
    expect(elsewhere.broken).toEqual(['event.disabled-silent']);
  });

  test('tell of each misdirected notification where it went', async () => {
    const {
      broken: found,
      judgements,
      evidence,
    } = await told({
      settings: { updates: { status: true, url: `https://tunnel.example${URLS.updates}` } },
      sends: (kind) => [{ path: URLS.start, body: Buffer.from(kind) }],
    });
    expect(found).toEqual(['event.own-url']);
    const judgement = judgements.find(({ id }) => id === 'event.own-url');
    expect(messageOf(judgement as Judgement, evidence)).toContain(
      '"submission" of zoe: POST /hook/start?a=%2F&b=c%20d instead of /hook/submission',
    );
  });

  test('find what arrives too late', async () => {
    const { broken: found, judgements } = await told({
      sends: (kind) => rightly(kind).map((delivery) => ({ ...delivery, afterMs: kind === 'start' ? 1500 : 20 })),
    });
    expect(found).toEqual(['event.enabled-sent']);
    expect(reasonOf(judgements, 'event.enabled-sent')).toMatch(
      /^"start" of zoe: nothing at \/hook\/start\?a=\/&b=c d within 0\.4 s of the trigger/,
    );
  });

  test('find a kind that is off wherever it arrives', async () => {
    for (const path of [URLS.updates, URLS.start, '/elsewhere']) {
      const { broken: found } = await told({ sends: (kind) => (kind === 'updates' ? [{ path }] : rightly(kind)) });
      expect(found).toEqual(['event.disabled-silent']);
    }
  });

  test('do not take a stranger at the tunnel for the service', async () => {
    const knock: Partial<RawDelivery> = { method: 'GET', path: '/robots.txt', headers: [['User-Agent', 'bot']] };
    const { broken: found } = await told({ sends: (kind) => [...rightly(kind), knock] });
    expect(found).toEqual([]);
  });

  test('do not take a stranger with the service’s User-Agent for it, and its own copies they do', async () => {
    const agent: Partial<RawDelivery> = {
      headers: [
        ['User-Agent', 'axios/1.7'],
        ['Content-Type', 'application/json'],
      ],
    };
    const bodyOf = (text: string) => ({ ...agent, body: Buffer.from(text) });
    const own = '{"event":"start","examId":7,"at":"2026-01-02"}';
    const sends = (copy: Partial<RawDelivery>) => (kind: Kind) => [
      ...rightly(kind).map((delivery) => ({ ...delivery, ...bodyOf(own) })),
      ...(kind === 'start' ? [{ path: '/elsewhere', ...copy }] : []),
    ];
    for (const stranger of [
      '{"ref":"refs/heads/main","commits":[]}',
      'hello',
      '',
      '[]',
      '{"event":1,"a":2,"b":3,"c":4,"d":5}',
    ])
      expect((await told({ sends: sends(bodyOf(stranger)) })).broken, stranger).toEqual([]);
    expect((await told({ sends: sends({ ...bodyOf(own), headers: [['User-Agent', 'axios/1.7']] }) })).broken).toEqual(
      [],
    );
    for (const copy of [own, '{"event":"start","examId":8,"at":"2026-01-03","more":1}'])
      expect((await told({ sends: sends(bodyOf(copy)) })).broken, copy).toEqual(['event.own-url']);
  });

  test('compare payloads of a megabyte without a digit, one of them at another kind’s url', async () => {
    const body = Buffer.from('x'.repeat(1_048_000));
    const { broken: found } = await told({
      sends: (kind) =>
        [...rightly(kind), ...(kind === 'start' ? [{ path: URLS.submission }] : [])].map((delivery) => ({
          ...delivery,
          body,
        })),
    });
    expect(found).toEqual(['event.own-url']);
  });

  test('compare Basic credentials byte by byte, in either encoding', async () => {
    const sending = (credentials: Partial<RawDelivery>): Story => ({
      settings: on('basic'),
      sends: (kind) => rightly(kind).map((delivery) => ({ ...delivery, ...credentials })),
    });
    expect((await told(sending(basic(`Zoë:${PASSWORD}`)))).verdicts['basic-auth']).toBe('pass');
    expect((await told(sending(basic(`Zoë:${PASSWORD}`, 'latin1')))).verdicts['basic-auth']).toBe('pass');
    const wrong: Array<[string, RegExp]> = [
      [`Zoe:${PASSWORD}`, /another username/],
      [`Zoë:${PASSWORD}x`, /another password/],
      ['Zoë:', /without a password/],
      ['Zoë:null', /the word "null"/],
      [PASSWORD, /another username/],
      ['Zoë', /without the base64 of username:password/],
    ];
    for (const [text, reason] of wrong) {
      const { broken: found, judgements, evidence } = await told(sending(basic(text)));
      expect(found).toEqual(['event.basic-auth']);
      expect(reasonOf(judgements, 'event.basic-auth')).toMatch(reason);
      expect(JSON.stringify(evidence)).not.toContain(Buffer.from(text).toString('base64').replace(/=+$/, ''));
    }
    const twice = basic(`Zoë:${PASSWORD}`).headers ?? [];
    const { broken: found } = await told(sending({ headers: [...twice, ...twice] }));
    expect(found).toEqual(['event.basic-auth']);
  });

  test('say what they could check of a password that is not declared, and keep it to themselves', async () => {
    const sending = (text: string): Story => ({
      settings: on('basic'),
      password: null,
      sends: (kind) =>
        rightly(kind).map((delivery) => ({
          ...delivery,
          ...basic(text),
          body: Buffer.from('{"pw":"never-declared-1"}'),
        })),
    });
    const { judgements, verdicts, evidence } = await told(sending('Zoë:never-declared-1'));
    expect(verdicts).toMatchObject({ 'basic-auth': 'not-tested', 'no-credentials-in-payload': 'pass' });
    expect(reasonOf(judgements, 'event.basic-auth')).toMatch(
      /^Basic credentials with the configured username came for zoe; .* declare `password`\.$/,
    );
    const text = JSON.stringify(evidence);
    expect(text).not.toContain('never-declared-1');
    expect(text).not.toContain(Buffer.from('Zoë:never-declared-1').toString('base64'));
    expect(text).toContain('Basic [secret:password:(undeclared)');
    const short = JSON.stringify((await told(sending('Zoë:abc123'))).evidence.deliveries);
    expect(short).toContain('Basic [secret:password:(undeclared)]');
    expect(short).not.toContain(Buffer.from('Zoë:abc123').toString('base64'));
    expect((await told(sending('Bob:never-declared-1'))).broken).toEqual(['event.basic-auth']);
    expect((await told(sending('Zoë:undefined'))).broken).toEqual(['event.basic-auth']);
  });

  test('want the key in the header that the API names, in any letter case, once', async () => {
    const sending = (
      headers: RawDelivery['headers'],
      apikey: object = { header: 'X-Key', apikey: 'key/of"receiver' },
    ) =>
      told({
        settings: on('apiKey', { apikey }),
        sends: (kind) => rightly(kind).map((delivery) => ({ ...delivery, headers })),
      });
    expect((await sending([['x-key', 'key/of"receiver']])).verdicts['apikey-auth']).toBe('pass');
    expect((await sending([['X-Key', '12345678']], { header: 'X-Key', apikey: 12345678 })).broken).toEqual([]);
    expect((await sending([['X-Key', 'key/of"receiver2']])).broken).toEqual(['event.apikey-auth']);
    expect((await sending([['X-API-Key', 'key/of"receiver']])).broken).toEqual(['event.apikey-auth']);
    const twice = await sending([
      ['X-Key', 'key/of"receiver'],
      ['X-Key', 'other'],
    ]);
    expect(twice.broken).toEqual(['event.apikey-auth']);
    const unset = await sending([], { header: null, apikey: null });
    expect(unset.verdicts['apikey-auth']).toBe('not-tested');
  });

  test('want no credentials while authentication is off, but those of the url itself', async () => {
    const sent: Story['sends'] = (kind) => rightly(kind).map((delivery) => ({ ...delivery, ...basic('ana:x') }));
    expect((await told({ sends: sent })).broken).toEqual(['event.auth-off']);
    const url = (path: string) => `https://ana:x@tunnel.example${path}`;
    const { broken: found } = await told({
      settings: {
        start: { status: true, url: url(URLS.start) },
        submission: { status: true, url: url(URLS.submission) },
      },
      sends: sent,
    });
    expect(found).toEqual([]);
  });

  test('look for credentials in url and payload, but not for those that the url is configured with', async () => {
    const leaking = (delivery: Partial<RawDelivery>): Story => ({
      sends: (kind) => rightly(kind).map((right) => ({ ...right, ...delivery })),
    });
    for (const body of [PASSWORD, `{"k":"key-of-zoe-0123456789"}`, Buffer.from(`Zoë:${PASSWORD}`).toString('base64')]) {
      const { broken: found, judgements } = await told(leaking({ body: Buffer.from(body) }));
      expect(found).toEqual(['event.no-credentials-in-payload']);
      expect(judgements.find(({ verdict }) => verdict === 'warn')?.evidence).not.toEqual([]);
    }
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(PASSWORD)]);
    expect((await told(leaking({ body: bytes }))).broken).toEqual(['event.no-credentials-in-payload']);
    const own = '/hook/key-of-zoe-0123456789';
    const configured = await told({
      settings: { start: { status: true, url: `https://tunnel.example${own}` } },
      sends: (kind) => (kind === 'start' ? [{ path: own }] : rightly(kind)),
    });
    expect(configured.broken).toEqual([]);
  });

  test('find a short password in a path no reason to take the path for another', async () => {
    const { broken: found, evidence } = await told({ password: 'hook', sends: rightly });
    expect(found).toEqual([]);
    expect(evidence.deliveries[0]?.path).toContain('[secret:password:zoe:part]');
    expect(
      (await told({ password: 'hook', sends: (kind) => rightly(kind).map(() => ({ path: '/hook/other' })) })).broken,
    ).toContain('event.own-url');
  });

  test('judge nothing on settings that are not what is declared', async () => {
    const { evidence } = await told({ sends: rightly });
    expect(configuredIn(evidence, 'zoe')?.kinds.start?.enabled).toBe(true);
    const [facts] = evidence.target.accounts;
    const declared = { ...evidence.target, accounts: [{ ...facts, settings: { start: { status: false } } }] };
    expect(configuredIn({ ...evidence, target: declared } as typeof evidence, 'zoe')).toBeNull();
  });

  /** A server that answers everything with one document. */
  function createHttpAnswer(body: string) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        const length = Buffer.byteLength(body);
        socket.end(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
        );
      });
    }).listen(0, '127.0.0.1');
    return {
      listening: new Promise<string>((resolve) =>
        server.once('listening', () =>
          resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}/api/v2`),
        ),
      ),
      close: () => server.close(),
    };
  }
});
