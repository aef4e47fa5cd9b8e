/**
 * Reads the first lines of heads, however they are cut into packets, before undici does. undici refuses a 100 that nobody
 * asked for, although clients must read it (RFC 9110 section 15.2), so "100 Continue" is taken out. Of a reason phrase
 * undici keeps the last packet alone, with another character for each byte that is no UTF-8: secrets would be in pieces.
 */
import { textOf } from '../redaction/credentials';
import { MAX_HEADER_BYTES } from './fault';

const LINE_FEED = 0x0a;
const END_OF_HEAD = '\r\n\r\n';

export class HeadFilter {
  /** Whether a 100 was taken out since the last request. */
  hasContinued = false;
  /** The reason phrase of the answer, in Latin-1 if it is no UTF-8. */
  reason = '';
  /** Whether the head of the answer is still to come. */
  private isBefore = true;
  /** The beginning of a head whose rest has not arrived. */
  private held = Buffer.alloc(0);

  /** A request is about to be sent. */
  expectAnswer(): void {
    this.hasContinued = false;
    this.reason = '';
    this.isBefore = true;
  }

  /** Returns what is to be read of all that has arrived; `null` if more has to come first. */
  rest(chunk: Buffer): Buffer | null {
    if (!this.isBefore) return chunk;
    const passed: Buffer[] = [];
    let bytes = Buffer.concat([this.held, chunk]);
    this.held = Buffer.alloc(0);
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
        passed.push(bytes);
        break;
      }
      if (status === '100') this.hasContinued = true;
      else passed.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
    return passed.length > 0 ? Buffer.concat(passed) : null;
  }
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
