import { createServer as createProxy } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, test } from '@playwright/test';
import { type ProbeRequest, probe } from '../../../src/catalogue/catalogue';
import { listenOn } from '../../../src/common/suite';
import { type Target, targetOf } from '../../../src/config/target';
import { Recorder } from '../../../src/recorder/recorder';
import { networkTo } from '../../../src/recorder/transport/network-connection';
import type { Wire } from '../../../src/recorder/transport/wire';
import { selfSigned } from '../support/certificate';
import { listening } from '../support/listening';

const BURST = 30;
/** Fewer, where each costs a TLS handshake at both ends. */
const TLS_BURST = 6;
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const request: ProbeRequest = { probe: probe('concurrent', { account: 'alice' }), account: 'alice', path: '/webhooks' };
const requests = (count: number) => Array.from({ length: count }, () => request);

const surroundings = { insecureTls: true, riskyProbes: false, environment: {} };

function recorderOf(baseURL: string, wireTo?: (target: Target) => Wire): Recorder {
  const accounts = [{ name: 'alice', apiKey: 'recorder-key-4711-Aa' }];
  const target = targetOf({ baseURL, accounts, limits: { timeoutSeconds: 20 } }, 'recorder');
  return new Recorder(target, surroundings, wireTo?.(target));
}

/** The network, where a connection is open only once the server has accepted all: it accepts one in a turn. */
function accepting(target: Target, isReady: () => boolean): Wire {
  const network = networkTo(target, surroundings);
  return {
    ...network,
    connection(number) {
      const connection = network.connection(number);
      const open = connection.open.bind(connection);
      connection.open = async (withinMs) => {
        await open(withinMs);
        while (!isReady()) await new Promise((resolve) => setImmediate(resolve));
      };
      return connection;
    },
  };
}

test('what a proxy passes on of its user is masked, and a key in a reason phrase', async () => {
  const echo = createProxy(({ rawHeaders }, response) => {
    response.writeHead(200, 'for key-4711-Aa').end(JSON.stringify({ rawHeaders }));
  });
  const HTTP_PROXY = `http://us%C3%A9r:proxy%2Dp%40ss-4711@127.0.0.1:${await listenOn(echo)}`;
  const target = targetOf(
    { baseURL: 'http://far.example/v2', accounts: [{ name: 'a', apiKey: 'key-4711-Aa' }] },
    'far',
  );
  const recorder = new Recorder(target, { ...surroundings, environment: { HTTP_PROXY } });
  const exchange = await recorder.send(request);
  echo.close();
  expect(exchange?.response?.body).toContain(
    '"Proxy-Authorization","Basic [secret:header:Proxy-Authorization:base64]"',
  );
  expect(exchange?.response?.statusText).toBe('for [secret:apiKey:a]');
  expect(recorder.masking.maskText('proxy-p@ss-4711')).toBe('[secret:header:Proxy-Authorization]');
});

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

/** How a server takes a connection: at once, or behind a TLS handshake that begins later with each connection. */
const OPENINGS: Record<string, (socket: Socket, i: number, onOpen: (open: Socket) => void) => void> = {
  http: (socket, _, onOpen) => onOpen(socket),
  https: (socket, i, onOpen) => {
    setTimeout(() => onOpen(new TLSSocket(socket, { isServer: true, ...certificate })), 10 * i);
  },
};
let certificate: { key: string; cert: string };
test.beforeAll(async () => {
  certificate = await selfSigned();
});

for (const [scheme, take] of Object.entries(OPENINGS))
  test(`a burst arrives within one turn of the event loop, and each request tells when it left: ${scheme}`, async () => {
    const size = scheme === 'http' ? BURST : TLS_BURST;
    const turns = countTurns();
    const arrivals: Array<{ turn: number; atMs: number }> = [];
    const open: Socket[] = [];
    let accepted = 0;
    const server = await listening(createServer(), (socket) => {
      accepted += 1;
      take(socket, accepted, (opened) => {
        open.push(opened);
        opened
          .on('error', () => socket.destroy())
          .on('data', () => {
            arrivals.push({ turn: turns.count, atMs: recorder.now() });
            // Answers only when all requests have arrived, so that none is sent after an answer.
            if (arrivals.length === size) for (const each of open) each.write(ANSWER);
          });
      });
    });
    const recorder = recorderOf(`${scheme}://127.0.0.1:${server.port}`, (target) =>
      accepting(target, () => accepted === size),
    );
    const atMs = recorder.now() + 50;
    const exchanges = await recorder.burst(requests(size), { atMs });
    turns.stop();
    await server.close();
    expect(exchanges.map(({ fault }) => fault)).toEqual(Array.from({ length: size }, () => null));
    expect(new Set(exchanges.map(({ connection }) => connection)).size).toBe(size);
    expect((arrivals.at(-1)?.turn ?? 0) - (arrivals[0]?.turn ?? 0)).toBe(0);
    const sentAtMs = exchanges.map((exchange) => exchange.sentAtMs);
    expect(Math.min(...sentAtMs)).toBeGreaterThanOrEqual(atMs);
    expect(Math.max(...sentAtMs)).toBeLessThanOrEqual(arrivals[0]?.atMs ?? 0);
  });

test('a server that handles one connection at a time answers a whole burst', async () => {
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
  const recorder = recorderOf(`https://127.0.0.1:${server.port}`);
  const exchanges = await recorder.burst(requests(5), { atMs: recorder.now() + 300 });
  await server.close();
  expect(exchanges.map(({ fault }) => fault)).toEqual([null, null, null, null, null]);
});
