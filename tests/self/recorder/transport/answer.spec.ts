/** One answer as its parts arrive, its bounds, and its content codings: called as the connection calls them. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { Dispatcher } from 'undici';
import { VirtualTime } from '../../../../scripts/matrix/virtual-time';
import type { HeaderLines } from '../../../../src/evidence/model';
import { Answer } from '../../../../src/recorder/transport/answer';
import { beginningOf, decode } from '../../../../src/recorder/transport/content-coding';
import type { Clock, WireOutcome } from '../../../../src/recorder/transport/wire';

const MAX_HEADER_BYTES = 65_536;

interface Told {
  outcome: WireOutcome | null;
  /** Why the connection was ended. */
  aborted: string | null;
}

interface Way {
  clock?: Clock;
  timeoutMs?: number;
  isBroken?: boolean;
  viaProxy?: boolean;
}

/** An answer to a request that was just sent, unless the parts say so themselves. */
function answering({ clock = new VirtualTime(), timeoutMs = 5000, isBroken = false, viaProxy = false }: Way = {}) {
  const told: Told = { outcome: null, aborted: null };
  let settle: (outcome: WireOutcome) => void = () => undefined;
  const settled = new Promise<WireOutcome>((resolve) => {
    settle = resolve;
  });
  const answer = new Answer(
    { timeoutMs, bodyBytes: 10 },
    clock,
    () => isBroken,
    viaProxy,
    (outcome) => {
      told.outcome = outcome;
      settle(outcome);
    },
  );
  const controller = (rawHeaders: HeaderLines = []) =>
    ({
      rawHeaders: rawHeaders.flat().map((text) => Buffer.from(text, 'latin1')),
      abort: (error: Error) => {
        told.aborted = error.message;
      },
    }) as unknown as Dispatcher.DispatchController;
  return { answer, controller, told, settled };
}

/** What came of an answer in whole parts. @param interim header fields of interim answers before it */
function outcomeOf(
  {
    status = 200,
    headers = [],
    body = [],
    trailers = {},
    interim = [],
  }: {
    status?: number;
    headers?: HeaderLines;
    body?: readonly (string | Buffer)[];
    trailers?: Record<string, string | string[]>;
    interim?: readonly Record<string, string>[];
  },
  way: Way = {},
): Told {
  const { answer, controller, told } = answering(way);
  answer.onRequestStart(controller());
  for (const fields of interim) answer.onResponseStart(controller(), 103, fields, 'Early Hints');
  answer.onResponseStart(controller(headers), status, {}, 'Words');
  for (const chunk of body) answer.onResponseData(controller(), Buffer.from(chunk));
  answer.onResponseEnd(controller(), trailers);
  return told;
}

test('a whole answer is told as it came', () => {
  const headers: HeaderLines = [
    ['X-One', 'a'],
    ['x-ONE', ''],
    ['X-Latin', '\xe9'],
  ];
  const { outcome, aborted } = outcomeOf({
    headers,
    body: ['01234', '56789'],
    interim: [{ Link: 'early' }],
    trailers: { 'X-Sum': ['1', '2'] },
  });
  expect(aborted).toBeNull();
  expect(outcome).toEqual({
    sentAtMs: 0,
    receivedAtMs: 0,
    head: { status: 200, statusText: 'Words', headers },
    aside: [
      ['Link', 'early'],
      ['X-Sum', '1'],
      ['X-Sum', '2'],
    ],
    interim: 1,
    body: Buffer.from('0123456789'),
    fault: null,
    resent: false,
  });
});

const hints = (count: number) => Array.from({ length: count }, () => ({}));
/** Fields that take so many bytes with what stands around them. */
const fields = (bytes: number, name = 'X') => ({ [name]: 'v'.repeat(bytes - name.length - 4) });

for (const [what, parts, way, kind] of [
  ['as long as it may be', { body: ['0123456789'] }, {}, null],
  ['longer', { body: ['0123456789', 'x'] }, {}, 'too-large'],
  ['after twenty interim answers', { interim: hints(20) }, {}, null],
  ['after one more', { interim: hints(21) }, {}, 'malformed'],
  ['with as many bytes beside its head as there may be', { trailers: fields(MAX_HEADER_BYTES) }, {}, null],
  ['with more', { trailers: fields(MAX_HEADER_BYTES + 1) }, {}, 'too-large'],
  ['with more in several', { interim: [fields(40_000)], trailers: fields(25_537, 'Y') }, {}, 'too-large'],
  ['with as many in several', { interim: [fields(40_000)], trailers: fields(25_536, 'Y') }, {}, null],
  ['that is a 100', { status: 100 }, {}, null],
  ['that switches protocols', { status: 101 }, {}, 'upgrade'],
  ['a 407 of the server', { status: 407 }, {}, null],
  ['a 407 of the proxy', { status: 407 }, { viaProxy: true }, 'unreachable'],
  ['another status behind a proxy', { status: 406 }, { viaProxy: true }, null],
  ['of a connection that broke', { body: ['{}'] }, { isBroken: true }, 'reset'],
  ['that is not in its coding', { headers: [['Content-Encoding', 'gzip']], body: ['{}'] }, {}, 'malformed'],
] as ReadonlyArray<[string, Parameters<typeof outcomeOf>[0], Way, string | null]>)
  test(`an answer ${what}: ${kind ?? 'no fault'}`, () => {
    const { outcome, aborted } = outcomeOf(parts, way);
    expect(outcome?.fault?.kind ?? null).toBe(kind);
    // What ends before its time is told why to the connection; what has ended needs no word.
    if (kind === null || kind === 'malformed') return;
    expect(aborted).toBe(outcome?.fault?.message);
    if (kind === 'unreachable') expect(outcome?.head).toBeNull();
  });

test('an error is the connection’s before the request was sent, and the answer’s after it', () => {
  type Calls = (answer: Answer, controller: Dispatcher.DispatchController) => void;
  const kindAfter = (calls: Calls, code: string, name = 'Error') => {
    const { answer, controller, told } = answering();
    calls(answer, controller());
    answer.onResponseError(null, Object.assign(new Error('broke'), { code, name }));
    return [told.outcome?.fault?.kind, told.outcome?.fault?.message];
  };
  const sent = (answer: Answer, controller: Dispatcher.DispatchController) => answer.onRequestStart(controller);
  const begun = (answer: Answer, controller: Dispatcher.DispatchController) => {
    sent(answer, controller);
    answer.onResponseStart(controller, 200, {}, '');
  };
  expect(kindAfter(() => undefined, 'ECONNRESET')[0]).toBe('unreachable');
  expect(kindAfter(sent, 'ECONNRESET')).toEqual(['reset', 'closed the connection without an answer']);
  expect(kindAfter(begun, 'ECONNRESET')).toEqual(['reset', 'reset the connection in the middle of its answer']);
  expect(kindAfter(begun, 'UND_ERR_SOCKET')[0]).toBe('truncated');
  expect(kindAfter(sent, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')).toEqual([
    'truncated',
    expect.stringContaining('twice'),
  ]);
  expect(kindAfter(begun, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')[0]).toBe('truncated');
  expect(kindAfter(sent, 'UND_ERR_HEADERS_OVERFLOW')[0]).toBe('too-large');
  expect(kindAfter(begun, 'HPE_INVALID_CHUNK_SIZE', 'HTTPParserError')[0]).toBe('malformed');
});

test('what takes too long is told by how far it came', async () => {
  const lateAfter = async (calls: (answer: Answer, controller: Dispatcher.DispatchController) => void) => {
    const time = new VirtualTime();
    const { answer, controller, settled } = answering({ clock: time, timeoutMs: 5 });
    calls(answer, controller());
    const { fault } = await time.run(settled);
    return `${fault?.kind}: ${fault?.message}`;
  };
  expect(await lateAfter(() => undefined)).toBe('unreachable: no connection within 0.005 s');
  expect(await lateAfter((answer, controller) => answer.onRequestStart(controller))).toBe(
    'timeout: did not answer within 0.005 s',
  );
  const begin = (answer: Answer, controller: Dispatcher.DispatchController) => {
    answer.onRequestStart(controller);
    answer.onResponseStart(controller, 200, {}, '');
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
    const { settled } = answering({ clock: { now: () => time.now(), after }, timeoutMs: 100 });
    expect((await time.run(settled)).receivedAtMs).toBe(tookMs);
  }
});

const coded = (...codings: string[]): HeaderLines => codings.map((coding) => ['content-encoding', coding] as const);
const TEXT = Buffer.from('{"webhook":{}}');
const CODERS = { gzip: gzipSync, 'X-Gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync };

for (const [coding, encode] of Object.entries({ ...CODERS, ' DEFLATE ': deflateRawSync }))
  test(`a body in ${coding} is read, within the size allowed`, () => {
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
  ['no body, in any coding', Buffer.alloc(0), ['zstd'], Buffer.alloc(0)],
  ['a text that is no br', TEXT, ['br'], 'malformed'],
  ['a text that is no deflate', TEXT, ['deflate'], 'malformed'],
] as const)
  test(`decodes ${what}`, () => {
    const decoded = decode(body, coded(...codings), 1000);
    expect('body' in decoded ? decoded.body : decoded.fault.kind).toEqual(expected);
  });

// Text that does not become much smaller, so that a part of it is coded in a part of the bytes.
const LONG = Buffer.from(Array.from({ length: 30_000 }, (_, i) => ((i * i) % 9973) % 10).join(''));

for (const [coding, encode] of Object.entries({ ...CODERS, br: (text: Buffer) => brotliCompressSync(text) }))
  test(`of a broken body in ${coding} the readable beginning is kept`, () => {
    const kept = beginningOf(encode(LONG).subarray(0, 4000), coded(coding));
    expect(kept.length).toBeGreaterThan(1000);
    expect(kept.length).toBeLessThanOrEqual(4096);
    expect(kept).toEqual(LONG.subarray(0, kept.length));
  });

for (const [what, raw, codings, expected] of [
  ['a plain one up to a bound', LONG, [], LONG.subarray(0, 4096)],
  ['a plain one that is said to be gzip', LONG, ['gzip'], LONG.subarray(0, 4096)],
  ['a plain one that is said to be gzip last', LONG, ['br, gzip'], LONG.subarray(0, 4096)],
  ['nothing of one that is said to be gzip first', LONG, ['gzip, br'], Buffer.alloc(0)],
  ['nothing of a plain one that is said to be deflate', LONG, ['deflate'], Buffer.alloc(0)],
  ['nothing in a coding that was not asked for', LONG, ['zstd'], Buffer.alloc(0)],
  ['nothing in four codings', LONG, ['gzip, gzip, gzip, gzip'], Buffer.alloc(0)],
] as const)
  test(`of a broken body is kept: ${what}`, () => {
    expect(beginningOf(raw, coded(...codings))).toEqual(expected);
  });
