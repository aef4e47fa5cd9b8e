/** One answer as its parts arrive, its bounds, and its content codings: called as the connection calls them. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { VirtualTime } from '../../../../fixtures/in-memory';
import type { HeaderLines } from '../../../../src/evidence/model';
import { Answer, decode } from '../../../../src/recorder/transport/answer';
import type { Clock, WireOutcome } from '../../../../src/recorder/transport/wire';

interface Told {
  outcome: WireOutcome | null;
  /** Whether the connection was ended. */
  isGivenUp: boolean;
}

interface Way {
  clock?: Clock;
  timeoutMs?: number;
  viaProxy?: boolean;
  bodyBytes?: number;
}

/** An answer whose request was not sent yet. */
function answering({ clock = new VirtualTime(), timeoutMs = 5000, viaProxy = false, bodyBytes = 10 }: Way = {}) {
  const told = { isGivenUp: false };
  const answer = new Answer({ timeoutSeconds: timeoutMs / 1000, bodyBytes }, clock, viaProxy, () => {
    told.isGivenUp = true;
  });
  return { answer, told };
}

const HEAD = { status: 200, statusText: 'Words', headers: [] };

/** What came of an answer in whole parts. @param interim header fields of interim answers before it */
async function outcomeOf(
  {
    status = 200,
    headers = [],
    body = [],
    trailers = [],
    interim = [],
  }: {
    status?: number;
    headers?: HeaderLines;
    body?: readonly (string | Buffer)[];
    trailers?: HeaderLines;
    interim?: readonly HeaderLines[];
  },
  way: Way = {},
): Promise<Told> {
  const { answer, told } = answering(way);
  answer.sent();
  for (const lines of interim) answer.addInterim(lines);
  answer.begin({ ...HEAD, status, headers });
  for (const chunk of body) answer.addToBody(Buffer.from(chunk));
  answer.end(trailers);
  return { ...told, outcome: await answer.outcome };
}

test('a whole answer is told as it came', async () => {
  const headers: HeaderLines = [
    ['X-One', 'a'],
    ['x-ONE', ''],
    ['X-Latin', '\xe9'],
  ];
  const { outcome, isGivenUp } = await outcomeOf({
    headers,
    body: ['01234', '56789'],
    interim: [[['Link', 'early']]],
    trailers: [
      ['X-Sum', '1'],
      ['X-Sum', '2'],
    ],
  });
  expect(isGivenUp).toBe(false);
  expect(outcome).toEqual({
    sentAtMs: 0,
    receivedAtMs: 0,
    head: { status: 200, statusText: 'Words', headers },
    aside: [
      ['Link', 'early'],
      ['X-Sum', '1'],
      ['X-Sum', '2'],
    ],
    body: Buffer.from('0123456789'),
    fault: null,
    resent: false,
  });
});

const hints = (count: number) => Array.from({ length: count }, () => []);

for (const [what, parts, way, kind] of [
  ['as long as it may be', { body: ['0123456789'] }, {}, null],
  ['longer', { body: ['0123456789', 'x'] }, {}, 'too-large'],
  ['after twenty interim answers', { interim: hints(20) }, {}, null],
  ['after one more', { interim: hints(21) }, {}, 'malformed'],
  ['a 407 of the server', { status: 407 }, {}, null],
  ['a 407 of the proxy', { status: 407 }, { viaProxy: true }, 'unreachable'],
  ['another status behind a proxy', { status: 406 }, { viaProxy: true }, null],
] as ReadonlyArray<[string, Parameters<typeof outcomeOf>[0], Way, string | null]>)
  test(`an answer ${what}: ${kind ?? 'no fault'}`, async () => {
    const { outcome, isGivenUp } = await outcomeOf(parts, way);
    expect(outcome?.fault?.kind ?? null).toBe(kind);
    // What has come to its end needs no connection any more.
    expect(isGivenUp).toBe(kind !== null);
    if (kind === 'unreachable') expect(outcome?.head).toBeNull();
  });

test('what takes too long is told by how far it came', async () => {
  const lateAfter = async (calls: (answer: Answer) => void) => {
    const time = new VirtualTime();
    const { answer } = answering({ clock: time, timeoutMs: 5 });
    calls(answer);
    const { fault } = await time.run(answer.outcome);
    return `${fault?.kind}: ${fault?.message}`;
  };
  expect(await lateAfter(() => undefined)).toBe('unreachable: no connection within 0.005 s');
  expect(await lateAfter((answer) => answer.sent())).toBe('timeout: did not answer within 0.005 s');
  const begin = (answer: Answer) => {
    answer.sent();
    answer.begin(HEAD);
  };
  expect(await lateAfter(begin)).toBe('timeout: did not finish its answer within 0.005 s');
});

test('time in which this process was held up is not the server’s, whenever that was', async () => {
  for (const [heldUpAt, tookMs] of [
    [0, 100],
    [2, 5100],
    [5, 5120],
  ]) {
    const time = new VirtualTime();
    let ticks = 0;
    const after: Clock['after'] = (ms, happen) => {
      ticks += 1;
      return time.after(ms + (ticks === heldUpAt ? 5000 : 0), happen);
    };
    const { answer } = answering({ clock: { now: () => time.now(), after }, timeoutMs: 100 });
    expect((await time.run(answer.outcome)).receivedAtMs).toBe(tookMs);
  }
});

const coded = (...codings: string[]): HeaderLines => codings.map((coding) => ['content-encoding', coding] as const);
const TEXT = Buffer.from('{"webhook":{}}');
const CODERS = { gzip: gzipSync, 'X-Gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync };

for (const [coding, encode] of Object.entries({ ...CODERS, ' DEFLATE ': deflateRawSync }))
  test(`a body in ${coding} is read, within the size allowed`, async () => {
    const answered = await outcomeOf({ headers: coded(coding), body: [encode(TEXT)] }, { bodyBytes: 100 });
    expect(answered.outcome?.body).toEqual(TEXT);
    expect(decode(encode(TEXT), coded(coding), TEXT.length)).toEqual({ body: TEXT });
    expect(decode(encode(TEXT), coded(coding), TEXT.length - 1)).toMatchObject({ fault: { kind: 'too-large' } });
    const cut = decode(encode(TEXT).subarray(0, -4), coded(coding), 1000);
    expect(cut).toMatchObject({ fault: { kind: 'truncated' } });
  });

for (const [what, body, codings, expected] of [
  ['without a coding', TEXT, [], TEXT],
  ['identity', TEXT, ['identity, ,Identity'], TEXT],
  ['two codings, the last one first', brotliCompressSync(gzipSync(TEXT)), ['gzip, br'], TEXT],
  ['the same on two lines', brotliCompressSync(gzipSync(TEXT)), ['gzip', 'br'], TEXT],
  ['in the wrong order', brotliCompressSync(gzipSync(TEXT)), ['br, gzip'], 'malformed'],
  ['three codings', gzipSync(gzipSync(gzipSync(TEXT))), ['gzip, gzip, gzip'], TEXT],
  ['four codings', gzipSync(gzipSync(gzipSync(gzipSync(TEXT)))), ['gzip, gzip, gzip, gzip'], 'malformed'],
  ['a coding that was not asked for', TEXT, ['zstd'], 'malformed'],
  ['a coding that every object has', TEXT, ['constructor'], 'malformed'],
  ['no body, in any coding', Buffer.alloc(0), ['zstd'], Buffer.alloc(0)],
  ['a text that is no br', TEXT, ['br'], 'malformed'],
  ['a text that is no deflate', TEXT, ['deflate'], 'malformed'],
] as const)
  test(`decodes ${what}`, () => {
    const decoded = decode(body, coded(...codings), 1000);
    expect('body' in decoded ? decoded.body : decoded.fault.kind).toEqual(expected);
  });

test('a body that comes in pieces of a byte is whole, and takes little memory for each of them', async () => {
  const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => i % 251));
  const { answer } = answering({ bodyBytes: bytes.length });
  const before = process.memoryUsage();
  for (let i = 0; i < bytes.length; i += 1) answer.addToBody(Buffer.from(bytes.subarray(i, i + 1)));
  expect(process.memoryUsage().heapUsed - before.heapUsed).toBeLessThan(60_000_000);
  answer.end([]);
  expect((await answer.outcome).body).toEqual(bytes);
});
