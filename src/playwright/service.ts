/** The main process's end of the hand-over: answers on loopback, and only those that know the run's token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOf } from '../contract/clauses';
import { causesOf } from '../judge/causes';
import type { Judgement } from '../judge/verdict';
import { messageOf } from '../report/message';
import type { Run } from '../run/run';
import { Gateway, NO_SUCH_PATH } from './gateway';
import { packed } from './recorded-attachment';
import type { Asker, Found, Runs } from './runs';
import { attachmentsOf, stepsOf } from './shown';

const UNKNOWN = 'This project is no target of the run: TARGETS names them, a project for each file.';

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
    const judged = await judgedOf(found, name, isBrief, () => uncarried.delete(project));
    runs.given(project, judged.judgement?.verdict === 'fail');
    return judged;
  };

  const server = createServer((request, response) => {
    if (gateway.isFor(request.url ?? '')) {
      gateway.handle(request, response);
      return;
    }
    if (!isSame(request.headers.authorization ?? '', token)) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end(NO_SUCH_PATH);
      return;
    }
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const answer = answered(url);
    const isOver = runs.waits(decodeURIComponent(url.pathname.split('/')[2] ?? ''));
    response.on('close', () => isOver(!response.writableEnded));
    answer
      .then((body) => {
        const text = body && JSON.stringify(body);
        if (text) response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
        else response.writeHead(404).end(UNKNOWN);
      })
      .catch((error: Error) => response.writeHead(500).end(error.name));
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

/** What the test of a clause needs to know. */
export type Judged = Awaited<ReturnType<typeof judgedOf>>;

/**
 * @param isBrief whether a clause that passes needs no steps
 * @param carries whether its test has to carry what was recorded to a merge of reports
 */
async function judgedOf({ run, prepared, isReported }: Found, id: string, isBrief: boolean, carries: () => boolean) {
  const recorded = await run.recorded();
  return {
    /** `null` where nothing could be judged. */
    judgement: recorded.error === null ? toldOf(run.judgement(id), run, isBrief) : null,
    /** Why nothing could be judged. */
    error: recorded.error,
    /** Whether somebody tells that error once for the whole run, so that the tests need not fail to make it known. */
    isReported,
    /** Whether a warning fails the run. */
    strict: prepared.strict,
    /** All that was recorded, as JSON. */
    recorded: carries() ? packed(recorded) : null,
  };
}

/** A judgement as its test tells it. */
function toldOf(judgement: Judgement, run: Run, isBrief: boolean) {
  const { id } = judgement;
  const { evidence } = run.sofar();
  const { breaches: _, note: __, ...result } = judgement;
  const causes = judgement.breaches.length > 0 ? causesOf(run.judgements().values()) : [];
  const [leader = id] = causes.find(({ clauses }) => clauses.includes(id))?.clauses ?? [];
  return {
    ...result,
    statement: textOf(id).statement.trim(),
    /** The whole message for people; `null` for `pass` and `not-tested`. */
    message: messageOf(judgement, evidence, leader === id ? null : leader),
    /** A line for each exchange that decided it. */
    steps: isBrief && judgement.verdict === 'pass' ? [] : stepsOf(judgement, evidence),
    attachments: judgement.verdict === 'pass' ? [] : attachmentsOf(judgement, evidence.target.variables),
  };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
