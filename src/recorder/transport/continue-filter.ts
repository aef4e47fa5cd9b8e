/** Takes "100 Continue" out of what a server sends: undici refuses one that nobody asked for (RFC 9110 15.2). */
import { MAX_HEADER_BYTES } from './fault';

/** So many bytes of a head tell its status: `HTTP/1.1 100`. */
const STATUS_LINE_BYTES = 12;
const END_OF_HEAD = '\r\n\r\n';

export class ContinueFilter {
  /** Whether a 100 was taken out since the last request. */
  hasContinued = false;
  /** Whether the head of the answer is still to come. */
  private isBefore = true;
  /** The beginning of a head whose rest has not arrived. */
  private held = Buffer.alloc(0);

  /** A request is about to be sent. */
  expectAnswer(): void {
    this.hasContinued = false;
    this.isBefore = true;
  }

  /** Returns what is to be read of all that has arrived; `null` if more has to come first. */
  rest(chunk: Buffer): Buffer | null {
    if (!this.isBefore) return chunk;
    const passed: Buffer[] = [];
    let bytes = Buffer.concat([this.held, chunk]);
    this.held = Buffer.alloc(0);
    while (bytes.length > 0) {
      const status = interimStatusOf(bytes);
      const end = bytes.indexOf(END_OF_HEAD);
      if (status === null || (end < 0 && bytes.length > MAX_HEADER_BYTES)) {
        this.isBefore = false;
        passed.push(bytes);
        break;
      }
      if (end < 0) {
        this.held = bytes;
        break;
      }
      const head = bytes.subarray(0, end + END_OF_HEAD.length);
      if (status === '100') this.hasContinued = true;
      else passed.push(head);
      bytes = bytes.subarray(head.length);
    }
    return passed.length > 0 ? Buffer.concat(passed) : null;
  }
}

/** The status of an interim head, which another head follows, as far as it has arrived; `null` of anything else. */
function interimStatusOf(bytes: Buffer): string | null {
  const beginning = bytes.toString('latin1', 0, STATUS_LINE_BYTES);
  if (beginning.length < STATUS_LINE_BYTES) return 'HTTP/1.1 1'.startsWith(beginning.slice(0, 10)) ? '' : null;
  // After a 101 the connection speaks another protocol.
  return /^HTTP\/1\.1 1(?!01)\d\d$/.test(beginning) ? beginning.slice(-3) : null;
}
