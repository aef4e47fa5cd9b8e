/** Whole runs as a user starts them: a process of its own, with an environment and a directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Conformance } from '../../src/contract/result';
import type { Har } from '../../src/evidence/har/shape';
import { startReference } from '../../src/reference/server';
import { targetOfReference } from '../../src/run/embedded';

export const ROOT = join(__dirname, '..', '..');
const PLAYWRIGHT = join(ROOT, 'node_modules', '@playwright', 'test', 'cli.js');
/** All that a run inherits, so that nothing set where these tests run can change what they see. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

export interface RunOptions {
  /** Arguments after `playwright test`. */
  arguments?: string[];
  /** RESULTS_DIR is set unless it is given here. */
  environment?: Record<string, string>;
  /** Default: an empty directory, so that a developer's `.env` has no say. */
  directory?: string;
}

export interface WholeRun {
  /** `null` where a signal ended it. */
  status: number | null;
  /** Standard output and error as they came. */
  output: string;
  /** The results directory. */
  results: string;
  /** The text of a result file. */
  text(name: string): string;
  conformance(): Conformance;
  har(): Har;
}

export interface RunUnderWay {
  child: ChildProcess;
  /** Resolves once the output holds a text. */
  says(text: string): Promise<void>;
  ended: Promise<WholeRun>;
}

const directories: string[] = [];

/** A directory that `removeDirectories` takes away. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'whole-run-'));
  directories.push(directory);
  return directory;
}

/** For `test.afterAll`. */
export function removeDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** Starts a run without waiting for it. */
export function startRun(options: RunOptions = {}): RunUnderWay {
  const home = freshDirectory();
  const directory = options.directory ?? join(home, 'cwd');
  mkdirSync(directory, { recursive: true });
  const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const environment: Record<string, string> = {
    ...Object.fromEntries(inherited),
    RESULTS_DIR: join(home, 'results'),
    ...options.environment,
  };
  const configured = ['-c', join(ROOT, 'playwright.config.ts'), ...(options.arguments ?? [])];
  const child = spawn(process.execPath, [PLAYWRIGHT, 'test', ...configured], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const waiting: Array<() => void> = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of waiting) look();
    });
  }
  const results = environment.RESULTS_DIR ?? '';
  const text = (name: string) => readFileSync(join(results, name), 'utf8');
  const ended = new Promise<WholeRun>((resolve) => {
    child.once('close', (status) =>
      resolve({
        status,
        output,
        results,
        text,
        conformance: () => JSON.parse(text('conformance.json')) as Conformance,
        har: () => JSON.parse(text('evidence.har')) as Har,
      }),
    );
  });
  return {
    child,
    ended,
    says: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => output.includes(wanted) && resolve();
        waiting.push(look);
        look();
        child.once('close', () => reject(new Error(`The run ended without saying "${wanted}":\n${output}`)));
      }),
  };
}

/** One run from its start to its end. */
export function wholeRun(options: RunOptions = {}): Promise<WholeRun> {
  return startRun(options).ended;
}

/** The reference server, bent or not, and a target file that declares all that is known of it. */
export async function served(
  options: Parameters<typeof startReference>[0] & {
    /** Members of the target file besides, or instead. */
    target?: Record<string, unknown>;
  } = {},
) {
  const { target: members, ...server } = options;
  const reference = await startReference(server);
  const { baseURL, accounts } = targetOfReference(reference);
  const file = targetFile({ baseURL, accounts, ...members });
  return { reference, file, accounts, close: () => reference.close() };
}

/** Writes a target file and gives its path. */
export function targetFile(content: string | object): string {
  const file = join(freshDirectory(), 'target.yaml');
  writeFileSync(file, typeof content === 'string' ? content : stringify(content));
  return file;
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
