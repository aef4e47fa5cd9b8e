/** Gives the recorded run to the workers: on loopback, and only to those that know the run's token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunData } from './run';

/** Where the workers find the service: an address and a token, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';
/** A worker that waits asks again after so long, so that no request stays open for minutes. */
const HELD_MS = 20_000;

export interface Service {
  /** For `SERVICE_VARIABLE`. */
  address: string;
  close: () => Promise<void>;
}

/** @param data resolves once everything is recorded. */
export async function startService(data: () => Promise<RunData>): Promise<Service> {
  const token = randomBytes(32).toString('hex');
  const server: Server = createServer((request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(token);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      response.writeHead(403).end();
      return;
    }
    const patience = new Promise<null>((resolve) => setTimeout(resolve, HELD_MS, null).unref());
    Promise.race([data(), patience]).then(
      (recorded) => {
        if (recorded === null) response.writeHead(202).end();
        else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(recorded));
      },
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: JSON.stringify({ url: `http://127.0.0.1:${port}/`, token }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
