/** The suite's own name and root, and how its servers begin and end. */
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { dirname } from 'node:path';
import { name, version } from '#package';

/** Name and version of this suite, for results and the `User-Agent` header. */
export const suite = { name, version };

/** The command that starts the suite: the package's own sets it, otherwise it is Playwright's. */
export const command = process.env.CONFORMANCE_COMMAND ?? 'npx playwright test';

/** The run sets this variable for its workers: its address and the token that they must send, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';

/** The root of this package. Node finds it, because built code lies deeper than its source. */
export const root = dirname(createRequire(`${__dirname}/`).resolve('#package'));

/** Makes a server listen; by default on a free port of the loopback. @returns its port @throws the system's error */
export async function listenOn(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Ends every connection of a server at once, and stops listening. */
export async function endServer(server: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
