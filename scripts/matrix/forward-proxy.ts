/** A forward proxy on loopback that sends requests for any host to one server, so that any address can be tried. */
import { createServer, request as requestTo } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOn } from '../../src/common/suite';

/** @param to origin of the server that every tunnel leads to */
export async function startForwardProxy(to: string) {
  const { hostname, port } = new URL(to);
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { host, port: ofTarget, pathname, search } = new URL(request.url ?? '');
    asked.push(ofTarget ? host : `${host}:80`);
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const through = requestTo(
      { hostname, port, method: request.method, path: pathname + search, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    through.on('error', () => response.destroy());
    request.pipe(through);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, socket: Socket, head) => {
    asked.push(request.url ?? '');
    const through = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      through.write(head);
      through.pipe(socket).pipe(through);
    });
    sockets.add(through);
    through.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  });
  return {
    url: `http://127.0.0.1:${await listenOn(server)}`,
    /** The authorities that were asked for, in order. */
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
