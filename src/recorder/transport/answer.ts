/** Collects one answer as its parts arrive, and undoes its content codings, bounded in time and size. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Target } from '../../config/target';
import { linesOf } from '../../evidence/http/headers';
import type { Fault, HeaderLines } from '../../evidence/model';
import { refusedByProxy, SWITCHED } from './fault';
import { type Clock, CountedWait, type WireOutcome } from './wire';

/** Of an exchange with the opening of its connection, and of a body, both as sent and as decoded. */
export type Limits = Pick<Target['limits'], 'timeoutSeconds' | 'bodyBytes'>;

const MAX_INTERIM = 20;

export class Answer {
  /** Fulfilled once the answer is whole, or will never be. */
  readonly outcome: Promise<WireOutcome>;
  head: WireOutcome['head'] = null;
  isSettled = false;
  private sentAtMs: number | null = null;
  private aside: HeaderLines = [];
  /** Each character is a byte. As a list, pieces of a byte would take hundreds of bytes each. */
  private body = '';
  private interim = 0;
  private readonly begunAtMs: number;
  private readonly wait: CountedWait;
  private done: (outcome: WireOutcome) => void = () => undefined;

  /** @param giveUp ends the connection of an answer that will never be whole */
  constructor(
    private readonly limits: Limits,
    private readonly clock: Clock,
    private readonly viaProxy: boolean,
    private readonly giveUp: () => void,
  ) {
    this.outcome = new Promise((resolve) => {
      this.done = resolve;
    });
    this.begunAtMs = clock.now();
    this.wait = new CountedWait(clock, limits.timeoutSeconds * 1000);
    this.wait.ended.then(() => this.break(this.late()));
  }

  /** The request is written in this moment. */
  sent(): void {
    this.sentAtMs = this.clock.now();
  }

  /** An interim answer has come. */
  addInterim(lines: HeaderLines): void {
    this.aside = [...this.aside, ...lines];
    this.interim += 1;
    const message = `sent more than ${MAX_INTERIM} informational (1xx) answers to one request`;
    if (this.interim > MAX_INTERIM) this.break({ kind: 'malformed', message });
  }

  begin(head: NonNullable<WireOutcome['head']>): void {
    if (head.status === 101) this.break(SWITCHED);
    // Only a proxy answers 407, never the server itself (RFC 9110 section 15.5.8).
    else if (this.viaProxy && head.status === 407) this.break(refusedByProxy(head.status));
    else this.head = head;
  }

  addToBody(chunk: Buffer): void {
    if (this.body.length + chunk.length <= this.limits.bodyBytes) this.body += chunk.toString('latin1');
    else this.break({ kind: 'too-large', message: `sent a body of more than ${this.limits.bodyBytes} bytes` });
  }

  end(trailers: HeaderLines): void {
    this.aside = [...this.aside, ...trailers];
    this.settle(decode(Buffer.from(this.body, 'latin1'), this.head?.headers ?? [], this.limits.bodyBytes));
  }

  /** The answer will never be whole. */
  break(fault: Fault): void {
    if (this.isSettled) return;
    this.settle({ fault });
    this.giveUp();
  }

  private late(): Fault {
    const within = `within ${this.limits.timeoutSeconds} s`;
    if (this.sentAtMs === null) return { kind: 'unreachable', message: `no connection ${within}` };
    return { kind: 'timeout', message: `did not ${this.head ? 'finish its answer' : 'answer'} ${within}` };
  }

  private settle(result: ReturnType<typeof decode>): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.wait.callOff();
    const { head, aside } = this;
    const times = { sentAtMs: this.sentAtMs ?? this.begunAtMs, receivedAtMs: this.clock.now() };
    this.done({ ...times, head, aside, body: Buffer.alloc(0), fault: null, resent: false, ...result });
  }
}

/** Makes header lines of a list in which names and values alternate. */
export function linesFrom(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
}

/** No server needs more than one, and each takes work. */
const MOST_CODINGS = 3;

const inflateEither: typeof inflateSync = (bytes, options) => {
  try {
    return inflateSync(bytes, options);
  } catch (error) {
    // "deflate" is sent both with and without the zlib wrapper.
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error;
    return inflateRawSync(bytes, options);
  }
};

const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map<string, typeof gunzipSync>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateEither],
  ['br', brotliDecompressSync],
]);

/** Returns the content codings of a body, the last one first. */
function codingsOf(headers: HeaderLines): string[] {
  return linesOf(headers, 'Content-Encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
}

/** Undoes content codings. @param limit bytes of the decoded body */
export function decode(raw: Buffer, headers: HeaderLines, limit: number): { body: Buffer } | { fault: Fault } {
  const faulty = (kind: Fault['kind'], message: string) => ({ fault: { kind, message } });
  const codings = codingsOf(headers);
  if (codings.length > MOST_CODINGS)
    return faulty('malformed', `applied more than ${MOST_CODINGS} content codings to one body`);
  let body = raw;
  for (const coding of body.length === 0 ? [] : codings) {
    const decoder = DECODERS.get(coding);
    // The message does not quote the coding, which is the server's text; the headers in the evidence show it.
    if (!decoder) return faulty('malformed', 'used a content coding that was not asked for');
    try {
      body = decoder(body, { maxOutputLength: limit });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_BUFFER_TOO_LARGE')
        return faulty('too-large', `sent a ${coding} body that decodes to more than ${limit} bytes`);
      return code === 'Z_BUF_ERROR' || code === 'ERR_BROTLI_DECODER_ERROR_UNREACHABLE'
        ? faulty('truncated', `sent a ${coding} body that ends too early`)
        : faulty('malformed', `sent a body that is not ${coding}, though it says so`);
    }
  }
  return { body };
}
