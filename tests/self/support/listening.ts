/** Servers of tests on the loopback, which end their connections when they are closed. */
import { connect, type Server, type Socket } from 'node:net';
import { listenOn } from '../../../src/common/suite';

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

/** Leads a connection on to the server of an address. Either end closes the other. */
export function leadTo(origin: string, near: Socket): void {
  const far = connect(Number(new URL(origin).port), '127.0.0.1');
  for (const [end, other] of [
    [near, far],
    [far, near],
  ] as const)
    end.on('error', () => undefined).on('close', () => other.destroy());
  near.pipe(far).pipe(near);
}
