import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { RawDelivery, Receiver } from '../../../src/config/target';
import { BODY_BYTES, startReceiver } from '../../../src/events/receiver';
import { MOST_DELIVERIES } from '../../../src/evidence/model';
import { listening } from '../support/listening';
import { problemOf } from '../support/usage-errors';

async function receiving(
  use: (receiver: Receiver, came: RawDelivery[]) => Promise<void>,
  wholeWithinMs = 60_000,
): Promise<void> {
  const receiver = await startReceiver('127.0.0.1:0', wholeWithinMs);
  const came: RawDelivery[] = [];
  receiver.onDelivery = (delivery) => came.push(delivery);
  try {
    await use(receiver, came);
  } finally {
    await receiver.close();
  }
}

/** The head of the answer to a text that is sent over a connection of its own, which is left open. */
async function headFor(receiver: Receiver, text: string): Promise<string> {
  const socket = opened(receiver, text);
  const head = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString('latin1'))));
  socket.destroy();
  return head;
}

function opened(receiver: Receiver, text: string): Socket {
  const socket = connect(Number(new URL(receiver.origin).port), '127.0.0.1').on('error', () => undefined);
  socket.write(text, 'latin1');
  return socket;
}

/** Connections over which these texts were read, and nothing more has come. */
async function begun(receiver: Receiver, ...texts: string[]): Promise<Socket[]> {
  const sockets = texts.map((text) => opened(receiver, text));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // Whoever comes later is answered after what came before was read.
  await fetch(`${receiver.origin}/later`, { method: 'POST', body: 'whole' });
  return sockets;
}

const post = (path: string, body = '', length = body.length) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`;

test('a delivery is answered 200 without a body, and its connection ends, whether it is done or cut off', async () => {
  await receiving(async (receiver, came) => {
    const whole = await headFor(receiver, post('/hook', 'whole'));
    expect(whole).toMatch(/^HTTP\/1\.1 200 /);
    expect(whole).toMatch(/\r\nContent-Length: 0\r\n/);
    expect(whole).toMatch(/\r\nConnection: close\r\n/);
    const cut = await headFor(receiver, post('/hook', 'x'.repeat(BODY_BYTES + 1)));
    expect(cut).toMatch(/^HTTP\/1\.1 200 /);
    expect(cut).toMatch(/\r\nConnection: close\r\n/);
    expect(came.map(({ body, truncated }) => [body.length, truncated])).toEqual([
      [5, false],
      [BODY_BYTES, true],
    ]);
  });
});

test('what stands before a body takes room as well', async () => {
  await receiving(async (receiver, came) => {
    const head = `POST /hook HTTP/1.1\r\nHost: x\r\nX: ${'%41'.repeat(20_000)}\r\n\r\n`;
    const most = Math.floor((16 * BODY_BYTES) / 60_020);
    for (let i = 0; i < most + 1; i += 1) await headFor(receiver, head);
    expect(came).toHaveLength(most);
    expect(receiver.overrun).toBe(1);
  });
});

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

test('decodes a compressed body, keeps nothing of one that it cannot decode, and the beginning of one that is too large', async () => {
  await receiving(async ({ origin }, came) => {
    const send = (coding: string, body: Buffer) =>
      fetch(origin, { method: 'POST', headers: { 'Content-Encoding': coding }, body: new Uint8Array(body) });
    await send('gzip', gzipSync('{"event":"start"}'));
    await send('gzip', Buffer.from('no gzip'));
    await send('gzip', gzipSync(Buffer.alloc(8 * BODY_BYTES)));
    await send('zstd', Buffer.from('unknown'));
    await send('identity', Buffer.alloc(3 * BODY_BYTES, 'x'));
    expect(came.map(({ body }) => body.toString())).toEqual([
      ...['{"event":"start"}', '', '', ''],
      'x'.repeat(BODY_BYTES),
    ]);
    expect(came.map(({ truncated }) => truncated)).toEqual([false, true, true, true, true]);
  });
});

test('waits for no body longer than its time', async () => {
  await receiving(async (receiver, came) => {
    await new Promise((resolve) => opened(receiver, post('/slow', 'half', 100)).once('close', resolve));
    await expect.poll(() => came).toHaveLength(1);
    expect(came).toMatchObject([{ path: '/slow', body: Buffer.from('half'), truncated: true }]);
  }, 300);
});

test('takes nothing for slow that arrived while this process was held up', async () => {
  await receiving(async (receiver, came) => {
    const sockets = await begun(receiver, 'POST /head HTTP/1.1\r\n', post('/body', 'bo', 5));
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
    await begun(receiver, post('/cut', 'half', 100));
    await receiver.close();
    expect(came.map(({ body }) => body.toString())).toEqual(['whole', 'half']);
  });
});

test('takes so many and no more', async () => {
  await receiving(async (receiver, came) => {
    const cycle = async () => {
      for (let i = 0; i < (MOST_DELIVERIES + 20) / 20; i += 1) {
        expect(await headFor(receiver, post('/hook', 'x'))).toMatch(/^HTTP\/1\.1 200 /);
      }
    };
    await Promise.all(Array.from({ length: 20 }, cycle));
    expect(came).toHaveLength(MOST_DELIVERIES);
    expect(receiver.overrun).toBe(20);
  });
});

test('binds the declared address only', async () => {
  await receiving(async (receiver) => {
    const refused = await new Promise((resolve) => {
      const socket = connect(Number(new URL(receiver.origin).port), '127.0.0.2');
      socket.once('connect', () => resolve(false));
      socket.once('error', () => resolve(true));
    });
    expect(refused).toBe(true);
  });
});

test('says in one message that a port is taken or an address unusable', async () => {
  const taken = await listening(createServer());
  const listen = `127.0.0.1:${taken.port}`;
  expect(await problemOf(() => startReceiver(listen))).toMatch(
    new RegExp(`^notifications\\.listen: .*${listen}: the system says EADDRINUSE`),
  );
  for (const unusable of ['192.0.2.1:9099', 'no-such-host.invalid:9099'])
    expect(await problemOf(() => startReceiver(unusable))).toContain(unusable);
  await taken.close();
});
