/** Collects one answer as its parts arrive, bounded in time and size. */
import type { Dispatcher } from 'undici';
import type { Fault, HeaderLines } from '../../evidence/model';
import { CountedWait } from '../counted-wait';
import { beginningOf, decode } from './content-coding';
import {
  broken,
  MAX_HEADER_BYTES,
  RESET_IN_ANSWER,
  refusedByProxy,
  SWITCHED,
  TOO_MANY_HEADERS,
  unreachable,
} from './fault';
import type { Clock, WireOutcome } from './wire';

export interface Bounds {
  /** For an exchange and for opening its connection. Time for which this process was held up does not count. */
  timeoutMs: number;
  /** The most bytes of a body, both as sent and as decoded. */
  bodyBytes: number;
}

const MAX_INFORMATIONAL = 20;
const TOO_MANY_INTERIM: Fault = {
  kind: 'malformed',
  message: `more than ${MAX_INFORMATIONAL} informational (1xx) answers to one request`,
};
/** Bytes around a header line's name and value: a colon, a space and the line break. */
const AROUND_A_LINE = 4;

export class Answer implements Dispatcher.DispatchHandler {
  private sentAtMs: number | null = null;
  private head: WireOutcome['head'] = null;
  private readonly aside: Array<HeaderLines[number]> = [];
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private asideBytes = 0;
  private informational = 0;
  private controller: Dispatcher.DispatchController | null = null;
  private readonly begunAtMs: number;
  private readonly wait: CountedWait;
  private settled = false;

  constructor(
    private readonly bounds: Bounds,
    private readonly clock: Clock,
    private readonly connectionBroke: () => boolean,
    private readonly viaProxy: boolean,
    private readonly done: (outcome: WireOutcome) => void,
  ) {
    this.begunAtMs = clock.now();
    this.wait = new CountedWait(clock, bounds.timeoutMs);
    this.wait.ended.then(() => this.end(this.late()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.sentAtMs = this.clock.now();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Fields,
    statusText?: string,
  ): void {
    if (status === 101) this.end(SWITCHED);
    else if (status < 200) {
      this.addAside(headers);
      this.informational += 1;
      if (this.informational > MAX_INFORMATIONAL) this.end(TOO_MANY_INTERIM);
    } else if (this.viaProxy && status === 407) {
      // Only a proxy answers 407, never the server itself (RFC 9110 section 15.5.8).
      this.end(refusedByProxy(status));
    } else {
      const raw = (controller.rawHeaders as Buffer[]).map((part) => part.toString('latin1'));
      this.head = { status, statusText: statusText ?? '', headers: linesFrom(raw) };
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes <= this.bounds.bodyBytes) this.chunks.push(chunk);
    else this.end({ kind: 'too-large', message: `sent a body of more than ${this.bounds.bodyBytes} bytes` });
  }

  onResponseEnd(_: Dispatcher.DispatchController, trailers: Fields): void {
    this.addAside(trailers);
    if (this.connectionBroke()) this.end(RESET_IN_ANSWER);
    else this.settle(decode(Buffer.concat(this.chunks), this.head?.headers ?? [], this.bounds.bodyBytes));
  }

  /** Keeps interim header lines and trailers. All of them together may be as large as the head of one answer. */
  private addAside(fields: Fields): void {
    const lines = linesOfFields(fields);
    this.asideBytes += lines.reduce((sum, [name, value]) => sum + name.length + value.length + AROUND_A_LINE, 0);
    if (this.asideBytes > MAX_HEADER_BYTES) this.end(TOO_MANY_HEADERS);
    else this.aside.push(...lines);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.end(this.sentAtMs === null ? unreachable(error, this.viaProxy) : broken(error, this.head !== null));
  }

  private late(): Fault {
    const seconds = this.bounds.timeoutMs / 1000;
    if (this.sentAtMs === null) return { kind: 'unreachable', message: `no connection within ${seconds} s` };
    return { kind: 'timeout', message: `did not ${this.head ? 'finish its answer' : 'answer'} within ${seconds} s` };
  }

  private end(fault: Fault): void {
    this.settle({ fault });
    this.controller?.abort(new Error(fault.message));
  }

  private settle(result: ReturnType<typeof decode>): void {
    if (this.settled) return;
    this.settled = true;
    this.wait.callOff();
    this.done({
      sentAtMs: this.sentAtMs ?? this.begunAtMs,
      receivedAtMs: this.clock.now(),
      head: this.head,
      aside: this.aside,
      interim: this.informational,
      body: 'body' in result ? result.body : beginningOf(Buffer.concat(this.chunks), this.head?.headers ?? []),
      fault: 'fault' in result ? result.fault : null,
      resent: false,
    });
  }
}

type Fields = Record<string, string | string[] | undefined>;

function linesOfFields(fields: Fields): HeaderLines {
  return Object.entries(fields).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text] as const));
}

/** Makes header lines of a list in which names and values alternate. */
export function linesFrom(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
}
