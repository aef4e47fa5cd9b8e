/** What the recorder puts on the wire at one moment, and what it keeps of what comes back. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, test } from '@playwright/test';
import type { HeaderLines } from '../../src/evidence/exchange';
import { probe } from '../../src/evidence/probe';
import { type ProbeRequest, Recorder } from '../../src/recorder/recorder';
import type { WireOutcome } from '../../src/recorder/wire/connection';
import type { Wire } from '../../src/recorder/wire/wire';
import { targetOf } from '../../src/target/declaration';
import { selfSigned } from './certificate';

const BURST = 40;
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const request: ProbeRequest = { probe: probe('concurrent', { account: 'alice' }), account: 'alice', path: '/webhooks' };
const requests = (count: number) => Array.from({ length: count }, () => request);

function recorderOf(baseURL: string, wire?: Wire): Recorder {
  const accounts = [{ name: 'alice', apiKey: 'recorder-key-4711-Aa' }];
  const target = targetOf({ baseURL, accounts, limits: { timeoutSeconds: 3 } }, 'recorder');
  return new Recorder(target, { insecureTls: true, riskyProbes: false, environment: {} }, wire);
}

async function listening(server: Server, onSocket: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Counts turns of the event loop until it is stopped. */
function countTurns() {
  const turns = { count: 0, stop: () => clearImmediate(next) };
  const turn = () => {
    turns.count += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  return turns;
}

test('a burst arrives within one turn of the event loop, and each request tells when it left', async () => {
  const turns = countTurns();
  const arrivals: Array<{ turn: number; atMs: number }> = [];
  let recorder: Recorder | null = null;
  const server = await listening(createServer(), (socket) => {
    socket.on('data', () => {
      arrivals.push({ turn: turns.count, atMs: recorder?.now() ?? 0 });
      // Answers only when all requests have arrived, so that none can be sent after an answer.
      if (arrivals.length === BURST) for (const write of waiting) write();
    });
    waiting.push(() => socket.write(ANSWER));
  });
  const waiting: Array<() => void> = [];
  recorder = recorderOf(`http://${server.host}`);
  const beforeMs = recorder.now();
  const exchanges = await recorder.burst(requests(BURST), { atMs: beforeMs + 300 });
  turns.stop();
  server.close();
  expect(exchanges.map(({ fault }) => fault)).toEqual(exchanges.map(() => null));
  expect(exchanges).toHaveLength(BURST);
  expect(new Set(exchanges.map(({ connection }) => connection)).size).toBe(BURST);
  const [first, last] = [arrivals[0], arrivals.at(-1)];
  expect((last?.turn ?? 0) - (first?.turn ?? 0)).toBe(0);
  const sentAtMs = exchanges.map((exchange) => exchange.sentAtMs);
  expect(Math.min(...sentAtMs)).toBeGreaterThanOrEqual(beforeMs + 300);
  expect(Math.max(...sentAtMs)).toBeLessThanOrEqual(first?.atMs ?? 0);
});

test('a connection that the server closes unused is opened again before the burst', async () => {
  let accepted = 0;
  let acceptedLate = 0;
  let arrived = 0;
  const server = await listening(createServer(), (socket) => {
    accepted += 1;
    if (arrived > 0) acceptedLate += 1;
    if (accepted <= BURST) setTimeout(() => socket.end(), 50);
    socket.on('data', () => {
      arrived += 1;
      socket.end(ANSWER);
    });
  });
  const recorder = recorderOf(`http://${server.host}`);
  const exchanges = await recorder.burst(requests(BURST), { atMs: recorder.now() + 1000 });
  server.close();
  expect(exchanges.filter(({ fault, resent }) => fault !== null || resent)).toEqual([]);
  expect({ accepted, arrived, acceptedLate }).toEqual({ accepted: 2 * BURST, arrived: BURST, acceptedLate: 0 });
});

test('a server that closes every unused connection is not blamed for it, and not asked forever', async () => {
  let accepted = 0;
  const server = await listening(createServer(), (socket) => {
    accepted += 1;
    const close = setTimeout(() => socket.end(), 5);
    socket.on('data', () => {
      clearTimeout(close);
      socket.end(ANSWER);
    });
  });
  const recorder = recorderOf(`http://${server.host}`);
  const exchanges = await recorder.burst(requests(10), { atMs: recorder.now() + 1000 });
  server.close();
  expect(exchanges.map(({ fault }) => fault)).toEqual(exchanges.map(() => null));
  expect(accepted).toBeLessThan(100);
});

test('a server that handles one connection at a time answers a whole burst', async () => {
  const certificate = selfSigned();
  const waiting: Socket[] = [];
  let isBusy = false;
  const next = () => {
    const socket = isBusy ? undefined : waiting.shift();
    if (!socket) return;
    isBusy = true;
    const secure = new TLSSocket(socket, { isServer: true, ...certificate });
    secure.on('error', () => socket.destroy()).on('data', () => secure.end(ANSWER));
    socket.on('close', () => {
      isBusy = false;
      next();
    });
  };
  const server = await listening(createServer(), (socket) => {
    waiting.push(socket);
    next();
  });
  const recorder = recorderOf(`https://${server.host}`);
  const exchanges = await recorder.burst(requests(5), { atMs: recorder.now() + 300 });
  server.close();
  expect(exchanges.map(({ fault }) => fault)).toEqual([null, null, null, null, null]);
});

/** A wire that answers at once. */
function answering(answer: () => Pick<WireOutcome, 'aside'> & { headers: HeaderLines }): Wire {
  let nowMs = 0;
  return {
    startedAtEpochMs: 0,
    now: () => nowMs,
    after: () => () => undefined,
    connection: (number) => ({
      number,
      open: async () => undefined,
      close: async () => undefined,
      exchange: async () => {
        nowMs += 1;
        const { headers, aside } = answer();
        const head = { status: 200, statusText: 'OK', headers };
        const body = Buffer.from('{}');
        return { sentAtMs: nowMs, receivedAtMs: nowMs, head, aside, interim: 0, body, fault: null, resent: false };
      },
    }),
  };
}

const lines = (count: number, value: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => [`X-Line-${i}`, value(i)] as const);

test('header lines that come with every answer are kept once', async () => {
  const headers = () => lines(3000, (i) => `value ${i}`);
  const wire = answering(() => ({ headers: headers(), aside: lines(2, () => 'trailer') }));
  const recorder = recorderOf('http://many.example', wire);
  const [first, second] = [await recorder.send(request), await recorder.send(request)];
  expect(second?.response?.headers).toEqual(headers());
  for (const part of ['headers', 'aside'] as const)
    for (const [i, line] of (first?.response?.[part] ?? []).entries()) expect(second?.response?.[part]?.[i]).toBe(line);
});

for (const part of ['headers', 'aside'] as const)
  test(`header lines are recorded only as long as all of them fit into one text: ${part}`, async () => {
    let made = 0;
    const wire = answering(() => {
      const many = lines(300, () => {
        made += 1;
        return `${made} `.repeat(30);
      });
      return { headers: [], aside: [], [part]: many };
    });
    const recorder = recorderOf('http://many.example', wire);
    while (recorder.exchanges.length < 1000 && (await recorder.send(request)));
    expect(recorder.notSent[0]?.reason).toContain('more than can be recorded');
    expect(JSON.stringify(recorder.evidence()).length).toBeLessThan(100_000_000);
  });
