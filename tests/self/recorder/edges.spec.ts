/** What the recorder does in cases that no server of the catalogue shows: small mistakes in it would go unnoticed. */
import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { VirtualTime } from '../../../fixtures/in-memory';
import { probe } from '../../../src/catalogue/catalogue';
import { listenOn } from '../../../src/common/suite';
import { targetOf } from '../../../src/config/target';
import { LITTLE_MS } from '../../../src/contract/bounds';
import type { Fault, HeaderLines } from '../../../src/evidence/model';
import { Spacing } from '../../../src/probes/requests';
import { MARGIN_MS } from '../../../src/recorder/pace';
import { Recorder } from '../../../src/recorder/recorder';
import { type Connection, routeTo, type Wire, type WireRequest } from '../../../src/recorder/transport/wire';

const KEYS = { alice: 'mutation-key-4711-Aa', bob: 'mutation-key-4712-Bb' };
const surroundings = { insecureTls: false, riskyProbes: true, environment: {} };

interface Answered {
  status: number;
  headers: HeaderLines;
  body: string;
  fault: Fault;
}

/** A wire at whose other end each request gets the next answer. */
class Scripted extends VirtualTime implements Wire {
  readonly startedAtEpochMs = Date.UTC(2026, 5, 15);
  readonly sent: WireRequest[] = [];

  constructor(private readonly answers: Partial<Answered>[]) {
    super();
  }

  connection(number: number): Connection {
    return {
      number,
      open: async () => undefined,
      exchange: async (request) => {
        this.sent.push(request);
        const { status = 200, headers = [], body = '', fault = null, ...more } = this.answers.shift() ?? {};
        const times = { sentAtMs: this.now(), receivedAtMs: this.now() };
        const head = fault ? null : { status, statusText: '', headers };
        return { ...times, head, aside: [], body: Buffer.from(body), fault, resent: false, ...more };
      },
      close: async () => undefined,
    };
  }
}

function recorderOver(wire: Wire | undefined, baseURL = 'https://api.example/v2', more = {}): Recorder {
  const accounts = Object.entries(KEYS).map(([name, apiKey]) => ({ name, apiKey }));
  return new Recorder(targetOf({ baseURL, accounts, ...more }, 'mutation'), surroundings, wire);
}

const read = { probe: probe('read', { account: 'alice' }), account: 'alice', path: '/webhooks' };
const keyless = { probe: probe('missing-key'), account: null, path: '/webhooks' };

for (const [method, resent] of [
  ['GET', true],
  ['HEAD', true],
  ['POST', false],
  ['DELETE', false],
] as const) {
  test(`${method} over a connection that the server has closed is ${resent ? '' : 'not '}sent again`, async () => {
    const methods: string[] = [];
    const server = createServer((request, response) => {
      methods.push(request.method ?? '');
      if (methods.length === 2) request.socket.destroy();
      else response.end('{}');
    });
    try {
      const recorder = recorderOver(undefined, `http://127.0.0.1:${await listenOn(server)}/v2`);
      const via = recorder.connection();
      await recorder.send(read, { via });
      const exchange = await recorder.send({ ...keyless, method }, { via });
      await via.close();
      expect(methods).toEqual(resent ? ['GET', method, method] : ['GET', method]);
      expect([exchange?.resent ?? false, exchange?.fault?.kind ?? null]).toEqual([resent, resent ? null : 'reset']);
    } finally {
      server.close();
    }
  });
}

test('what is let in without any key is charged to every account, with an altered key to its owner alone', async () => {
  const wire = new Scripted([{ status: 401 }, {}, {}]);
  const recorder = recorderOver(wire);
  const { pace } = recorder;
  const due = () => Object.keys(KEYS).map((account) => pace.spacedAtMs(account));
  await recorder.send(keyless);
  expect(due()).toEqual([0, 0]);
  const altered: HeaderLines = [
    ['apiKey', recorder.registerSecret('[secret:apiKey:bob:upper]', KEYS.bob.toUpperCase())],
  ];
  await recorder.send({ ...keyless, headers: altered });
  expect(due()).toEqual([0, 1000 + MARGIN_MS]);
  await recorder.send(keyless);
  expect(due()).toEqual([1000 + MARGIN_MS, 1000 + MARGIN_MS]);
});

test('what is refused twice though it kept its distance is sent again a little later than its refusal asked', async () => {
  const refused: Partial<Answered> = { status: 429, headers: [['Retry-After', '3']] };
  const wire = new Scripted([refused, refused, {}]);
  const recorder = recorderOver(wire);
  await wire.run(new Spacing(recorder).send(read));
  expect(recorder.exchanges.map(({ sentAtMs }) => sentAtMs)).toEqual([0, 0, 3000 + LITTLE_MS + MARGIN_MS + LITTLE_MS]);
});

test('a run that takes longer than it may, besides its waits for the rate, sends nothing more but own tests', async () => {
  const wire = new Scripted([]);
  const recorder = recorderOver(wire);
  const own = { ...keyless, probe: probe('own', { form: 'a' }) };
  await wire.run(recorder.pace.until(3_600_000));
  expect(await recorder.send(read)).not.toBeNull();
  await wire.run(new Promise<void>((resolve) => wire.after(601_000, resolve)));
  expect(await recorder.send(read)).toBeNull();
  expect(recorder.notSent[0]?.reason).toMatch(/^the run took longer than 600 s besides its waits for the rate limit/);
  expect(await recorder.send(own)).not.toBeNull();
});

const UNREACHABLE: Fault = { kind: 'unreachable', message: 'nothing listens there' };
const delivered = { method: 'POST', path: '/hook', headers: [['A', 'b']], body: Buffer.from('{}') } as const;

test('an address that cannot be reached at first ends the run, and later only the exchange', async () => {
  const gone = recorderOver(new Scripted([{ fault: UNREACHABLE }, {}]));
  await gone.send(read);
  expect(gone.error).toBe('https://api.example/v2 could not be reached: nothing listens there. Nothing was judged.');
  expect(await gone.send(read)).toBeNull();
  expect(gone.notSent).toEqual([{ probe: read.probe, reason: gone.error }]);
  const later = recorderOver(new Scripted([{}, { fault: UNREACHABLE }]));
  for (let i = 0; i < 2; i += 1) await later.send(read);
  expect([later.error, later.givenUp, later.exchanges[1]?.fault]).toEqual([null, false, UNREACHABLE]);
});

test('nothing is sent once the run was stopped, and what was to be sent is noted', async () => {
  const wire = new Scripted([]);
  const recorder = recorderOver(wire);
  recorder.isStopped = true;
  expect(await recorder.burst([read, keyless], { atMs: 0 })).toEqual([]);
  const reason = 'the run was stopped';
  expect(recorder.notSent).toEqual([read, keyless].map(({ probe }) => ({ probe, reason })));
  expect([wire.sent.length, recorder.givenUp, recorder.isStopped]).toEqual([0, true, true]);
});

test("a cookie of a request goes beside the one of the target's headers, which a gate wants to see", async () => {
  const wire = new Scripted([]);
  const recorder = recorderOver(wire, undefined, { headers: { Cookie: 'gate=open-4711' } });
  await recorder.send({ ...keyless, headers: [['Cookie', 'apiKey=[secret:apiKey:alice]']] });
  await recorder.send(keyless);
  const cookies = wire.sent.map(({ headers }) => headers.filter(([name]) => name === 'Cookie'));
  expect(cookies).toEqual([[['Cookie', `gate=open-4711; apiKey=${KEYS.alice}`]], [['Cookie', 'gate=open-4711']]]);
  expect(JSON.stringify(recorder.evidence())).not.toContain('open-4711');
});

test('a request has the headers of every request but those that it brings itself', async () => {
  const wire = new Scripted([]);
  const recorder = recorderOver(wire);
  await recorder.send({
    ...read,
    headers: [['apiKey', '[secret:apiKey:alice]']],
    method: 'POST',
    body: Buffer.from('b'),
  });
  await recorder.send({
    ...keyless,
    path: 'http://other.example/x',
    headers: [
      ['ACCEPT', ''],
      ['user-agent', 'x'],
    ],
  });
  const [first, second] = wire.sent;
  expect(first?.headers.map(([name]) => name)).toEqual(['User-Agent', 'Accept', 'Accept-Encoding', 'apiKey']);
  expect(first?.headers.at(-1)).toEqual(['apiKey', KEYS.alice]);
  expect([first?.method, first?.url.href, String(first?.body)]).toEqual([
    'POST',
    'https://api.example/v2/webhooks',
    'b',
  ]);
  expect(second?.headers.map(([name]) => name)).toEqual(['Accept-Encoding', 'ACCEPT', 'user-agent']);
  expect([second?.method, second?.url.href, second?.body]).toEqual(['GET', 'http://other.example/x', undefined]);
  expect(recorder.exchanges[0]?.request.body).toEqual({ body: 'b', bodyEncoding: 'utf8' });
  expect(JSON.stringify(recorder.evidence())).not.toContain(KEYS.alice);
});

test('exchanges and deliveries are one count', async () => {
  const key = 'receivers-key-4711';
  const settings = JSON.stringify({ webhook: { auth: { apikey: { apikey: key } } } });
  const recorder = recorderOver(new Scripted([{ body: `["${key}"]` }, { body: settings }, { fault: UNREACHABLE }]));
  await recorder.send(read);
  recorder.receive({ ...delivered, body: Buffer.from(key), truncated: false });
  for (let i = 0; i < 2; i += 1) await recorder.send(read);
  recorder.receive({ ...delivered, truncated: true });
  expect(recorder.exchanges.map(({ index }) => index)).toEqual([0, 2, 3]);
  expect(recorder.deliveries.map(({ index, truncated, body }) => [index, truncated, body])).toEqual([
    [1, false, key],
    [4, true, '{}'],
  ]);
});

test('once no more can be recorded nothing is sent, and of deliveries only that they came is kept', async () => {
  // A line that is known already takes no work, but room: a megabyte in all. Each control character takes six in JSON.
  const headers = Array.from({ length: 16 }, (_, i) => [`X-${i}`, 'x'.repeat(65_500)] as const);
  const left = JSON.stringify({ apikey: { apikey: 'x1'.repeat(523_500) } });
  for (const answer of [{ headers }, { body: '\u0001'.repeat(174_500) }, { body: left }]) {
    const recorder = recorderOver(new Scripted(Array.from({ length: 33 }, () => ({ ...answer }))));
    for (let i = 0; i < 22; i += 1) await recorder.send(read);
    expect(recorder.receive({ ...delivered, truncated: false })).toMatchObject({
      ...{ path: '/hook', headers: [['A', 'b']], body: '{}', truncated: false },
    });
    for (let i = 0; i < 3; i += 1) await recorder.send(read);
    expect(await recorder.send(read)).toBeNull();
    expect(recorder.notSent[0]?.reason).toContain('more than can be recorded');
    expect(recorder.receive({ ...delivered, truncated: false })).toMatchObject({
      ...{ method: 'POST', path: '', headers: [], body: '', truncated: true },
    });
    expect(JSON.stringify(recorder.evidence()).length).toBeLessThan(2 * 24 * 2 ** 20);
  }
});

test('a proxy is for servers of its kind that are not exempt, never for the embedded one, and is not repeated', () => {
  const environment = {
    HTTP_PROXY: 'http://one.example:1',
    https_proxy: 'http://two.example:2',
    NO_PROXY: 'x.example, .Y.example:8080 *.z.example [::1]:443,::2',
  };
  const proxyOf = (url: string, direct = false) =>
    routeTo(new URL(url), direct, { insecureTls: false, environment }).proxy?.url.host ?? null;
  expect(proxyOf('https://api.example/v2')).toBe('two.example:2');
  expect(proxyOf('http://api.example/v2')).toBe('one.example:1');
  expect(proxyOf('http://api.example/v2', true)).toBeNull();
  const exempt = ['x.example', 'a.x.example', 'y.example:8080', 'b.z.example', 'z.example', '[::1]:443', '[::2]:8'];
  expect(exempt.filter((host) => proxyOf(`http://${host}/v2`) !== null)).toEqual([]);
  for (const host of ['ax.example', 'x.example.org', 'y.example', '[::1]', '[::3]'])
    expect(proxyOf(`http://${host}/v2`), host).toBe('one.example:1');
  for (const HTTP_PROXY of ['socks://user:secret@one.example', 'http://user:secret%@one.example', 'one.example:1']) {
    const wrong = { insecureTls: false, environment: { HTTP_PROXY } };
    expect(() => routeTo(new URL('https://api.example/v2'), false, wrong)).toThrow(
      /^HTTP_PROXY is not the URL of a proxy; (?!.*secret)/,
    );
  }
});
