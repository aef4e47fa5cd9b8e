/** Answers as servers write them, however they are cut into packets: each part is read as it came, and what follows an answer is seen. */
import { createServer, type Socket } from 'node:net';
import { expect, test } from '@playwright/test';
import { listenOn } from '../../../../src/common/suite';
import type { WireOutcome } from '../../../../src/recorder/transport/wire';
import { connectionTo } from '../../support/listening';

const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-Any: 1\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';
const ANSWER = `${OK}Content-Length: 12\r\n\r\nHTTP/1.1 100`;

type Act = string | 'turn' | 'pause' | 'reset';

/** What comes of a request, twice over one connection. @param acts what the server does for each, in Latin-1 */
async function outcomesOf(acts: readonly Act[]): Promise<{ outcomes: WireOutcome[]; connections: number }> {
  let connections = 0;
  const act = async (socket: Socket) => {
    for (const next of acts)
      if (next === 'reset') socket.resetAndDestroy();
      else if (next === 'turn') await new Promise((resolve) => setImmediate(resolve));
      else if (next === 'pause') await new Promise((resolve) => setTimeout(resolve, 10));
      else socket.write(next, 'latin1');
  };
  const server = createServer((socket) => {
    connections += 1;
    socket.setNoDelay().on('error', () => undefined);
    socket.on('data', () => void act(socket));
  });
  const connection = connectionTo(`http://127.0.0.1:${await listenOn(server)}/v2`);
  const outcomes = [await connection.read(), await connection.read()];
  await connection.close();
  server.close();
  return { outcomes, connections };
}

for (const [what, text, told] of [
  ['interim answers', CONTINUE + HINTS + ANSWER, ['OK', 'HTTP/1.1 100', ['X-Any: 1', 'Link: </x>']]],
  ['a body that looks like a head', ANSWER, ['OK', 'HTTP/1.1 100', []]],
  ['a reason in Latin-1', 'HTTP/1.1 200 p\xe4ss\r\nContent-Length: 0\r\n\r\n', ['päss', '', []]],
  ['a reason in UTF-8', 'HTTP/1.1 200 p\xc3\xa4ss word\r\nContent-Length: 0\r\n\r\n', ['päss word', '', []]],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', ['', '', []]],
] as const)
  test(`${what}, in one packet, in two cut anywhere and byte by byte`, async () => {
    const cuts = Array.from({ length: text.length - 1 }, (_, i) => [text.slice(0, i + 1), 'pause', text.slice(i + 1)]);
    const came = await Promise.all([[text], ...cuts, [...text]].map(outcomesOf));
    for (const { head, body, aside, fault, resent } of came.flatMap(({ outcomes }) => outcomes)) {
      expect([fault, resent]).toEqual([null, false]);
      expect([head?.statusText, body.toString(), aside.map((line) => line.join(': '))]).toEqual(told);
    }
  });

for (const [what, used, ...acts] of [
  ['is used again', 1, ANSWER],
  ['that the answer ends is not', 2, ANSWER.replace('Content', 'Connection: close\r\nContent')],
  ['of HTTP/1.0 is not', 2, ANSWER.replace('1.1', '1.0')],
  ['is used after an empty line behind the answer', 1, `${ANSWER}\r\n`],
  ['is used after several that come later', 1, ANSWER, 'turn', '\r\n', 'turn', '\n'],
] as const)
  test(`a connection ${what}`, async () => {
    const { outcomes, connections } = await outcomesOf(acts);
    expect([outcomes.map(({ fault }) => fault), connections]).toEqual([[null, null], used]);
  });

test('blanks around a value are none of it, other spaces are, and names and lines stay as they are', async () => {
  const { outcomes } = await outcomesOf([
    `${OK}A: b \t\r\nC:\t\r\na: \td\te\xa0\t\r\nA: b\r\nContent-Length: 0\r\n\r\n`,
  ]);
  expect(outcomes[0]?.head?.headers.slice(0, 4)).toEqual([
    ['A', 'b'],
    ['C', ''],
    ['a', 'd\te\xa0'],
    ['A', 'b'],
  ]);
});

const MORE = expect.stringContaining('sent more bytes than its answer has');
for (const [what, acts, kind, message] of [
  ['bytes after an answer', [`${OK}Content-Length: 1\r\n\r\n{}`], 'malformed', MORE],
  ['bytes right after it', [`${OK}Content-Length: 1\r\n\r\n{`, 'turn', '}'], 'malformed', MORE],
  ['another answer', [ANSWER + ANSWER], 'malformed', MORE],
  ['a reset of a body without length', [`${OK}\r\n{}`, 'pause', 'reset'], 'reset', expect.stringContaining('middle')],
  ['a reset after hints', [HINTS, 'pause', 'reset'], 'reset', expect.stringContaining('without an answer')],
  [
    'two lengths',
    [`${OK}Content-Length: 1\r\n${ANSWER.slice(OK.length)}`],
    'truncated',
    expect.stringContaining('twice'),
  ],
  ['a switch that nothing says', ['HTTP/1.1 101 Switching Protocols\r\n\r\n'], 'upgrade', expect.anything()],
  ['blanks without an end', [`${OK}X: x${'\t'.repeat(70_000)}`], 'too-large', expect.anything()],
  ['hints without an end', [`HTTP/1.1 103 Early Hints\r\nX: ${'x'.repeat(70_000)}`], 'too-large', expect.anything()],
] as const)
  test(`${what}: ${kind}`, async () => {
    for (const { fault } of (await outcomesOf(acts)).outcomes) expect(fault).toEqual({ kind, message });
  });
