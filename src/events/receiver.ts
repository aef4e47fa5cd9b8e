/**
 * Receives notifications: answers any request with 200. Bounded in size, time and number: anybody can send to it. Whether
 * the urls of the accounts lead to it is shown before anything is triggered.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { UsageError } from '../common/errors';
import { endServer, listenOn } from '../common/suite';
import { cut } from '../common/text';
import type { Notifications, Receiver, Target } from '../config/target';
import { KINDS, urlOf } from '../contract/settings';
import { linesOf } from '../evidence/http/headers';
import { memberAt } from '../evidence/http/json';
import { MOST_DELIVERIES } from '../evidence/model';
import type { Recorder } from '../recorder/recorder';
import { decode, linesFrom } from '../recorder/transport/answer';
import { MAX_HEADER_BYTES } from '../recorder/transport/fault';
import { CLOCK } from '../recorder/transport/network-connection';
import { CountedWait } from '../recorder/transport/wire';
import { withoutMarkers } from '../redaction/markers';
import { addressOf } from './deliveries';

/** The most that is recorded of one body, and of all requests together: anybody may send some. */
export const BODY_BYTES = 1_048_576;
const MOST_BYTES = 16 * BODY_BYTES;
const WHOLE_WITHIN_MS = 2000;

/** @param listen host and port; port 0 takes a free port @throws UsageError if the receiver cannot listen there */
export async function startReceiver(listen: string, wholeWithinMs = WHOLE_WITHIN_MS): Promise<Receiver> {
  const [, host, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(listen) ?? [];
  if (host === undefined) throw new UsageError(`notifications.listen: ${listen} is no host and port.`);
  const arriving = new Set<Promise<void>>();
  const room = { deliveries: MOST_DELIVERIES, bytes: MOST_BYTES };

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '' } = request;
    const [path, headers] = [pathOf(request), linesFrom(request.rawHeaders)];
    if (receiver.isOwn({ method, path, headers })) return answer(request, response, true);
    room.deliveries -= 1;
    // What is recorded is searched for secrets, so there must be room for it first.
    room.bytes -= path.length + request.rawHeaders.join('').length;
    if (room.deliveries < 0 || room.bytes < 0) {
      receiver.overrun += 1;
      return answer(request, response, false);
    }
    const { body, isWhole } = await bodyOf(request, room);
    answer(request, response, isWhole);
    const decoded = decode(body, headers, BODY_BYTES);
    // A body that cannot be decoded cannot be searched for secrets, so it is not recorded.
    const recorded = 'body' in decoded ? decoded : { body: Buffer.alloc(0), truncated: true };
    receiver.onDelivery({ method, path, headers, truncated: !isWhole, ...recorded });
  };
  // Node's own limits would end a request as too slow if this process was held up and has not read it yet.
  const unlimited = { headersTimeout: 0, requestTimeout: 0 };
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...unlimited }, (request, response) => {
    for (const stream of [request, response]) stream.on('error', () => undefined);
    const taken = take(request, response).finally(() => arriving.delete(taken));
    arriving.add(taken);
  });
  server.on('connection', (socket) => {
    const wait = new CountedWait(CLOCK, wholeWithinMs);
    void wait.ended.then(() => socket.destroy());
    socket.once('close', () => wait.callOff());
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
    overrun: 0,
    async close() {
      await endServer(server);
      await Promise.all(arriving);
    },
  };
  return receiver;
}

/** Reads a body until it ends, breaks off or finds no more room. The request stays open, so that it can be answered. */
async function bodyOf(request: IncomingMessage, room: { bytes: number }): Promise<{ body: Buffer; isWhole: boolean }> {
  /** Each character is a byte. */
  let body = '';
  let isWhole = true;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const recorded = chunk.subarray(0, Math.max(0, Math.min(BODY_BYTES - body.length, room.bytes)));
      room.bytes -= recorded.length;
      body += recorded.toString('latin1');
      isWhole = recorded.length === chunk.length;
      if (!isWhole) break;
    }
  } catch {
    isWhole = false;
  }
  return { body: Buffer.from(body, 'latin1'), isWhole };
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

/** Returns path and query. A target in absolute form has them after the authority (RFC 9112 section 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

/** The header line with which the suite knows its own request again. */
const HEADER = 'X-Conformance-Check';
const LONGEST_SHOWN = 160;

/**
 * `open`: the suite's own request arrived. `closed`: it was sent, and did not arrive. `unknown`: none was sent.
 * `why` has no full stop; of `closed` it is a sentence, of `unknown` the end of one.
 */
export interface Way {
  state: 'open' | 'closed' | 'unknown';
  why: string;
}

/**
 * Sends a request of the suite's own to each url of a notification kind, all at once, to see whether it arrives. Urls come
 * from the server under test, so only hosts are asked that the user declared as receivers.
 */
export async function waysTo(
  urls: Iterable<string>,
  recorder: Recorder,
  notifications: Notifications,
  receiver: Receiver,
): Promise<ReadonlyMap<string, Way>> {
  const declared = declaredOrigins(recorder.target, notifications);
  /** What to call with the path at which a request arrives, by the token in it. */
  const sent = new Map<string, (path: string) => void>();
  receiver.isOwn = ({ method, path, headers }) => {
    const [token = ''] = linesOf(headers, HEADER);
    const arrive = method === 'GET' ? sent.get(token) : undefined;
    arrive?.(path);
    return arrive !== undefined;
  };

  const unknown = (why: string): Way => ({ state: 'unknown', why });
  const wayTo = async (text: string): Promise<Way> => {
    if (withoutMarkers(text) !== text)
      return unknown('it holds a secret, so the run does not ask there. Look whether the tunnel is open');
    if (!declared.has(originOf(text)))
      return unknown('only the server names its host. Declare it in `settings`, and the run asks there first');
    const url = new URL(text);
    const token = randomUUID();
    const arrived = new Promise<string>((resolve) => sent.set(token, resolve));
    const outcome = await recorder.reach(url, [[HEADER, token]]);
    const status = outcome?.head?.status;
    // A relay may answer first and pass the request on later.
    const isTaken = status !== undefined && status >= 200 && status <= 299;
    const wait = new CountedWait(recorder.clock, isTaken ? notifications.waitSeconds * 1000 : 0);
    const at = await Promise.race([arrived, wait.ended.then(() => null)]);
    wait.callOff();
    // Credentials and a query may hold secrets.
    const request = `The run's own request to ${cut(url.origin + url.pathname, LONGEST_SHOWN)}`;
    if (at !== null) {
      if (addressOf(at) === addressOf(url.pathname + url.search)) return { state: 'open', why: '' };
      const as = cut(recorder.masking.maskText(at), LONGEST_SHOWN);
      return { state: 'closed', why: `${request} arrived as ${as}: the way to the receiver must keep path and query` };
    }
    const instead = status === undefined ? outcome?.fault?.message : `something else answered ${status}`;
    const why = `did not arrive at the receiver, which listens on ${notifications.listen}`;
    return { state: 'closed', why: `${request} ${why}: ${instead ?? 'the run was stopped'}` };
  };
  const ways = [...new Set(urls)].map(async (url) => [url, await wayTo(url)] as const);
  return new Map(await Promise.all(ways));
}

function declaredOrigins({ accounts }: Target, { listen }: Notifications): ReadonlySet<string> {
  const urls = accounts.flatMap(({ settings }) => KINDS.map((kind) => memberAt(settings, `${kind}.url`)));
  return new Set([`http://${listen}`, ...urls.filter((url) => typeof url === 'string')].map(originOf));
}

function originOf(url: string): string {
  return urlOf(url)?.origin ?? '';
}
