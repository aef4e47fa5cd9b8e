/** Receives notifications: answers any request with 200. Bounded in size, time and number: anybody can send to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { UsageError } from '../common/errors';
import { endServer, listenOn } from '../common/listening';
import type { RawDelivery, Receiver } from '../config/target';
import { MOST_DELIVERIES } from '../evidence/model';
import { decode, Gathered, linesFrom } from '../recorder/transport/answer';
import { MAX_HEADER_BYTES } from '../recorder/transport/fault';
import { CLOCK } from '../recorder/transport/network-connection';
import { CountedWait } from '../recorder/transport/wire';

export const BODY_BYTES = 1_048_576;
/** The most that is recorded of requests to unexpected paths, which anybody may send, and of the body of one. */
const STRANGERS = { deliveries: 100, bytes: 524_288, bodyBytes: 8192 };
/** The same for requests to expected paths. */
export const MOST_EXPECTED = MOST_DELIVERIES - STRANGERS.deliveries;
const EXPECTED = { deliveries: MOST_EXPECTED, bytes: 16 * BODY_BYTES, bodyBytes: BODY_BYTES };
/** The most connections that are open at once. Each one more is refused, and counts as missed. */
const MOST_CONNECTIONS = 512;
/** A connection is ended after so long. */
const WHOLE_WITHIN_MS = 2000;
/** No expected path is longer. */
const LONGEST_PATH = 8192;

/** @param listen host and port; port 0 takes a free port @throws UsageError if the receiver cannot listen there */
export async function startReceiver(listen: string, wholeWithinMs = WHOLE_WITHIN_MS): Promise<Receiver> {
  const [, host, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(listen) ?? [];
  if (host === undefined) throw new UsageError(`notifications.listen: ${listen} is no host and port.`);
  /** For each connection, what ends it: a delivery that is still arriving is cut off. */
  const open = new Map<Socket, () => void>();
  const [expected, strangers] = [{ ...EXPECTED }, { ...STRANGERS }];
  let missed = 0;

  const take = (request: IncomingMessage, response: ServerResponse) => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const path = pathOf(request);
    if (receiver.isOwn({ method: request.method ?? '', path, headers: linesFrom(request.rawHeaders) }))
      return answer(request, response, true);
    const room = path.length <= LONGEST_PATH && receiver.isExpected(path) ? expected : strangers;
    room.deliveries -= 1;
    // What is recorded is searched for secrets, so there must be room for it first.
    room.bytes -= headBytes(request);
    if (room.deliveries < 0 || room.bytes < 0) {
      if (room === expected) missed += 1;
      return answer(request, response, false);
    }
    const body = new Gathered();
    const { socket } = request;
    const finish = (isWhole: boolean) => {
      if (open.get(socket) !== cut) return;
      open.delete(socket);
      answer(request, response, isWhole);
      receiver.onDelivery(deliveryOf(request, body.bytes, isWhole, room.bodyBytes));
    };
    const cut = () => finish(false);
    open.set(socket, cut);
    request.on('data', (chunk: Buffer) => {
      const recorded = chunk.subarray(0, Math.max(0, Math.min(room.bodyBytes - body.length, room.bytes)));
      room.bytes -= recorded.length;
      body.add(recorded);
      if (recorded.length < chunk.length) cut();
    });
    request.on('end', () => finish(true));
    request.on('close', cut);
  };
  // Node's own limits would end a request as too slow if this process was held up and has not read it yet.
  const unlimited = { headersTimeout: 0, requestTimeout: 0 };
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...unlimited }, take);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('drop', () => {
    missed += 1;
  });
  server.on('connection', (socket) => {
    open.set(socket, () => socket.destroy());
    const wait = new CountedWait(CLOCK, wholeWithinMs);
    void wait.ended.then(() => open.get(socket)?.());
    socket.once('close', () => {
      wait.callOff();
      open.delete(socket);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());

  const heardOn = await listenOn(server, Number(port), host.replace(/[[\]]/g, '')).catch(({ code }) => {
    const why = `the system says ${code}. Is the port free, and the address this machine's? 127.0.0.1 is where a tunnel usually leads`;
    throw new UsageError(`notifications.listen: the receiver cannot listen on ${listen}: ${why}.`);
  });
  // A later error concerns one connection only, and the suite can do without it.
  server.on('error', () => undefined);
  const receiver: Receiver = {
    origin: `http://${host}:${heardOn}`,
    isOwn: () => false,
    onDelivery: () => undefined,
    isExpected: () => true,
    get overrun() {
      return missed;
    },
    async close() {
      for (const end of [...open.values()]) end();
      await endServer(server);
    },
  };
  return receiver;
}

/** Answers 200 with an empty body, and ends the connection; if the request was cut off, without reading it to its end. */
function answer(request: IncomingMessage, response: ServerResponse, isWhole: boolean): void {
  if (response.destroyed) return;
  response.writeHead(200, { 'Content-Length': 0, Connection: 'close' });
  response.end(() => {
    if (!isWhole) setTimeout(() => request.socket.destroy(), 500).unref();
  });
  request.resume();
}

/** How many bytes a request has before its body, about. */
function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

/** Returns path and query. A target in absolute form has them after the authority (RFC 9112 section 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

function deliveryOf(request: IncomingMessage, body: Buffer, isWhole: boolean, bodyBytes: number): RawDelivery {
  const { method = '' } = request;
  const headers = linesFrom(request.rawHeaders);
  const decoded = decode(body, headers, bodyBytes);
  // A body that cannot be decoded cannot be searched for secrets, so it is not recorded.
  const recorded = 'body' in decoded ? decoded : { body: Buffer.alloc(0), truncated: true };
  return { method, path: pathOf(request), headers, truncated: !isWhole, ...recorded };
}
