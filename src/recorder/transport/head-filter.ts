/**
 * Reads heads, however they are cut into packets, before undici does. undici refuses a 100 that nobody
 * asked for, although clients must read it (RFC 9110 section 15.2), so "100 Continue" is taken out. Of a reason phrase
 * undici keeps the last packet alone, with another character for each byte that is no UTF-8: secrets would be in pieces.
 * And blanks at the end of a header line, which mean nothing (RFC 9110 section 5.5), are left out: undici stumbles over tabs.
 */
import { textOf } from '../redaction/credentials';
import { MAX_HEADER_BYTES } from './fault';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09];
const END_OF_HEAD = '\r\n\r\n';
const NOTHING: Buffer = Buffer.alloc(0);
/** More blanks than this in a row are not held back. */
const MOST_BLANKS = 1024;

export class HeadFilter {
  /** Whether a 100 was taken out since the last request. */
  hasContinued = false;
  /** The reason phrase of the answer, in Latin-1 if it is no UTF-8. */
  reason = '';
  /** Whether the head of the answer is still to come. */
  private isBefore = true;
  /** The beginning of a head whose rest has not arrived. */
  private held = NOTHING;
  /** Whether the header lines of the answer are under way, and no byte of the next one has passed. */
  private isInLines = false;
  private isNewLine = false;

  /** A request is about to be sent. */
  expectAnswer(): void {
    this.hasContinued = false;
    this.reason = '';
    this.isBefore = true;
    this.isInLines = false;
  }

  /** Returns what is to be read of all that has arrived; `null` if more has to come first. */
  rest(chunk: Buffer): Buffer | null {
    if (!this.isBefore) return this.isInLines ? this.trimmed(chunk) : chunk;
    const passed: Buffer[] = [];
    let bytes = Buffer.concat([this.held, chunk]);
    this.held = NOTHING;
    while (bytes.length > 0) {
      const line = bytes.subarray(0, bytes.indexOf(LINE_FEED) + 1);
      const status = interimStatusOf(line);
      const end = status === null ? line.length : bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
      const isWhole = line.length > 0 && end >= line.length;
      if (!isWhole && isBeginning(bytes)) {
        this.held = bytes;
        break;
      }
      if (status === null || !isWhole) {
        this.isBefore = false;
        this.reason = reasonIn(line);
        this.isInLines = isWhole && interimStatusOf(line) === null;
        this.isNewLine = true;
        passed.push(
          line,
          this.isInLines ? (this.trimmed(bytes.subarray(line.length)) ?? NOTHING) : bytes.subarray(line.length),
        );
        break;
      }
      if (status === '100') this.hasContinued = true;
      else passed.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
    return passed.length > 0 ? Buffer.concat(passed) : null;
  }

  /** Returns what is to be read of header lines, without blanks at their ends; `null` if more has to come first. */
  private trimmed(chunk: Buffer): Buffer | null {
    const passed: Buffer[] = [];
    let bytes = Buffer.concat([this.held, chunk]);
    this.held = NOTHING;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0 && this.isInLines; at = bytes.indexOf(LINE_FEED)) {
      const text = bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
      const end = endOfText(bytes, text);
      // A line of blanks alone is not the empty line that ends a head.
      const isEmpty = this.isNewLine && end === 0;
      passed.push(bytes.subarray(0, isEmpty ? text : end), bytes.subarray(text, at + 1));
      bytes = bytes.subarray(at + 1);
      this.isInLines = !(isEmpty && text === 0);
      this.isNewLine = true;
    }
    const end = this.isInLines
      ? endOfText(bytes, bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length)
      : bytes.length;
    const cut = bytes.length - end > MOST_BLANKS ? bytes.length : end;
    passed.push(bytes.subarray(0, cut));
    this.held = Buffer.from(bytes.subarray(cut));
    this.isNewLine &&= cut === 0;
    const all = Buffer.concat(passed);
    return all.length > 0 ? all : null;
  }
}

/** Returns where the blanks before a position begin. */
function endOfText(bytes: Buffer, before: number): number {
  let end = before;
  while (end > 0 && BLANKS.includes(bytes[end - 1])) end -= 1;
  return end;
}

/** Whether some bytes may be the beginning of a head that is not too large. */
function isBeginning(bytes: Buffer): boolean {
  return 'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7)) && bytes.length <= MAX_HEADER_BYTES;
}

/** The status of an interim head, which another head follows; `null` of anything else. */
function interimStatusOf(line: Buffer): string | null {
  // After a 101 the connection speaks another protocol.
  return /^HTTP\/1\.1 (1(?!01)\d\d)\b/.exec(line.toString('latin1'))?.[1] ?? null;
}

function reasonIn(line: Buffer): string {
  const [, reason = ''] = /^HTTP\/1\.\d \d{3} (.*?)\r?\n$/s.exec(line.toString('latin1')) ?? [];
  return textOf(Buffer.from(reason, 'latin1'));
}
