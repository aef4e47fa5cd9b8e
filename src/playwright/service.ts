/** The main process's end of the hand-over: its runs, and a service that answers the tests on loopback, and only to those that know the run's token. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { command, endServer, listenOn } from '../common/suite';
import { isSameSecret, plural } from '../common/text';
import { withoutOwn } from '../evidence/model';
import { whyNothingIsJudged } from '../judge/reachability';
import { causesIn } from '../judge/verdict';
import { OwnProxy } from '../own-tests/proxy';
import { messageOf } from '../report/breach/message';
import { sourceOf } from '../report/words';
import type { Prepared, Run } from '../run/run';
import { EVIDENCE } from './client';

/** The prepared targets of this process, and the run of each that is under way. */
export class Runs {
  /** Whether each project has its own target; otherwise all projects share the single one. */
  readonly isFleet: boolean;
  /** By name of the target. */
  readonly underWay = new Map<string, Run>();
  /** What begins the runs that wait until a test asks for a judgement or for the API, by name of the target. */
  readonly waiting = new Map<string, () => void>();

  /**
   * @param prepared by project; a single target has an empty name
   * @param unlock lets other runs write to the directory of results, once or again
   */
  constructor(
    readonly prepared: Map<string, Prepared>,
    readonly unlock = async () => {},
  ) {
    this.isFleet = !prepared.has('');
  }

  /** The name under which the target of a project stands. */
  nameFor(project = ''): string {
    return this.isFleet ? project : '';
  }

  /** Begins a run for some clauses; `null` if there is no such target. */
  begin(name: string, ids: Iterable<string>): Run | null {
    const run = this.prepared.get(name)?.begin(ids) ?? null;
    if (run) this.underWay.set(name, run);
    return run;
  }

  /** Drops the run of a target whose results are written, and the target unless the process may run its tests again. */
  finished(name: string): void {
    this.underWay.get(name)?.stop();
    this.underWay.delete(name);
    if (!isWatched()) this.prepared.delete(name);
  }

  /** Ends the sending of every run. */
  stop(): void {
    for (const run of this.underWay.values()) run.stop();
  }

  /** As `stop`; a later test gets a fresh run. */
  end(): void {
    this.waiting.clear();
    this.stop();
    this.underWay.clear();
  }

  /**
   * Returns the run for a test; `null` without a target. Where a tool leaves out the reporter, which begins runs, the run
   * is one for own tests alone: only a reporter knows when the clauses are to be judged anew.
   */
  runFor(project: string): Run | null {
    const name = this.nameFor(project);
    this.waiting.get(name)?.();
    this.waiting.delete(name);
    return this.underWay.get(name) ?? this.begin(name, []);
  }

  async close(): Promise<void> {
    await Promise.all([...this.prepared.values()].map((prepared) => prepared.close?.()));
  }
}

/** Whether UI mode, an editor or a debugger shows the run, and may run the tests of this process again. */
export function isWatched(): boolean {
  return process.argv.some((argument) => /^(?:test-server$|--ui|--debug)/.test(argument));
}

/** `null` if nothing was prepared: tests are only listed, reports are merged, or the configuration is unusable. */
export const current = { runs: null as Runs | null, isTaken: false };

const UNKNOWN = 'This project is no target of the run: TARGETS names them, a project for each file.';
const UNREPORTED = `Nothing is judged, because this run was started without the suite's reporter, which begins it: use \`${command}\`, or keep the reporter.`;

export async function startService(runs: Runs) {
  const token = randomBytes(32).toString('hex');
  const proxy = new OwnProxy();

  /** Returns the answer to a question with its parameters, or why there is none. */
  const answered = async (what: string, { name = '', project = '' }: Record<string, string>) => {
    if (what === 'own-end') return proxy.end(name) ?? UNKNOWN;
    const run = runs.runFor(project);
    if (!run) return UNKNOWN;
    if (what === 'own') return proxy.begin(run, name);
    if (!run.ids.includes(name)) return UNREPORTED;
    return outcomeOf(run, name, runs.prepared.get(runs.nameFor(project))?.strict ?? false);
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
    address: JSON.stringify({ url, token }),
    close: () => endServer(server),
  };
}

/** What becomes of the test of a clause. It passes if it neither fails nor is skipped. */
export interface Outcome {
  annotations: Array<{ type: string; description: string }>;
  /** Why nothing is judged; `null` if something is. */
  skip: string | null;
  /** The whole message for people; `null` if the test does not fail. */
  failure: string | null;
}

/** Returns the outcome of a clause's test, once its run is recorded. @param strict whether a warning fails the run */
async function outcomeOf(run: Run, id: string, strict: boolean): Promise<Outcome> {
  const { evidence, error } = await run.recorded();
  const judgements = run.judgements();
  const judgement = judgements.get(id);
  // Where no key was accepted, a single sentence says so: no clause of its own says it again.
  const undone = error ?? whyNothingIsJudged([...judgements.values()], withoutOwn(evidence));
  if (!judgement || undone !== null)
    return { annotations: [], skip: `The run could not be done: ${undone ?? 'The run was stopped.'}`, failure: null };
  const { level, section, statement, verdict, reason, evidence: entries } = judgement;
  const annotations = [{ type: `${level.toUpperCase()}, ${sourceOf(section)}`, description: statement }];
  if (verdict !== 'pass') annotations.push({ type: verdict, description: reason ?? '' });
  if (entries.length > 0)
    annotations.push({ type: EVIDENCE, description: `${plural(entries.length, 'entry', 'entries')} of evidence.har` });
  if (verdict !== 'fail' && !(verdict === 'warn' && strict))
    return { annotations, skip: verdict === 'not-tested' ? reason : null, failure: null };
  const [leader = id] = causesIn(judgements.values()).find(({ clauses }) => clauses.includes(id))?.clauses ?? [];
  return { annotations, skip: null, failure: messageOf(judgement, evidence, leader === id ? null : leader) };
}
