/** How much the receiver takes of what comes, at its bounds. Its other tests stand in event.spec.ts. */
import { connect, type Socket } from 'node:net';
import { expect, test } from '@playwright/test';
import type { RawDelivery, Receiver } from '../../../src/config/receiver';
import { startReceiver } from '../../../src/recorder/receiver';

const MOST_CONNECTIONS = 512;
const STRANGERS = { deliveries: 100, bodyBytes: 8192, allBytes: 524_288 };

/** A receiver that waits for deliveries below /hook. */
async function receiving(use: (receiver: Receiver, came: RawDelivery[]) => Promise<void>): Promise<void> {
  const receiver = await startReceiver('127.0.0.1:0', 60_000);
  const came: RawDelivery[] = [];
  receiver.onDelivery = (delivery) => came.push(delivery);
  receiver.isExpected = (path) => path.startsWith('/hook');
  try {
    await use(receiver, came);
  } finally {
    await receiver.close();
  }
}

/** The head of the answer to a text that is sent over a connection of its own, which is left open. */
async function headFor(receiver: Receiver, text: string): Promise<string> {
  const socket = opened(receiver);
  socket.write(text, 'latin1');
  const head = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString('latin1'))));
  socket.destroy();
  return head;
}

function opened(receiver: Receiver): Socket {
  return connect(Number(new URL(receiver.origin).port), '127.0.0.1').on('error', () => undefined);
}

const post = (path: string, body = '', length = body.length) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`;

test('a delivery is answered 200 without a body, and whoever is not done sending is told that the end has come', async () => {
  await receiving(async (receiver, came) => {
    const whole = await headFor(receiver, post('/hook', 'whole'));
    expect(whole).toMatch(/^HTTP\/1\.1 200 /);
    expect(whole).toMatch(/\r\nContent-Length: 0\r\n/);
    expect(whole).not.toMatch(/Connection: close/);
    const cut = await headFor(receiver, post('/stranger', 'x'.repeat(STRANGERS.bodyBytes + 1)));
    expect(cut).toMatch(/^HTTP\/1\.1 200 /);
    expect(cut).toMatch(/\r\nConnection: close\r\n/);
    expect(came.map(({ body, truncated }) => [body.length, truncated])).toEqual([
      [5, false],
      [STRANGERS.bodyBytes, true],
    ]);
  });
});

test('of strangers so many are taken and no more, and none of them counts as missed', async () => {
  await receiving(async (receiver, came) => {
    for (let i = 0; i < STRANGERS.deliveries + 1; i += 1) await headFor(receiver, post('/stranger', 'x'));
    expect(came).toHaveLength(STRANGERS.deliveries);
    await headFor(receiver, post('/hook', 'x'));
    expect(came).toHaveLength(STRANGERS.deliveries + 1);
    expect(receiver.overrun).toBe(0);
  });
});

test('of all that strangers send so much is kept and no more', async () => {
  await receiving(async (receiver, came) => {
    const body = 'x'.repeat(STRANGERS.bodyBytes);
    const most = Math.floor(STRANGERS.allBytes / (STRANGERS.bodyBytes + post('/stranger').length));
    for (let i = 0; i < most; i += 1) await headFor(receiver, post('/stranger', body));
    expect(came).toHaveLength(most);
    expect(came.every(({ truncated }) => !truncated)).toBe(true);
    await headFor(receiver, post('/stranger', body));
    expect(came.at(-1)?.truncated).toBe(true);
    const handedOn = came.length;
    await headFor(receiver, post('/stranger', 'x'));
    expect(came).toHaveLength(handedOn);
    await headFor(receiver, post('/hook', 'x'));
    expect(came).toHaveLength(handedOn + 1);
    expect(receiver.overrun).toBe(0);
  });
});

test('what stands before a body takes room as well, for strangers and for what is expected', async () => {
  await receiving(async (receiver, came) => {
    const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nX: ${'%41'.repeat(20_000)}\r\n\r\n`;
    for (let i = 0; i < 30; i += 1) await headFor(receiver, head('/stranger'));
    expect(came).toHaveLength(Math.floor(STRANGERS.allBytes / 60_000));
    const most = Math.floor((16 * 1_048_576) / 60_020);
    for (let i = 0; i < most + 1; i += 1) await headFor(receiver, head('/hook'));
    expect(came.filter(({ path }) => path === '/hook')).toHaveLength(most);
    expect(receiver.overrun).toBe(1);
  });
});

test('a path that is longer than any address is a stranger’s', async () => {
  await receiving(async (receiver, came) => {
    const longest = '/hook'.padEnd(8192, 'x');
    const body = 'x'.repeat(STRANGERS.bodyBytes + 1);
    await headFor(receiver, post(longest, body));
    await headFor(receiver, post(`${longest}x`, body));
    expect(came.map(({ truncated }) => truncated)).toEqual([false, true]);
  });
});

test('a target in absolute form has its path, and header lines are kept as they came', async () => {
  await receiving(async (receiver, came) => {
    await headFor(receiver, 'GET HTTP://other.example:81/hook?a HTTP/1.1\r\nHOST: x\r\nX-a: \xe9\r\nx-A: 2\r\n\r\n');
    await headFor(receiver, 'GET http://other.example HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(came.map(({ path }) => path)).toEqual(['/hook?a', '/']);
    expect(came[0]?.headers).toEqual([
      ['HOST', 'x'],
      ['X-a', '\xe9'],
      ['x-A', '2'],
    ]);
  });
});

test('of too many connections the one that has been silent for longest is ended, which counts where it had said something', async () => {
  await receiving(async (receiver, came) => {
    const ended: number[] = [];
    const open = async (i: number, text = '') => {
      const socket = opened(receiver).on('close', () => ended.push(i));
      await new Promise((resolve) => socket.once('connect', resolve));
      const answered = new Promise((resolve) => socket.once('data', resolve));
      socket.write(text);
      if (text.endsWith('\r\n\r\n')) await answered;
      return socket;
    };
    const sockets = [await open(0, 'POST /ho'), await open(1, post('/hook')), await open(2)];
    for (let i = 3; i < MOST_CONNECTIONS; i += 1) sockets.push(await open(i));
    // It has said something later than all that were opened after it.
    await sendAgain(sockets[1] as Socket);
    expect(ended).toEqual([]);
    for (const i of [0, 1]) sockets.push(await open(MOST_CONNECTIONS + i));
    await expect.poll(() => ended).toEqual([0, 2]);
    expect(receiver.overrun).toBe(1);
    expect(came).toHaveLength(2);
    for (const socket of sockets) socket.destroy();
  });
});

/** Sends one more delivery over a connection. */
async function sendAgain(socket: Socket): Promise<void> {
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(post('/hook'));
  await answered;
}

test('an address needs a host and a port', async () => {
  for (const listen of ['127.0.0.1', '127.0.0.1:', ':9099', '[::1]', '::1:9099', '127.0.0.1:http'])
    await expect(startReceiver(listen)).rejects.toThrow(`notifications.listen: ${listen} is no host and port.`);
});

test('an address of version 6 stands in brackets', async () => {
  const receiver = await startReceiver('[::1]:0').catch((error: Error) => error);
  // A machine may have no such address.
  if (receiver instanceof Error) expect(receiver.message).toContain('no such address');
  else {
    expect(receiver.origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
    await receiver.close();
  }
});
