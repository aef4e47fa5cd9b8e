/** The main process's end of the hand-over. It answers on loopback, and only to those that know the run's token. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { endServer, listenOn } from '../common/listening';
import { command } from '../common/suite';
import { cut, visible } from '../common/text';
import { isSameSecret } from '../contract/digest';
import type { Evidence, Exchange } from '../evidence/model';
import { withoutOwn } from '../evidence/select';
import { whyNothingIsJudged } from '../judge/reachability';
import type { Judgement } from '../judge/verdict';
import { OwnProxy } from '../own-tests/proxy';
import { messageOf } from '../report/breach/message';
import type { Run } from '../run/run';
import type { Runs } from './runs';

const UNKNOWN = 'This project is no target of the run: TARGETS names them, a project for each file.';
const UNREPORTED = `Nothing is judged, because this run was started without the suite's reporter, which begins it: use \`${command}\`, or keep the reporter.`;

/** Starts the service. */
export async function startService(runs: Runs) {
  // Handing Playwright a step for each exchange takes longer than judging. The page of each target shows all steps.
  const isBrief = runs.isFleet && runs.isSparing;
  const token = randomBytes(32).toString('hex');
  const proxy = new OwnProxy();

  /** Returns the answer to a question with its parameters, or why there is none. */
  const answered = async (what: string, { name = '', project = '' }: Record<string, string>) => {
    if (what === 'own-end') {
      const ended = proxy.end(name);
      if (!ended) return UNKNOWN;
      return ended;
    }
    if (what === 'project') return { project: runs.projects.get(name) };
    const run = runs.runFor(project);
    if (!run) return UNKNOWN;
    if (what === 'own') return proxy.begin(run, name);
    if (!run.ids.includes(name)) return UNREPORTED;
    const strict = runs.prepared.get(runs.nameFor(project))?.strict ?? false;
    return { strict, ...(await judgedOf(run, name, isBrief)) };
  };

  const server = createServer((request, response) => {
    if (proxy.handle(request, response)) return;
    if (!isSameSecret(request.headers.authorization ?? '', token)) {
      response.writeHead(403).end();
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    answered(pathname.slice(1), Object.fromEntries(searchParams))
      .then((body) => {
        if (typeof body === 'string') {
          response.writeHead(404).end(body);
          return;
        }
        response.writeHead(200, { 'Content-Type': 'application/jsonl' }).write(`${JSON.stringify(body)}\n`);
        if ('id' in body) proxy.follow(body.id, response);
        else response.end();
      })
      .catch((error: Error) => response.writeHead(500).end(error.name));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) =>
    proxy.connect(request, socket, (tunnel) => server.emit('connection', tunnel)),
  );
  const url = `http://127.0.0.1:${await listenOn(server)}/`;
  return {
    /** The value of `SERVICE_VARIABLE`. */
    address: JSON.stringify({ url, token }),
    close: () => endServer(server),
  };
}

export type Judged = Awaited<ReturnType<typeof judgedOf>> & {
  /** Whether a warning fails the run. */
  strict: boolean;
};

/** Returns what a test gets. @param isBrief no steps for a pass */
async function judgedOf(run: Run, id: string, isBrief: boolean) {
  const recorded = await run.recorded();
  // Where no key was accepted, a single sentence says so: no clause of its own says it again.
  const error = recorded.error ?? whyNothingIsJudged([...run.judgements().values()], withoutOwn(recorded.evidence));
  return {
    /** `null` if nothing could be judged. */
    judgement: error === null ? shownOf(run.judgement(id), run, isBrief) : null,
    /** Why nothing could be judged. */
    error,
  };
}

function shownOf(judgement: Judgement, run: Run, isBrief: boolean) {
  const { id } = judgement;
  const { evidence } = run.sofar();
  const { breaches: _, note: __, ...result } = judgement;
  const [leader = id] = run.causes().find(({ clauses }) => clauses.includes(id))?.clauses ?? [];
  return {
    ...result,
    /** The whole message for people; `null` for `pass` and `not-tested`. */
    message: messageOf(judgement, evidence, leader === id ? null : leader),
    /** A line for each exchange that decided it. */
    steps: isBrief && judgement.verdict === 'pass' ? [] : stepsOf(judgement, evidence),
  };
}

const MOST_STEPS = 20;
const LONGEST_TITLE = 160;

/** Returns one line for each exchange that decided it, those of breaches first, and the number of those left out. */
export function stepsOf({ breaches, evidence: deciding }: Judgement, { exchanges }: Evidence): string[] {
  const byIndex = new Map(exchanges.map((exchange) => [exchange.index, exchange]));
  const breaking = breaches.flatMap((breach) => breach.exchanges.map(({ index }) => index));
  const all = [...new Set([...breaking, ...deciding])].flatMap((index) => byIndex.get(index) ?? []);
  const left = all.length - MOST_STEPS;
  return [...all.slice(0, MOST_STEPS).map(stepOf), ...(left > 0 ? [`${left} more, in evidence.har`] : [])];
}

function stepOf({ index, request, account, response, fault, sentAtMs, receivedAtMs }: Exchange): string {
  const whose = account === null ? 'without a valid key' : `as ${account}`;
  const came = [response?.status, fault?.kind].filter((part) => part !== undefined).join(', ');
  const took = `${Math.round(receivedAtMs - sentAtMs)} ms`;
  return cut(visible(`entry ${index}: ${request.method} ${request.url} ${whose} → ${came} (${took})`), LONGEST_TITLE);
}
