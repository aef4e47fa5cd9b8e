/** Servers that break at the level of connections, certificates and proxies. */
import { createServer as createProxy } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { startForwardProxy } from '../../../../scripts/matrix/forward-proxy';
import { idsOf, runOn } from '../../../../scripts/matrix/in-process';
import { endServer, listenOn } from '../../../../src/common/suite';
import { type Target, targetOf } from '../../../../src/config/target';
import { startReference } from '../../../../src/reference/server';
import { selfSigned } from '../../support/certificate';
import { behindTls, connectionTo, listening } from '../../support/listening';
import { runHere } from '../../support/run-here';
import { fileWith, stackLines, type WholeRun } from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const KEY = 'transport-key-4711-Aa';
const BODY = '{"webhook":{}}';

/** A server that answers each request with whatever is written to its socket, and counts those whose head has arrived. */
async function rawServer(answer: (socket: Socket) => void, server: Server = createServer()) {
  const counts = { requests: 0 };
  const raw = await listening(server, (socket) => {
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      head = '';
      counts.requests += 1;
      answer(socket);
    });
  });
  return { ...raw, counts };
}

/** Writes pieces for as long as the client takes them. */
function flood(socket: Socket, first: string, piece: string | Buffer, everyMs: number): void {
  socket.write(first);
  const more = setInterval(() => {
    if (socket.destroyed) clearInterval(more);
    else if (!socket.writableNeedDrain) socket.write(piece);
  }, everyMs);
}

const LONG = 'x'.repeat(1_100_000);
const LINES = `X-Trace: ${'0'.repeat(500)}\r\n`.repeat(140);
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const coded = (coding: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${OK}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`), body]);

/** By what the server does with every request: the name of the fault, and the answer. */
const BREAKAGES: Record<string, [kind: string, answer: (socket: Socket) => void]> = {
  'resets without an answer': ['reset', (socket) => socket.resetAndDestroy()],
  'closes without an answer': ['reset', (socket) => socket.end()],
  'closes before the length it told': ['truncated', (socket) => socket.end(`${OK}Content-Length: 400\r\n\r\n${BODY}`)],
  'cuts gzip short': ['truncated', (socket) => socket.end(coded('gzip', gzipSync('x'.repeat(999)).subarray(0, 24)))],
  'packs 64 MiB into a small body': [
    'too-large',
    (socket) => {
      bomb ??= coded('gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 }));
      socket.end(bomb);
    },
  ],
  'never ends its body': ['too-large', (socket) => flood(socket, `${OK}\r\n${LONG}`, LONG, 500)],
  'drips its body': ['timeout', (socket) => flood(socket, `${OK}Content-Length: 5000\r\n\r\n`, 'x', 200)],
  'never ends its headers': ['too-large', (socket) => flood(socket, OK + LINES, LINES, 500)],
  'never ends a chunk extension': ['malformed', (socket) => flood(socket, `${OK}${CHUNKED}\r\n5;a="`, LONG, 500)],
  'puts NUL into its head': ['malformed', (socket) => socket.end(`HTTP/1.1 200 \0\r\nX-A: \0\r\n\r\n\0`)],
  'says nothing': ['timeout', () => undefined],
  'speaks another protocol': ['malformed', (socket) => socket.end(`220 ${KEY} ESMTP\r\n`)],
  'tells a status that is none': ['malformed', (socket) => socket.end(`HTTP/1.1 OK 200\r\n\r\n${BODY}`)],
  'goes on with interim answers': ['malformed', (socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 5)],
};
let bomb: Buffer | null = null;

function target(port: number, members: Partial<Target> = {}): Target {
  const declared = {
    baseURL: `http://127.0.0.1:${port}/v2`,
    accounts: [{ name: 'alice', apiKey: KEY }],
    limits: { timeoutSeconds: 3 },
  };
  return { ...targetOf(declared, 'broken'), ...members };
}

test('a server that breaks every answer is told how, asked a few times only, and blamed for nothing else', async () => {
  test.slow();
  const seen = await Promise.all(
    Object.entries(BREAKAGES).map(async ([what, [kind, answer]]) => {
      const server = await rawServer(answer);
      const run = await runOn(target(server.port));
      await server.close();
      const faults = run.recorder.exchanges.map((exchange) => exchange.fault);
      // On a busy machine the timeout may come first.
      for (const fault of faults) expect([kind, 'timeout'], what).toContain(fault?.kind);
      expect(
        faults.map((fault) => fault?.kind),
        what,
      ).toContain(kind);
      for (const fault of faults) expect(fault?.message, what).toMatch(/^[a-z].{10,}[^.]$/);
      for (const { response } of run.recorder.exchanges) expect(response?.body ?? '', what).toBe('');
      expect(JSON.stringify(run.recorder.evidence()), what).not.toContain(KEY);
      return { what, kind, run, requests: server.counts.requests };
    }),
  );
  for (const { what, kind, run, requests } of seen) {
    expect(requests, what).toBeGreaterThan(0);
    expect(requests, what).toBeLessThan(kind === 'timeout' ? 10 : 12);
    expect(run.recorder.givenUp, what).toBe(true);
    const failed = idsOf(run, 'fail');
    expect(failed, what).toContain('transport.complete');
    expect(
      failed.filter((id) => id !== 'transport.complete' && id !== 'auth.accepted'),
      what,
    ).toEqual([]);
    expect(run.judgements.find(({ id }) => id === 'settings.password-null')?.verdict, what).toBe('not-tested');
    for (const { id, verdict, reason } of run.judgements)
      if (verdict === 'not-tested') expect(reason, `${what}: ${id}`).toBeTruthy();
  }
});

const ONE = /^(?:auth\.accepted|transport\.complete)$/;

test('a certificate that does not verify is refused, unless it is trusted or everything is', async () => {
  const certificate = await selfSigned();
  const server = await behindTls(certificate);
  const ca = fileWith('ca.pem', certificate.cert);
  const base = { BASE_URL: server.baseURL, API_KEY: server.accounts[0]?.apiKey ?? '' };
  const [refused, insecure, trusted, unread, plain, byOtherName] = await Promise.all([
    runHere(base, ONE),
    runHere({ ...base, INSECURE_TLS: '1' }, ONE),
    runHere({ ...base, NODE_EXTRA_CA_CERTS: ca }, ONE),
    runHere({ ...base, NODE_EXTRA_CA_CERTS: join(ca, 'none') }, ONE),
    runHere({ ...base, BASE_URL: server.baseURL.replace('https:', 'http:') }, ONE),
    runHere({ ...base, BASE_URL: server.baseURL.replace('127.0.0.1', 'localhost'), NODE_EXTRA_CA_CERTS: ca }, ONE),
  ]);
  await server.close();
  expect(insecure.status, insecure.output).toBe(0);
  expect(insecure.output).toContain('INSECURE_TLS was set');
  expect(insecure.text('summary.md')).toContain('INSECURE');
  expect(trusted.status, trusted.output).toBe(0);
  expect(trusted.output).not.toContain('INSECURE_TLS');

  expect(refused.output.replace(/\s+/g, ' ')).toContain(
    'its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT): trust its authority with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
  );
  expect(unread.output).toMatch(/NODE_EXTRA_CA_CERTS: .* cannot be read/);
  for (const run of [refused, unread]) {
    expect(run.status).toBe(2);
    expect(run.conformance().verdict).toBe('error');
    expect(stackLines(run.output)).toEqual([]);
  }
  // A TLS alert is not an HTTP response.
  expect(plain.status).toBe(2);
  expect(stackLines(plain.output)).toEqual([]);
  expect(byOtherName.status).toBe(2);
  expect(byOtherName.output.replace(/\s+/g, ' ')).toContain(
    'its certificate is not accepted (ERR_TLS_CERT_ALTNAME_INVALID)',
  );
  expect(stackLines(byOtherName.output)).toEqual([]);
});

test('a proxy is used where one is set, and what it keeps from the server is told without its password', async () => {
  const reference = await startReference();
  const proxy = await startForwardProxy(reference.origin);
  const refusing = await rawServer((socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  const dead = await rawServer(() => undefined);
  await dead.close();
  const API_KEY = reference.accounts[0]?.apiKey ?? '';
  const secret = 'proxy-Sekret-77';
  const credentials = (port: string | number) => `http://user:${secret}@127.0.0.1:${port}`;
  const far = { BASE_URL: 'http://assessment.example/api/v2', API_KEY };
  const [proxied, refused, unreachable] = (await Promise.all(
    [
      { ...far, HTTP_PROXY: credentials(new URL(proxy.url).port) },
      { ...far, BASE_URL: 'https://assessment.example/api/v2', HTTPS_PROXY: credentials(refusing.port) },
      { ...far, HTTP_PROXY: credentials(dead.port) },
    ].map((environment) => runHere(environment, ONE)),
  )) as [WholeRun, WholeRun, WholeRun];
  await Promise.all([proxy.close(), refusing.close(), reference.close()]);
  expect(proxied.status, proxied.output).toBe(0);
  expect(new Set(proxy.asked)).toEqual(new Set(['assessment.example:80']));
  expect(refused.output).toMatch(/the proxy answered 407/);
  expect(unreachable.output.replace(/\s+/g, ' ')).toContain('it is the proxy that cannot be reached');
  for (const run of [refused, unreachable]) expect([run.status, run.conformance().verdict]).toEqual([2, 'error']);
  for (const run of [proxied, refused, unreachable])
    for (const text of [run.output, ...['conformance.json', 'evidence.har', 'index.html'].map(run.text)])
      expect(text).not.toContain(secret);
});

test('a port that never answers TLS, and a proxy that never opens its tunnel, end a run as an unreachable server', async () => {
  const silent = await rawServer(() => undefined);
  const there = (baseURL: string) => ({ ...target(silent.port), baseURL });
  const runs = await Promise.all([
    runOn(there(`https://127.0.0.1:${silent.port}/v2`)),
    runOn(there('https://assessment.example/v2'), undefined, true, { HTTPS_PROXY: `http://127.0.0.1:${silent.port}` }),
  ]);
  await silent.close();
  for (const { recorder } of runs) {
    expect(recorder.error).toMatch(/could not be reached: no connection within 3 s\. Nothing was judged\.$/);
    expect(recorder.exchanges.length).toBeLessThan(4);
  }
});

test('a tunnel is open before its request is due, and the proxy alone sees its credentials', async () => {
  const server = await behindTls(await selfSigned());
  const asked: (string | undefined)[] = [];
  const proxy = createProxy().on('connect', ({ url, headers }, socket: Socket) => {
    asked.push(url, headers['proxy-authorization'], headers.host);
    const through = connect(Number(new URL(server.baseURL).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const end of [socket, through]) end.on('error', () => through.destroy());
  });
  const HTTPS_PROXY = `http://us%C3%A9r:p%40ss@127.0.0.1:${await listenOn(proxy)}`;
  const connection = connectionTo('https://assessment.example/api/v2', { HTTPS_PROXY });
  await connection.open(10_000);
  const user = `Basic ${Buffer.from('usér:p@ss').toString('base64')}`;
  expect(asked).toEqual(['assessment.example:443', user, 'assessment.example:443']);
  for (const { head, fault } of [await connection.read(), await connection.read()])
    expect([head?.status, head?.statusText, fault]).toEqual([401, 'Unauthorized', null]);
  expect(asked).toHaveLength(3);
  await connection.close();
  await server.close();
  await endServer(proxy);
});
