/** What is this suite itself: its name, its root, and how its servers begin and end. */

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { dirname } from 'node:path';
import { name, version } from '#package';

/** Name and version of this suite, as results and the `User-Agent` header state them. */
export const suite = { name, version };

/** What starts Playwright with this suite: the package's own command says so, otherwise Playwright's. */
export const command = process.env.CONFORMANCE_COMMAND ?? 'npx playwright test';

/** The run sets this for its workers: its address and the token that they must send, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';

/** The root of this package, which holds `schemas`. Node is asked, because built code stands deeper than its source. */
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
