/** The main process's end of the hand-over. It answers on loopback, and only to those that know the run's token. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { endServer, listenOn } from '../common/listening';
import { command } from '../common/suite';
import { isSameSecret } from '../contract/digest';
import { withoutOwn } from '../evidence/select';
import { whyNothingIsJudged } from '../judge/reachability';
import type { Judgement } from '../judge/verdict';
import { OwnProxy } from '../own-tests/proxy';
import { messageOf } from '../report/breach/message';
import type { Run } from '../run/run';
import { packed } from './recorded-attachment';
import type { Runs } from './runs';
import { attachmentsOf, stepsOf } from './steps';

const UNKNOWN = 'This project is no target of the run: TARGETS names them, a project for each file.';
const UNREPORTED = `Nothing is judged, because this run was started without the suite's reporter, which begins it: use \`${command}\`, or keep the reporter.`;

/** Starts the service. @param carriers targets whose first test carries what is recorded to a merge of reports */
export async function startService(runs: Runs, carriers: ReadonlySet<string> = new Set()) {
  const uncarried = new Set(carriers);
  // Handing Playwright a step for each exchange takes longer than judging. The page of each target shows all steps.
  const isBrief = runs.isFleet && runs.isSparing;
  const token = randomBytes(32).toString('hex');
  const proxy = new OwnProxy();

  /** Returns the answer to a question with its parameters, or why there is none. */
  const answered = async (what: string, { name = '', project = '' }: Record<string, string>) => {
    if (what === 'own-end') {
      const ended = proxy.end(name);
      if (!ended) return UNKNOWN;
      const { run, ...outcome } = ended;
      // What it sent came after what a clause has carried.
      return { ...outcome, recorded: carriers.size > 0 ? packed(run.sofar()) : null };
    }
    if (what === 'project') return { project: runs.projects.get(name) };
    const run = runs.runFor(project);
    if (!run) return UNKNOWN;
    if (what === 'own') return proxy.begin(run, name);
    if (!run.ids.includes(name)) return UNREPORTED;
    const target = runs.nameFor(project);
    const strict = runs.prepared.get(target)?.strict ?? false;
    return { strict, ...(await judgedOf(run, name, isBrief, () => uncarried.delete(target))) };
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

/** Returns what a test gets. @param isBrief no steps for a pass @param carries whether it carries what is recorded */
async function judgedOf(run: Run, id: string, isBrief: boolean, carries: () => boolean) {
  const recorded = await run.recorded();
  // Where no key was accepted, a single sentence says so: no clause of its own says it again.
  const error = recorded.error ?? whyNothingIsJudged([...run.judgements().values()], withoutOwn(recorded.evidence));
  return {
    /** `null` if nothing could be judged. */
    judgement: error === null ? shownOf(run.judgement(id), run, isBrief) : null,
    /** Why nothing could be judged. */
    error,
    recorded: carries() ? packed(recorded) : null,
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
    attachments: judgement.verdict === 'pass' ? [] : attachmentsOf(judgement, evidence.target),
  };
}
