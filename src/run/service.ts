/** Gives the recorded runs to the workers: on loopback, and only to those that know the run's token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunData } from './run';
import type { RecordedRun } from './worker';

/** Where the workers find the service: an address and a token, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';
/** A worker that waits asks again after so long, so that no request stays open for minutes. */
const HELD_MS = 20_000;

export interface Service {
  /** For `SERVICE_VARIABLE`. */
  address: string;
  close: () => Promise<void>;
}

/**
 * @param data resolves once everything of a project is recorded, to `null` where there is no such project
 * @param carriers projects whose first test shall carry the data as an attachment
 */
export async function startService(
  data: (project: string) => Promise<RunData | null>,
  carriers: Iterable<string> = [],
): Promise<Service> {
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
    const patience = new Promise<'later'>((resolve) => setTimeout(resolve, HELD_MS, 'later').unref());
    Promise.race([data(project), patience])
      .then((recorded) => {
        if (recorded === 'later') response.writeHead(202).end();
        else if (recorded === null) response.writeHead(404).end(`there is no project ${project}`);
        else {
          const answer: RecordedRun = { ...recorded, carried: uncarried.delete(project) };
          const body = JSON.stringify(answer);
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
        }
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
