/** Whole runs as a user starts them: a process of its own, with an environment and a directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { listenOn } from '../../../src/common/suite';
import type { Conformance, Verdict } from '../../../src/contract/result';
import type { Har } from '../../../src/evidence/har';
import { startReference } from '../../../src/reference/server';
import { targetOfReference } from '../../../src/run/recording';

/** What every run leaves, in order. */
export const RESULT_FILES = ['badge.svg', 'conformance.json', 'evidence.har', 'index.html', 'junit.xml', 'summary.md'];

export const ROOT = join(__dirname, '..', '..', '..');
const PLAYWRIGHT = join(ROOT, 'node_modules', '@playwright', 'test', 'cli.js');
/** The only variables that a run inherits: nothing else that is set where these tests run can change their outcome. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

interface RunOptions {
  /** Arguments after `playwright test`. */
  arguments?: string[];
  /** RESULTS_DIR is set unless it is given here. */
  environment?: Record<string, string>;
  /** Default: a directory without anything that counts, so that a developer's `.env` changes nothing. */
  directory?: string;
  /** Default: this project's configuration. */
  config?: string;
}

/** How a process ended. */
export interface Ended {
  /** `null` where a signal ended it. */
  status: number | null;
  /** Standard output and error as they came. */
  output: string;
  /** Standard output alone. */
  printed: string;
}

export interface WholeRun extends Ended {
  /** Where the result files are. */
  results: string;
  /** RESULTS_DIR, below which everything is that the run wrote. */
  directory: string;
  /** The text of a result file. */
  text(name: string): string;
  conformance(): Conformance;
  clause(id: string): Conformance['clauses'][number] | undefined;
  /** The ids of the clauses with a verdict. */
  ids(verdict: Verdict): string[];
  har(): Har;
}

/** A process that has not ended yet. */
interface UnderWay<T extends Ended> {
  child: ChildProcess;
  /** Resolves once the output holds a text. */
  says(text: string): Promise<void>;
  ended: Promise<T>;
}

const directories: string[] = [];

/** A new, empty directory. It is removed when the process ends. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'whole-run-'));
  directories.push(directory);
  return directory;
}

/** Writes files, by their paths below a directory, which is a new one by default. @returns the directory */
export function directoryWith(files: Readonly<Record<string, string | Buffer>>, directory = freshDirectory()): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

/** Writes a file into a directory, which is a new one by default. @returns its path */
export function fileWith(name: string, content: string | Buffer, directory?: string): string {
  return join(directoryWith({ [name]: content }, directory), name);
}

/** Processes that have not ended. Each leads a group, so that what it has started ends with it. */
const running = new Set<ChildProcess>();

/** Ends a process with all that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// A worker that is interrupted, or whose main process has gone, exits.
process.once('exit', () => {
  for (const child of running) endGroup(child);
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Starts a process, which ends no later than this one, and collects what it prints. */
export function startProcess(
  file: string,
  words: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): UnderWay<Ended> {
  const child = spawn(file, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  let printed = '';
  const waiting: Array<() => void> = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (stream === child.stdout) printed += text;
      for (const trial of waiting) trial();
    });
  }
  return {
    child,
    ended: new Promise((resolve) => {
      child.once('close', (status) => resolve({ status, output, printed }));
    }),
    says: (wanted) =>
      new Promise((resolve, reject) => {
        const trial = () => output.includes(wanted) && resolve();
        waiting.push(trial);
        trial();
        child.once('close', () => reject(new Error(`The process ended without saying "${wanted}":\n${output}`)));
      }),
  };
}

/** Starts a run without waiting for it. */
export function startRun(options: RunOptions = {}): UnderWay<WholeRun> {
  const home = freshDirectory();
  const directory = options.directory ?? join(home, 'cwd');
  mkdirSync(directory, { recursive: true });
  // A developer's own file stands beside the configuration, and would count where none stands here.
  if (existsSync(join(ROOT, '.env')) && !existsSync(join(directory, '.env')))
    writeFileSync(join(directory, '.env'), '');
  const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const env: Record<string, string> = {
    ...Object.fromEntries(inherited),
    RESULTS_DIR: join(home, 'results'),
    ...options.environment,
  };
  const words = ['test', '-c', options.config ?? join(ROOT, 'playwright.config.ts'), ...(options.arguments ?? [])];
  const { child, says, ended } = startProcess(process.execPath, [PLAYWRIGHT, ...words], { cwd: directory, env });
  return { child, says, ended: ended.then((outcome) => ({ ...outcome, ...resultsIn(env.RESULTS_DIR ?? '') })) };
}

/** What a run left; that of a part of the clauses stands in a directory of its own. */
export function resultsIn(directory: string): Omit<WholeRun, keyof Ended> {
  const part = join(directory, 'part');
  const results = existsSync(part) ? part : directory;
  const text = (name: string) => readFileSync(join(results, name), 'utf8');
  const conformance = () => JSON.parse(text('conformance.json')) as Conformance;
  return {
    results,
    directory,
    text,
    conformance,
    clause: (id) => conformance().clauses.find((clause) => clause.id === id),
    ids: (verdict) => conformance().clauses.flatMap((clause) => (clause.verdict === verdict ? clause.id : [])),
    har: () => JSON.parse(text('evidence.har')) as Har,
  };
}

/** One run from its start to its end. */
export function wholeRun(options: RunOptions = {}): Promise<WholeRun> {
  return startRun(options).ended;
}

/** Starts a reference server and writes a target file that declares everything about it. */
export async function served(
  options: Parameters<typeof startReference>[0] & {
    /** Members of the target file to add or to replace. */
    target?: Record<string, unknown>;
  } = {},
) {
  const { target: members, ...server } = options;
  const reference = await startReference(server);
  const { baseURL, accounts } = targetOfReference(reference);
  const file = targetFile({ baseURL, accounts, ...members });
  return { reference, file, accounts, close: () => reference.close() };
}

/** One run against a server of its own, which stops at the run's end. */
export async function runAgainst(server: Parameters<typeof served>[0], options: RunOptions = {}): Promise<WholeRun> {
  const { file, close } = await served(server);
  try {
    return await wholeRun({ ...options, environment: { TARGET: file, ...options.environment } });
  } finally {
    await close();
  }
}

/** Writes a target file and gives its path. */
export function targetFile(content: string | object): string {
  return fileWith('target.yaml', typeof content === 'string' ? content : stringify(content));
}

/** A loopback port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** All files below a directory, as paths from there. */
export function filesBelow(directory: string, prefix = ''): string[] {
  return readdirSync(join(directory, prefix)).flatMap((name) => {
    const path = join(prefix, name);
    return statSync(join(directory, path)).isDirectory() ? filesBelow(directory, path) : [path];
  });
}

/** Lines that a stack trace would have. */
export function stackLines(output: string): string[] {
  return output.split('\n').filter((line) => /^\s+at .*:\d+|node:internal|^Node\.js v\d/.test(line));
}
