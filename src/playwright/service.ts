/** The main process's end of the hand-over: answers on loopback, and only those that know the run's token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { causesOf } from '../judge/causes';
import { messageOf } from '../report/message';
import type { Run } from '../run/run';
import type { Judged } from './hand-over';

/** A worker that waits asks again after so long, so that no request stays open for minutes. */
const HELD_MS = 20_000;

/** The service, running. */
export interface Service {
  /** For `SERVICE_VARIABLE`. */
  address: string;
  close: () => Promise<void>;
}

/**
 * Starts to answer: each request once everything of its project is recorded and judged.
 * @param runs by project
 * @param carriers projects whose first test shall carry all that was recorded
 */
export async function startService(runs: ReadonlyMap<string, Run>, carriers: Iterable<string> = []): Promise<Service> {
  const uncarried = new Set(carriers);
  const token = randomBytes(32).toString('hex');
  const server: Server = createServer((request, response) => {
    if (!isSame(request.headers.authorization ?? '', token)) {
      response.writeHead(403).end();
      return;
    }
    const [project = '', id = ''] = (request.url ?? '/').slice(1).split('/').map(decodeURIComponent);
    const run = runs.get(project);
    if (!run) {
      response.writeHead(404).end('there is no such project');
      return;
    }
    const patience = new Promise<'later'>((resolve) => setTimeout(resolve, HELD_MS, 'later').unref());
    Promise.race([judgedOf(run, id), patience])
      .then((judged) => {
        if (judged === 'later') {
          response.writeHead(202).end();
          return;
        }
        const recorded = uncarried.delete(project) ? JSON.stringify(run.sofar()) : null;
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...judged, recorded }));
      })
      .catch((error: Error) => response.writeHead(500).end(error.name));
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

async function judgedOf(run: Run, id: string): Promise<Omit<Judged, 'recorded'>> {
  const { error, evidence } = await run.recorded();
  if (error !== null) return { judgement: null, error, strict: run.strict };
  const judgement = run.judgement(id);
  const { breaches: _, note: __, ...result } = judgement;
  const [leader = id] = causesOf(run.judgements().values()).find(({ clauses }) => clauses.includes(id))?.clauses ?? [];
  const message = messageOf(judgement, evidence, leader === id ? null : leader);
  return { judgement: { ...result, message }, error, strict: run.strict };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
