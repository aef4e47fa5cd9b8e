/** Heads, however they are cut into packets: 100 is taken out and nothing else is, and the reason phrase is read whole. */
import { expect, test } from '@playwright/test';
import { HeadFilter } from '../../../../src/recorder/transport/head-filter';

const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-Any: 1\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHTTP/1.1 100';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 100 x\r\n\r\n';

/** What is left of a text that arrives in pieces. */
function read(filter: HeadFilter, ...pieces: string[]): string {
  return pieces.map((piece) => filter.rest(Buffer.from(piece, 'latin1'))?.toString('latin1') ?? '').join('');
}

for (const [sent, left, reason] of [
  [CONTINUE + ANSWER, ANSWER, 'OK'],
  [CONTINUE + CONTINUE + HINTS + CONTINUE + ANSWER, HINTS + ANSWER, 'OK'],
  [ANSWER, ANSWER, 'OK'],
  [SWITCH, SWITCH, 'Switching Protocols'],
  ['HTTP/1.0 200 pä55wort\r\n\r\n', 'HTTP/1.0 200 pä55wort\r\n\r\n', 'pä55wort'],
  ['HTTP/1.1 200 pÃ¤55wort\nA: b\n\n', 'HTTP/1.1 200 pÃ¤55wort\nA: b\n\n', 'pä55wort'],
  ['HTTP/1.1 200 OK\r\nA: b \t\r\nC:\t\r\n\r\nd\t\r\n', 'HTTP/1.1 200 OK\r\nA: b\r\nC:\r\n\r\nd\t\r\n', 'OK'],
  ['HTTP/1.1 200 OK\r\nA: b\t c\r\n\t\r\n \rd\r\n\r\n', 'HTTP/1.1 200 OK\r\nA: b\t c\r\n\t\r\n \rd\r\n\r\n', 'OK'],
  [`HTTP/1.1 200 OK\r\nA: b${' '.repeat(9)}\t\n\n \n`, 'HTTP/1.1 200 OK\r\nA: b\n\n \n', 'OK'],
  ['HTTP/1.1 200\r\n\r\n', 'HTTP/1.1 200\r\n\r\n', ''],
  ['no HTTP at all', 'no HTTP at all', ''],
] as const)
  test(`${JSON.stringify(sent.slice(0, 24))}… of ${sent.length} bytes, cut anywhere`, () => {
    for (let at = 1; at < sent.length; at += 1)
      expect(read(new HeadFilter(), sent.slice(0, at), sent.slice(at)), `cut at ${at}`).toBe(left);
    const filter = new HeadFilter();
    expect(read(filter, ...sent)).toBe(left);
    expect(filter.hasContinued).toBe(sent.startsWith(CONTINUE));
    expect(filter.reason).toBe(reason);
  });

test('each request has interim answers of its own', () => {
  const filter = new HeadFilter();
  expect(read(filter, CONTINUE, ANSWER)).toBe(ANSWER);
  filter.expectAnswer();
  expect(filter.hasContinued).toBe(false);
  expect(read(filter, 'HTTP/1.1 100 Con', 'tinue\r\n\r\n', ANSWER)).toBe(ANSWER);
  expect(filter.hasContinued).toBe(true);
});

test('a head without an end is handed on, so that it can be refused as too large', () => {
  const endless = `HTTP/1.1 103 Early Hints\r\nX: ${'x'.repeat(70_000)}`;
  expect(read(new HeadFilter(), endless)).toBe(endless);
});

test('many blanks are handed on, so that no more than a line is held back', () => {
  const blanks = `HTTP/1.1 200 OK\r\nX: ${'\t'.repeat(70_000)}`;
  expect(read(new HeadFilter(), blanks)).toBe(blanks);
});
