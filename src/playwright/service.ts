/** Gives the recorded runs to the workers: on loopback, and only to those that know the run's token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Run } from '../run/run';
import type { RunData } from './worker';

/** Where the workers find the service: an address and a token, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';
/** A worker that waits asks again after so long, so that no request stays open for minutes. */
const HELD_MS = 20_000;

/** The service, running. */
export interface Service {
  /** For `SERVICE_VARIABLE`. */
  address: string;
  close: () => Promise<void>;
}

/**
 * Starts to answer: each request once everything of its project is recorded.
 * @param runs by project
 * @param carriers projects whose first test shall carry the data as an attachment
 */
export async function startService(runs: ReadonlyMap<string, Run>, carriers: Iterable<string> = []): Promise<Service> {
  const uncarried = new Set(carriers);
  const token = randomBytes(32).toString('hex');
  const server: Server = createServer((request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(token);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      response.writeHead(403).end();
      return;
    }
    const project = decodeURIComponent((request.url ?? '/').slice(1));
    const run = runs.get(project);
    if (!run) {
      response.writeHead(404).end(`there is no project ${project}`);
      return;
    }
    const patience = new Promise<'later'>((resolve) => setTimeout(resolve, HELD_MS, 'later').unref());
    Promise.race([run.recorded(), patience])
      .then((recorded) => {
        if (recorded === 'later') {
          response.writeHead(202).end();
          return;
        }
        const answer: RunData = { recorded, strict: run.strict, carried: uncarried.delete(project) };
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      })
      .catch((error: Error) => response.writeHead(500).end(error.message));
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
