/** The embedded server: the reference behaviour over HTTP on the loopback, and its notifications. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { endServer, listenOn } from '../common/suite';
import { isSameSecret } from '../common/text';
import type { Rate } from '../evidence/model';
import { type Account, embeddedAccounts, type Notification } from './account';
import { type Behaviour, type Bend, bent, type Call, conformant, notify, serve } from './behaviour';

export interface ReferenceOptions {
  /** Default: the embedded accounts, with receivers below `receiverBase`. */
  accounts?: Account[];
  /** Where the embedded accounts' notifications go, such as `http://127.0.0.1:9099`. */
  receiverBase?: string;
  rate?: Rate;
  /** Applied in order. Without any, the server is conformant. */
  bends?: readonly Bend[];
  /** Loopback port; default: a free one. */
  port?: number;
  basePath?: string;
}

export type Reference = Awaited<ReturnType<typeof startReference>>;

/** Returns the bent behaviour that some options ask for. @param world what it takes from the world around it */
export function behaviourOf(
  { bends = [], rate = { requests: 1, seconds: 1 }, basePath = '/api/v2', ...options }: ReferenceOptions,
  world: Partial<Behaviour> = {},
): Behaviour {
  const configured = options.accounts ?? embeddedAccounts(options.receiverBase);
  const accounts = bends.reduce((sofar, { configure }) => configure?.(sofar) ?? sofar, configured);
  return bent({ ...conformant({ accounts, rate, basePath }), ...world }, bends);
}

/** Starts the API of the description on a loopback port. @throws if the port is taken */
export async function startReference(options: ReferenceOptions = {}) {
  const behaviour = behaviourOf(options);
  const triggerToken = randomBytes(24).toString('base64url');
  const stopped = new AbortController();

  const trigger = (kind: string, name: string): Promise<void> =>
    notify(behaviour, kind, name, (notification) => deliver(notification, stopped.signal));

  const server = createServer((request, response) => {
    // A broken connection or a bend's response must not end the process.
    response.on('error', () => {});
    request.on('error', () => {});
    request.resume();
    const call = callOf(request, response);
    const token = String(request.headers['x-trigger-token']);
    if (call.method === 'POST' && call.path === '/trigger' && isSameSecret(token, triggerToken)) {
      trigger(call.query.get('kind') ?? '', call.query.get('account') ?? '').then(
        () => response.writeHead(204).end(),
        (error: Error) => response.writeHead(400).end(`${error.message}\n`),
      );
      return;
    }
    serve(behaviour, call).catch((error: Error) => {
      if (!stopped.signal.aborted) process.emitWarning(error);
      request.socket.destroy();
    });
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  const origin = `http://127.0.0.1:${await listenOn(server, options.port)}`;
  return {
    /** Such as `http://127.0.0.1:40001/api/v2`. */
    baseURL: origin + behaviour.basePath,
    origin,
    accounts: behaviour.accounts,
    /** Takes `POST ?kind=start&account=alice` with the token in `X-Trigger-Token`. */
    triggerURL: `${origin}/trigger`,
    triggerToken,
    trigger,
    /** Ends every connection and every delivery at once, and stops listening. */
    close(): Promise<void> {
      stopped.abort();
      return endServer(server);
    },
  };
}

/** Returns the call that a request makes. */
export function callOf(request: IncomingMessage, response: ServerResponse): Call {
  // A target in absolute form has its path after the authority (RFC 9112, 3.2.2).
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', ...query] = target.split('?');
  return {
    request,
    response,
    method: request.method ?? 'GET',
    path: path === '' ? '/' : path,
    query: new URLSearchParams(query.join('?')),
  };
}

/** A receiver has so long to answer. */
const WITHIN_MS = 5000;

/** Sends a notification and reads the answer. A receiver's failure is no error. @param signal gives up when it fires */
async function deliver({ method, url, headers, body }: Notification, signal: AbortSignal): Promise<void> {
  const send = url.startsWith('https:') ? requestSecurely : request;
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  try {
    const asked = send(url, { method, headers: Object.fromEntries(headers), agent: false, signal: within });
    // An error that comes after the answer has begun is the answer's, too.
    asked.on('error', () => undefined).end(body);
    const [answer] = await once(asked, 'response');
    await buffer(answer);
  } catch {
    // A receiver may be gone, or not speak HTTP.
  }
}
