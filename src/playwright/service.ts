/** The main process's end of the hand-over: answers on loopback, and only those that know the run's token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOf } from '../contract/clauses';
import { causesOf } from '../judge/causes';
import { messageOf } from '../report/message';
import type { Prepared, Run } from '../run/run';
import { Gateway } from './gateway';
import type { Judged } from './hand-over';
import { packed } from './recorded-attachment';
import type { Asker, Runs } from './runs';
import { attachmentsOf, stepsOf } from './shown';

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
 * @param carriers projects whose first test shall carry all that was recorded
 */
export async function startService(runs: Runs, carriers: Iterable<string> = []): Promise<Service> {
  const uncarried = new Set(carriers);
  // To hand Playwright a step for each exchange takes longer than to judge. The page of each target shows them all.
  const isBrief = runs.isFleet && runs.isSparing;
  const token = randomBytes(32).toString('hex');
  const gateway = new Gateway();

  /** The answer to a path and its query; `null` for one that nobody here knows. */
  const answered = async (url: URL): Promise<object | null> => {
    const [what = '', project = '', name = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    if (what === 'own-end') return gateway.end(project);
    if (what === 'project') return { project: runs.projects.get(project) };
    const asker: Asker = {
      project,
      id: what === 'judgement' ? name : null,
      worker: Number(url.searchParams.get('worker')),
      isAgain: url.searchParams.get('again') === '1',
    };
    const found = runs.runFor(asker);
    if (!found) return null;
    if (what === 'own') return gateway.begin(found.run, name, `http://127.0.0.1:${port()}`);
    const judged = await judgedOf(found.run, found.prepared, name, isBrief);
    runs.given(project, judged.judgement?.verdict === 'fail');
    const recorded = uncarried.delete(project) ? packed(found.run.sofar()) : null;
    return { ...judged, isReported: found.isReported, recorded };
  };

  const server = createServer((request, response) => {
    if (gateway.isFor(request.url ?? '')) {
      gateway.handle(request, response);
      return;
    }
    if (!isSame(request.headers.authorization ?? '', token)) {
      response.writeHead(403).end();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const answer = answered(url);
    const isOver = runs.waits(decodeURIComponent(url.pathname.split('/')[2] ?? ''));
    response.on('close', () => isOver(!response.writableEnded));
    hold(answer, response);
  });
  const port = () => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    address: JSON.stringify({ url: `http://127.0.0.1:${port()}/`, token }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers once there is an answer, or after a while that there is none yet. */
function hold(answer: Promise<object | null>, response: ServerResponse<IncomingMessage>): void {
  const patience = new Promise<'later'>((resolve) => setTimeout(resolve, HELD_MS, 'later').unref());
  Promise.race([answer, patience])
    .then((body) => {
      if (body === 'later') response.writeHead(202).end();
      else if (body === null)
        response
          .writeHead(404)
          .end('This project is no target of the run: TARGETS names them, a project for each file.');
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    })
    .catch((error: Error) => {
      if (!response.headersSent) response.writeHead(500).end(error.name);
    });
}

/** @param isBrief whether a clause that passes needs no steps */
async function judgedOf(
  run: Run,
  prepared: Prepared,
  id: string,
  isBrief: boolean,
): Promise<Omit<Judged, 'recorded' | 'isReported'>> {
  const { error, evidence } = await run.recorded();
  const { strict } = prepared;
  if (error !== null) return { judgement: null, error, strict };
  const judgement = run.judgement(id);
  const { breaches: _, note: __, ...result } = judgement;
  const causes = judgement.breaches.length > 0 ? causesOf(run.judgements().values()) : [];
  const [leader = id] = causes.find(({ clauses }) => clauses.includes(id))?.clauses ?? [];
  const told = {
    ...result,
    statement: textOf(id).statement.trim(),
    message: messageOf(judgement, evidence, leader === id ? null : leader),
    steps: isBrief && judgement.verdict === 'pass' ? [] : stepsOf(judgement, evidence),
    attachments: judgement.verdict === 'pass' ? [] : attachmentsOf(judgement),
  };
  return { judgement: told, error, strict };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
