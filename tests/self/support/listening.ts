/** Servers of tests on the loopback, which end their connections when they are closed. */
import { connect, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { listenOn } from '../../../src/common/suite';
import { targetOf } from '../../../src/config/target';
import { networkTo } from '../../../src/recorder/transport/network-connection';
import { startReference } from '../../../src/reference/server';

interface Listening {
  port: number;
  close(): Promise<void>;
}

/** Lets a server listen. @param onSocket called with each connection */
export async function listening(
  server: Server,
  onSocket: (socket: Socket) => void = () => undefined,
): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  return {
    port: await listenOn(server),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The reference server behind TLS. */
export async function behindTls(options: TlsOptions) {
  const { origin, accounts, close } = await startReference();
  const server = await listening(createTlsServer(options, (socket) => leadTo(origin, socket)));
  const baseURL = `https://127.0.0.1:${server.port}/api/v2`;
  return { baseURL, accounts, close: () => Promise.all([server.close(), close()]) };
}

/** A connection to an address, as a run has it that trusts every certificate. Each `read` is one request over it. */
export function connectionTo(baseURL: string, environment: Record<string, string> = {}) {
  const target = targetOf({ baseURL, accounts: [{ name: 'a', apiKey: 'connection-key-4711' }] }, 'any');
  const connection = networkTo(target, { insecureTls: true, environment }).connection(1);
  const request = { method: 'GET', url: new URL(`${baseURL}/webhooks`), headers: [] };
  return Object.assign(connection, { read: () => connection.exchange(request) });
}

/** Leads a connection on to the server of an address. Either end closes the other. */
function leadTo(origin: string, near: Socket): void {
  const far = connect(Number(new URL(origin).port), '127.0.0.1');
  for (const [end, other] of [
    [near, far],
    [far, near],
  ] as const)
    end.on('error', () => undefined).on('close', () => other.destroy());
  near.pipe(far).pipe(near);
}
